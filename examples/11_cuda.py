"""Multiply matrices of a wave solver on an NVIDIA GPU, from the text to checked numbers.

    pip install 'tinytc-mlir[cuda]' && python examples/11_cuda.py

Without a GPU it says why, and shows what would run there. The arrays are copied to the GPU once;
PyTorch, CuPy or JAX would take them in place.
"""

import numpy as np

import tinytc_mlir as tt

TEXT = """
func @multiply(%A: memref<f32x56x9x?>, %B: memref<f32x9x9>, %C: memref<f32x56x9x?>) {
  %i = group_id.x : index
  %a = subview %A[:, :, %i] : memref<f32x56x9>
  %c = subview %C[:, :, %i] : memref<f32x56x9>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm.n.n %one, %a, %B, %zero, %c
}
"""
GROUPS = 10_000


def main():
    """Compile, launch if there is a GPU, and compare with NumPy."""
    program = tt.Context().parse(TEXT, "multiply.ir").compile("cuda")
    print(f"{program.target}: {len(program.code)} bytes of {program.manifest.format.upper()}")

    random = np.random.default_rng(0)
    a = np.asfortranarray(random.standard_normal((56, 9, GROUPS), np.float32))
    b = np.asfortranarray(random.standard_normal((9, 9), np.float32))
    try:
        on_device = [tt.asarray(array, device="cuda") for array in (a, b)]
        c = tt.empty(a.shape, np.float32, device="cuda")
    except tt.DeviceError as error:
        print(f"not run: {error}")
        return

    kernel = program["multiply"].bind(*on_device, c, groups=GROUPS)
    kernel()
    expected = np.einsum("mkg,kn->mng", a, b, dtype=np.float64)
    error = np.abs(c.get() - expected).max() / np.abs(expected).max()
    time = tt.do_bench(kernel)
    print(f"error {error:.1e}, {time}")
    if error > 1e-5:
        raise SystemExit("expected an error of at most 1e-5")


if __name__ == "__main__":
    main()
