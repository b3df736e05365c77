"""Kernels of factorisations and solves, of matrices that are far from singular, and all others."""

import differentiated_kernels

_SHIFTED = """
  foreach (%i) = (0), (5) {
    %x = load %s[%i,%i] : {T}
    %y = arith.add %x, %shift : {T}
    store %y, %s[%i,%i]
  }
"""
_HEAD = """
func @k(%alpha: {T}, %J: memref<{T}x5x5x?>, %B: memref<{T}x5x3x?>, %C: memref<{T}x2x5x?>,
        %V: memref<{T}x5x?>) {
  %gid = group_id : index
  %j = subview %J[0:5,0:5,%gid] : memref<{T}x5x5>
  %b = subview %B[0:5,0:3,%gid] : memref<{T}x5x3>
  %c = subview %C[0:2,0:5,%gid] : memref<{T}x2x5>
  %v = subview %V[0:5,%gid] : memref<{T}x5>
  %one = constant {one} : {T}
  %zero = constant {zero} : {T}
  %shift = constant {shift} : {T}
  %s = alloca : memref<{T}x5x5>
  %p = alloca : memref<i32x5>
"""
_BODIES = {
    "cholesky_lower": (
        "syrk.l.n %one, %j, %zero, %s" + _SHIFTED,
        "cholesky.l %s",
        "trsm.l.n %alpha, %s, %b",
        "trsm.right.l.c %one, %s, %c",
        "trsm.l.t %alpha, %s, %v",
    ),
    "cholesky_upper": (
        "syrk.u.c %one, %j, %zero, %s" + _SHIFTED,
        "cholesky.u %s",
        "trsm.right.u.n %alpha, %s, %c",
        "trsm.u.r %one, %s, %b",
        "trsm.u.c.unit %one, %s, %b",
    ),
    "lu": (
        "axpby.n %one, %j, %zero, %s" + _SHIFTED,
        "lu %s, %p",
        "swap_rows %p, %b",
        "trsm.l.n.unit %one, %s, %b",
        "trsm.u.n %alpha, %s, %b",
        "gemv.n %one, %s, %v, %zero, %w",
        "trsm.right.l.t.unit %one, %s, %c",
        "swap_rows.reverse %p, %w",
        "axpby.n %alpha, %w, %one, %v",
    ),
    "lu_without_pivots": (
        "axpby.t %one, %j, %zero, %s" + _SHIFTED,
        "lu %s",
        "trsm.right.u.t %alpha, %s, %c",
        "trsm.l.c.unit %one, %s, %b",
    ),
    "solves": (
        "syrk.l.t %one, %j, %zero, %s" + _SHIFTED,
        "solve.spd.l %s, %b",
        "axpby.n %alpha, %j, %zero, %s" + _SHIFTED,
        "solve.lu %s, %p, %v",
    ),
}


def _kernel(type_: str, lines: tuple[str, ...]) -> str:
    one, zero, shift = ("[1.0,0.0]", "[0.0,0.0]", "[9.0,0.0]")
    if type_ == "f64":
        one, zero, shift = "1.0", "0.0", "9.0"
    words = {"{T}": type_, "{one}": one, "{zero}": zero, "{shift}": shift}
    text = _HEAD + "  %w = alloca : memref<{T}x5>\n" * ("%w" in "".join(lines)) + "\n".join(lines)
    for word, value in words.items():
        text = text.replace(word, value)
    return text + "\n}\n"


KERNELS = differentiated_kernels.KERNELS | {
    f"{name}_{type_}": _kernel(type_, lines)
    for name, lines in _BODIES.items()
    for type_ in ("f64", "c64")
}
