"""Run the sample of the language reference over 1000 groups and compare with NumPy.

    python examples/fused_kernel.py

prints the kernel's name, the device, the error and the speed.
"""

import pathlib
import time

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices

GROUPS = 1000
# two products, of 16 x 8 x 8 and of 16 x 16 x 8 multiplications and additions
FLOP_PER_GROUP = 2 * 16 * 8 * 8 + 2 * 16 * 8 * 16


def reference(alpha, a, b, c, d):
    """Return alpha A_i B^T C + D_i for all i, in double precision."""
    a, b, c, d = (np.asarray(array, np.float64) for array in (a, b, c, d))
    return alpha * np.einsum("mki,nk,nj->mji", a, b, c) + d


def main():
    """Compile, launch, compare, and time."""
    context = tt.Context()
    module = context.parse_file(pathlib.Path(__file__).with_suffix(".ir"))
    program = module.compile()
    kernel = program["fused_kernel"]

    random = np.random.default_rng(0)
    alpha = float(random.standard_normal())
    a = [tt.asarray(random.standard_normal((16, 8), np.float32)) for _ in range(GROUPS)]
    b = tt.asarray(random.standard_normal((8, 8), np.float32))
    c = tt.asarray(random.standard_normal((8, 16), np.float32))
    d = tt.asarray(random.standard_normal((16, 16, GROUPS), np.float32))

    expected = reference(alpha, np.stack(a, axis=-1), b, c, d)
    kernel(alpha, a, b, c, d, groups=GROUPS)
    error = np.abs(d - expected).max() / np.abs(expected).max()

    bound = kernel.bind(alpha, a, b, c, d, groups=GROUPS)
    times = []
    for _ in range(200):
        start = time.perf_counter()
        bound()
        times.append(time.perf_counter() - start)

    print(f"kernel   {kernel.info.signature}")
    print(f"device   {devices.default_device(program.target).name}")
    print(f"error    {error:.1e} of the largest value")
    print(f"speed    {FLOP_PER_GROUP * GROUPS / min(times) / 1e9:.1f} GFLOP/s")
    # K = 8 twice, and the rounding of alpha to f32
    tolerance = 20 * np.finfo(np.float32).eps
    if error > tolerance:
        raise SystemExit(f"expected an error of at most {tolerance:.1e}")


if __name__ == "__main__":
    main()
