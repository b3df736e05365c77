"""How the generator of programs writes instructions of subgroups and cooperative matrices."""

from __future__ import annotations

from program_maker import Choice, Maker
from program_memory import atomic_order
from program_types import (
    BLAS_TYPES,
    COMPLEX,
    I32,
    REALS,
    SCALARS,
    CoopMatrix,
    Scalar,
    types_below,
)

USES = ("matrix_a", "matrix_b", "matrix_acc")


def coopmatrix(m: Maker, component: str, use: str | None = None) -> CoopMatrix:
    rows, columns = m.rng.choice(m.matrix_shapes)
    return CoopMatrix(component, rows, columns, use or m.rng.choice(USES))


def coopmatrix_load(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    source = m.memref(type_.component, (64, m.rng.choice((64, None))))
    checked = m.rng.choice(("", ".rows_checked", ".cols_checked", ".both_checked"))
    flag = m.rng.choice((".n", ".t"))
    m.assign(type_, f"{name}{flag}{checked} {source}[{m.index(4)}, {m.index(4)}] : {type_}")


def coopmatrix_store(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    value, dest = m.need(type_), m.memref(type_.component, (64, 64))
    checked = m.rng.choice(("", ".rows_checked", ".cols_checked", ".both_checked"))
    transpose, flag = m.rng.choice(("", ".n", ".t")), m.rng.choice(("", ".atomic", ".atomic_add"))
    m.put(f"{name}{transpose}{checked}{flag} {value}, {dest}[{m.index(4)}, {m.index(4)}]")


def coopmatrix_atomic(m: Maker, name: str) -> None:
    is_ordered = name.endswith(("_min", "_max"))
    type_ = coopmatrix(m, m.rng.choice([t for t in BLAS_TYPES if t in REALS or not is_ordered]))
    memref = m.memref(type_.component, (64, 64))
    modifiers = m.rng.choice(("", ".n", ".t"))
    modifiers += m.rng.choice(("", ".rows_checked", ".cols_checked", ".both_checked"))
    modifiers += atomic_order(m, name)
    value = "" if name.endswith("_load") else f"{m.need(type_)}, "
    text = f"{name}{modifiers} {value}{memref}[{m.index(4)}, {m.index(4)}]"
    if name.endswith("_store"):
        m.put(text)
    else:
        m.assign(type_, f"{text} : {type_}")


def coopmatrix_mul_add(m: Maker, name: str) -> None:
    component = m.rng.choice(("f32", "f64", "i32", "c32"))
    rows, columns, inner = (m.rng.choice(m.matrix_sizes) for _ in range(3))
    a = CoopMatrix(types_below(m.rng, component), rows, inner, "matrix_a")
    b = CoopMatrix(a.component, inner, columns, "matrix_b")
    c = CoopMatrix(component, rows, columns, "matrix_acc")
    m.assign(c, f"{name} {m.need(a)}, {m.need(b)}, {m.need(c)} : {c}")


def coopmatrix_scale(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    scalar = m.operand(Scalar(type_.component))
    m.assign(type_, f"{name} {scalar}, {m.need(type_)} : {type_}")


def coopmatrix_apply(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    component = Scalar(type_.component)
    types = [type_]
    for _ in range(m.rng.choice((0, 0, 1, 2))):
        use = m.rng.choice((type_.use, "matrix_acc"))
        other = CoopMatrix(m.rng.choice(BLAS_TYPES), type_.rows, type_.columns, use)
        types.insert(m.rng.randint(0, len(types)), other)
    if len(types) > 1 and m.rng.random() < 0.5:
        types.remove(type_)
    matrices, names = ", ".join(map(m.need, types)), [m.fresh() for _ in range(2 + len(types))]
    position = len(m.lines)
    m.put(f"{name} ({', '.join(names)}) = {matrices} -> {type_} {{")
    is_foreach, m.is_foreach = m.is_foreach, True  # no barriers
    components = [Scalar(each.component) for each in types]
    with m.region(True, [*zip(names, (I32, I32, *components), strict=True)]):
        m.statements(m.rng.randint(0, 2))
        m.put(f"yield ({m.need(component)})")
    m.is_foreach = is_foreach
    m.put("}")
    result = m.fresh()
    m.lines[position] = f"{result} = {m.lines[position]}"
    m.regions[-1].append((result, type_))


def converted_use(m: Maker, matrix: CoopMatrix) -> str:
    """Return a use that a cast or bitcast of a matrix may have."""
    return m.rng.choice(USES) if matrix.use == "matrix_acc" else matrix.use


def coopmatrix_construct(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    m.assign(type_, f"{name} {m.operand(Scalar(type_.component))} : {type_}")


def coopmatrix_extract(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    m.assign(Scalar(type_.component), f"{name} {m.need(type_)} [0] : {type_.component}")


def coopmatrix_insert(m: Maker, name: str) -> None:
    type_ = coopmatrix(m, m.rng.choice(BLAS_TYPES))
    scalar = m.operand(Scalar(type_.component))
    m.assign(type_, f"{name} {scalar}, {m.need(type_)} [0] : {type_}")


def coopmatrix_prefetch(m: Maker, name: str) -> None:
    source = m.memref(m.rng.choice(BLAS_TYPES), (64, m.rng.choice((64, None))))
    rows, columns = m.rng.choice(m.matrix_shapes)
    m.put(f"{name} {m.rng.randint(0, 2)}, {source}[{m.index(4)}, {m.index(4)}], {rows}, {columns}")


def coopmatrix_reduce(m: Maker, name: str) -> None:
    components = BLAS_TYPES
    if not name.endswith("add"):
        components = tuple(t for t in BLAS_TYPES if t not in COMPLEX)
    type_ = coopmatrix(m, m.rng.choice(components))
    mode = m.rng.choice(("row", "column"))
    rows, columns = (type_.rows, 1) if mode == "row" else (1, type_.columns)
    result = CoopMatrix(type_.component, rows, columns, type_.use)
    m.assign(result, f"{name}.{mode} {m.need(type_)} : {result}")


def broadcast(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice(SCALARS))
    m.assign(type_, f"{name} {m.need(type_)}, {m.operand(I32)} : {type_}")


def subgroup(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice(SCALARS if name == "subgroup_add" else REALS))
    mode = m.rng.choice(("exclusive_scan", "inclusive_scan", "reduce"))
    m.assign(type_, f"{name}.{mode} {m.need(type_)} : {type_}")


_WORDS = ("add", "max", "min")

CHOICES = (
    Choice(("cooperative_matrix_load",), coopmatrix_load, "spmd"),
    Choice(("cooperative_matrix_store",), coopmatrix_store, "spmd"),
    Choice(
        tuple(f"cooperative_matrix_atomic_{word}" for word in ("load", "store", *_WORDS)),
        coopmatrix_atomic,
        "spmd",
    ),
    Choice(("cooperative_matrix_mul_add",), coopmatrix_mul_add, "spmd"),
    Choice(("cooperative_matrix_scale",), coopmatrix_scale, "spmd"),
    Choice(("cooperative_matrix_apply",), coopmatrix_apply, "spmd", has_region=True),
    Choice(("cooperative_matrix_construct",), coopmatrix_construct, "spmd"),
    Choice(("cooperative_matrix_extract",), coopmatrix_extract, "spmd"),
    Choice(("cooperative_matrix_insert",), coopmatrix_insert, "spmd"),
    Choice(("cooperative_matrix_prefetch",), coopmatrix_prefetch, "spmd"),
    Choice(
        tuple(f"cooperative_matrix_reduce_{word}" for word in _WORDS),
        coopmatrix_reduce,
        "spmd",
    ),
    Choice(("subgroup_broadcast",), broadcast, "spmd"),
    Choice(tuple(f"subgroup_{word}" for word in _WORDS), subgroup, "spmd"),
)
"""Instructions of subgroups and cooperative matrices."""
