"""Products with A transposed on NVIDIA: no two lanes use one bank of shared memory at once.

Counted from the addresses of all lanes, as the emulator executes the PTX.
"""

import collections

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS

# Rows, columns and summed size. Groups of the smaller ones lie side by side in a warp.
SIZES = [(16, 16, 16), (32, 32, 32), (35, 12, 35), (33, 17, 40), (48, 48, 48), (128, 16, 32)]
GROUPS = 3
CASES = [
    (type_, sizes, transpose_b)
    for type_ in ("f32", "f64")
    for sizes in SIZES
    for transpose_b in profiles.in_turns("nt", f"{type_} {sizes}")
]


def text(type_, rows, columns, summed, transpose_b):
    a = f"memref<{type_}x{summed}x{rows}"
    b = (summed, columns) if transpose_b == "n" else (columns, summed)
    c = f"memref<{type_}x{rows}x{columns}"
    return f"""
func @f(%A: {a}x?>, %B: memref<{type_}x{b[0]}x{b[1]}>, %C: {c}x?>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : {a}>
  %c = subview %C[:, :, %g] : {c}>
  %one = constant 1.0 : {type_}
  gemm.t.{transpose_b} %one, %a, %B, %one, %c
}}
"""


@pytest.mark.similar
@pytest.mark.parametrize(("type_", "sizes", "transpose_b"), CASES, ids=str)
def test_no_bank_conflicts(type_, sizes, transpose_b, monkeypatch):
    rows, columns, summed = sizes
    rng = np.random.default_rng(1)
    a, b, c = (
        np.asfortranarray(rng.integers(-4, 5, shape), {"f32": np.float32, "f64": np.float64}[type_])
        for shape in ((summed, rows, GROUPS), (summed, columns), (rows, columns, GROUPS))
    )
    expected = c + np.einsum("kmg,kn->mng", a, b)
    program = tt.Context().parse(text(type_, *sizes, transpose_b)).compile("cuda:sm_90")
    monkeypatch.setattr(SETTINGS, "profile", collections.Counter())
    with machine("cuda:sm_90").installed():
        FINDINGS.start()
        if transpose_b == "t":
            b = np.asfortranarray(b.T)
        program["f"](a, b, c, groups=GROUPS)
    assert not FINDINGS.serious()
    np.testing.assert_array_equal(c, expected)
    assert SETTINGS.profile["shared", "passes"]
    assert SETTINGS.profile["shared", "bank conflicts"] == 0
