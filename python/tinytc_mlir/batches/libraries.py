# SPDX-License-Identifier: BSD-3-Clause
"""Functions of libraries that mean what batched functions mean by their names.

Libraries give one name several meanings: SciPy's `cholesky` returns the upper factor, PyTorch's
`std` divides by n - 1. So a function is known by the module that it is found in. In NumPy and
`jax.numpy` all names mean the same; of other libraries, these do.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..kernels.types import SCALARS
from ..kernels.values import Static
from . import in_numpy, shaping, solving  # noqa: F401 (enter their functions)
from .functions import FUNCTIONS, Function

if TYPE_CHECKING:
    from .expressions import ArrayExpressions as Reader


def _as_integer(name: str) -> Function:
    def rule(r: Reader, node: ast.AST, x: Any) -> Any:
        return r.cast(FUNCTIONS[name](r, node, x), node, SCALARS["i64"])

    return rule


def _called(names: str) -> Mapping[str, Function]:
    return {name: FUNCTIONS[name] for name in names.split()}


_ELEMENTS = """exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh isnan isinf
    isfinite"""
_SOLVES = """solve inv det pinv svdvals norm eigh eigvalsh solve_triangular cho_factor cho_solve
    lu_factor lu_solve"""
_LIBRARIES: Mapping[str, Mapping[str, Function]] = {
    "numpy": FUNCTIONS,
    "numpy.linalg": FUNCTIONS,
    "jax.numpy": FUNCTIONS,
    "jax.numpy.linalg": FUNCTIONS,
    "jax.nn": _called("sigmoid softmax"),
    "jax.scipy.linalg": _called("solve inv det eigh solve_triangular cho_factor cho_solve"),
    "math": {
        **_called(f"{_ELEMENTS} fabs hypot"),
        "prod": lambda r, node, x: FUNCTIONS["prod"](r, node, x, Static(0)),
        **{name: _as_integer(name) for name in ("floor", "ceil", "trunc")},
    },
    "scipy.linalg": _called(_SOLVES),
    "scipy.special": _called("expit exp2 expm1 log1p"),
    "torch": _called(
        f"""{_ELEMENTS} deg2rad rad2deg abs floor ceil trunc rsqrt reciprocal square sigmoid
        maximum minimum fmax fmin where pow hypot matmul outer dot einsum kron sum mean prod amax
        amin cumsum argmax argmin softmax stack tril triu diag trace zeros_like ones_like full_like
        flip roll"""
    ),
}


def found(function: Callable[..., Any], name: str) -> Function | None:
    """Return the rule of a function of a library; None if it means something else.

    Args:
        function: what is called.
        name: its name.
    """
    for home, rules in _LIBRARIES.items():
        module = sys.modules.get(home)
        if name in rules and module is not None and getattr(module, name, None) is function:
            return rules[name]
    return None
