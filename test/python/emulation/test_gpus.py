"""The code for each GPU, executed by the emulators, computes what the language says.

Longer runs: `python test/emulate.py cuda:sm_90 --cases 500`.
"""

import itertools
import random

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases import kernel_check
from cases.compiled_cases import device_cases, fitting
from cases.seissol.chain_programs import random_program
from cases.seissol.launching import compare
from emulators.comparison import run_cases, sample
from emulators.machines import TARGETS, machine
from emulators.products import product
from tinytc_mlir.emulators.findings import FINDINGS

DEVICE_CASES, RANDOM_KERNELS, PRODUCTS, CHAINS = (
    (30, 10, 16, 3) if profiles.IS_NIGHTLY else (4, 3, 3, 1)
)


@pytest.fixture(scope="module", params=TARGETS)
def gpu(request):
    with machine(request.param).installed() as installed:
        yield installed


def check(cases, gpu, seed):
    failures, launches = run_cases(cases, gpu, random.Random(seed))
    assert launches
    assert not failures, "\n".join(failures[:8])


def test_device_cases(gpu):
    check(sample(device_cases(), DEVICE_CASES, gpu.target), gpu, 1)


def test_random_kernels(gpu):
    kernels = map(kernel_check.random_kernel, itertools.count(1000 * TARGETS.index(gpu.target)))
    fits = (kernel for kernel in kernels if fitting(kernel, gpu.target))
    check(itertools.islice(fits, RANDOM_KERNELS), gpu, 2)


def test_products(gpu):
    before = FINDINGS.counts["matrix operations"]
    first = PRODUCTS * TARGETS.index(gpu.target)
    check(map(product, range(first, first + PRODUCTS)), gpu, 3)
    assert FINDINGS.counts["matrix operations"] > before


def test_chains(gpu):
    """Programs as SeisSol's generator writes them, on arrays that the runtime allocates."""
    rng = random.Random(gpu.target)
    for _ in range(CHAINS):
        program = random_program(rng, "f32")
        kernel = tt.Context().parse(program.text()).compile(gpu.target)[program.name]
        FINDINGS.start()
        message = compare(rng, program, kernel, 3, place=np.copy)
        assert not message, f"{message}\n{program.text()}"
        assert not FINDINGS.serious(), program.text()
