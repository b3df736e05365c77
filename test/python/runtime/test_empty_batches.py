"""Nothing is launched for an empty batch: results have no elements, or are as they were."""

import numpy as np
import pytest

import tinytc_mlir as tt

TARGETS = ("cpu", "native")
TEXT = """
func @scale(%a: f64, %X: memref<f64x3x?>) {
  %g = group_id.x : index
  %x = subview %X[:, %g] : memref<f64x3>
  %zero = constant 0.0 : f64
  axpby %a, %x, %zero, %x
}
func @blocks(%X: memref<f64x?>) {
  %g = group_id.x : index
  %n = constant 16 : index
  %first = mul %g, %n : index
  %x = subview %X[%first:16] : memref<f64x16>
  %two = constant 2.0 : f64
  axpby %two, %x, %two, %x
}
func @backwards(%X: memref<f64x?>) {
  %n = size %X[0] : index
  %one = constant 1 : index
  %g = group_id.x : index
  %m = sub %n, %g : index
  %i = sub %m, %one : index
  %two = constant 2.0 : f64
  foreach (%j) = (0), (1) {
    store %two, %X[%i]
  }
}
func @members(%A: group<memref<f64x?x3>x?>, %B: group<memref<f64x?x3>x?, offset: ?>) {
  %g = group_id.x : index
  %a = load %A[%g] : memref<f64x?x3>
  %b = load %B[%g] : memref<f64x?x3>
  %one = constant 1.0 : f64
  axpby %one, %a, %one, %b
}
func @count(%A: group<memref<f64x3>x?>, %n: memref<i64x1>) {
  %m = size %A[0] : index
  %i = cast %m : i64
  foreach (%j) = (0), (1) {
    store %i, %n[%j]
  }
}"""


@pytest.fixture(scope="module", params=TARGETS)
def program(request):
    return tt.Context().parse(TEXT).compile(request.param)


def empty(*shape):
    return np.zeros(shape, order="F")


@pytest.mark.parametrize("groups", [None, 0, (0,), (0, 3), (2, 0, 1)])
def test_arrays_without_elements(program, groups):
    program["scale"](2.0, empty(3, 0), groups=groups)
    program["scale"](2.0, empty(3, 0), groups=groups)  # found by its signature


@pytest.mark.parametrize("groups", [0, (0,), (0, 3), (2, 0, 1)])
def test_no_groups(program, groups):
    x = np.ones((3, 2), order="F")
    for _ in range(2):
        program["scale"](2.0, x, groups=groups)
    assert (x == 1).all()
    program["scale"](2.0, x)
    assert (x == 2).all()


def test_events(program):
    queue = "native" if program.target == "native" else None
    x = tt.asarray(np.ones((3, 2), order="F"), queue=queue)
    first = program["scale"].submit(2.0, x)
    for each in (program["scale"].submit(3.0, x, groups=0, depends=[first]),) * 2:
        each.wait()
        assert each.is_complete
    later = program["scale"].submit(2.0, x, depends=[each])
    bound = program["scale"].bind(3.0, x, groups=0)
    bound()
    bound.submit(depends=[later]).wait()
    assert (np.asarray(x) == 4).all()


def test_blocks(program):
    """Arrays without elements have no blocks; those too small for one are an error."""
    program["blocks"](empty(0))
    program["backwards"](empty(0))
    with pytest.raises(tt.ArgumentError, match=r"expected arrays for at least 1 group, got some"):
        program["blocks"](empty(15))
    with pytest.raises(tt.ArgumentError, match=r"expected at most 0 groups .*, got 1"):
        program["scale"](2.0, empty(3, 0), groups=1)


@pytest.mark.parametrize("none", [[], (), np.zeros((4, 3, 0)), np.zeros((0, 3, 0))[..., ::-1]])
def test_groups_without_members(program, none):
    for _ in range(2):
        program["members"](none, none)
        program["members"]([], tt.Group(none, 2, (4, 3)), groups=0)
    with pytest.raises(tt.ArgumentError, match="at most 0 groups"):
        program["members"](none, none, groups=1)
    with pytest.raises(tt.ArgumentError, match="the arrays disagree"):
        program["members"](none, [np.zeros((4, 3), order="F")])


def test_a_kernel_that_counts_members(program):
    n = np.ones(1, np.int64)
    program["count"]([], n, groups=1)
    assert n[0] == 0


def test_ids_of_debug_builds():
    program = tt.Context().parse(TEXT).compile("cpu", debug=True)
    program["scale"](2.0, empty(3, 0))


def test_the_interpreter():
    module = tt.Context().parse(TEXT)
    x = np.ones((3, 2), order="F")
    tt.interpret(module, "scale", [2.0, x], 0)
    tt.interpret(module, "scale", [2.0, empty(3, 0)], None)
    tt.interpret(module, "members", [[], []], None)
    assert (x == 1).all()


@tt.kernel
def double(x, o):
    i = tt.group_id.x
    o[:, i] = 2.0 * x[:, i]


@pytest.mark.parametrize("shape", [(3, 0), (0, 0)])
def test_functions_of_python(shape):
    double(empty(*shape), empty(*shape))
    double.python(empty(*shape), empty(*shape))
    typed = double.typed(empty(3, 2), empty(3, 2))
    o = empty(3, 2)
    typed.python(np.ones((3, 2)), o, groups=0)
    assert (o == 0).all()


def test_derivatives():
    @tt.kernel
    def square(x: tt.f64[3, None], o: tt.f64[3, None]):
        i = tt.group_id.x
        o[:, i] = x[:, i] * x[:, i]

    gradient = tt.grad(square.module, wrt=("x",))(empty(3, 0), empty(3, 0))
    assert np.asarray(gradient["x"] if isinstance(gradient, dict) else gradient).size == 0
