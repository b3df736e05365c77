"""Kernels of other examples as functions of Python, which make the same modules as their texts.

    python examples/13_python_kernels.py

runs them on the device and on NumPy, and compares.
"""

import numpy as np

import tinytc_mlir as tt


@tt.kernel
def ader_step(
    dt: tt.f32, K: tt.f32[20, 20, 3], A: tt.f32[9, 9, 3, None], Q: tt.f32[20, 9, None],
    I: tt.f32[20, 9, None],
):  # fmt: skip
    """The time integral of 02_ader_step.ir."""
    element = tt.group_id.x
    kx, ky, kz = K[:, :, 0], K[:, :, 1], K[:, :, 2]
    ax, ay, az = A[:, :, 0, element], A[:, :, 1, element], A[:, :, 2, element]
    q, i = Q[:, :, element], I[:, :, element]
    derivative = tt.local(tt.f32, (20, 9))
    following = tt.local(tt.f32, (20, 9))
    product = tt.local(tt.f32, (20, 9))
    derivative[:] = q
    i[:] = dt * q
    factor = dt
    for k in range(1, 4):
        product[:] = kx @ derivative
        following[:] = product @ ax
        product[:] = ky @ derivative
        following += product @ ay
        product[:] = kz @ derivative
        following += product @ az
        divisor = tt.f32(k + 1)
        factor = factor * dt / divisor
        i += factor * following
        derivative[:] = following


@tt.kernel
def gram(A: tt.c64[12, 6, None], G: tt.c64[6, 6, None]):
    """The Gram matrices of 05_complex.ir."""
    i = tt.group_id.x
    a, g = A[:, :, i], G[:, :, i]
    conjugate = tt.local(tt.c64, (12, 6))
    for m, n in tt.foreach((0, 0), (12, 6)):
        conjugate[m, n] = tt.conj(a[m, n])
    g[:] = conjugate.T @ a


@tt.kernel
def products(A: tt.group[tt.f32[None, None]], x: tt.group[tt.f32[None]], y: tt.group[tt.f32[None]]):
    """The products of different sizes of 06_group_sizes.ir."""
    i = tt.group_id.x
    a, b, c = A[i], x[i], y[i]
    c[:] = a @ b


@tt.kernel
def fused_kernel(
    alpha: tt.f32, A: tt.group[tt.f32[16, 8]], B: tt.f32[8, 8], C: tt.f32[8, 16],
    D: tt.f32[16, 16, None],
):  # fmt: skip
    """The two products of fused_kernel.ir."""
    i = tt.group_id
    a, d = A[i], D[:, :, i]
    t = tt.local(tt.f32, (16, 8))
    t[:] = a @ B.T
    d += alpha * (t @ C)


KERNELS = {
    "02_ader_step.ir": ader_step,
    "05_complex.ir": gram,
    "06_group_sizes.ir": products,
    "fused_kernel.ir": fused_kernel,
}


def compare(kernel, *arguments):
    """Run a kernel on the device and on NumPy; return the largest difference of the results."""
    on_numpy = [
        [each.copy() for each in a] if isinstance(a, list) else np.copy(a) for a in arguments
    ]
    kernel(*arguments)
    kernel.python(*on_numpy)
    differences = [
        np.abs(one - other).max()
        for device, expected in zip(arguments, on_numpy, strict=True)
        if not isinstance(device, float)
        for one, other in zip(device, expected, strict=True)
    ]
    return float(max(differences))


def main():
    """Compare all kernels."""
    random = np.random.default_rng(0)

    def array(*shape, dtype=np.float32):
        return random.uniform(0.1, 0.2, shape).astype(dtype)

    sizes = range(1, 20)
    arguments = {
        ader_step: (0.1, array(20, 20, 3), array(9, 9, 3, 50), array(20, 9, 50), array(20, 9, 50)),
        gram: (array(12, 6, 50, dtype=np.complex128), array(6, 6, 50, dtype=np.complex128)),
        products: (
            [array(n + 3, n) for n in sizes],
            [array(n) for n in sizes],
            [array(n + 3) for n in sizes],
        ),
        fused_kernel: (
            2.0, [array(16, 8) for _ in range(50)], array(8, 8), array(8, 16), array(16, 16, 50),
        ),
    }  # fmt: skip
    for kernel, given in arguments.items():
        difference = compare(kernel, *given)
        print(f"{kernel.name:12}  largest difference from NumPy {difference:.1e}")
        if difference > 1e-4:
            raise SystemExit("expected a difference of at most 1e-4")


if __name__ == "__main__":
    main()
