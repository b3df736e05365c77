"""Checks of the derivatives of one kernel at random."""

import typing

import numpy as np
from dot_products import Products, check_second, check_symmetry, random_argument
from random_derivatives import Maker

import tinytc_mlir as tt

_SCALES = (1, 1 / 8, 1 / 64, 1 / 1024)
_LARGE = 1e6  # rounding errors of such products may hide what is wrong in small ones


class Found(typing.NamedTuple):
    """What a check has found.

    Attributes:
        wrong: what is wrong with the derivatives, nothing if they are right.
        scale: of the numbers with which they were checked; 0 if all of them overflow.
        is_refused: whether there is no such derivative.
    """

    wrong: str
    scale: float
    is_refused: bool = False


def check(seed, differences=False, symmetry=False):
    """Check the derivatives of a kernel; where numbers get large, with smaller ones, too."""
    maker = Maker(seed)
    text, used = maker.text(), 0
    wrt, atomic = maker.parameters_to_derive(), maker.rng.random() < 0.3
    with np.errstate(all="ignore"):
        try:
            for scale in _SCALES:
                module = tt.Context().parse(text)
                products = Products(module, seed=seed, wrt=wrt, atomic=atomic, scale=scale)
                try:
                    # Rounding errors grow from one instruction to the next: with the 10 of `check`,
                    # up to 9,000 units of f64, or 160 of f32 where kernels round to it.
                    size = products.check(epsilon=1e-6 if maker.rounds else 1e-13)
                except OverflowError:
                    continue
                used = scale
                if size <= _LARGE:
                    break
            if used and differences and not maker.rounds:
                products.check_differences(tolerance=1e-4)
            if used and symmetry:
                tolerance = 1e-3 if maker.rounds else 1e-9
                check_symmetry(tt.Context().parse(text), seed, tolerance, used, wrt)
        except (AssertionError, OverflowError, tt.TinyTCError) as error:
            return Found(f"seed {seed}, wrt {wrt}, atomic {atomic}: {error}\n{text}", used)
    return Found("", used)


def _half_with_nested_loops(seed):
    """Return the maker of a kernel, and the kernel; half of them have nested loops."""
    maker = Maker(seed)
    return maker, maker.text(count=4 if seed % 2 else 7, nests=bool(seed % 2))


def run(seed, groups):
    """Run such a kernel itself: in the reference interpreter, that finds races."""
    kernel = tt.Context().parse(_half_with_nested_loops(seed)[1]).compile()["k"]
    rng = np.random.default_rng(seed)
    arguments = {each.name: random_argument(rng, each, groups) for each in kernel.info.arguments}
    with np.errstate(all="ignore"):
        kernel(**arguments, groups=groups)


def check_reverse_of_reverse(seed, groups):
    """Check the reverse derivative of a reverse one; half of the kernels have nested loops."""
    maker, text = _half_with_nested_loops(seed)
    wrt = maker.parameters_to_derive()
    epsilon = 1e-6 if maker.rounds else 1e-13
    for scale in _SCALES:
        try:
            with np.errstate(all="ignore"):
                check_second(tt.Context().parse(text), groups, seed, epsilon, scale, wrt)
            return Found("", scale)
        except OverflowError:
            continue
        except tt.LoweringError as error:
            if "expected an instruction that can be differentiated" in str(error):
                return Found("", scale, is_refused=True)
            return Found(f"seed {seed}, wrt {wrt}: {error}\n{text}", scale)
        except (AssertionError, tt.TinyTCError) as error:
            return Found(f"seed {seed}, wrt {wrt}: {error}\n{text}", scale)
    return Found("", 0)
