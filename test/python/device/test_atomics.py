"""Atomic stores and updates from many work-items and work-groups at once."""

import itertools
import random

import pytest

from cases.case import SHAPES, Case, buffer
from cases.operands import TYPES, Writer, literal_of, scalar
from cases.running import compares, comparison
from program_types import SCALARS
from tinytc_mlir.frontend.spelling import memref_text


def add_case(type_, local, attributes):
    """All work-items of all groups add to the same few elements, neighbours untouched."""
    count = 3
    memory = "%L" if local else "%A"
    before, after = "", ""
    if local:
        before = (
            f"%L = alloca : {memref_text(type_, (count,), None, 'local')}\n"
            f"axpby.n %one, %A, %none, %L\n"
        )
        after = "axpby.n %one, %L, %none, %A\n"
    body = f"""
    %one = constant {literal_of(type_, 1)} : {type_}
    %none = constant {literal_of(type_, 0)} : {type_}
    %from = constant 0 : index
    %to = constant 7 : index
    {before}
    foreach (%i) = (%from), (%to) {{
        %j = arith.rem %i, 2 : index
        store.atomic_add %one, {memory}[%j]
    }}
    {after}"""
    data = buffer(random.Random(0), type_, (count,))
    name = f"store.atomic_add {type_} {local} {attributes}"
    groups = 1 if local else 5
    return Case(name, body, {"A": (memref_text(type_, (count,)), data)}, groups, attributes)


@pytest.mark.parametrize("type_", SCALARS)
@compares
def test_atomic_add(type_):
    places = (False,) if type_ in ("index",) else (False, True)
    return comparison(
        add_case(type_, local, a) for local, a in itertools.product(places, SHAPES[:5])
    )


def store_case(type_):
    body = """
    %from = constant 0 : index
    %to = constant 5 : index
    foreach (%i) = (%from), (%to) {
        store.atomic %x, %A[%i]
    }"""
    (parameter,) = scalar(random.Random(0), "x", type_, 2, constant=False).parameters.items()
    data = buffer(random.Random(1), type_, (8,))
    parameters = {parameter[0]: parameter[1], "A": (f"memref<{type_}x8>", data)}
    return Case(f"store.atomic {type_}", body, parameters, 3)


@compares
def test_atomic_store():
    return comparison(store_case(type_) for type_ in SCALARS)


def update_case(rng, instruction, type_, beta, local, alpha=None):
    """A collective instruction with the atomic flag; alpha is constant if it is given."""
    writer = Writer(rng)
    m, n, k = (rng.choice((1, 5, 16, 19)) for _ in range(3))
    shapes = {
        "axpby.n.atomic %alpha, %A, %beta, %C": [(m, n), None, (m, n)],
        "axpby.t.atomic %alpha, %A, %beta, %C": [(n, m), None, (m, n)],
        "cumsum.atomic %alpha, %A, 1, %beta, %C": [(m, n), None, (m, n)],
        "cumsum.reverse.atomic %alpha, %A, 0, %beta, %C": [(m, n), None, (m, n)],
        "sum.n.atomic %alpha, %A, %beta, %C": [(m, n), None, (m,)],
        "gemm.n.n.atomic %alpha, %A, %B, %beta, %C": [(m, k), (k, n), (m, n)],
        "gemv.t.atomic %alpha, %A, %B, %beta, %C": [(k, m), (k,), (m,)],
        "ger.atomic %alpha, %A, %B, %beta, %C": [(m,), (n,), (m, n)],
        "hadamard_product.atomic %alpha, %A, %B, %beta, %C": [(m, n), (m, n), (m, n)],
    }[instruction]
    operands = [
        scalar(
            rng,
            "alpha",
            type_,
            2 if alpha is None else alpha,
            constant=alpha is not None or rng.random() < 0.5,
        ),
        scalar(rng, "beta", type_, beta, constant=True),
    ]
    fill = float("nan") if beta == 0 and type_[0] in "bfc" else None
    for name, shape in zip("ABC", shapes, strict=True):
        if shape is not None:
            layout = "local" if local and name == "C" else "packed"
            filled = fill if name == "C" else None
            operands.append(writer.operand(name, layout, type_, shape, filled))
    parameters = {key: value for o in operands for key, value in o.parameters.items()}
    lines = [o.before for o in operands] + [instruction + "\n", operands[-1].after]
    # With beta 1 several groups may add to the same elements.
    groups = 4 if beta == 1 and not local else 1
    name = f"{instruction} {type_} {alpha} {beta} {local}"
    return Case(name, "".join(lines), parameters, groups, rng.choice(SHAPES))


INSTRUCTIONS = (
    "axpby.n.atomic %alpha, %A, %beta, %C",
    "axpby.t.atomic %alpha, %A, %beta, %C",
    "cumsum.atomic %alpha, %A, 1, %beta, %C",
    "cumsum.reverse.atomic %alpha, %A, 0, %beta, %C",
    "sum.n.atomic %alpha, %A, %beta, %C",
    "gemm.n.n.atomic %alpha, %A, %B, %beta, %C",
    "gemv.t.atomic %alpha, %A, %B, %beta, %C",
    "ger.atomic %alpha, %A, %B, %beta, %C",
    "hadamard_product.atomic %alpha, %A, %B, %beta, %C",
)


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda text: text.split(" ")[0])
@compares
def test_atomic_update(instruction):
    rng = random.Random(instruction)
    return comparison(
        update_case(rng, instruction, type_, beta, local)
        for type_ in TYPES
        for beta in (0, 1)
        for local in ((False, True) if type_ in ("f32", "bf16") else (False,))
    )


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda text: text.split(" ")[0])
@compares
def test_summand_that_folds(instruction):
    """The compiler may fold products by 0 and -1: an atomic sum stays one."""
    rng = random.Random(f"folded {instruction}")
    return comparison(
        update_case(rng, instruction, type_, beta=1, local=False, alpha=alpha)
        for type_ in ("i8", "i16", "i32", "i64", "f32", "c32")
        for alpha in (-1, 0, 1)
    )


@pytest.mark.parametrize("atomic", ["", ".atomic"])
@compares
def test_scale_that_folds_late(atomic):
    """Folding shows only after the conversion to linalg that nothing of the product is left."""
    a, c = (buffer(random.Random(i), "i32", (5, 5)) for i in range(2))
    body = f"""
    %zero = arith.sub %x, %x : i32
    %one = constant 1 : i32
    gemm.n.n{atomic} %zero, %A, %A, %one, %C
    sum.n{atomic} %zero, %A, %one, %d
    axpby.t{atomic} %zero, %A, %one, %C"""
    parameters = {
        "x": ("i32", 3),
        "A": ("memref<i32x5x5>", a),
        "C": ("memref<i32x5x5>", c),
        "d": ("memref<i32x5>", buffer(random.Random(2), "i32", (5,))),
    }
    return comparison([Case(f"folded late {atomic}", body, parameters)])


@pytest.mark.parametrize("type_", ["i32", "f32"])
@compares
def test_atomic_sum_of_a_memref_and_itself(type_):
    body = f"""
    %one = constant {literal_of(type_, 1)} : {type_}
    axpby.n.atomic %one, %A, %one, %A"""
    data = buffer(random.Random(3), type_, (7, 3))
    return comparison([Case(f"itself {type_}", body, {"A": (memref_text(type_, (7, 3)), data)})])
