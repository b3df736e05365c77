"""Buffers of derivatives: values, what a launch allocates, what surrounds it, and errors."""

import copy
import dataclasses
import inspect
import pickle

import numpy as np
import pytest
from framework_kernels import LOOP as DYNAMIC

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.compiler.derivative import Derivative
from tinytc_mlir.frontend.translation import translate
from tinytc_mlir.runtime.manifest import Manifest

STATIC = DYNAMIC.replace("f64x?x?", "f64x5x?").replace("f64x?>", "f64x5>").replace("%n {", "6 {")
SIZE, GROUPS, STEPS = 5, 3, 6
GUARD = 12345.0


def stepped(x, steps=STEPS):
    for _ in range(steps):
        x = x + x * x / 2
    return x


def slope(x, steps=STEPS):
    """Return the derivative of `stepped` in each element."""
    product = np.ones_like(x)
    for _ in range(steps):
        product, x = product * (1 + x), x + x * x / 2
    return product


def random(*shape):
    return np.asfortranarray(np.random.default_rng(4).uniform(-0.5, 0.5, shape))


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(DYNAMIC)


@pytest.fixture(scope="module")
def reverse(module):
    return module.vjp(wrt=["x"])


@pytest.fixture
def x():
    return random(SIZE, GROUPS)


def launched(derivative, x, *first, **options):
    """Return the adjoint of x, for adjoints of y that are 1."""
    y, adjoint, seed = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    derivative(*first, x, y, adjoint, seed, **options)
    assert not y.any() and not seed.any()
    return adjoint


def close(found, expected):
    assert_near(found, expected)


@pytest.mark.parametrize("steps", [-1, 0, 1, STEPS])
def test_values(module, reverse, x, steps):
    y = np.zeros_like(x)
    module.compile()["steps"](steps, x, y)
    close(y, stepped(x, steps))
    close(launched(reverse, x, steps), slope(x, steps))
    step = 1e-6
    difference = (stepped(x + step, steps) - stepped(x - step, steps)) / (2 * step)
    assert_near(launched(reverse, x, steps), difference, differences=step)


@pytest.mark.parametrize("target", ["native", "cpu"])
def test_targets(reverse, x, target):
    kernel = reverse.compile(target)[reverse.name]
    y, adjoint, seed = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    kernel(STEPS, x, y, adjoint, seed)
    close(adjoint, slope(x))


def test_gradient(module, x):
    gradient = tt.grad(module, wrt="x")
    close(gradient(STEPS, x, np.zeros_like(x))["x"], slope(x))


def test_less_local_memory_changes_no_bit(x):
    module = tt.Context().parse(STATIC)
    local = module.vjp(wrt=["x"])
    small = Derivative(module, "steps", "_vjp", ["x"], {"local-memory-bytes": "8"})
    again = module.vjp(wrt=["x"], buffers=False)
    assert local.buffers == again.buffers == () and small.buffers == ("kept", "kept_1")
    expected = launched(local, x, STEPS)
    close(expected, slope(x))
    np.testing.assert_array_equal(launched(small, x, STEPS), expected)
    np.testing.assert_array_equal(launched(again, x, STEPS), expected)


@pytest.mark.parametrize(
    "loop, steps",
    [("1, %n", 5), ("2, %n, 3", 2), ("-1, %n", 7)],
)
def test_bounds_of_loops(x, loop, steps):
    module = tt.Context().parse(DYNAMIC.replace("0, %n", loop))
    reverse = module.vjp(wrt=["x"])
    close(launched(reverse, x, STEPS), slope(x, steps))


def test_carried_scalars():
    module = tt.Context().parse("""
    func @logistic(%m: i32, %x: memref<f64x?>) {
      %g = group_id.x : index
      %n = cast %m : index
      %end = add %n, 2 : index
      %first = load %x[%g] : f64
      %last = for %i = 0, %end init (%v = %first) -> (f64) {
        %square = mul %v, %v : f64
        %half = mul %square, 0.5 : f64
        %next = add %v, %half : f64
        yield (%next)
      }
      store %last, %x[%g]
    }""")
    reverse = module.vjp(wrt=["x"])
    x, adjoint = random(4), np.ones(4)
    reverse(STEPS - 2, x, adjoint)
    close(adjoint, slope(random(4)))
    assert reverse.buffers == ("kept",)


def test_second_derivatives(reverse, x):
    step = 1e-6
    expected = (slope(x + step) - slope(x - step)) / (2 * step)
    zeros, ones = np.zeros_like, np.ones_like
    forward = reverse.jvp(wrt=["x"])
    tangents = {"x_tangent": ones(x), "x_adjoint_tangent": zeros(x), "y_adjoint_tangent": zeros(x)}
    forward(STEPS, x, zeros(x), zeros(x), ones(x), **tangents)
    assert_near(tangents["x_adjoint_tangent"], expected, differences=step)
    twice = reverse.vjp(wrt=["x"])
    assert set(reverse.buffers) < set(twice.buffers)
    adjoints = {name: zeros(x) for name in twice.parameter_names[5:]}
    adjoints["x_adjoint_adjoint"] += 1
    twice(STEPS, x, zeros(x), zeros(x), ones(x), **adjoints)
    assert_near(adjoints["x_adjoint2"], expected, differences=step)


