"""Numbers of groups and sizes of results of operations: never a guess."""

import jax
import jax.numpy as jnp
import numpy as np
import operation_cases as cases
import pytest
import random_operations
import torch

import profiles
import tinytc_mlir as tt

COUNT = 1000 if profiles.IS_NIGHTLY else 28
PARTS = 14
# JAX raises either, depending on where it notices.
FAULTS = (ValueError, jax.errors.JaxRuntimeError)


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


@pytest.mark.similar
@pytest.mark.filterwarnings("ignore::tinytc_mlir.UncheckedWarning")
@pytest.mark.parametrize("part", range(PARTS))
def test_random_operations(part):
    seeds = range(part, COUNT, PARTS)
    assert not [wrong for wrong in map(random_operations.check, seeds) if wrong]


@tt.kernel
def padded(m: tt.f64[None], x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    if i < m.shape[0]:
        out[i] = m[i]
    else:
        out[i] = x[0]


@tt.kernel
def counts(x: tt.f64[None], out: tt.i32[None]):
    i = tt.group_id.x
    if x[i] > 0.0:
        out[i + 1] = tt.i32(i)


@tt.kernel
def offset(n: tt.index, x: tt.f64[None], out: tt.f64[None]):
    i = tt.group_id.x
    out[i] = x[i + n]


@tt.kernel
def rows(n: tt.index, x: tt.f64[None, None], out: tt.f64[None]):
    i = tt.group_id.x
    s = x[0, i]
    for k in range(1, n):
        s = s + x[k, i]
    out[i] = s


def test_an_array_that_some_groups_read_tells_nothing():
    with pytest.raises(tt.ArgumentError, match=r"size of mode 0 of 'out'.* shapes={'out': \.\.\.}"):
        tt.jax.op(padded)(jnp.ones(3), jnp.ones(1))
    op = tt.jax.op(padded, shapes={"out": [5]}, groups=5)
    np.testing.assert_array_equal(op(jnp.ones(3), jnp.zeros(1)), [1, 1, 1, 0, 0])


def test_an_array_accessed_elsewhere_has_no_size():
    with pytest.raises(tt.ArgumentError, match="size of mode 0 of 'out', which no input tells"):
        tt.jax.op(counts, outputs="out")(jnp.ones(3))


def test_arrays_that_disagree():
    op = tt.jax.op(cases.chosen)
    message = r"in x because the arrays disagree \(at most 4 for mode 0 of 'x', at most 3 for mode"
    with pytest.raises(tt.ArgumentError, match=message):
        op(jnp.ones(1, jnp.int32), jnp.ones(4), jnp.ones(3))


def test_a_number_that_depends_on_a_scalar():
    x = np.arange(5.0)
    op = tt.torch.op(offset, "sizes::offset")
    np.testing.assert_array_equal(op(2, torch.from_numpy(x)), x[2:])
    with pytest.raises(tt.ArgumentError, match="in x or n, on which it depends, among the const"):
        tt.jax.op(offset)(2, jnp.asarray(x))
    np.testing.assert_array_equal(tt.jax.op(offset, constants={"n": 2})(jnp.asarray(x)), x[2:])
    np.testing.assert_array_equal(tt.jax.op(offset, groups=3)(2, jnp.asarray(x)), x[2:])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (-1, "pairs: expected .* number of groups, got -1"),
        ((1, 1, 1, 1), "expected 1 to 3 numbers of groups"),
        ([("z", 0)], r"expected numbers of groups or modes of inputs, got \('z', 0\)"),
    ],
)
def test_numbers_that_are_given(groups, message):
    with pytest.raises(tt.ArgumentError, match=message):
        tt.jax.op(cases.pairs, groups=groups)(jnp.ones(4))


def test_nothing_limits_the_groups():
    op = tt.jax.op(cases.segments, outputs="out", shapes={"out": [3]}, groups=None)
    assert op(jnp.array([0, 3], jnp.int32), jnp.ones(1), jnp.ones(3)).shape == (3,)
    op = tt.jax.op(cases.guard, outputs="out", shapes={"out": [("x", 0)]})
    with pytest.raises(tt.ArgumentError, match="in x because no input limits it, got none"):
        op(2, jnp.ones(3))


@pytest.mark.parametrize("wrap", [jax.jit, lambda function: function], ids=["jit", "eager"])
def test_jax_checks_what_depends_on_a_scalar(wrap):
    x = jnp.arange(12.0).reshape(2, 6)
    op = wrap(tt.jax.op(rows))
    for n in (3, 2, np.int64(3), 10**8):
        if n == 2:
            np.testing.assert_array_equal(op(n, x), x.sum(0))
            continue
        message = "argument 'x': expected mode 0 to have at least .* = 'n' - 1 is accessed, got 2"
        for given in (x, np.asarray(x)):  # which XLA runs at once, or not
            with pytest.raises(FAULTS, match=message):
                op(n, given).block_until_ready()


def test_jax_checks_numbers_of_groups_that_depend_on_a_scalar():
    op = jax.jit(tt.jax.op(offset, groups=3))
    with pytest.raises(FAULTS, match="offset: expected at most 2 groups"):
        op(3, jnp.ones(5)).block_until_ready()


def test_scalars_of_a_scan_are_checked_once():
    op = tt.jax.op(offset, groups=2)
    found = jax.lax.map(lambda n: op(n, jnp.arange(10.0)), jnp.arange(9))
    np.testing.assert_array_equal(found, np.arange(9)[:, None] + np.arange(2))


def steps(op, array, stack):
    """Return calls of an operation for several numbers of steps, one after the other."""
    w, x = array(np.array([2.0])), array(np.arange(1.0, 37.0).reshape(3, 4, 3))
    numbers = [0, 3, 2]
    expected = stack([op(n, w, x[b]) for b, n in enumerate(numbers)])
    return array(np.array(numbers)), w, x, expected


def test_vmap_over_an_integer_of_torch():
    op = tt.torch.op(cases.loop, "sizes::steps")
    n, w, x, expected = steps(op, torch.from_numpy, torch.stack)
    found = torch.vmap(op, (0, None, 0))(n, w, x)
    torch.testing.assert_close(found, expected)
    twice = torch.vmap(torch.vmap(op, (0, None, None)), (None, None, 0))(n, w, x)
    torch.testing.assert_close(twice[[0, 1, 2], [0, 1, 2]], expected)
    gradient = torch.func.grad(lambda n, w, x: op(n, w, x).sum(), 1)
    each = torch.stack([gradient(int(k), w, x[b]) for b, k in enumerate(n)])
    torch.testing.assert_close(torch.vmap(gradient, (0, None, 0))(n, w, x), each)


def test_vmap_over_an_integer_of_jax():
    op = tt.jax.op(cases.loop)
    n, w, x, expected = steps(op, jnp.asarray, jnp.stack)
    np.testing.assert_array_equal(jax.vmap(op, (0, None, 0))(n, w, x), expected)
    total = jax.grad(lambda w: jax.vmap(op, (0, None, 0))(n, w, x).sum())(w)
    np.testing.assert_array_equal(total, expected.sum() / w)
