"""Arrays in private memory: each work-item has its own."""

import numpy as np
import pytest

from cases.stage_kernels import SEEDS, check, load, store
from tinytc_mlir import InterpreterError

ARRAY = "%p = memref.alloca() : memref<4xf32, #gpu.address_space<private>>\n"


def put(value, index):
    return f"memref.store {value}, %p[{index}] : memref<4xf32, #gpu.address_space<private>>\n"


def get(name, index):
    return f"{name} = memref.load %p[{index}] : memref<4xf32, #gpu.address_space<private>>\n"


@pytest.mark.parametrize("seed", SEEDS)
def test_each_has_its_own(seed):
    data = np.arange(8, dtype=np.float32)
    only_first = f"scf.if %is_first {{ {put('%y', '%c1')} }}\n"
    body = ARRAY + load("%v", "%item") + put("%v", "%c1") + put("%x", "%c2") + only_first
    body += get("%w", "%c1") + store("%w", "%item")
    assert check(body, data, seed=seed) == []
    assert data.tolist() == [2, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (get("%w", "%c1"), "expected an element of private memory that is set, got element 1"),
        (put("%x", "%c4"), "expected an index below 4, got 4"),
        (put("%x", "%lane"), "expected all work-items to use the same element of private memory"),
    ],
)
def test_errors(line, expected):
    with pytest.raises(InterpreterError, match=expected):
        check(ARRAY + line, np.zeros(8, np.float32))
