# SPDX-License-Identifier: BSD-3-Clause
"""What functions take from outside: constants, which may not change between two calls."""

import pickle
import types

import numpy as np
import pytest

import tinytc_mlir as tt

FACTOR = 2.0
MATRIX = np.arange(9.0).reshape(3, 3)
settings = types.SimpleNamespace(step=0.5)


@tt.batched
def halved(x: tt.f64["n"]):
    return 0.5 * x


@tt.batched
def product(x: tt.f64[3]):
    return FACTOR * (MATRIX @ halved(x))


@tt.kernel
def steps(x: tt.f64[None]):
    x[tt.group_id.x] *= settings.step


@pytest.fixture
def called(monkeypatch):
    """Return `product` after a first call."""
    function = pickle.loads(pickle.dumps(product))  # by its name: the function itself
    assert function is product
    assert np.array_equal(product(np.ones((2, 3))), [MATRIX.sum(1)] * 2)
    return product


@pytest.fixture(autouse=True)
def numbers_are_here(monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "native")


CHANGES = {
    "number": ("FACTOR", 3.0, r"product: expected FACTOR = 2.0 \(float\) .*, got 3.0 \(float\)"),
    "array": ("MATRIX", MATRIX + 1, "expected the elements of MATRIX as when product was first"),
    "kind": ("MATRIX", 1.0, r"expected MATRIX = an array of shape \(3, 3\) .*, got 1.0 \(float\)"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_names(change, called, monkeypatch):
    """Python would take the new value, and a program cannot."""
    name, value, message = CHANGES[change]
    monkeypatch.setitem(globals(), name, value)
    for call in (called, called.torch, called.jax, tt.grad(called)):
        with pytest.raises(tt.LaunchError, match=message):
            call(np.ones((2, 3)))


def test_changed_elements(called, monkeypatch):
    """Elements are compared, since arrays change in place."""
    monkeypatch.setitem(globals(), "MATRIX", changed := MATRIX.copy())
    called(np.ones((2, 3)))
    changed[0, 0] = 7
    with pytest.raises(tt.LaunchError, match="elements of MATRIX .*: pass it as an argument"):
        called(np.ones((2, 3)))


def test_all_programs_of_a_function_see_the_same():
    """A program for other sizes has the elements of the first."""
    elements = np.eye(2)

    @tt.batched
    def turned(x: tt.f64[2, "n"]):
        return elements @ x

    turned(np.ones((2, 1)))
    elements[0, 0] = 5
    with pytest.raises(tt.LaunchError, match="elements of elements"):
        turned(np.ones((2, 3)))
    elements[0, 0] = 1
    assert np.array_equal(turned(np.ones((2, 3))), np.ones((2, 3)))


def test_changed_functions(called, monkeypatch):
    """So do functions that are called, as when a cell of a notebook is run again."""
    same = pickle.loads(pickle.dumps(halved))
    again = tt.batched(_defined("def halved(x: tt.f64['n']):\n    return 0.5 * x\n"))
    other = tt.batched(_defined("def halved(x: tt.f64['n']):\n    return 0.25 * x\n"))
    for function in (same, again):
        monkeypatch.setitem(globals(), "halved", function)
        called(np.ones((2, 3)))
    monkeypatch.setitem(globals(), "halved", other)
    with pytest.raises(tt.LaunchError, match="expected halved = .*, got .*define product again"):
        called(np.ones((2, 3)))


def test_names_of_functions_that_are_called():
    """What they take from outside counts."""
    factor = 2.0

    @tt.batched
    def inner(x: tt.f64["n"]):
        return factor * x

    @tt.batched
    def outer(x: tt.f64["n"]):
        return inner(x) + 1

    assert np.array_equal(outer(np.ones(3)), [3, 3, 3])
    factor = 3.0
    with pytest.raises(tt.LaunchError, match="outer: expected factor = 2.0"):
        outer(np.ones(3))


def test_attributes_in_kernels(monkeypatch):
    """A path is looked up again; each way to launch says so."""
    x = np.ones(4)
    steps(x, groups=4)
    assert np.array_equal(x, [0.5] * 4)
    monkeypatch.setattr(settings, "step", 0.25)
    for call in (steps, steps.submit, steps.bind):
        with pytest.raises(tt.LaunchError, match="steps: expected settings.step = 0.5"):
            call(x, groups=4)
    monkeypatch.setattr(settings, "step", np.float64(0.5))
    steps(x, groups=4)
    assert np.array_equal(x, [0.25] * 4)


def test_objects_that_hold_names():
    """A path is looked up from its first name on; what it leads to counts."""
    held = types.SimpleNamespace(deep=types.SimpleNamespace(scale=2.0))

    @tt.batched
    def scaled(x: tt.f64):
        return x * held.deep.scale

    assert scaled(1.0) == 2
    held = types.SimpleNamespace(deep=types.SimpleNamespace(scale=2.0))
    assert scaled(1.0) == 2
    held.deep = types.SimpleNamespace(scale=3.0)
    with pytest.raises(tt.LaunchError, match=r"expected held.deep.scale = 2.0"):
        scaled(1.0)


def test_helpers_that_were_used_before():
    """The first call of another function says so too."""
    factor = 2.0

    @tt.batched
    def inner(x: tt.f64):
        return factor * x

    @tt.batched
    def outer(x: tt.f64):
        return inner(x) + 1

    inner(1.0)
    factor = 3.0
    with pytest.raises(tt.LaunchError, match="inner: expected factor = 2.0"):
        outer(1.0)


def test_annotations_are_read_when_a_function_is_defined():
    """Names in them may change, as in a loop that makes functions."""
    functions = []
    for size in (2, 3):

        @tt.batched
        def total(x: tt.f64[size]):
            return tt.sum(x)

        functions.append(total)
        assert total(np.ones(size)) == size
    assert functions[0](np.ones(2)) == 2


def test_arrays_in_tuples():
    """They are copied and compared as others are."""
    matrices = (np.eye(2), np.ones((2, 2)))

    @tt.batched
    def turned(x: tt.f64[2]):
        return matrices[0] @ x

    assert np.array_equal(turned(np.ones(2)), [1, 1])
    matrices[0][0, 0] = 9
    with pytest.raises(tt.LaunchError, match="expected matrices"):
        turned(np.ones(2))


def _defined(text):
    """Return the function of a text that is kept, as IPython does."""
    import linecache

    filename = f"<cell {len(linecache.cache)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names = {"tt": tt}
    exec(compile(text, filename, "exec"), names)
    return names["halved"]
