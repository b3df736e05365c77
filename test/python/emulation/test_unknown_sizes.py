"""Products of sizes that only the launch knows, on NVIDIA, do not take more than they did.

Cycles of a multiprocessor by count, as the emulator executes the PTX, relative to those that
memory takes: the worst of issue, multiply-adds, and loads and stores.
"""

import collections

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS

#: Rows, columns and steps, and the most cycles of f32 and of f64.
ROWS = (
    ((32, 32, 32), 0.52, 0.34),
    ((35, 9, 35), 1.41, 1.10),
    ((64, 64, 64), 0.82, 0.66),
    ((128, 128, 128), 1.55, 1.31),
)
CASES = [
    pytest.param(type_, sizes, *transposes, most, id=f"{type_}-{sizes[0]}-{transposes}")
    for sizes, *bounds in ROWS
    for type_, most in zip(("f32", "f64"), bounds, strict=True)
    for transposes in profiles.in_turns(("nn", "nt", "tn", "tt"), f"{type_} {sizes}")
]
DTYPES = {"f32": np.float32, "f64": np.float64}
BYTES_PER_CYCLE, ISSUED_PER_CYCLE = 20.8, 4
#: Multiply-adds of warps in a cycle.
MULTIPLY_ADDS = {"f32": 4, "f64": 2}


def kernel(type_, transpose_a, transpose_b):
    matrix = f"memref<{type_}x?x?,strided<1,?>>"
    return f"""
func @f(%alpha: {type_}, %A: {matrix}, %B: {matrix}, %C: {matrix}) {{
  gemm.{transpose_a}.{transpose_b} %alpha, %A, %B, %alpha, %C
}}
"""


def launch(type_, sizes, transpose_a, transpose_b):
    """Run a product with alpha and beta 1, and return the bytes of its matrices; C twice."""
    rows, columns, summed = sizes
    rng = np.random.default_rng(1)
    a, b, c = (
        np.asfortranarray(rng.integers(-4, 5, shape), DTYPES[type_])
        for shape in ((rows, summed), (summed, columns), (rows, columns))
    )
    expected = c + a @ b
    a, b = (
        np.asfortranarray(factor.T) if transpose == "t" else factor
        for factor, transpose in ((a, transpose_a), (b, transpose_b))
    )
    program = tt.Context().parse(kernel(type_, transpose_a, transpose_b)).compile("cuda:sm_90")
    with machine("cuda:sm_90").installed():
        FINDINGS.start()
        program["f"](1.0, a, b, c)
    assert not FINDINGS.serious()
    np.testing.assert_array_equal(c, expected)
    return a.nbytes + b.nbytes + 2 * c.nbytes


@pytest.mark.similar
@pytest.mark.parametrize(("type_", "sizes", "transpose_a", "transpose_b", "most"), CASES)
def test_cycles(type_, sizes, transpose_a, transpose_b, most, monkeypatch):
    monkeypatch.setattr(SETTINGS, "profile", collections.Counter())
    monkeypatch.setattr(SETTINGS, "limit", 1_000_000)
    size_bytes = launch(type_, sizes, transpose_a, transpose_b)
    counts = {key[1]: n for key, n in SETTINGS.profile.items() if key[0] == "instructions"}
    # Moves between registers are none in the code of the device.
    issued = sum(counts.values()) - counts["mov"]
    cycles = max(
        issued / ISSUED_PER_CYCLE,
        counts["fma"] / MULTIPLY_ADDS[type_],
        counts["ld.global"] + counts["st.global"],
    )
    assert round(cycles * BYTES_PER_CYCLE / size_bytes, 2) <= most
