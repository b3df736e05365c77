"""Names of Python, NumPy, Triton and CUDA: kernels say what to write, which is right code."""

import ast
import linecache
import math

import numpy as np
import pytest
from kernel_files import imported

import tinytc_mlir as tt
from tinytc_mlir.kernels.foreign_names import COUNTERPARTS, instead
from tinytc_mlir.kernels.names import choices

HEAD = """import math
import numpy as np
import tinytc_mlir as tt

@tt.kernel
def f(A: tt.f32[8, 8], B: tt.f32[8, 8], C: tt.f32[8, 8], X: tt.f32[8], Y: tt.f32[8], c: tt.bool,
      m: tt.index, n: tt.index, u: tt.f32, v: tt.f32, low: tt.f32, high: tt.f32, z: tt.c32):
    s = u
"""
VECTORS = ("x[", "y[", "outer", "foreach")


def error_of(statement, tmp_path):
    """Return the diagnostics of a kernel with a statement."""
    linecache.checkcache()
    with pytest.raises(tt.CompileError) as caught:
        imported(tmp_path / "a.py", f"{HEAD}    {statement}\n")["f"].text  # noqa: B018
    return caught.value.diagnostics


@pytest.mark.parametrize("code", sorted(set(COUNTERPARTS.values())))
def test_what_is_suggested_compiles(code, tmp_path):
    names = "x, y = X, Y" if any(word in code for word in VECTORS) else "x, y = u, v"
    is_expression = isinstance(ast.parse(code).body[0], ast.Expr)
    is_result = is_expression and "print" not in code and "barrier" not in code
    statement = f"kept = {code}" if is_result else code
    text = f"{HEAD}    {names}\n    {statement}\n    X[0] = s\n"
    assert imported(tmp_path / "a.py", text)["f"].text


CASES = {
    "w = tt.where(c, u, v)": "expected an instruction or type in tt, got 'where'; use x if c else y",
    "w = np.where(c, u, v)": "use x if c else y",
    "w = where(c, u, v)": "use x if c else y",
    "w = tt.isnan(u)": "use x != x",
    "w = math.isnan(u)": "use x != x",
    "w = tt.atan2(u, v)": "the language has none: use arithmetic, tt.exp, tt.log and tt.sqrt",
    "w = math.atan2(u, v)": "the language has none: use arithmetic, tt.exp, tt.log and tt.sqrt",
    "w = np.arctan2(u, v)": "the language has none: use arithmetic, tt.exp, tt.log and tt.sqrt",
    "w = np.zeros(8)": "use t = tt.local(tt.f32, (8, 8))",
    "w = tt.dot(A, B)": "use C[:] = A @ B",
    "w = np.sum(X)": "use y[:] = A.sum(1)",
    "w = tt.program_id(0)": "use tt.group_id.x",
    "w = tt.cdiv(m, n)": "use (m + n - 1) // n",
    "w = tt.float32(u)": "use tt.f32(x)",
    "w = np.float64(u)": "use tt.f64(x)",
    "w = A.reshape(4, 16)": "use A.expand(0, (4, 2))",
    "w = A.TT": None,
    "w = math.exp(u)": "use tt.exp",
    "w = pow(u, v)": "use tt.pow(x, y)",
    "w = isinstance(u, v)": None,
}


@pytest.mark.parametrize("statement", CASES)
def test_hints(statement, tmp_path):
    (found,) = error_of(statement, tmp_path)
    shown = [found.message, *(note.message for note in found.notes)]
    if CASES[statement] is None:
        assert len(shown) == 1
    else:
        assert CASES[statement] in "\n".join(shown)


def test_functions_of_libraries_are_in_the_language_or_have_a_hint():
    shared = {name for name in vars(np) if name[0] != "_" and callable(getattr(math, name, None))}
    others = {
        "degrees",
        "radians",
        "frexp",
        "ldexp",
        "modf",
        "nextafter",
        "gcd",
        "lcm",
        "isclose",
        "prod",
    }
    assert [n for n in shared - others if not instead(n) and n not in choices()] == []
