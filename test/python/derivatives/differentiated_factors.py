"""Kernels of factorisations and solves, of matrices that are far from singular, and all others."""

import re

import differentiated_kernels

_SHIFTED = """
  foreach (%i) = (0), (5) {
    %x = load %s[%i,%i] : {T}
    %y = arith.add %x, %shift : {T}
    store %y, %s[%i,%i]
  }
"""
_DISTINCT = """
  foreach (%i) = (0), (5) {
    %x = load %s[%i,%i] : {T}
    %n = cast %i : {T}
    %m = arith.mul %shift, %n : {T}
    %y = arith.add %x, %m : {T}
    store %y, %s[%i,%i]
  }
"""
_ADDED = """
  foreach (%i) = (0), (5) {
    %x = load %v[%i] : {T}
    %y = load %e[%i] : f64
    %z = cast %y : {T}
    %sum = arith.add %x, %z : {T}
    store %sum, %v[%i]
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
    "triangular_products": (
        "trmm.l.n %alpha, %j, %b",
        "trmm.right.u.c %one, %j, %c",
        "trmm.u.r.unit %alpha, %j, %v",
        "trmm.right.l.t.unit %alpha, %j, %c",
    ),
    "qr": (
        "axpby.n %one, %j, %zero, %s" + _SHIFTED,
        "qr %s, %t",
        "apply_q.c %s, %t, %b",
        "trsm.u.n %one, %s, %b",
        "apply_q.right.n %s, %t, %c",
        "apply_q.t %s, %t, %v",
    ),
    "eigenvalues": (
        "syrk.l.n %one, %j, %zero, %s" + _DISTINCT,
        "eigh.l %s, %e" + _ADDED,
        "gemv.n %alpha, %s, %v, %zero, %w",
        "axpby.n %one, %w, %one, %v",
        "syrk.u.t %one, %j, %zero, %s2" + _DISTINCT.replace("%s[", "%s2["),
        "eigh.u %s2, %e" + _ADDED,
        "gemm.n.n %one, %s2, %b, %zero, %b2",
        "axpby.n %one, %b2, %one, %b",
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
    body = "\n".join(lines)
    memory = {"w": "{T}x5", "t": "{T}x5", "e": "f64x5", "s2": "{T}x5x5", "b2": "{T}x5x3"}
    used = {name: each for name, each in memory.items() if re.search(rf"%{name}\b", body)}
    text = _HEAD + "".join(f"  %{n} = alloca : memref<{t}>\n" for n, t in used.items()) + body
    for word, value in words.items():
        text = text.replace(word, value)
    return text + "\n}\n"


KERNELS = differentiated_kernels.KERNELS | {
    f"{name}_{type_}": _kernel(type_, lines)
    for name, lines in _BODIES.items()
    for type_ in ("f64", "c64")
}
