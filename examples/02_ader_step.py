"""Integrate elements of a wave-propagation code over a time step, all steps in one kernel.

    python examples/02_ader_step.py

The shapes are those of SeisSol: 20 basis functions for order 4, 9 quantities. Each element needs 18
products of small matrices, whose results stay in local memory.
"""

import pathlib
import time

import numpy as np

import tinytc_mlir as tt

BASIS, QUANTITIES, ORDER, ELEMENTS = 20, 9, 4, 1000
FLOP_PER_ELEMENT = (ORDER - 1) * 3 * 2 * BASIS * QUANTITIES * (BASIS + QUANTITIES)


def reference(dt, stiffness, star, solution):
    """Return the integral of each element, in double precision."""
    stiffness, star, derivative = (np.asarray(x, np.float64) for x in (stiffness, star, solution))
    factor = dt
    result = dt * derivative
    for k in range(1, ORDER):
        derivative = np.einsum("mkd,kne,nqde->mqe", stiffness, derivative, star, optimize=True)
        factor *= dt / (k + 1)
        result += factor * derivative
    return result


def main():
    """Compile, launch, compare, and time."""
    module = tt.Context().parse_file(pathlib.Path(__file__).with_suffix(".ir"))
    kernel = module.compile()["ader_step"]
    random = np.random.default_rng(0)

    def array(*shape):
        return tt.asarray(random.standard_normal(shape, np.float32) / shape[0])

    dt = 0.5
    stiffness = array(BASIS, BASIS, 3)
    star = array(QUANTITIES, QUANTITIES, 3, ELEMENTS)
    solution = array(BASIS, QUANTITIES, ELEMENTS)
    integral = tt.empty((BASIS, QUANTITIES, ELEMENTS), np.float32)

    kernel(dt, stiffness, star, solution, integral)
    expected = reference(dt, stiffness, star, solution)
    error = np.abs(integral - expected).max() / np.abs(expected).max()

    bound = kernel.bind(dt, stiffness, star, solution, integral)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        bound()
        times.append(time.perf_counter() - start)
    print(f"elements {ELEMENTS}")
    print(f"error    {error:.1e} of the largest value")
    print(f"speed    {FLOP_PER_ELEMENT * ELEMENTS / min(times) / 1e9:.1f} GFLOP/s")
    if error > 1e-5:
        raise SystemExit("expected an error of at most 1e-5")


if __name__ == "__main__":
    main()