def guarded(*shape):
    whole = np.full([size + 2 for size in shape], GUARD, order="F")
    return whole, whole[tuple(slice(1, size + 1) for size in shape)]


def test_nothing_around_buffers_is_written(reverse, x):
    wholes, parts = zip(guarded(SIZE, GROUPS), guarded(SIZE, STEPS, GROUPS), strict=True)
    found = launched(reverse, x, STEPS, **dict(zip(reverse.buffers, parts, strict=True)))
    close(found, slope(x))
    for whole, part in zip(wholes, parts, strict=True):
        assert not (part == GUARD).any()
        part[...] = GUARD
        assert (whole == GUARD).all()


@pytest.mark.parametrize(
    "shape, message",
    [
        ((SIZE + 1, STEPS, GROUPS), "kept_1"),
        ((SIZE, STEPS - 1, GROUPS), "kept_1"),
        (
            (SIZE, STEPS, GROUPS - 1),
            r"'kept_1': expected an array of at least the shape \(5, 6, 3\)",
        ),
    ],
)
def test_a_buffer_that_does_not_fit(reverse, x, shape, message):
    with pytest.raises(tt.ArgumentError, match=message):
        launched(reverse, x, STEPS, kept_1=np.empty(shape, order="F"))


def test_signatures(reverse):
    kernel = reverse.compile("native")[reverse.name]
    kept = "kept: 'memref<f64x?x?>' = None, kept_1: 'memref<f64x?x?x?>' = None, *, groups"
    assert kept in str(inspect.signature(kernel)) and "kept_1: memref" in repr(kernel)
    assert repr(reverse).endswith("y_adjoint, kept, kept_1)>")
    assert reverse.parameter_names == ("n", "x", "y", "x_adjoint", "y_adjoint")


def test_submitted_and_bound_launches(reverse, x):
    kernel = reverse.compile("native")[reverse.name]
    x, y, adjoint, seed = (
        tt.asarray(each, queue="native") for each in (x, 0 * x, 0 * x, np.ones_like(x))
    )
    kernel.submit(STEPS, x, y, adjoint, seed).wait()
    close(adjoint, slope(x))
    seed[...] = 1
    kernel.bind(STEPS, x, y, adjoint, seed, None, None)()
    close(adjoint, 2 * slope(x))


def test_saved_programs(reverse, x, tmp_path):
    program = reverse.compile("native")
    program.save(tmp_path / "reverse.ttb")
    for loaded in (tt.load(tmp_path / "reverse.ttb"), pickle.loads(pickle.dumps(program))):
        y, adjoint, seed = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
        loaded[reverse.name](STEPS, x, y, adjoint, seed)
        close(adjoint, slope(x))


def test_manifests(reverse):
    manifest = reverse.compile("native").manifest
    again = Manifest.from_json(manifest.to_json())
    assert again == manifest
    kept = again.kernels[0].arguments[-1]
    assert kept.name == "kept_1" and kept.buffer[2] == 0
    wrong = copy.copy(again.kernels[0])
    for buffer, message in [
        (kept.buffer[:2], "expected 3 sizes of a buffer, got 2"),
        ((0, 0, 3), "a dimension of groups, got 3"),
    ]:
        argument = dataclasses.replace(kept, buffer=buffer)
        info = dataclasses.replace(wrong, arguments=(*wrong.arguments[:-1], argument))
        with pytest.raises(tt.TinyTCError, match=message):
            Manifest.from_json(dataclasses.replace(again, kernels=(info,)).to_json())


def test_texts(reverse, x):
    text = reverse.text
    assert "%kept: memref<f64x?x?> {buffer=[2, 0, 0, 1, -1, 0, 0, 1]}" in text
    assert tt.Context().parse(text).to_text() == text
    with pytest.raises(tt.ParseError, match="got the attribute 'buffer'"):
        translate(text, "0.5")


def test_members_of_groups_have_no_buffer():
    text = DYNAMIC.replace("%y: memref<f64x?x?>", "%y: group<memref<f64x?>x?>").replace(
        "subview %y[:, %g]", "load %y[%g]"
    )
    module = tt.Context().parse(text)
    with pytest.raises(tt.LoweringError, match="nor a buffer can keep, as no launch knows"):
        module.vjp(wrt=["x"])


def test_without_buffers(module):
    with pytest.raises(tt.LoweringError, match="memory of dynamic size"):
        module.vjp(wrt=["x"], buffers=False)


def test_grid_of_several_modes():
    text = """
    func @logistic(%steps: index, %x: memref<f64x?x?>) {
      %g = group_id.x : index
      %h = group_id.y : index
      %zero = constant 0 : index
      %first = load %x[%g, %h] : f64
      %last = for %i = %zero, %steps init (%v = %first) -> (f64) {
        %one = constant 1.0 : f64
        %rest = sub %one, %v : f64
        %next = mul %v, %rest : f64
        yield (%next)
      }
      store %last, %x[%g, %h]
    }"""
    found = []
    for buffers in (True, False):
        reverse = tt.Context().parse(text).vjp(wrt=["x"], buffers=buffers)
        assert reverse.buffers == (("kept",) if buffers else ())
        x = np.asfortranarray(np.linspace(0.1, 0.9, 6).reshape(2, 3))
        found.append(np.ones((2, 3), order="F"))
        reverse(9, x, found[-1])
    np.testing.assert_array_equal(*found)
