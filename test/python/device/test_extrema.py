"""Minima and maxima on processors: `min` and `max` lose NaN, `minimum` and `maximum` keep it."""

import pytest

import tinytc_mlir as tt
from cases import extrema

TARGETS = ("cpu", "native", "x86-64-v2", "x86-64-v3")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", extrema.TYPES)
def test_pairs(type_, target):
    kernel = tt.Context().parse(extrema.pairs_text(type_)).compile(target)["f"]
    extrema.check_pairs(type_, kernel)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", extrema.TYPES)
def test_lanes(type_, target):
    kernel = tt.Context().parse(extrema.lanes_text(type_)).compile(target)["f"]
    extrema.check_lanes(type_, kernel)
