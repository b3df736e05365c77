"""The reference interpreter knows complex numbers and their parts as the same memory."""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import failure, run


def f(body, parameters="%A: memref<c32x16>, %B: memref<f32x2x16>"):
    return f"""func @f({parameters}) attributes {{subgroup_size=16,work_group_size=[16,1]}} {{
{body}
}}"""


LANES = """  %P = expandc2r %A : memref<f32x2x16>
  parallel {
    %l = subgroup_local_id : i32
    %i = cast %l : index
    %x = constant 2.0 : f32
    %half = div %i, 2 : index
    %part = rem %i, 2 : index
    store %x, %P[%part, %half]
  }"""


def test_lanes_write_parts_of_one_number():
    a = np.zeros(16, np.complex64)
    run(f(LANES, "%A: memref<c32x16>"), a)
    assert (a[:8] == 2 + 2j).all() and not a[8:].any()


def test_a_number_and_its_part_race():
    body = LANES.replace("store %x, %P[%part, %half]", "%z = load %A[%half] : c32\n" * 1)
    body = body.replace("}", "store %x, %P[%part, %i]\n }")
    error = failure(f(body, "%A: memref<c32x16>"), np.zeros(16, np.complex64))
    assert "race" in str(error)


def test_parts_of_local_memory_are_initialised_one_by_one():
    body = """  %A = alloca : memref<c32x4,local>
  %P = expandc2r %A : memref<f32x2x4,local>
  %x = constant 1.0 : f32
  store %x, %P[0, 1]
  %y = load %P[0, 1] : f32
  %z = load %A[1] : c32"""
    error = failure(f(body, ""))
    assert "element 1 of the local memory to be initialised" in str(error)


def test_an_operand_overlaps_the_parts_of_another():
    body = """  %one = constant 1.0 : f32
  %z = constant [1.0, 0.0] : c32
  %P = expandc2r %A : memref<f32x2x4>
  %b = subview %P[0, 0:4] : memref<f32x4,strided<2>>
  axpby %one, %b, %z, %A"""
    error = failure(f(body, "%A: memref<c32x4>"), np.zeros(4, np.complex64))
    assert "race: operand 'a' overlaps 'b'" in str(error)


@pytest.mark.parametrize("part", [2, -1])
def test_parts_outside(part):
    text = """func @f(%A: memref<c32x4>, %B: memref<f32>, %p: index) {
      %P = expandc2r %A : memref<f32x2x4>
      %x = load %P[%p, 0] : f32
      store %x, %B[]
    }"""
    arguments = [np.zeros(4, np.complex64), np.zeros((), np.float32), part]
    with pytest.raises(tt.InterpreterError, match=r"expected index 0 to lie in \[0, 2\)"):
        tt.interpret(tt.Context().parse(text), "f", arguments)


def test_debug_builds_report_parts_outside():
    text = """func @f(%A: memref<c32x?>, %B: memref<f32x?>) {
      foreach (%i) = (0), (2) {
        %three = mul %i, 3 : index
        %P = expandc2r %A : memref<f32x2x?>
        %x = load %P[%three, %i] : f32
        store %x, %B[%i]
      }
    }"""
    kernel = tt.Context().parse(text).compile("cpu", debug=True)["f"]
    with pytest.raises(tt.CheckError, match="index 0"):
        kernel(np.zeros(4, np.complex64), np.zeros(4, np.float32), groups=1)
