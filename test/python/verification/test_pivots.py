"""LU with pivots: rows move between lanes, and pivots are compared, also in fields."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "cuda:sm_90"])
@pytest.mark.parametrize(
    ("element", "shape"), [("f32", (16, 16)), ("c32", (20, 33)), ("f64", (40, 19))]
)
def test_no_race_and_the_same_pivots(element, shape, target):
    rows, columns = shape
    text = f"""
func @f(%A: memref<{element}x{rows}x{columns}>, %P: memref<i32x{min(shape)}>) {{
  lu %A, %P
}}"""
    certificate = tt.Context().parse(text).verify(target=target, parts=["stages", "accesses"])
    assert len(certificate.claims) >= 3, str(certificate)
    for claim in certificate.claims:  # absolute values depend on signs: nothing is proven
        assert claim.outcome is Outcome.TESTED, str(claim)
