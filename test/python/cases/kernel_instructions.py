"""How the generator of kernels writes instructions so that they are defined."""

from __future__ import annotations

import re

import program_instructions as syntax
import program_subgroups as subgroups
from cases import kernel_loops as loops
from cases.case import WORK_ITEM
from cases.kernel_atomics import atomic, write_matrix
from cases.kernel_bits import bitcast, expandc2r
from cases.kernel_maker import KernelMaker, Tensor
from program_maker import Choice
from program_memory import atomic_order
from program_types import (
    BLAS_TYPES,
    BOOL,
    I32,
    INDEX,
    INTEGERS,
    CoopMatrix,
    Scalar,
)
from tinytc_mlir.frontend.spelling import memref_text


def _collective(write):
    """Return the function that writes an instruction whose tensors all differ."""

    def make(m: KernelMaker, name: str) -> None:
        m.used.clear()
        write(m, name)
        m.used.clear()

    return make


def _diverging(write):
    """Return the function that writes an instruction whose body not all work-items may run."""

    def make(m: KernelMaker, name: str) -> None:
        if not m.is_spmd:
            write(m, name)
            return
        with m.divergence():
            write(m, name)

    return make


def _arith_binary(m: KernelMaker, name: str) -> None:
    """Write an instruction; integers are divided by a constant that is not 0."""
    word = name.split(".")[1]
    if word not in ("div", "rem"):
        syntax.arith_binary(m, name)
        return
    type_ = Scalar(m.rng.choice(("i8", "i16", "i32", "i64", "index", "f32", "f64", "f16")))
    divisor = m.rng.choice(("1", "2", "3", "-2", "4"))
    if type_.name not in INTEGERS:
        divisor += ".0"
    m.assign(type_, f"{name} {m.need(type_)}, {divisor} : {type_}")


def _for(m: KernelMaker, name: str) -> None:
    """Write a loop of a few iterations."""
    lower = m.rng.randint(-1, 2)
    # The bounds are the first operands that the loop asks for.
    m.next_operands = [str(lower), str(lower + m.rng.randint(0, 4))]
    syntax.for_(m, name)


def _load(m: KernelMaker, name: str) -> None:
    tensor = m.any_tensor()
    indices = ", ".join(m.index(size) for size in tensor.shape)
    m.assign(Scalar(tensor.element), f"load {tensor.name}[{indices}] : {tensor.element}")
    m.used.discard(tensor)


def _store(m: KernelMaker, name: str) -> None:
    """Write a store of a collective region, where all work-items store the same."""
    tensor = m.any_tensor()
    value = m.operand(Scalar(tensor.element))
    indices = ", ".join(m.index(size) for size in tensor.shape)
    flag = m.rng.choice(("", ".atomic", ".atomic_add"))
    m.put(f"store{flag} {value}, {tensor.name}[{indices}]")
    m.used.discard(tensor)


def _size(m: KernelMaker, name: str) -> None:
    tensor = m.any_tensor(1)
    m.assign(INDEX, f"size {tensor.name}[{m.rng.randrange(len(tensor.shape))}] : index")
    m.used.discard(tensor)


def _associated(m: KernelMaker, name: str) -> None:
    tensor = m.any_tensor()
    m.assign(BOOL, f"associated {tensor.name} : bool")
    m.used.discard(tensor)


def _subview(m: KernelMaker, name: str) -> None:
    """Write a scaled copy within one tensor, from one part of a mode to the next."""
    m.used.clear()
    tensor = m.any_tensor(1)
    mode = m.rng.randrange(len(tensor.shape))
    size = tensor.shape[mode] // 2
    if size == 0:
        return
    views = []
    for first in (0, tensor.shape[mode] - size):
        slices = [f"0:{extent}" for extent in tensor.shape]
        slices[mode] = f"{first}:{size}"
        shape = (*tensor.shape[:mode], size, *tensor.shape[mode + 1 :])
        space = "local" if tensor.is_local else "global"
        type_ = memref_text(tensor.element, shape, (None,) * len(shape), space)
        views.append(m.fresh())
        m.put(f"{views[-1]} = subview {tensor.name}[{', '.join(slices)}] : {type_}")
    m.rng.shuffle(views)
    alpha, beta = (m.need(Scalar(tensor.element)) for _ in range(2))
    if len(tensor.shape) <= 2:
        m.put(f"axpby.n {alpha}, {views[0]}, {beta}, {views[1]}")
    else:
        word = m.rng.choice(("cumsum", "cumsum.reverse"))
        m.put(f"{word} {alpha}, {views[0]}, {mode}, {beta}, {views[1]}")


