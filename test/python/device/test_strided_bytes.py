"""Narrow elements that lanes read a stride apart; test/stride_check.py has many more."""

import contextlib
import itertools
import random

import pytest

import profiles
from cases import kernel_check
from cases.case import Case, buffer
from cases.other_processor import OtherProcessor
from cases.stride_cases import stride_case
from tinytc_mlir.compiler import ABIS

SAMPLE = 44
"""Kernels of each ABI: each form with each type."""


def row_case(rng, type_, stride, size):
    """Sum up a row of a matrix, which ended the process of the CPU driver."""
    body = f"""
    %row = subview %A[1, 0:{size}] : memref<{type_}x{size},strided<{stride}>>
    cumsum %alpha, %row, 0, %beta, %B"""
    parameters = {
        "alpha": (type_, 2),
        "A": (f"memref<{type_}x{stride}x{size}>", buffer(rng, type_, (stride, size))),
        "beta": (type_, 1),
        "B": (f"memref<{type_}x{size}>", buffer(rng, type_, (size,))),
    }
    return Case(f"cumsum {type_} stride {stride} size {size}", body, parameters)


def rows():
    rng = random.Random("rows")
    strides = itertools.product(("i8", "i16"), (2, 3, 4, 5, 8))
    return [row_case(rng, type_, stride, rng.choice((16, 20, 24))) for type_, stride in strides]


@pytest.mark.parametrize("abi", ABIS)
def test_rows(abi):
    count = kernel_check.check(rows(), abi)
    assert not count.unbuilt + count.failures, "\n".join(count.unbuilt + count.failures)


@pytest.mark.parametrize("name", ["skx", "sapphirerapids"])
def test_rows_are_built_for_other_processors(name):
    with contextlib.closing(OtherProcessor(name)) as processor:
        count = processor.check(rows(), "plain")
    assert not count.unbuilt, "\n".join(count.unbuilt)


@pytest.mark.parametrize("abi", profiles.in_turns(ABIS, "strided bytes"))
def test_a_sample(abi):
    first = SAMPLE * ABIS.index(abi)
    cases = [stride_case(seed) for seed in range(first, first + SAMPLE)]
    count = kernel_check.check(cases, abi)
    assert not count.unbuilt + count.failures, "\n".join(count.unbuilt + count.failures)
    assert count.equal + count.rounded >= 0.9 * SAMPLE, count
