# SPDX-License-Identifier: BSD-3-Clause
"""What all that stands in place of floating-point numbers has in common."""

from __future__ import annotations

import numpy as np

from ..reference.arithmetic import Arithmetic, Unary
from ..reference.untyped import Value
from ..scalars import ScalarType
from .unshown import Unshown


class Substitute(Arithmetic):
    """Something else in place of floating-point and complex numbers; integers stay as they are."""

    def is_plain(self, scalar_type: ScalarType) -> bool:
        """Return whether a type is that of integers or truth values."""
        return scalar_type.kind in ("integer", "bool")

    def bitcast(self, source: ScalarType, result: ScalarType) -> Unary:
        """Return a conversion that keeps the bits in memory."""

        def function(values: Value) -> Value:
            stored = np.asarray(self.to_memory(source, values))
            return self.from_memory(result, stored.view(result.dtype))

        return function

    def check_iterates(self, what: str) -> None:
        """Fail: nothing converges."""
        raise Unshown(f"it computes {what} by iterations")
