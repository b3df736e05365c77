"""Checks of the derivatives of one kernel at random."""

import numpy as np
from dot_products import Products, check_symmetry
from random_derivatives import Maker

import tinytc_mlir as tt

OVERFLOW = "overflow"


def check(seed, differences=False, symmetry=False):
    """Return what is wrong with the derivatives of a kernel, nothing if they are right.

    Where numbers overflow, that begins with `OVERFLOW`.
    """
    text = Maker(seed).text()
    with np.errstate(all="ignore"):
        products = Products(tt.Context().parse(text), seed=seed)
        try:
            # Rounding errors grow from one instruction to the next.
            products.check(epsilon=1e-13)
            if differences:
                products.check_differences(tolerance=1e-4)
            if symmetry:
                check_symmetry(tt.Context().parse(text), seed, tolerance=1e-9)
        except OverflowError as error:
            return f"{OVERFLOW} of seed {seed}: {error}"
        except AssertionError as error:
            return f"seed {seed}: {error}\n{text}"
    return ""
