"""A dam break by the shallow-water equations: expressions in a kernel, and prints in a debug build.

python examples/15_shallow_water.py
"""

import numpy as np

import tinytc_mlir as tt

GRAVITY, CELLS, STEPS = 9.81, 400, 200

# Depth H and discharge M of the cells become the flux of both through the faces between them.
FLUX = """
func @flux(%g: f64, %H: memref<f64x?>, %M: memref<f64x?>, %F: memref<f64x2x?>) {
  %faces = size %F[1] : index
  foreach (%i) = (0), (%faces) {
    %j = %i + 1 : index
    %h = load %H[%i] : f64
    %k = load %H[%j] : f64
    %m = load %M[%i] : f64
    %n = load %M[%j] : f64
    %speed = max(abs(%m / %h) + sqrt(%g * %h), abs(%n / %k) + sqrt(%g * %k)) : f64
    %mass = 0.5 * (%m + %n - %speed * (%k - %h)) : f64
    %pressure = 0.5 * %g * (%h * %h + %k * %k) : f64
    %momentum = 0.5 * (%m * %m / %h + %n * %n / %k + %pressure - %speed * (%n - %m)) : f64
    store %mass, %F[0, %i]
    store %momentum, %F[1, %i]
  }
}
"""

HIGH = """
func @show_high(%H: memref<f64x?>) {
  %cells = size %H[0] : index
  foreach (%i) = (0), (%cells) {
    %h = load %H[%i] : f64
    %is_high = %h > 1.9 : bool
    if %is_high {
      print "cell and depth", %i, %h
    }
  }
}
"""


def flux(h, m):
    """Return the fluxes of depth and discharge through the inner faces, by NumPy."""
    speeds = np.abs(m / h) + np.sqrt(GRAVITY * h)
    speed = np.maximum(speeds[:-1], speeds[1:])
    state, physical = np.stack([h, m]), np.stack([m, m * m / h + GRAVITY / 2 * h * h])
    return (physical[:, :-1] + physical[:, 1:] - speed * np.diff(state)) / 2


def main():
    """Compute time steps of a finite-volume method, and compare each flux."""
    kernel = tt.Context().parse(FLUX).compile()["flux"]
    h, m = np.where(np.arange(CELLS) < CELLS // 2, 2.0, 1.0), np.zeros(CELLS)
    fluxes = np.zeros((2, CELLS - 1), order="F")
    volume, is_right = h.sum(), True
    for _ in range(STEPS):
        kernel(GRAVITY, h, m, fluxes)
        is_right &= np.allclose(fluxes, flux(h, m), rtol=1e-12, atol=1e-12)
        step = 0.4 / (np.abs(m / h) + np.sqrt(GRAVITY * h)).max()
        h[1:-1] -= step * np.diff(fluxes[0])
        m[1:-1] -= step * np.diff(fluxes[1])
    print(f"depth at the dam {h[CELLS // 2]:.3f}, change of the volume {h.sum() - volume:.1e}")
    if not is_right:
        raise SystemExit("expected the fluxes of NumPy, got others")
    tt.Context().parse(HIGH).compile(debug=True)["show_high"](h[::40].copy())


if __name__ == "__main__":
    main()
