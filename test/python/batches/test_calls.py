"""Calls of batched functions: broadcasting, strides, `out`, `axes`, types, what does not fit."""

import pickle

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers


@tt.batched
def affine(A: tt.f64["m", "n"], x: tt.f64["n"], b: tt.f64["m"]):
    return A @ x + b


@tt.batched
def extended(x: tt.f64["n"], y: tt.f64["n + 1"]):
    return tt.concatenate([x, y]), tt.sum(x)


@tt.batched("(n),(n)->()")
def dot(x, y):
    return x @ y


@tt.batched
def twice(x):
    return 2 * x


def arrays(*batches):
    random, cores = np.random.default_rng(0), ((3, 4), (4,), (3,))
    return [whole_numbers(random, (*b, *s)) for b, s in zip(batches, cores, strict=True)]


def expected(A, x, b):
    return (A @ x[..., None])[..., 0] + b


@pytest.mark.parametrize(
    "batches",
    [((), (), ()), ((5,), (), (5,)), ((), (7,), ()), ((2, 3), (3,), (2, 1)), ((4, 1), (1, 5), ()),
     ((0,), (), (1,)), ((1,), (6,), (6,)), ((2, 1, 3), (2, 1), (3,)), ((2, 1, 2, 1), (1, 2, 1, 2), (1,))],
)  # fmt: skip
def test_first_modes_broadcast(batches):
    given = arrays(*batches)
    found = affine(*given)
    np.testing.assert_array_equal(found, expected(*given))
    np.testing.assert_array_equal(affine(*given), found)  # by what the first call has kept


@pytest.mark.parametrize(
    "view",
    [lambda a: a[::-1], lambda a: a[::2], np.asfortranarray, lambda a: a.astype(">f8"), lambda a: a.astype("f4"),
     lambda a: np.broadcast_to(a[:1], a.shape), lambda a: np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0)],
)  # fmt: skip
def test_strides_and_orders(view):
    given = [view(a) for a in arrays((6,), (6,), (6,))]
    np.testing.assert_array_equal(affine(*given), expected(*given))


def test_no_number_outside_of_results_changes():
    A, x, b = arrays((5,), (5,), (5,))
    out = np.full((9, 5), np.nan)
    affine(A, x, b, out=out[2:7, 1:4])
    np.testing.assert_array_equal(out[2:7, 1:4], expected(A, x, b))
    out[2:7, 1:4] = np.nan
    assert np.isnan(out).all()


def test_out_may_overlap_arguments():
    A, x, b = arrays((5,), (5,), (5,))
    wanted = expected(A, x, b)
    assert affine(A, x, b, out=b) is b
    np.testing.assert_array_equal(b, wanted)


def test_results_are_written_where_they_are_given():
    A, x, b = arrays((5,), (5,), (5,))
    wanted = expected(A, x, b)
    guarded = np.full((9, 3), np.nan)
    out = guarded[2:7]
    for _ in range(2):
        out[...] = np.nan
        assert affine(A, x, b, out=out) is out
        np.testing.assert_array_equal(out, wanted)
    out[...] = np.nan
    assert np.isnan(guarded).all()
    both = np.empty(7), np.empty(())
    assert extended(np.ones(3), np.zeros(4), out=both)[0] is both[0]
    assert (both[0].tolist(), both[1]) == ([1] * 3 + [0] * 4, 3)


def test_results_that_overlap_are_stored_one_after_the_other():
    out = np.empty(7)
    extended(np.ones(3), np.zeros(4), out=(out, out[6:].reshape(())))
    assert out.tolist() == [1] * 3 + [0] * 3 + [3]


def test_results_are_converted_to_the_types_that_are_given():
    x = np.ones((2, 3), np.float32)
    for kind in (np.float64, np.float16, np.complex64):
        out = np.empty((2, 3), kind)
        assert twice(x, out=out).tolist() == [[2, 2, 2]] * 2


