"""How the generator of kernels writes instructions about bits, and about parts of numbers."""

from __future__ import annotations

import program_subgroups as subgroups
from cases.kernel_maker import KernelMaker
from program_types import BITCASTS, COMPLEX, CoopMatrix, Scalar
from tinytc_mlir.frontend.spelling import memref_text

_CHANGED_BITS = {"i16": -(2**15), "i32": -(2**31), "i64": 1}
_BITS = {
    "bf16": ("16256", "-16384", "0"),
    "f16": ("15360", "-16384", "0"),
    "f32": ("1065353216", "-1073741824", "0"),
    "f64": ("4607182418800017408", "-4611686018427387904", "0"),
    "c32": ("1065353216", "4575657222473777152", "0"),
}
"""The bits of 1, of -2 and 0, and of 1, 1 + i and 0."""


def _constant(m: KernelMaker, value: object, type_: object) -> str:
    """Write a constant that no other instruction uses."""
    name = m.fresh()
    m.put(f"{name} = constant {value} : {type_}")
    return name


def bitcast(m: KernelMaker, name: str) -> None:
    """Write the bits of a constant, or change some in the bits of a number.

    Bits of what was rounded differ where another rounding is as good: only the sign changes here,
    or the last bit where constants have no sign bit.
    """
    integer, other = m.rng.choice(BITCASTS)
    if m.rng.random() < 0.3:
        bits = _constant(m, m.rng.choice(_BITS[other]), integer)
        m.assign(Scalar(other), f"{name} {bits} : {other}")
        return
    if m.rng.random() < 0.3:
        number = _constant(m, m.literal(Scalar(other)), other)
        m.assign(Scalar(integer), f"{name} {number} : {integer}")
        return
    if m.is_spmd and not m.is_divergent and m.rng.random() < 0.5:
        matrix = subgroups.coopmatrix(m, other)
        types = (CoopMatrix(integer, matrix.rows, matrix.columns, matrix.use), matrix)
    else:
        types = (Scalar(integer), Scalar(other))
    bits, changed = m.fresh(), m.fresh()
    m.put(f"{bits} = {name} {m.need(types[1])} : {types[0]}")
    mask = _constant(m, _CHANGED_BITS[integer], types[0])
    m.put(f"{changed} = arith.xor {bits}, {mask} : {types[0]}")
    m.assign(types[1], f"{name} {changed} : {types[1]}")


def expandc2r(m: KernelMaker, name: str) -> None:
    """Write an update of the parts of a complex tensor, or with them."""
    m.used.clear()
    complex_tensors = [t for t in m.tensors if t.element in COMPLEX and len(t.shape) < 2]
    if complex_tensors and m.rng.random() < 0.7:
        tensor = m.use(m.rng.choice(complex_tensors))
    else:
        tensor = m.tensor(m.rng.choice(COMPLEX), m.shape(1))
    real = {"c32": "f32", "c64": "f64"}[tensor.element]
    shape = (2, *tensor.shape)
    other = m.tensor(real, shape)
    space = "local" if tensor.is_local else "global"
    type_ = memref_text(real, shape, (None,) * len(shape), space)
    # The type of the tensor may leave sizes open, the view's not.
    known, view = m.fresh(), m.fresh()
    slices = ", ".join(f"0:{size}" for size in tensor.shape)
    strides = (None,) * len(tensor.shape)
    known_type = memref_text(tensor.element, tensor.shape, strides, space)
    m.put(f"{known} = subview {tensor.name}[{slices}] : {known_type}")
    m.put(f"{view} = {name} {known} : {type_}")
    operands = [view, other.name]
    m.rng.shuffle(operands)
    alpha, beta = (m.need(Scalar(real)) for _ in range(2))
    m.put(f"axpby.n {alpha}, {operands[0]}, {beta}, {operands[1]}")
    m.used.clear()
