"""Sizes and indices that only a launch knows, and that do not depend on the group."""

import json

import numpy as np
import pytest

import tinytc_mlir as tt
from bounding import described, info_of
from tinytc_mlir.runtime.launches.arguments import Signature
from tinytc_mlir.runtime.manifest import Manifest

GEMM = """func @mm(%x: f32, %A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>) {
  gemm{modifiers} %x, %A, %B, %x, %C
}"""


def zeros(*shape):
    return np.zeros(shape, np.float32, order="F")


def refusal(text, *values, **named):
    """Return why a launch is refused, None if it is not; the place of the kernel is left out."""
    return why(info_of(text), *values, **named)


def why(info, *values, **named):
    try:
        Signature(info).parts(values, named)
    except tt.ArgumentError as error:
        return str(error).partition(": ")[2]
    return None


@pytest.mark.parametrize("modifiers", [".n.n", ".t.n", ".n.t", ".t.t"])
def test_products(modifiers):
    """Each mode that is one too large is found, and no other shape is refused."""
    text = GEMM.replace("{modifiers}", modifiers)
    a = (5, 7) if modifiers[1] == "n" else (7, 5)
    b = (7, 3) if modifiers[3] == "n" else (3, 7)
    shapes = [a, b, (5, 3)]
    assert refusal(text, 1.0, *(zeros(*shape) for shape in shapes)) is None
    for number in range(3):
        for mode in range(2):
            wrong = [list(shape) for shape in shapes]
            wrong[number][mode] += 1
            message = refusal(text, 1.0, *(zeros(*shape) for shape in wrong))
            assert "for gemm in line 2, got" in message
    wrong = [a, tuple(size + (size == 7) * 2 for size in b), (5, 3)]
    summed = {"A": modifiers[1] == "n", "B": modifiers[3] == "t"}
    assert refusal(text, 1.0, *(zeros(*shape) for shape in wrong)) == (
        f"argument 'B': expected mode {int(summed['B'])} to have size 7 = mode "
        f"{int(summed['A'])} of 'A' for gemm in line 2, got 9"
    )


@pytest.mark.parametrize("instruction", ["axpby.n %x, %A, %x, %B", "ger %x, %A, %A, %x, %C"])
def test_an_array_that_is_not_passed(instruction):
    """The destination decides how many elements are read: of none, natively, by a crash."""
    text = f"""func @f(%x: f32, %A: memref<f32x?>, %B: memref<f32x3>, %C: memref<f32x3x3>) {{
      {instruction}
      %b = associated %A : bool
    }}"""
    others = zeros(3), zeros(3, 3)
    assert refusal(text, 1.0, zeros(3), *others) is None
    name = instruction.partition(".")[0].partition(" ")[0]
    message = f"argument 'A': expected mode 0 to have size 3 for {name} in line 2, got None"
    assert refusal(text, 1.0, None, *others) == message


def test_no_elements():
    text = GEMM.replace("{modifiers}", "")
    assert refusal(text, 1.0, zeros(5, 0), zeros(0, 3), zeros(5, 3)) is None


BOUNDS = {
    "store %x, %A[%n]": ["A[0]: 1*n >= 0", "A[0]: 1*n < 1*A.0"],
    # not by all groups
    "%2 = cmp.lt %g, %n : bool if %2 { store %x, %A[%c4] }": ["A[0]: 4 < 1*A.0 if -1 + 1*n >= 0"],
    "%2 = cmp.lt %n, %g : bool if %2 { store %x, %A[%c4] }": [
        "A[0]: 4 < 1*A.0 if (1) g + -1 + -1*n >= 0"
    ],
    "%2 = cmp.lt %c4, %g : bool if %2 { store %x, %A[%c4] }": [
        "A[0]: 4 < 1*A.0 if (1) g + -5 >= 0"
    ],
    "%2 = cmp.lt %n, %c4 : bool if %2 { store %x, %A[%c4] }": ["A[0]: 4 < 1*A.0 if 3 + -1*n >= 0"],
}


@pytest.mark.parametrize("body", BOUNDS)
def test_derived_bounds(body):
    head = "func @f(%x: f32, %A: memref<f32x?>, %n: index) { %g = group_id : index"
    assert described(f"{head} %c4 = constant 4 : index {body} }}") == (BOUNDS[body], [])


def test_sizes_of_slices_and_scalars():
    text = """func @f(%x: f32, %n: i32, %A: memref<f32x?x?>, %B: memref<f32x8x?>) {
      %m = cast %n : index
      %a = subview %A[0:%m,1:4] : memref<f32x?x4,strided<1,?>>
      %b = subview %B[0:8,0:4] : memref<f32x8x4,strided<1,8>>
      axpby %x, %a, %x, %b
    }"""
    assert refusal(text, 1.0, 8, zeros(8, 5), zeros(8, 4)) is None
    assert refusal(text, 1.0, 7, zeros(8, 5), zeros(8, 4)) == (
        "argument 'n': expected 8 for axpby in line 5, got 7"
    )
    assert refusal(text, 1.0, 8, zeros(7, 5), zeros(8, 4)) == (
        "argument 'A': expected mode 0 to have at least 8 elements, as index 7 = 'n' - 1 is "
        "accessed, got 7"
    )
    assert refusal(text, 1.0, 8, zeros(8, 4), zeros(8, 4)) == (
        "argument 'A': expected mode 1 to have at least 5 elements, as index 4 is accessed, got 4"
    )


def test_elements():
    text = """func @f(%x: f32, %n: i8, %A: memref<f32x?>) {
      %m = cast %n : index
      store %x, %A[%m]
    }"""
    assert refusal(text, 1.0, 4, zeros(5)) is None
    assert refusal(text, 1.0, 5, zeros(5)) == (
        "argument 'A': expected mode 0 to have at least 6 elements, as index 5 = 'n' is accessed, "
        "got 5"
    )
    assert refusal(text, 1.0, -2, zeros(5)) == (
        "argument 'A': expected no index of mode 0 below 0, got -2 = 'n'"
    )


