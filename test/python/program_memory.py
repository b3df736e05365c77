"""How the generator of programs writes accesses to memory and views of it."""

from __future__ import annotations

from program_maker import Maker
from program_types import (
    BOOL,
    COMPLEX,
    INDEX,
    REALS,
    SCALARS,
    Group,
    Memref,
    Scalar,
    packed,
    random_memref,
)
from tinytc_mlir.frontend._instructions_gen import ENUMS


def _source(m: Maker, order: int) -> tuple[str, Memref]:
    """Return a memref value of some order, and its type."""
    type_ = random_memref(m.rng, m.rng.choice(SCALARS), m.shape(order))
    return m.need(type_), type_


def load(m: Maker, name: str) -> None:
    if m.rng.random() < 0.3:
        memref = random_memref(m.rng, m.rng.choice(SCALARS), m.shape(m.rng.randint(0, 3)))
        size, offset = m.rng.choice((None, 8)), m.rng.choice((None, 0, 4))
        group = m.need(Group(memref, size, offset))
        m.assign(memref, f"load {group}[{m.index(size)}] : {memref}")
        return
    value, type_ = _source(m, m.rng.randint(0, 3))
    indices = ", ".join(m.index(size) for size in type_.shape)
    m.assign(Scalar(type_.element), f"load {value}[{indices}] : {type_.element}")


def store(m: Maker, name: str) -> None:
    dest, type_ = _source(m, m.rng.randint(0, 3))
    value = m.operand(Scalar(type_.element))
    indices = ", ".join(m.index(size) for size in type_.shape)
    flag = m.rng.choice(("", ".atomic", ".atomic_add"))
    m.put(f"store{flag} {value}, {dest}[{indices}]")


def atomic_order(m: Maker, name: str) -> str:
    """Return modifiers of an atomic instruction: a scope and semantics, or none."""
    choices = {
        "load": ("relaxed", "acquire", "sequentially_consistent"),
        "store": ("relaxed", "release", "sequentially_consistent"),
    }.get(name.rpartition("_")[2], ENUMS["memory_semantics"])
    scope, semantics = m.rng.choice(ENUMS["memory_scope"]), m.rng.choice(choices)
    return m.rng.choice(("", f".{scope}", f".{semantics}", f".{scope}.{semantics}"))


def atomic(m: Maker, name: str) -> None:
    types = REALS if name in ("atomic_min", "atomic_max") else SCALARS
    type_ = random_memref(m.rng, m.rng.choice(types), m.shape(m.rng.randint(0, 3)))
    memref, order = m.need(type_), atomic_order(m, name)
    indices = ", ".join(m.index(size) for size in type_.shape)
    value = "" if name == "atomic_load" else f"{m.operand(Scalar(type_.element))}, "
    text = f"{name}{order} {value}{memref}[{indices}]"
    if name == "atomic_store":
        m.put(text)
    else:
        m.assign(Scalar(type_.element), f"{text} : {type_.element}")


def size(m: Maker, name: str) -> None:
    value, type_ = _source(m, m.rng.randint(1, 3))
    m.assign(INDEX, f"size {value}[{m.rng.randrange(len(type_.shape))}] : index")


def associated(m: Maker, name: str) -> None:
    value, _ = _source(m, m.rng.randint(0, 2))
    m.assign(BOOL, f"associated {value} : bool")


def subview(m: Maker, name: str) -> None:
    value, type_ = _source(m, m.rng.randint(1, 3))
    slices: list[str] = []
    shape: list[int | None] = []
    stride: list[int | None] = []
    for size, step in zip(type_.shape, type_.stride, strict=True):
        kind = m.rng.choice(("index", "zero", "whole", "static", "dynamic"))
        if kind in ("index", "zero"):
            slices.append(m.index(size) + (":0" if kind == "zero" else ""))
            continue
        length: int | None = size if kind == "whole" else None
        if kind == "static":
            length = m.rng.randint(1, size or 4)
        texts = {"whole": ":", "static": f"0:{length}"}
        slices.append(texts.get(kind) or f"{m.need(INDEX)}:{m.unknown_index()}")
        shape.append(length)
        stride.append(step if m.rng.random() < 0.8 else None)
    result = Memref(type_.element, tuple(shape), tuple(stride))
    m.assign(result, f"subview {value}[{', '.join(slices)}] : {result}")


def expand(m: Maker, name: str) -> None:
    value, type_ = _source(m, m.rng.randint(1, 3))
    mode = m.rng.randrange(len(type_.shape))
    size, step = type_.shape[mode], type_.stride[mode]
    if size is None or m.rng.random() < 0.4:
        sizes: list[int | None] = [None, m.rng.choice((1, None))]
        m.rng.shuffle(sizes)
    else:
        first = m.rng.choice([d for d in range(1, size + 1) if size % d == 0])
        sizes = [first, size // first]
    texts = [str(s) if s is not None else m.unknown_index() for s in sizes]
    second = None if step is None or sizes[0] is None else step * sizes[0]
    shape = (*type_.shape[:mode], *sizes, *type_.shape[mode + 1 :])
    stride = (*type_.stride[: mode + 1], second, *type_.stride[mode + 1 :])
    result = Memref(type_.element, shape, stride)
    m.assign(result, f"expand {value}[{mode} -> {' x '.join(texts)}] : {result}")


def expandc2r(m: Maker, name: str) -> None:
    type_ = random_memref(m.rng, m.rng.choice(COMPLEX), m.shape(m.rng.randint(0, 3)))
    real = {"c32": "f32", "c64": "f64"}[type_.element]
    stride: list[int | None] = [m.rng.choice((1, 1, None))]
    for step in type_.stride:
        stride.append(None if step is None or m.rng.random() < 0.2 else 2 * step)
    result = Memref(real, (2, *type_.shape), tuple(stride))
    m.assign(result, f"expandc2r {m.need(type_)} : {result}")


def fuse(m: Maker, name: str) -> None:
    element, order = m.rng.choice(SCALARS), m.rng.randint(2, 4)
    type_ = packed(element, m.shape(order))
    first = m.rng.randrange(order - 1)
    last = m.rng.randrange(first + 1, order)
    size: int | None = 1
    for part in type_.shape[first : last + 1]:
        size = None if size is None or part is None else size * part
    shape = (*type_.shape[:first], size, *type_.shape[last + 1 :])
    stride = (*type_.stride[: first + 1], *type_.stride[last + 1 :])
    result = Memref(element, shape, stride)
    m.assign(result, f"fuse {m.need(type_)}[{first},{last}] : {result}")
