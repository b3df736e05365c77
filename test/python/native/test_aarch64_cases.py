"""All cases of the benchmark become images for AArch64; test_aarch64.py runs a sample of kernels.

In a commit, each is compiled for one of the targets; at night, for all.
"""

import pytest

import profiles
import tinytc_mlir as tt
from cases import kernel_check
from tinytc_bench.cases import all_cases
from tinytc_mlir.runtime.native.elf import ObjectFile
from tinytc_mlir.runtime.native.image import Image

TARGETS = ("aarch64", "aarch64-sve256", "aarch64-sve512")
CASES = list(all_cases().values())
BASE = 0x40_0000_0000
RANDOM_COUNT = 400 if profiles.IS_NIGHTLY else 8


def image_of(text, target):
    """Return the functions of an image of a program, which fails on unknown relocations."""
    program = tt.Context().parse(text).compile(target)
    file = ObjectFile(program.code, "program")
    assert file.machine == "aarch64"
    image = Image(file, {"memcpy": BASE, "memset": BASE}.__getitem__)
    assert len(image.at(BASE)) == image.size
    assert {kernel.name for kernel in program.manifest.kernels} <= set(image.addresses(BASE))


def test_number_of_cases():
    assert len(CASES) == 141


@pytest.mark.similar
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number].name)
def test_cases(number):
    targets = TARGETS if profiles.IS_NIGHTLY else TARGETS[number % 3 :][:1]
    for target in targets:
        image_of(CASES[number].ours.text, target)


@pytest.mark.filterwarnings("ignore")
def test_random_kernels():
    for seed in range(profiles.FIRST_KERNEL, profiles.FIRST_KERNEL + RANDOM_COUNT):
        image_of(kernel_check.random_kernel(seed).text("f"), TARGETS[seed % 3])
