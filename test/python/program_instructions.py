"""How the generator of programs writes each instruction."""

from __future__ import annotations

import dataclasses

import program_factors
import program_loops
import program_memory
import program_subgroups
from program_factors import atomic_and_beta, transposed
from program_maker import Choice, Maker
from program_types import (
    BITCASTS,
    BLAS_TYPES,
    BOOL,
    COMPLEX,
    FLOATS,
    I32,
    INDEX,
    INTEGERS,
    REALS,
    SCALARS,
    SIZE_BYTES,
    CoopMatrix,
    Scalar,
    Type,
    packed,
    promote,
    types_below,
)
from tinytc_mlir.frontend.instructions import INSTRUCTIONS, MATH, WITH_DIMENSION


def unary_blas(m: Maker, name: str) -> None:
    """Write axpby, cumsum or sum."""
    result = m.rng.choice(BLAS_TYPES)
    element = types_below(m.rng, result)
    alpha = m.need(Scalar(types_below(m.rng, element)))
    flag = m.rng.choice((".n", ".t", ".r", ".c"))
    mode = ""
    if name == "axpby":
        shape = m.shape(m.rng.randint(0, 2))
        b_shape = transposed(shape, flag)
    elif name == "sum":
        shape = m.shape(m.rng.randint(1, 2))
        b_shape = transposed(shape, flag)[:1] if len(shape) == 2 else ()
    else:
        shape, flag = m.shape(m.rng.randint(1, 3)), m.rng.choice(("", ".reverse"))
        mode = f" {m.rng.randrange(len(shape))},"
        b_shape = shape
    a, b = m.memref(element, shape), m.updated(result, b_shape)
    atomic, beta = atomic_and_beta(m, result)
    m.put(f"{name}{flag}{atomic} {alpha}, {a},{mode} {beta}, {b}")


def ternary_blas(m: Maker, name: str) -> None:
    """Write gemm, gemv, ger or hadamard_product."""
    c_type = m.rng.choice(BLAS_TYPES)
    a_type, b_type = types_below(m.rng, c_type), types_below(m.rng, c_type)
    common = promote(a_type, b_type)
    if common is None:
        a_type = b_type = common = c_type
    flags = [m.rng.choice((".n", ".t", ".r", ".c")) for _ in range(2)]
    rows, columns, inner = m.shape(3)
    if name == "gemm":
        shapes = [transposed((rows, inner), flags[0]), transposed((inner, columns), flags[1])]
        c_shape: tuple[int | None, ...] = (rows, columns)
    elif name == "gemv":
        flags = flags[:1]
        shapes, c_shape = [transposed((rows, inner), flags[0]), (inner,)], (rows,)
    elif name == "ger":
        flags, shapes, c_shape = [], [(rows,), (columns,)], (rows, columns)
    else:
        flags, c_shape = [], m.shape(m.rng.randint(1, 2))
        shapes = [c_shape, c_shape]
        name = m.rng.choice((name, "hadamard"))
    alpha = m.need(Scalar(types_below(m.rng, common)))
    a, b = m.memref(a_type, shapes[0]), m.memref(b_type, shapes[1])
    atomic, beta = atomic_and_beta(m, c_type)
    m.put(f"{name}{''.join(flags)}{atomic} {alpha}, {a}, {b}, {beta}, {m.updated(c_type, c_shape)}")


def _alloca(m: Maker, name: str) -> None:
    element = m.rng.choice(SCALARS)
    shape = tuple(size or 2 for size in m.shape(m.rng.randint(0, 3)))
    type_ = packed(element, shape, "local")
    attributes = f" {{alignment={SIZE_BYTES[element]}}}" if m.rng.random() < 0.3 else ""
    text = str(type_) if m.rng.random() < 0.5 else str(packed(element, shape))
    m.assign(type_, f"alloca{attributes} : {text}")


def _lifetime_stop(m: Maker, name: str) -> None:
    before = len(m.regions[-1])
    _alloca(m, "alloca")
    (ended,) = (value for value, _ in m.regions[-1][before:])
    del m.regions[-1][before:]
    m.put(f"lifetime_stop {ended}")


