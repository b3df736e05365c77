"""Random kernels that read narrow elements whose addresses are a stride apart."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence

from cases.case import Case, buffer

TYPES = ("i8", "i16", "f16", "bf16")
STRIDES = range(1, 18)
SIZES = range(1, 41)
_SUBGROUPS = (4, 8, 16, 16, 16, 32, 64)
_ADDED_STRIDES = (1, 1, 1, 2, 3)


@dataclasses.dataclass
class Choices:
    """What a form is made with.

    Args:
        rng: source of all other choices.
        type_: of elements.
        stride: between elements of the first mode of what is read.
        is_dynamic: whether the kernel knows the stride, and the sizes, at run time only.
        size: of the first mode.
    """

    rng: random.Random
    type_: str
    stride: int
    is_dynamic: bool
    size: int

    def operand(self, shape: Sequence[int], stride: int | None = None, fill: float | None = None):
        """Return type and array of an operand, the first mode of which has a stride."""
        steps = []
        step = self.stride if stride is None else stride
        for size in shape:
            steps.append(step)
            step = step * size + self.rng.choice((0, 0, 1))
        static = [*map(str, shape)], [*map(str, steps)]
        sizes, strides = (["?"] * len(shape),) * 2 if self.is_dynamic else static
        text = f"memref<{self.type_}x{'x'.join(sizes)},strided<{','.join(strides)}>>"
        return text, buffer(self.rng, self.type_, shape, steps, fill=fill)

    def result(self, shape: Sequence[int]):
        """Return type and array of what is written."""
        return self.operand(shape, self.rng.choice((*_ADDED_STRIDES, self.stride)))


Made = tuple[str, dict[str, tuple[str, object]]]
Form = Callable[[Choices], Made]


def _scaled(c: Choices, instruction: str, **operands) -> Made:
    alpha, beta = (c.type_, c.rng.choice((1, 2, -1))), (c.type_, c.rng.choice((0, 1, -1)))
    return instruction, {"alpha": alpha, **operands, "beta": beta}


def cumsum(c: Choices) -> Made:
    order = c.rng.choice((1, 1, 2))
    shape = (c.size, c.rng.randint(1, 20))[:order]
    if c.rng.random() < 0.3:
        shape = shape[::-1]
    word = c.rng.choice(("cumsum", "cumsum.reverse"))
    text = f"{word} %alpha, %A, {c.rng.randrange(order)}, %beta, %B"
    return _scaled(c, text, A=c.operand(shape), B=c.result(shape))


def sum_(c: Choices) -> Made:
    order = c.rng.choice((1, 2, 2))
    shape = (c.size, c.rng.randint(1, 20))[:order]
    transpose = c.rng.choice("ntrc")
    rows = (shape[::-1] if transpose in "tc" else shape)[: order - 1]
    b = c.result(rows) if rows else (f"memref<{c.type_}>", buffer(c.rng, c.type_, ()))
    return _scaled(c, f"sum.{transpose} %alpha, %A, %beta, %B", A=c.operand(shape), B=b)


def axpby(c: Choices) -> Made:
    shape = (c.size, c.rng.randint(1, 20))[: c.rng.choice((1, 2))]
    transpose = c.rng.choice("ntrc")
    into = shape[::-1] if transpose in "tc" else shape
    text = f"axpby.{transpose} %alpha, %A, %beta, %B"
    return _scaled(c, text, A=c.operand(shape), B=c.result(into))


def gemm(c: Choices) -> Made:
    m, n, k = c.size, c.rng.randint(1, 20), c.rng.randint(1, 20)
    ta, tb = c.rng.choice("ntrc"), c.rng.choice("ntrc")
    a, b = (k, m) if ta in "tc" else (m, k), (n, k) if tb in "tc" else (k, n)
    text = f"gemm.{ta}.{tb} %alpha, %A, %B, %beta, %C"
    stride = c.rng.choice((1, c.stride))
    return _scaled(c, text, A=c.operand(a), B=c.operand(b, stride), C=c.result((m, n)))


def gemv(c: Choices) -> Made:
    m, k = c.size, c.rng.randint(1, 20)
    transpose = c.rng.choice("ntrc")
    a = (k, m) if transpose in "tc" else (m, k)
    text = f"gemv.{transpose} %alpha, %A, %B, %beta, %C"
    return _scaled(c, text, A=c.operand(a), B=c.operand((k,)), C=c.result((m,)))


def ger(c: Choices) -> Made:
    m, n = c.size, c.rng.randint(1, 20)
    text = "ger %alpha, %A, %B, %beta, %C"
    return _scaled(c, text, A=c.operand((m,)), B=c.operand((n,)), C=c.result((m, n)))


def hadamard(c: Choices) -> Made:
    shape = (c.size, c.rng.randint(1, 12))[: c.rng.choice((1, 2))]
    text = "hadamard %alpha, %A, %B, %beta, %C"
    return _scaled(c, text, A=c.operand(shape), B=c.operand(shape), C=c.result(shape))


def foreach(c: Choices) -> Made:
    """Elements that are replaced by zero or by others, or computed with them."""
    last = c.rng.randrange(c.size)
    bound = c.rng.choice((str(last), "%last"))
    condition = f"cmp.{c.rng.choice(('lt', 'ne', 'ge'))} %i, {bound} : bool"
    other = c.rng.choice(("%none", "%none", "%beside", "%alpha"))
    change = c.rng.choice(
        (
            f"%y = if %c -> ({c.type_}) {{ yield (%x) }} else {{ yield ({other}) }}",
            f"%n = if %c -> ({c.type_}) {{ yield (%alpha) }} else {{ yield (%none) }}\n"
            f"        %y = arith.mul %x, %n : {c.type_}",
            f"%y = arith.add %x, {other} : {c.type_}",
        )
    )
    body = f"""
    %none = constant {"0" if c.type_[0] == "i" else "0.0"} : {c.type_}
    %zero = constant 0 : index
    %size = constant {c.size} : index
    foreach (%i) = (%zero), (%size) {{
        %x = load %A[%i] : {c.type_}
        %beside = load %B[%i] : {c.type_}
        %c = {condition}
        {change}
        store %y, %B[%i]
    }}"""
    operands = {"A": c.operand((c.size,)), "B": c.result((c.size,))}
    return body, {**operands, "alpha": (c.type_, 2), "last": ("index", last)}


def cast(c: Choices) -> Made:
    """Integers that become narrower, or elements that become wider and narrower again."""
    wide = c.rng.choice(("i32", "i64") if c.type_[0] == "i" else ("f32", "f64"))
    source = dataclasses.replace(c, type_=c.rng.choice((wide, c.type_)))
    last = c.rng.randrange(c.size)
    body = f"""
    %none = constant {"0" if c.type_[0] == "i" else "0.0"} : {c.type_}
    %zero = constant 0 : index
    %size = constant {c.size} : index
    foreach (%i) = (%zero), (%size) {{
        %x = load %A[%i] : {source.type_}
        %w = cast %x : {wide}
        %n = cast %w : {c.type_}
        %c = cmp.ne %i, {last} : bool
        %y = if %c -> ({c.type_}) {{ yield (%n) }} else {{ yield (%none) }}
        store %y, %B[%i]
    }}"""
    return body, {"A": source.operand((c.size,)), "B": c.result((c.size,))}


def subgroup(c: Choices) -> Made:
    """What lanes exchange after they have loaded it."""
    lanes = c.rng.choice(_SUBGROUPS)
    word = c.rng.choice(("subgroup_add", "subgroup_min", "subgroup_max"))
    mode = c.rng.choice(("exclusive_scan", "inclusive_scan", "reduce"))
    body = f"""
    parallel {{
        %lane = builtin.subgroup_local_id : i32
        %i = cast %lane : index
        %x = load %A[%i] : {c.type_}
        %y = {word}.{mode} %x : {c.type_}
        store %y, %B[%i]
    }}"""
    return body, {"A": c.operand((lanes,)), "B": c.result((lanes,))}


def coopmatrix(c: Choices) -> Made:
    rows, columns = c.rng.choice((4, 8, 16, 20)), c.rng.choice((1, 4, 8, 16))
    transpose = c.rng.choice("nt")
    checked = c.rng.choice(("", "", ".rows_checked", ".both_checked"))
    shape = (columns, rows) if transpose == "t" else (rows, columns)
    kind = f"coopmatrix<{c.type_}x{rows}x{columns},matrix_acc>"
    at = c.rng.choice((0, 2)) if checked else 0
    body = f"""
    %zero = constant 0 : index
    %at = constant {at if checked == ".both_checked" or transpose == "n" else 0} : index
    parallel {{
        %m = cooperative_matrix_load.{transpose}{checked} %A[%at, %zero] : {kind}
        %n = cooperative_matrix_scale %alpha, %m : {kind}
        cooperative_matrix_store %n, %B[%zero, %zero]
    }}"""
    operands = {"A": c.operand(shape), "B": c.result((rows, columns))}
    return body, {**operands, "alpha": (c.type_, 2)}


FORMS: dict[str, Form] = {
    "cumsum": cumsum,
    "sum": sum_,
    "axpby": axpby,
    "gemm": gemm,
    "gemv": gemv,
    "ger": ger,
    "hadamard": hadamard,
    "foreach": foreach,
    "cast": cast,
    "subgroup": subgroup,
    "coopmatrix": coopmatrix,
}


def stride_case(seed: int) -> Case:
    """Return the kernel of a seed; forms and types take turns."""
    rng = random.Random(f"strides {seed}")
    form = [*FORMS][seed % len(FORMS)]
    type_ = TYPES[seed // len(FORMS) % len(TYPES)]
    stride, size = rng.choice(STRIDES), rng.choice(SIZES)
    is_dynamic = rng.randrange(len(STRIDES) + 1) == 0
    body, parameters = FORMS[form](Choices(rng, type_, stride, is_dynamic, size))
    lanes = rng.choice(_SUBGROUPS)
    rows = rng.choice((1, 1, 2))
    attributes = f"subgroup_size={lanes}, work_group_size=[{lanes},{rows}]"
    if form == "subgroup":
        lanes = parameters["A"][1].shape[0]
        attributes = f"subgroup_size={lanes}, work_group_size=[{lanes},1]"
    elif rng.random() < 0.4:
        attributes = ""
    text = f"{form} {type_} stride {'?' if is_dynamic else stride} size {size} seed {seed}"
    return Case(text, body, parameters, 1, attributes, may_round=True)