def test_masked_arrays():
    A, x, b = arrays((5,), (5,), (5,))
    out = np.ma.array(np.zeros((5, 3)), mask=True)
    assert affine(A, np.ma.array(x), b, out=out) is out
    assert not out.mask.any()
    np.testing.assert_array_equal(out, expected(A, x, b))


def test_axes_are_those_of_numpy():
    A, x, b = arrays((5,), (5,), (5,))
    wanted = expected(A, x, b)
    found = affine(A.transpose(1, 2, 0), x.T, b.T, axes=[(0, 1), 0, 0, 0])
    np.testing.assert_array_equal(found, wanted.T)
    np.testing.assert_array_equal(dot(x.T, x.T, axis=0), (x * x).sum(1))


@tt.batched
def sized(A: tt.f64["m", "n"]):
    x, y = A[0], A[:, 0]
    return (
        tt.concatenate([x, x, y[1:]]), tt.outer(y, x).reshape(-1), tt.outer(x, x).reshape(-1), x[: y.shape[0]],
        tt.concatenate([y, y, x])[x.shape[0] :], A[2:, 3:],
    )  # fmt: skip


@tt.batched
def least_squares(A: tt.f64["m", "n"], b: tt.f64["m"]):
    return tt.lstsq(A, b)


def test_signatures():
    assert affine.signature == "(m,n),(n),(m)->(m)"
    assert extended.signature == "(n),(n_plus_1)->(size_2_times_n_plus_1),()"
    assert dot.signature == "(n),(n)->()"
    assert least_squares.signature == "(m,n),(m)->(n)"
    assert sized.signature == (
        "(m,n)->(m_plus_2_times_n_minus_1),(m_times_n),(n_times_n),(min_m_n),(size_2_times_m),"
        "(m_minus_2,n_minus_3)"
    )


def test_sizes_of_the_last_call_are_in_the_signature():
    fresh = tt.batched(twice._function)
    fresh(np.ones((2, 3), np.float32))
    assert fresh.signature == "(3)->(3)"


def test_sizes_are_sums_of_names():
    found, total = extended(np.ones(3), np.zeros(4))
    assert found.tolist() == [1] * 3 + [0] * 4
    assert total == 3


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "i8"])
def test_types_follow_from_arguments(dtype):
    x, y = np.arange(3).astype(dtype), np.array([2, 1, 3], dtype)
    found = dot(x, y)
    assert found.dtype == dtype
    assert found == 7


def test_numbers_of_python_are_weak():
    assert twice(np.ones((2, 3), np.float32)).dtype == np.float32
    assert dot(np.ones((1, 2), np.float32), np.ones(2, np.float32)).dtype == np.float32


def test_keywords_and_pickles():
    A, x, b = arrays((5,), (5,), (5,))
    found = pickle.loads(pickle.dumps(affine))(b=b, x=x, A=A)
    np.testing.assert_array_equal(found, expected(A, x, b))


