"""Transposed factors with AVX-512, which kernels copy by blocks: sizes around those of blocks."""

import functools
import random

import pytest

import tinytc_mlir as tt
from cases.products import gemm
from cases.running import compares, comparison

SIZES = (3, 4, 5, 9, 15, 16, 17, 19, 24, 31, 32, 35)


@pytest.mark.parametrize("type_", ["f32", "f64", "i32", "i64"])
@compares
def test_sizes(type_):
    rng = random.Random(f"transposed {type_}")
    pairs = [(m, k) for m in SIZES for k in SIZES]
    cases = [
        gemm(
            rng,
            (type_,) * 3,
            rng.choice(("t.n", "t.t")),
            number,
            ("packed" if number % 3 else "padded", "packed", "packed"),
            (m, 9, k),
        )
        for number, (m, k) in enumerate(pairs if type_ == "f32" else rng.sample(pairs, 16))
    ]
    return comparison(cases, compile_=functools.partial(tt.Module.compile, vector_bytes=64))
