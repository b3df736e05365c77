"""A sample of the random kernels that test/device_check.py compares at length."""

import re

import pytest

import profiles
import programs
from cases.kernel_check import check, random_kernel
from cases.kernel_instructions import CHOICES
from tinytc_mlir.compiler import ABIS

COUNT = 80 if profiles.IS_NIGHTLY else 16


@pytest.mark.parametrize("abi", ABIS)
def test_device_agrees_with_reference(abi):
    first = profiles.FIRST_KERNEL + COUNT // 2 * ABIS.index(abi)
    count = check([random_kernel(seed) for seed in range(first, first + COUNT // 2)], abi)
    assert not count.unbuilt + count.failures, "\n".join(count.unbuilt + count.failures)
    assert count.equal + count.rounded >= 0.9 * COUNT // 2, count


@pytest.mark.parametrize("abi", ABIS)
def test_debug_builds_agree_too(abi):
    first = profiles.FIRST_KERNEL + COUNT + COUNT // 8 * ABIS.index(abi)
    kernels = [random_kernel(seed) for seed in range(first, first + COUNT // 8)]
    count = check(kernels, abi, debug=True)
    assert not count.unbuilt + count.failures, "\n".join(count.unbuilt + count.failures)


def test_every_instruction_is_written():
    texts = "\n".join(random_kernel(seed).body for seed in range(400))
    used = set(re.findall(r"[a-z_]\w*(?:\.\w+)?", texts))
    used |= {word.split(".")[0] for word in used}
    assert set(programs.INSTRUCTION_NAMES) - used == set()
    assert len(CHOICES) > 20
