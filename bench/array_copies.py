"""How fast launches copy arrays of the host in and out, by the order of the arrays.

    python bench/array_copies.py [MEBIBYTES]

prints milliseconds of a copy in and a copy out, and the ratio to two copies by NumPy between arrays
of the same order. Each is the least of 20.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

import tinytc_mlir as tt

TEXT = """
func @nothing(%A: memref<f32x16x8x?>) {
  %i = builtin.group_id : index
  %a = subview %A[:, :, %i] : memref<f32x16x8>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %zero, %a, %one, %a
}
"""


def least_ms(function: Callable[[], object]) -> float:
    """Return the least time of several calls."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main() -> None:
    """Print a line for each order."""
    mebibytes = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    batch = (mebibytes << 20) // (16 * 8 * 4)
    warnings.simplefilter("ignore", tt.ArrayOrderWarning)
    kernel = tt.Context().parse(TEXT).compile("cpu")["nothing"]
    in_place = tt.ones((16, 8, batch), np.float32)
    kernel_ms = least_ms(lambda: kernel(in_place))
    orders = {
        "column-major": np.ones((16, 8, batch), np.float32, order="F"),
        "a batch of row-major matrices": np.ones((batch, 16, 8), np.float32).transpose(1, 2, 0),
        "row-major": np.ones((16, 8, batch), np.float32),
        "every second column": np.ones((16, 16, batch), np.float32, order="F")[:, ::2],
    }
    other = np.zeros_like(orders["column-major"])
    copies_ms = 2 * least_ms(lambda: np.copyto(other, orders["column-major"]))
    print(f"{'two copies by NumPy':30} {copies_ms:8.2f} ms")
    for name, array in orders.items():
        launch_ms = least_ms(lambda array=array: kernel(array)) - kernel_ms
        print(f"{name:30} {launch_ms:8.2f} ms {launch_ms / copies_ms:6.1f}")


if __name__ == "__main__":
    main()