def test_constants_that_are_outside():
    """Those that the verifier does not compute."""
    text = """func @f(%x: f32, %A: memref<f32x4>) {
      %three = constant 3 : index
      %six = arith.add %three, %three : index
      %minus = arith.sub %three, %six : index
      store %x, %A[NAME]
    }"""
    assert refusal(text.replace("NAME", "%six"), 1.0, zeros(4)) == (
        "argument 'A': expected mode 0 to have at least 7 elements, as index 6 is accessed, got 4"
    )
    assert refusal(text.replace("NAME", "%minus"), 1.0, zeros(4)) == (
        "argument 'A': expected no index of mode 0 below 0, got -3"
    )


def test_members():
    text = """func @f(%x: f32, %n: index, %G: group<memref<f32x4>x?>) {
      %a = load %G[%n] : memref<f32x4>
      axpby %x, %a, %x, %a
    }"""
    assert refusal(text, 1.0, 1, [zeros(4)] * 2) is None
    assert refusal(text, 1.0, 2, [zeros(4)] * 2) == (
        "argument 'G': expected the group to have at least 3 members, as index 2 = 'n' is "
        "accessed, got 2"
    )


def test_sums():
    text = """func @f(%x: f32, %n: index, %m: index, %A: memref<f32x?>, %B: memref<f32x?>) {
      %k = arith.add %n, %m : index
      %a = subview %A[0:%k] : memref<f32x?>
      %b = subview %B[0:%k] : memref<f32x?>
      %one = constant 1 : index
      %l = arith.add %n, %one : index
      %c = subview %B[0:%l] : memref<f32x?>
      axpby %x, %a, %x, %b
      axpby %x, %a, %x, %c
    }"""
    assert refusal(text, 1.0, 3, 1, zeros(4), zeros(4)) is None
    assert refusal(text, 1.0, 3, 2, zeros(5), zeros(5)) == (
        "expected 'n' + 'm' to be 'n' + 1 = 4 for axpby in line 9, got 5"
    )


def test_branches_and_loops():
    """What may not be executed is not checked, or only under its condition."""
    text = """func @f(%x: f32, %n: index, %A: memref<f32x?>, %B: memref<f32x?>) {
      %zero = constant 0 : index
      for %i = %zero, %n { store %x, %A[%i] }
      %group = group_id : index
      %few = cmp.lt %group, %n : bool
      if %few { axpby %x, %A, %x, %B }
    }"""
    assert refusal(text, 1.0, 3, zeros(3), zeros(3)) is None
    assert "to have size 4 = mode 0 of 'B' for axpby" in refusal(text, 1.0, 3, zeros(3), zeros(4))
    assert refusal(text, 1.0, -3, zeros(0), zeros(4)) is None
    assert "index 3 = 'n' - 1 is accessed, got 3" in refusal(text, 1.0, 4, zeros(3), zeros(3))
    assert refusal(text, 1.0, 2**40, zeros(3), zeros(4)) is None  # 64 bits may not hold a sum


def test_arrays_that_are_not_passed():
    text = """func @f(%x: f32, %A: memref<f32x?>, %B: memref<f32x?>) {
      %zero = constant 0 : index
      %three = constant 3 : index
      %has = associated %B : bool
      if %has { store %x, %B[%three] }
      store %x, %A[%zero]
    }"""
    assert refusal(text, 1.0, zeros(1), None) is None
    assert "index 3 is accessed, got 2" in refusal(text, 1.0, zeros(1), zeros(2))


def test_row_major_arrays():
    text = """func.func @mm(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
      linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
      return
    }"""
    program = tt.Context().parse_mlir(text).compile("cpu")
    info = Manifest.from_json(program.manifest.to_json()).kernels[0]
    a, b, c = (np.zeros(shape, np.float32) for shape in ((5, 7), (7, 3), (5, 3)))
    assert why(info, a, b, c) is None
    assert why(info, a[:, :6].copy(), b, c) == (
        "argument 'arg0': expected mode 1 to have size 7 = mode 0 of 'arg1' for gemm in line 2, "
        "got 6"
    )


def test_a_debug_build_reports_the_instruction(tinytc):
    program = tt.Context().parse(GEMM.replace("{modifiers}", "")).compile("cpu", debug=True)
    assert why(program["mm"].info, 1.0, zeros(5, 7), zeros(9, 3), zeros(5, 3)) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 1}, "expected a list of terms"),
        ({"expected": [[1, ["B", 7]]]}, "expected name and mode of a value"),
        ({"instruction": None}, "expected the name of an instruction"),
        ({"line": -1}, "expected a line"),
    ],
)
def test_damaged_manifests(change, message):
    program = tt.Context().parse(GEMM.replace("{modifiers}", "")).compile("cpu")
    data = json.loads(program.manifest.to_json())
    assert Manifest.from_json(json.dumps(data)) == program.manifest
    data["kernels"][0]["equal_sizes"][0] |= change
    with pytest.raises(tt.TinyTCError, match=message):
        Manifest.from_json(json.dumps(data))


def test_launches_that_look_alike():
    """A scalar that an index depends on is looked at again."""
    text = "func @f(%x: f32, %n: index, %A: memref<f32x?>) { store %x, %A[%n] }"
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    array = tt.empty(4)
    for index in (1, 1, 2, 3):
        kernel(1.0, index, array)
    with pytest.raises(tt.ArgumentError, match="as index 4 = 'n' is accessed, got 4"):
        kernel(1.0, 4, array)
