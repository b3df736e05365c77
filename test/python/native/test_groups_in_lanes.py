"""Small kernels whose groups run as the lanes of vectors: their instructions are numbers then.

The batch has whole vectors and groups that are left. Matrices are parts of arrays whose other
elements must stay as they are.
"""

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases import random_factors
from cases.matrices import TYPES
from nearness import assert_near
from tinytc_mlir.reference import interpret

SIZES = range(1, 9) if profiles.IS_NIGHTLY else (3, 8)
KINDS = ("cholesky", "lu", "trsm", "solve", "syrk")
WIDEST = 16
CHAIN = """
func @f(%A: memref<{t}x{n}x{n}x?>, %B: memref<{t}x{m}x{n}x?,strided<1,{ld},{step}>>,
        %s: {t}, %C: memref<{t}x{n}x{m}x?>) {{
  %g = group_id.x : index
  %a = subview %A[:, :, %g] : memref<{t}x{n}x{n}>
  %b = subview %B[:, :, %g] : memref<{t}x{m}x{n},strided<1,{ld}>>
  %c = subview %C[:, :, %g] : memref<{t}x{n}x{m}>
  %t = alloca : memref<{t}x{n}x{n}>
  %one = constant 1.0 : {t}
  %zero = constant 0.0 : {t}
  gemm.n.t %one, %a, %a, %zero, %t
  %i0 = constant 0 : index
  %size = constant {n} : index
  foreach (%i) = (%i0), (%size) {{
    %d = load %t[%i,%i] : {t}
    %e = arith.add %d, %one : {t}
    store %e, %t[%i,%i]
  }}
  cholesky.u %t
  axpby.t %one, %b, %s, %c
  trsm.u.t %one, %t, %c
  trsm.u.n %one, %t, %c
}}
"""


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", *(("x86-64-v3",) if profiles.IS_NIGHTLY else ())])
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("kind", KINDS)
def test_backward_errors(kind, type_, target):
    found = [
        failure
        for size in SIZES
        for failure in random_factors.check(
            getattr(random_factors, kind), type_, size, True, target, range(WIDEST + 1)
        )
    ]
    assert not found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_chains(type_, size):
    columns = size // 2 + 1
    given = {"t": type_, "n": size, "m": columns, "ld": columns + 2}
    step = (columns + 2) * size + 1
    module = tt.Context().parse(CHAIN.format(step=step, **given))
    kernel = module.compile("native")["f"]
    assert "foreach" not in str(module.lower("prepared", target="native"))
    lanes = WIDEST if type_ == "f32" else WIDEST // 2
    rng = np.random.default_rng(size)
    for groups in (1, lanes - 1, lanes, lanes + 1):
        a = rng.standard_normal((size, size, groups)).astype(TYPES[type_], order="F")
        memory = rng.standard_normal(step * groups).astype(TYPES[type_])
        places = [n * memory.itemsize for n in (1, columns + 2, step)]
        b = np.lib.stride_tricks.as_strided(memory, (columns, size, groups), places)
        before = np.full((size, columns, groups), np.nan, a.dtype, order="F")
        found, expected = before.copy(order="F"), before.copy(order="F")
        kernel(a, b, 0.0, found, groups=groups)
        interpret(module, "f", [a, b, 0.0, expected], groups)
        members = np.moveaxis(a, 2, 0).astype(np.float64)
        solved = members @ members.swapaxes(1, 2) + np.eye(size)
        assert_near(found, expected, solved)


def test_shared_results_stay_in_one_group():
    text = CHAIN.format(t="f32", n=3, m=2, ld=4, step=13).replace("%C[:, :, %g]", "%C[:, :, 0]")
    module = tt.Context().parse(text)
    assert "foreach" in str(module.lower("prepared", target="native"))
