import numpy as np
import pytest

from interpreting import DTYPES
from tinytc_mlir.reference import tolerance


@pytest.mark.parametrize("type_", ["f16", "f32", "f64", "c32", "c64"])
def test_sums_in_another_order_stay_within_the_bound(type_):
    rng = np.random.default_rng(0)
    dtype = np.dtype(DTYPES[type_])
    accumulator = np.dtype(np.float32) if type_ == "f16" else dtype
    for terms in (1, 7, 64, 1000):
        a = rng.standard_normal((50, terms)).astype(accumulator)
        if dtype.kind == "c":
            a = (a + 1j * rng.standard_normal(a.shape)).astype(dtype)
        forward, backward = (np.cumsum(x, axis=1)[:, -1].astype(dtype) for x in (a, a[:, ::-1]))
        bound = tolerance(type_, np.abs(a).sum(axis=1), terms=terms)
        assert (np.abs(forward.astype(complex) - backward) <= bound).all()


def test_a_wrong_term_exceeds_the_bound():
    assert tolerance("f32", 100.0, terms=100) < 0.01


def test_integers_are_exact():
    assert not tolerance("i64", np.ones((2, 3)), terms=5).any()


def test_the_smaller_type_of_the_result_counts():
    assert tolerance("bf16", 1.0, terms=10) > 2.0**-7
    assert tolerance("f16", 1.0, terms=10) < 2.0**-9
