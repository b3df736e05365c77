"""Loads of blocks that reach into the padding of an array's columns."""

import numpy as np
import pytest
from sum_factorization import ORDERS, mass_problem, stiffness_problem

import tinytc_mlir as tt
from bounding import info_of
from tinytc_mlir.runtime.launches.arguments import Signature

GROUPS = 3


def usm(array):
    return tt.asarray(array)


def host(array):
    return array


@pytest.mark.similar
@pytest.mark.parametrize("place", [host, usm])
@pytest.mark.parametrize("points", ORDERS)
@pytest.mark.parametrize("make", [mass_problem, stiffness_problem])
def test_sum_factorization(make, points, place):
    problem = make(points, GROUPS, place)
    kernel = tt.Context().parse(problem.text).compile("cpu")[problem.name]
    for _ in range(2):  # the second one is remembered
        kernel(*problem.bases, *problem.arrays)
    result = problem.arrays[-1]
    np.testing.assert_allclose(result, problem.reference(), rtol=0, atol=problem.tolerance())


MEMBER = "memref<f32x3x4,strided<1,4>>"
LOAD = """func @f(%A: memref<f32x3x4,strided<1,4>>, %C: memref<f32x4x4>)
    attributes{subgroup_size=4,work_group_size=[4,1]} {
  %zero = constant 0 : index
  parallel {
    %a = cooperative_matrix_load %A[%zero,%zero] : coopmatrix<f32x4x4,matrix_acc>
    cooperative_matrix_store %a, %C[%zero,%zero]
  }
}"""


def exact(elements):
    """Return a 3 x 4 matrix with columns 4 apart in memory of so many elements."""
    memory = np.arange(elements, dtype=np.float32)
    return view_of(memory)


def view_of(memory):
    return np.ndarray((3, 4), np.float32, memory, 0, (4, 16))


def refusal(text, *values):
    signature = Signature(info_of(text))
    try:
        signature.ranges(1, signature.parts(values, {}))
    except tt.ArgumentError as error:
        return str(error).partition(": ")[2]
    return None


def test_what_leaves_the_memory_is_refused():
    result = np.zeros((4, 4), np.float32, order="F")
    assert refusal(LOAD, exact(16), result) is None
    assert refusal(LOAD, exact(15), result) == (
        "argument 'A': expected mode 0 to have at least 4 elements, as index 3 is accessed, got 3; "
        "cooperative_matrix_load.rows_checked in line 5 loads zeros outside"
    )


def test_stores_are_refused():
    text = LOAD.replace("memref<f32x4x4>)", "memref<f32x3x4,strided<1,4>>)")
    assert refusal(text, exact(16), exact(16)) == (
        "argument 'C': expected mode 0 to have at least 4 elements, as index 3 is accessed, got 3; "
        "cooperative_matrix_store.rows_checked in line 6 accesses nothing outside"
    )


def test_columns_and_transposes_have_their_own_word():
    result = np.zeros((4, 4), np.float32, order="F")
    transposed = LOAD.replace("load %A", "load.t %A")
    assert "cooperative_matrix_load.cols_checked" in refusal(transposed, exact(15), result)
    one_checked = LOAD.replace("load %A", "load.cols_checked %A")
    assert "cooperative_matrix_load.both_checked" in refusal(one_checked, exact(15), result)


@pytest.mark.parametrize("place", [host, usm])
def test_padding_is_read(place):
    memory = place(np.arange(16, dtype=np.float32).reshape(4, 4, order="F"))
    result = place(np.zeros((4, 4), np.float32, order="F"))
    kernel = tt.Context().parse(LOAD).compile("cpu")["f"]
    for _ in range(2):
        kernel(memory[:3], result)
    np.testing.assert_array_equal(result, memory)


def test_a_remembered_launch_looks_at_the_memory():
    kernel = tt.Context().parse(LOAD).compile("cpu")["f"]
    result, large = tt.empty((4, 4)), tt.empty(16)
    small = tt.empty(15)
    for _ in range(3):
        kernel(view_of(large), result)
    with pytest.raises(tt.ArgumentError, match="rows_checked"):
        kernel(view_of(small), result)


BATCH = """func @f(%A: memref<f32x3x?,strided<1,4>>, %C: memref<f32x4x4>)
    attributes{subgroup_size=4,work_group_size=[4,1]} {
  %zero = constant 0 : index %four = constant 4 : index
  %g = group_id : index %column = arith.mul %g, %four : index
  parallel {
    %a = cooperative_matrix_load %A[%zero,%column] : coopmatrix<f32x4x4,matrix_acc>
    cooperative_matrix_store %a, %C[%zero,%zero]
  }
}"""


def test_groups():
    """All groups may read padding, but the last one must find some."""
    memory = np.zeros((4, 8), np.float32, order="F")
    result = np.zeros((4, 4), np.float32, order="F")
    signature = Signature(info_of(BATCH))
    for array, groups, fits in ((memory[:3], 2, True), (memory[:3], 3, False)):
        parts = signature.parts((array, result), {})
        if fits:
            signature.ranges(groups, parts)
            signature.ranges(None, parts)
        else:
            with pytest.raises(tt.ArgumentError, match="expected at most"):
                signature.ranges(groups, parts)


@pytest.mark.parametrize("checked", ["", ".rows_checked"])
def test_members_of_groups_have_no_padding(checked):
    text = LOAD.replace(f"%A: {MEMBER}", f"%G: group<{MEMBER}x1>")
    text = text.replace("load %A[", f"load{checked} %A[")
    text = text.replace("parallel", f"%A = load %G[%zero] : {MEMBER} parallel")
    message = refusal(text, [exact(16)], np.zeros((4, 4), np.float32, order="F"))
    assert (message is None) if checked else ("matrix_load.rows_checked in line" in message)


def test_debug_builds_and_the_reference_report_it():
    memory, result = (
        np.zeros((4, 4), np.float32, order="F"),
        np.zeros((4, 4), np.float32, order="F"),
    )
    module = tt.Context().parse(LOAD)
    with pytest.raises(tt.InterpreterError, match="index 0 to lie in"):
        tt.interpret(module, "f", [memory[:3], result])
    with pytest.raises(tt.CheckError, match="to have the 4 elements of the block"):
        module.compile("cpu", debug=True)["f"](memory[:3], result)
