"""Constants of SPIR-V: their elements are part of the bytes, aligned, and shared."""

import shutil
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt

SUM = """
func @f(%A: memref<{t}x{n}>, %B: memref<{t}x{n}>) {{
  %one = constant {one} : {t}
  axpby.n %one, %A, %one, %B
}}"""
NUMBERS = {
    "f64": [1.5, -2.0, 1.5],
    "f32": [1.5, -2.0, 1.5],
    "i16": [-7, 300, -7],
    "i64": [-7, 2**40, -7],
}


def spirv_stage(t, values):
    one = "1.0" if t[0] == "f" else "1"
    module = tt.Context().parse(SUM.format(t=t, n=len(values), one=one))
    return module.with_constants({"A": values}).lower("spirv", target="cpu")


@pytest.mark.skipif(shutil.which("spirv-dis") is None, reason="there is no spirv-dis")
@pytest.mark.parametrize("t", NUMBERS)
def test_bytes(t):
    code = spirv_stage(t, NUMBERS[t]).compile().code
    for command in ("spirv-val", "spirv-dis"):
        text = subprocess.run([command, "-"], input=code, capture_output=True, check=True).stdout
    lines = text.decode().splitlines()
    assert "               OpDecorate %__tinytc_constant_0 Alignment 128" in lines
    (elements,) = (line.split()[4:] for line in lines if "OpConstantComposite %_arr_" in line)
    assert len(elements) == 3
    assert elements[0] == elements[2] != elements[1]


def test_a_stage_that_is_read_again():
    values = np.arange(5.0)
    module = spirv_stage("f64", values)
    again = tt.Context().parse_mlir(str(module))
    assert again.compile().code == module.compile().code
    b = np.ones(5)
    again.compile()["f"](b)
    assert b.tolist() == [1, 2, 3, 4, 5]


def test_elements_of_another_array():
    text = str(spirv_stage("f64", np.arange(5.0)))
    with pytest.raises(
        tt.LoweringError,
        match=r"expected a pointer to an array of 5 elements of type 'f64', got '!spirv.ptr<!spirv"
        r".array<6 x f64>, CrossWorkgroup>'",
    ):
        tt.Context().parse_mlir(text.replace("array<5 x f64>", "array<6 x f64>")).compile()