def arith_binary(m: Maker, name: str) -> None:
    word = name.split(".")[1]
    type_: Type
    if word in ("and", "or", "xor"):
        type_ = Scalar(m.rng.choice((*INTEGERS, "bool")))
    elif word in ("shl", "shr"):
        type_ = Scalar(m.rng.choice(INTEGERS))
    elif word in ("rem", "min", "max"):
        type_ = Scalar(m.rng.choice(REALS))
    else:
        type_ = Scalar(m.rng.choice(SCALARS))
    if m.is_spmd and type_ not in (BOOL, INDEX) and m.rng.random() < 0.3:
        type_ = program_subgroups.coopmatrix(m, str(type_))
    if isinstance(type_, CoopMatrix):
        a, b = m.need(type_), m.need(type_)
    else:
        a, b = m.operand(type_), m.operand(type_)
    m.assign(type_, f"{name} {a}, {b} : {type_}")


def _arith_unary(m: Maker, name: str) -> None:
    word = name.split(".")[1]
    choices = {"not": (*INTEGERS, "bool"), "conj": COMPLEX, "im": COMPLEX, "re": COMPLEX}
    component = m.rng.choice(choices.get(word, SCALARS))
    result_component = component
    if word in ("abs", "im", "re") and component in COMPLEX:
        result_component = "f32" if component == "c32" else "f64"
    type_: Type = Scalar(component)
    result: Type = Scalar(result_component)
    if m.is_spmd and component not in ("bool", "index") and m.rng.random() < 0.3:
        type_ = matrix = program_subgroups.coopmatrix(m, component)
        result = dataclasses.replace(matrix, component=result_component)
    m.assign(result, f"{name} {m.need(type_)} : {result}")


def _math(m: Maker, name: str) -> None:
    is_exponential = name.endswith(("exp", "exp2"))
    type_ = Scalar(m.rng.choice((*FLOATS, *COMPLEX) if is_exponential else FLOATS))
    operands = [m.operand(type_) for _ in INSTRUCTIONS[name].operands]
    m.assign(type_, f"{name} {', '.join(operands)} : {type_}")


def _select(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice((*SCALARS, "bool")))
    values = [m.need(BOOL), m.operand(type_), m.operand(type_)]
    m.assign(type_, f"select {', '.join(values)} : {type_}")


def _compare(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice(SCALARS if name in ("cmp.eq", "cmp.ne") else REALS))
    a, b = m.need(type_), m.operand(type_)
    m.assign(BOOL, f"{name} {a}, {b} : {m.rng.choice(('bool', type_))}")


def _cast(m: Maker, name: str) -> None:
    source, result = m.rng.choice(SCALARS), m.rng.choice(SCALARS)
    if source in COMPLEX:
        result = m.rng.choice(COMPLEX)
    if m.is_spmd and "index" not in (source, result) and m.rng.random() < 0.3:
        matrix = program_subgroups.coopmatrix(m, source)
        use = program_subgroups.converted_use(m, matrix)
        target = CoopMatrix(result, matrix.rows, matrix.columns, use)
        m.assign(target, f"cast {m.need(matrix)} : {target}")
        return
    m.assign(Scalar(result), f"cast {m.need(Scalar(source))} : {result}")


def _bitcast(m: Maker, name: str) -> None:
    source, result = m.rng.sample(m.rng.choice(BITCASTS), 2)
    if m.is_spmd and m.rng.random() < 0.3:
        matrix = program_subgroups.coopmatrix(m, source)
        use = program_subgroups.converted_use(m, matrix)
        target = CoopMatrix(result, matrix.rows, matrix.columns, use)
        m.assign(target, f"bitcast {m.need(matrix)} : {target}")
        return
    m.assign(Scalar(result), f"bitcast {m.need(Scalar(source))} : {result}")


def _constant(m: Maker, name: str) -> None:
    m.constant(Scalar(m.rng.choice((*SCALARS, "bool"))))


def _barrier(m: Maker, name: str) -> None:
    m.put(f"barrier{m.rng.choice(('', '.global'))}{m.rng.choice(('', '.local'))}")


def builtin(m: Maker, name: str) -> None:
    type_ = INDEX if name in ("builtin.group_id", "builtin.group_size") else I32
    word = m.rng.choice(("", "builtin.")) + name.split(".")[1]
    if name in WITH_DIMENSION and m.rng.random() < 0.5:
        word = f"{WITH_DIMENSION[name]}.{m.rng.choice('xyz')}"
    m.assign(type_, f"{word} : {type_}")


