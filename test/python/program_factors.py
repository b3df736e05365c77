"""How the generator of programs writes factorisations and solves, and what products share."""

from __future__ import annotations

from program_maker import Maker
from program_types import COMPLEX, INTEGERS, Scalar, types_below

FACTORS = (
    *("cholesky", "lu", "qr", "eigh", "apply_q", "trsm", "trmm", "swap_rows", "syrk"),
    *("solve.spd", "solve.lu"),
)


def atomic_and_beta(m: Maker, element: str) -> tuple[str, str]:
    """Return the atomic flag and a beta that it allows."""
    if m.rng.random() < 0.8:
        return "", m.need(Scalar(types_below(m.rng, element)))
    zero, one = ("0", "1") if element in INTEGERS else ("0.0", "1.0")
    value = m.rng.choice((zero, one))
    text = f"[{value}, 0.0]" if element in COMPLEX else value
    return ".atomic", m.assign(Scalar(element), f"constant {text} : {element}")


def transposed(shape: tuple[int | None, ...], flag: str) -> tuple[int | None, ...]:
    """Return the shape of op(X)."""
    return shape[::-1] if flag in (".t", ".c") else shape


def factor(m: Maker, name: str) -> None:
    """Write a factorisation or a solve."""
    element, (size, columns) = m.rng.choice(("f32", "f64", *COMPLEX)), m.shape(2)
    triangle, form = m.rng.choice((".l", ".u")), m.rng.choice((".n", ".t", ".r", ".c"))
    info = f", {m.updated('i32', ())}" if m.rng.random() < 0.5 else ""
    if name == "cholesky":
        m.put(f"{name}{triangle} {m.updated(element, (size, size))}{info}")
    elif name == "lu":
        piv = f", {m.updated('i32', (size,))}" if info or m.rng.random() < 0.5 else ""
        m.put(f"{name} {m.updated(element, (size, size))}{piv}{info}")
    elif name == "qr":
        m.put(f"qr {m.updated(element, (size, size))}, {m.updated(element, (size,))}")
    elif name == "apply_q":
        side = m.rng.choice(("", ".right"))
        shape = (columns, size) if side else (size, columns)
        a, tau = m.memref(element, (size, size)), m.memref(element, (size,))
        m.put(f"apply_q{side}{form} {a}, {tau}, {m.updated(element, shape)}")
    elif name == "eigh":
        real = {"c32": "f32", "c64": "f64"}.get(element, element)
        w = m.updated(real, (size,))
        m.put(f"eigh{triangle} {m.updated(element, (size, size))}, {w}{info}")
    elif name in ("trsm", "trmm"):
        side, unit = m.rng.choice(("", ".right")), m.rng.choice(("", ".unit"))
        shape = (columns, size) if side else (size, columns)
        alpha, a = m.need(Scalar(types_below(m.rng, element))), m.memref(element, (size, size))
        m.put(f"{name}{side}{triangle}{form}{unit} {alpha}, {a}, {m.updated(element, shape)}")
    elif name == "swap_rows":
        piv, b = m.memref("i32", (size,)), m.updated(element, (size, columns))
        m.put(f"{name}{m.rng.choice(('', '.reverse'))} {piv}, {b}")
    elif name == "syrk":
        a = m.memref(element, transposed((size, columns), form))
        alpha = m.need(Scalar(types_below(m.rng, element)))
        atomic, beta = atomic_and_beta(m, element)
        c = m.updated(element, (size, size))
        m.put(f"{name}{triangle}{form}{atomic} {alpha}, {a}, {beta}, {c}")
    else:
        a, b = m.updated(element, (size, size)), m.updated(element, (size, columns))
        piv = f", {m.updated('i32', (size,))}" if name == "solve.lu" else ""
        word = triangle if name == "solve.spd" else ""
        m.put(f"{name}{word} {a}{piv}, {b}{info}")