def _parallel(m: KernelMaker, name: str) -> None:
    """Write a region in which each work-item writes one element of a tensor."""
    m.used.clear()
    written = m.any_tensor(1)
    summed = m.any_tensor() if m.rng.random() < 0.3 else None
    matrix = m.any_tensor(2, 2) if m.rng.random() < 0.4 else None
    m.put("parallel {")
    with m.region(True, []):
        words = dict.fromkeys(re.findall(r"%\w+", WORK_ITEM))
        item = [m.fresh() for _ in words]
        names = dict(zip(words, item, strict=True))
        for line in WORK_ITEM.splitlines():
            m.put(re.sub(r"%\w+", lambda word: names[word[0]], line))
        m.regions[-1] += [(each, I32) for each in item[1:5]] + [(item[5], INDEX)]
        m.statements(m.rng.randint(1, 5))
        if matrix is not None:
            _store_matrix(m, matrix, item[0])
        inside = m.fresh()
        m.put(f"{inside} = cmp.lt {item[5]}, {written.shape[0]} : bool")
        rest = [m.index(size) for size in written.shape[1:]]
        # All work-items write to one and the same column.
        rest = [each if each.isdigit() else "0" for each in rest]
        m.put(f"if {inside} {{")
        with m.region(True, []), m.divergence():
            loops.write(m, written, [item[5], *rest], summed)
        m.put("}")
    m.put("}")
    m.used.clear()


def _matrix_of(m: KernelMaker, tensor: Tensor, use: str) -> CoopMatrix:
    rows, columns = (m.rng.randint(1, min(size, 8)) for size in tensor.shape)
    return CoopMatrix(tensor.element, rows, columns, use)


def _position(m: KernelMaker, tensor: Tensor, sizes: tuple[int, int]) -> tuple[str, str]:
    """Return the flag and the position of a block, which may be outside if that is checked."""
    x, y = (m.rng.randint(0, s - n) for s, n in zip(tensor.shape, sizes, strict=True))
    checked = m.rng.choice(("", "", ".rows_checked", ".cols_checked", ".both_checked"))
    if checked in (".rows_checked", ".both_checked"):
        x += m.rng.randint(-2, 3)
    if checked in (".cols_checked", ".both_checked"):
        y += m.rng.randint(-2, 3)
    return checked, f"{x}, {y}"


def _load_matrix(m: KernelMaker, name: str) -> None:
    tensor = m.any_tensor(2, 2)
    m.used.discard(tensor)
    if tensor.element == "index":
        return
    type_ = _matrix_of(m, tensor, m.rng.choice(subgroups.USES))
    checked, position = _position(m, tensor, (type_.rows, type_.columns))
    flag = ".n"
    if not checked and m.rng.random() < 0.5:
        flag, type_ = ".t", CoopMatrix(type_.component, type_.columns, type_.rows, type_.use)
    if m.rng.random() < 0.3:
        name = "cooperative_matrix_atomic_load"
        checked += atomic_order(m, name)
    m.assign(type_, f"{name}{flag}{checked} {tensor.name}[{position}] : {type_}")


def _prefetch(m: KernelMaker, name: str) -> None:
    """Write a hint, which may also name what is beyond the matrix."""
    tensor = m.any_tensor(2, 2)
    m.used.discard(tensor)
    rows, columns = m.rng.choice(m.matrix_shapes)
    place = f"{tensor.name}[{m.rng.randint(0, 3)}, {m.rng.randint(0, 3)}]"
    m.put(f"{name} {m.rng.randint(0, 2)}, {place}, {rows}, {columns}")


