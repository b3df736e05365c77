"""Small-matrix code for NumPy gives what NumPy gives, in registers and in local memory."""

import numpy as np
import pytest
import snippets

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.batches import programs

FUNCTIONS = {n: f for n, f in vars(snippets).items() if isinstance(f, tt.BatchedFunction)}
NAMES = {"n": 5, "m": 1, "d": 3}


def test_there_are_twenty():
    assert len(FUNCTIONS) >= 20


@pytest.mark.parametrize("name", FUNCTIONS)
def test_snippet(name, monkeypatch):
    function = FUNCTIONS[name]
    random = np.random.default_rng(1)
    shapes = function.sizes_for(NAMES)
    given = [random.standard_normal((7, *shape)) for shape in shapes]
    expected = function.python(*given)
    if len(name) % 2:
        monkeypatch.setattr(programs, "MOST_STEPS", 0)
    found = function(*given)
    several = (
        [(found, expected)]
        if isinstance(expected, np.ndarray)
        else zip(found, expected, strict=True)
    )
    for one, other in several:
        assert one.shape == other.shape
        assert_near(one, other)
