"""Cases of collective instructions: the types that they take, alpha and beta, the kernel."""

from __future__ import annotations

import random

from cases.case import SHAPES, Case
from cases.operands import GROUPS, TYPES, Operand, scalar
from program_types import promotable, promote

SCALES = ((1, 0), (1, 1), (2, 0), (3, 1), (-1, 2), (0, 1), (2, -3), (0, 0))


def combinations(result):
    """Return the types of A and B that may be promoted to the type of C."""
    below = [t for t in TYPES if promotable(t, result)]
    return [(a, b) for a in below for b in below if (c := promote(a, b)) and promotable(c, result)]


def variants(rng, a, b, every):
    """Return every variant of an instruction, or one of them where A and B differ in type.

    Types and variants do not interact in the lowering, and a driver takes long for all pairs.
    """
    return every if a == b else rng.sample(every, 1)


def scales(rng, product, result, number):
    """Return alpha and beta, and what C is filled with: NaN if beta is 0."""
    alpha, beta = SCALES[number % len(SCALES)]
    alpha_type = rng.choice([t for t in TYPES if promotable(t, product)])
    beta_type = rng.choice([t for t in TYPES if promotable(t, result)])
    operands = [
        scalar(rng, name, type_, value, constant=rng.random() < 0.5)
        for name, type_, value in (("alpha", alpha_type, alpha), ("beta", beta_type, beta))
    ]
    fill = float("nan") if beta == 0 and result[0] in "bfc" else None
    return operands, fill, f"alpha {alpha} {alpha_type} beta {beta} {beta_type}"


def collective_case(
    rng: random.Random, name: str, instruction: str, operands: list[Operand]
) -> Case:
    """Return the case of one instruction; the last operand is the destination."""
    parameters = {key: value for o in operands for key, value in o.parameters.items()}
    needs_id = any(operand.is_private for operand in operands)
    lines = ["%gid = builtin.group_id : index\n"] if needs_id else []
    lines += [operand.before for operand in operands]
    lines.append(f"{instruction}\n")
    lines.append(operands[-1].after)
    groups = GROUPS if operands[-1].is_private else 1
    return Case(name, "".join(lines), parameters, groups, rng.choice(SHAPES))