def for_(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice(INTEGERS))
    count = m.rng.randint(0, 2)
    kinds = (*SCALARS, "bool")
    types: list[Type] = [Scalar(m.rng.choice(kinds)) for _ in range(count)]
    bounds = [m.operand(type_), m.operand(type_), *["1"] * m.rng.randint(0, 1)]
    inits = [m.need(t) for t in types]
    variable, carried = m.fresh(), [m.fresh() for _ in types]
    annotation = "" if type_ == INDEX and m.rng.random() < 0.5 else f": {type_}"
    head = f"for {variable}{annotation} = {', '.join(bounds)}"
    if types:
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(carried, inits, strict=True))
        head += f" init({pairs}) -> ({', '.join(map(str, types))})"
    tail = m.rng.choice(("", " {unroll=true}", " attributes {unroll=false}", " {unroll=3}"))
    position = len(m.lines)
    m.put(f"{head} {{")
    with m.region(m.is_spmd, [(variable, type_), *zip(carried, types, strict=True)]):
        m.statements(m.rng.randint(0, 2))
        if types:
            m.put(f"yield ({', '.join(m.need(t) for t in types)})")
    m.put(f"}}{tail}")
    _name_results(m, position, types)


def _name_results(m: Maker, position: int, types: list[Type]) -> None:
    """Name the results of an instruction with regions whose text is complete."""
    results = [m.fresh() for _ in types]
    if results:
        m.lines[position] = f"{', '.join(results)} = {m.lines[position]}"
    m.regions[-1] += zip(results, types, strict=True)


def if_(m: Maker, name: str) -> None:
    types: list[Type] = [Scalar(m.rng.choice(SCALARS)) for _ in range(m.rng.randint(0, 2))]
    condition = m.need(BOOL)
    position = len(m.lines)
    returns = f" -> ({', '.join(map(str, types))})" if types else ""
    m.put(f"if {condition}{returns} {{")
    for head in ("", "} else {")[: 2 if types else m.rng.randint(1, 2)]:
        if head:
            m.put(head)
        with m.region(m.is_spmd, []):
            m.statements(m.rng.randint(0, 2))
            if types:
                m.put(f"yield ({', '.join(m.need(t) for t in types)})")
    m.put("}")
    _name_results(m, position, types)


def _names(prefix: str, words: str) -> tuple[str, ...]:
    return tuple(prefix + word for word in words.split())


def _family(prefix: str, operands: int) -> tuple[str, ...]:
    """Return the instructions of a family that have this number of operands."""
    specs = (spec for spec in INSTRUCTIONS.values() if spec.name.startswith(prefix))
    return tuple(spec.name for spec in specs if len(spec.operands) == operands)


CHOICES = (
    Choice(("alloca",), _alloca, "collective"),
    Choice(("lifetime_stop",), _lifetime_stop, "collective"),
    Choice(("axpby", "cumsum", "sum"), unary_blas, "collective"),
    Choice(("gemm", "gemv", "ger", "hadamard_product"), ternary_blas, "collective"),
    Choice(program_factors.FACTORS, program_factors.factor, "collective"),
    Choice(("foreach",), program_loops.foreach, "collective", has_region=True),
    Choice(("foreach_tile",), program_loops.foreach_tile, "collective", has_region=True),
    Choice(("parallel",), program_loops.parallel, "collective", has_region=True),
    Choice(_family("arith.", 2), arith_binary),
    Choice(_family("arith.", 1), _arith_unary),
    Choice(MATH, _math),
    Choice(("select",), _select),
    Choice(_family("cmp.", 2), _compare),
    Choice(("bitcast",), _bitcast),
    Choice(("cast",), _cast),
    Choice(("constant",), _constant),
    Choice(("barrier",), _barrier, "barrier"),
    Choice(_names("builtin.", "group_id group_size num_subgroups subgroup_size"), builtin),
    Choice(("for", "yield"), for_, has_region=True),
    Choice(("if",), if_, has_region=True),
    Choice(("load",), program_memory.load),
    Choice(("store",), program_memory.store),
    Choice(_names("atomic_", "load store add min max"), program_memory.atomic),
    Choice(("size",), program_memory.size),
    Choice(("associated",), program_memory.associated),
    Choice(("subview",), program_memory.subview),
    Choice(("expand",), program_memory.expand),
    Choice(("expandc2r",), program_memory.expandc2r),
    Choice(("fuse",), program_memory.fuse),
    Choice(_names("builtin.", "subgroup_id subgroup_local_id"), builtin, "spmd"),
    *program_subgroups.CHOICES,
)
"""What the generator chooses from."""