def test_programs_are_shown():
    affine(*arrays((2,), (2,), (2,)))
    assert "func @affine" in affine.text
    assert repr(affine).startswith("<BatchedFunction affine(A, x, b) of ")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda A, x, b: affine(A, x), "expected 3 arguments (A, x, b), got 2"),
        (lambda A, x, b: affine(A, x[:, :3], b), "'x': expected size 4 of mode 0 (n; n = 4 from mode 1 of 'A'), got 3"),
        (lambda A, x, b: affine(A, x[:4], b), "expected modes of the batch that broadcast, got (5,) of 'A', (4,) of 'x'"),
        (lambda A, x, b: affine(A, x, 1.0), "'b': expected an array whose last modes are (m), got shape ()"),
        (lambda A, x, b: affine(A, x, 1j * b), "'b': expected dtype float64, got complex128"),
        (lambda A, x, b: affine(A, x, b=b, c=1), "expected the arguments A, x, b, got 2 by position, b, c"),
        (lambda A, x, b: affine(A, np.ma.masked_less(x, 9), b), "'x': expected an array without a mask, got one that"),
        (lambda A, x, b: affine(A, x, b, out=3), "expected 1 arrays in 'out', got 3 (int)"),
        (lambda A, x, b: affine(A, x, b, out=b[:2]), "shape (5, 3) in 'out', got float64 and (2, 3)"),
        (lambda A, x, b: affine(A, x, b, out=np.broadcast_to(b[:1], b.shape)), "can be written in 'out', got one that is read"),
        (lambda A, x, b: affine(A, x, b, axis=0), "expected arguments of at most one mode for 'axis'"),
        (lambda A, x, b: affine(A, x, b, axes=[0]), "expected a list of modes for each argument in 'axes'"),
        (lambda A, x, b: affine(A, x, b, axes=[(0, 1), 9, 0, 0]), "'x': expected modes of an array, got"),
        (lambda A, x, b: affine(A, x, b, axes=[(1, 2), 1, 1, 0, 0]), "expected 4 items of 'axes', got 5"),
        (lambda A, x, b: extended(x, x), "expected size 5 of mode 0 (n + 1; n = 4 from mode 0 of 'x'), got 4"),
        (lambda A, x, b: affine.vjp(wrt=["z"]), "expected an argument, got 'z'"),
        (lambda A, x, b: affine.vjp()(A, x, *[b]), "expected 3 arguments and 1 adjoints of results, got 3 values"),
        (lambda A, x, b: tt.grad(affine, of="y"), "expected no 'of' for a batched function"),
        (lambda A, x, b: tt.batched(twice._function).signature, "expected sizes of 'x', got none: call it first"),
    ],
)  # fmt: skip
def test_what_does_not_fit(call, message):
    with pytest.raises(tt.ArgumentError) as caught:
        call(*arrays((5,), (5,), (5,)))
    assert message in str(caught.value)


def test_dask_takes_the_signature():
    array = pytest.importorskip("dask.array")
    given = arrays((20,), (20,), (20,))
    blocks = [array.from_array(each, chunks=(5, *each.shape[1:])) for each in given]
    found = array.apply_gufunc(affine, affine.signature, *blocks, output_dtypes=float)
    np.testing.assert_array_equal(found.compute(scheduler="threads"), expected(*given))


@pytest.mark.parametrize(
    "how", [{}, {"vectorize": True}, {"dask": "parallelized", "output_dtypes": [float]}]
)
def test_xarray_takes_functions(how):
    xarray = pytest.importorskip("xarray")
    A, x, b = arrays((), (2, 6), (6,))
    named = [
        xarray.DataArray(a, dims=d)
        for a, d in ((A, ["m", "n"]), (x, ["run", "time", "n"]), (b, ["time", "m"]))
    ]
    named = [each.chunk() for each in named] if "dask" in how else named
    cores = {"input_core_dims": [["m", "n"], ["n"], ["m"]], "output_core_dims": [["m"]]}
    found = xarray.apply_ufunc(affine, *named, **cores, **how)
    assert found.dims == ("run", "time", "m")
    np.testing.assert_array_equal(found.values, expected(A, x, b))


@tt.batched
def masked(x: tt.f64["n"], keep: tt.bool["n"]):
    return tt.where(keep, x, 0.0), (x > 0) & keep, tt.any(keep)


def of_numpy(x, keep):
    return masked(x, keep)


def of_torch(x, keep):
    torch = pytest.importorskip("torch")
    return [each.numpy() for each in masked(torch.from_numpy(x), torch.from_numpy(keep))]


def of_jax(x, keep):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        return [np.asarray(e) for e in jax.jit(masked)(jax.numpy.array(x), jax.numpy.array(keep))]


@pytest.mark.parametrize("call", [of_numpy, of_torch, of_jax, masked.python])
def test_truth_values(call):
    x = np.random.default_rng(0).standard_normal((5, 3))
    keep = x > 0.3
    wanted = np.where(keep, x, 0), (x > 0) & keep, keep.any(1)
    for found, expected in zip(call(x, keep), wanted, strict=True):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    assert np.array_equal(tt.grad(masked)(x, keep)["x"], keep.astype(float))