def _store_matrix(m: KernelMaker, tensor: Tensor, subgroup: str) -> None:
    """Write the store of a matrix by one subgroup."""
    if tensor.element == "index":
        return
    fitting = [
        (name, t)
        for region in m.regions
        for name, t in region
        if isinstance(t, CoopMatrix)
        and t.component == tensor.element
        and t.rows <= tensor.shape[0]
        and t.columns <= tensor.shape[1]
    ]
    if fitting and m.rng.random() < 0.9:
        value, type_ = m.rng.choice(fitting)
    else:
        type_ = _matrix_of(m, tensor, m.rng.choice(subgroups.USES))
        value = m.need(type_)
    checked, position = _position(m, tensor, (type_.rows, type_.columns))
    first = m.fresh()
    m.put(f"{first} = cmp.eq {subgroup}, 0 : bool")
    m.put(f"if {first} {{")
    write_matrix(m, tensor, value, type_, (checked, position))
    m.put("}")


def _broadcast(m: KernelMaker, name: str) -> None:
    type_ = Scalar(m.rng.choice((*BLAS_TYPES, "index")))
    m.assign(type_, f"{name} {m.need(type_)}, {m.rng.randrange(4)} : {type_}")


def _adapted(choice: Choice) -> Choice | None:
    """Return how the generator of kernels writes a family of instructions, None if it does not."""
    first = choice.names[0]
    make, kind = _OWN.get(first, (choice.make, choice.kind))
    return None if make is None else Choice(choice.names, make, kind, choice.has_region)


_OWN = {
    "axpby": (_collective(syntax.unary_blas), "collective"),
    "gemm": (_collective(syntax.ternary_blas), "collective"),
    "foreach": (loops.foreach, "collective"),
    "foreach_tile": (loops.foreach_tile, "collective"),
    "parallel": (_parallel, "collective"),
    "arith.add": (_arith_binary, "mixed"),
    "for": (_diverging(_for), "mixed"),
    "if": (_diverging(syntax.if_), "mixed"),
    "load": (_load, "mixed"),
    "store": (_store, "collective"),
    "atomic_load": (atomic, "collective"),
    "size": (_size, "mixed"),
    "associated": (_associated, "mixed"),
    "subview": (_subview, "collective"),
    "bitcast": (bitcast, "mixed"),
    "expandc2r": (expandc2r, "collective"),
    # Operands come in these views.
    "expand": (None, ""),
    "fuse": (None, ""),
    "builtin.subgroup_id": (syntax.builtin, "convergent"),
    "cooperative_matrix_load": (_load_matrix, "convergent"),
    "cooperative_matrix_store": (None, ""),
    "cooperative_matrix_atomic_load": (None, ""),
    "cooperative_matrix_mul_add": (subgroups.coopmatrix_mul_add, "convergent"),
    "cooperative_matrix_scale": (subgroups.coopmatrix_scale, "convergent"),
    # Lanes that hold padding do not run the body.
    "cooperative_matrix_apply": (_diverging(subgroups.coopmatrix_apply), "convergent"),
    "cooperative_matrix_construct": (subgroups.coopmatrix_construct, "convergent"),
    "cooperative_matrix_extract": (subgroups.coopmatrix_extract, "convergent"),
    "cooperative_matrix_insert": (subgroups.coopmatrix_insert, "convergent"),
    "cooperative_matrix_prefetch": (_prefetch, "convergent"),
    "cooperative_matrix_reduce_add": (subgroups.coopmatrix_reduce, "convergent"),
    "subgroup_broadcast": (_broadcast, "convergent"),
    "subgroup_add": (subgroups.subgroup, "convergent"),
}

CHOICES = tuple(filter(None, map(_adapted, syntax.CHOICES)))
"""What the generator of kernels chooses from."""
