"""Run batched products of matrices: every way to transpose, f32 and f64, sizes of any kind.

    python examples/01_batched_gemm.py

compares each with NumPy and prints the error and the speed.
"""

import pathlib
import time

import numpy as np

import tinytc_mlir as tt

SIZES = [(13, 7, 11), (1, 1, 1), (16, 16, 16), (33, 5, 2)]
TYPES = {"f32": np.float32, "f64": np.float64}


def random_batch(random, rows, columns, batch, dtype):
    """Return a (rows, columns, batch) array that the kernel uses in place."""
    return tt.asarray(random.standard_normal((rows, columns, batch)).astype(dtype))


def run(context, type_name, sizes, transposes, batch):
    """Launch one kernel and return its error in units of epsilon times K, and GFLOP/s."""
    rows, columns, inner = sizes
    dtype = TYPES[type_name]
    module = context.parse_file(
        pathlib.Path(__file__).with_suffix(".ir"),
        defines={"T": type_name, "M": rows, "N": columns, "K": inner},
    )
    kernel = module.compile()[f"gemm_{transposes}"]

    random = np.random.default_rng(0)
    a_shape = (rows, inner) if transposes[0] == "n" else (inner, rows)
    b_shape = (inner, columns) if transposes[1] == "n" else (columns, inner)
    a = random_batch(random, *a_shape, batch, dtype)
    b = random_batch(random, *b_shape, batch, dtype)
    c = random_batch(random, rows, columns, batch, dtype)

    a_modes = "mki" if transposes[0] == "n" else "kmi"
    b_modes = "kni" if transposes[1] == "n" else "nki"
    product = np.einsum(f"{a_modes},{b_modes}->mni", a, b, dtype=np.float64)
    expected = 0.5 * product - 2.0 * c
    kernel(0.5, a, b, -2.0, c, groups=batch)
    error = np.abs(c - expected).max() / np.abs(expected).max()

    bound = kernel.bind(0.5, a, b, 0.0, c, groups=batch)
    times = []
    for _ in range(50):
        start = time.perf_counter()
        bound()
        times.append(time.perf_counter() - start)
    gflops = 2 * rows * columns * inner * batch / min(times) / 1e9
    return error / (np.finfo(dtype).eps * inner), gflops


def main():
    """Run all combinations and print a table."""
    context = tt.Context()
    print("type  M x N x K     op   batch  error/(eps K)  GFLOP/s")
    for type_name in TYPES:
        for sizes in SIZES:
            for transposes in ("nn", "nt", "tn", "tt"):
                error, gflops = run(context, type_name, sizes, transposes, batch=501)
                shape = " x ".join(map(str, sizes))
                print(
                    f"{type_name}   {shape:12}  {transposes}   501    {error:10.2f}  {gflops:10.2f}"
                )
                if error > 2:
                    raise SystemExit("expected an error of at most 2 epsilon times K")


if __name__ == "__main__":
    main()
