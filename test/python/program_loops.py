"""How the generator of programs writes SPMD regions."""

from __future__ import annotations

from program_maker import Maker
from program_types import INDEX, INTEGERS, Scalar, Type


def foreach(m: Maker, name: str) -> None:
    type_ = Scalar(m.rng.choice(INTEGERS))
    count = m.rng.randint(1, 3)
    lists = [", ".join(m.operand(type_) for _ in range(count)) for _ in range(2)]
    variables = [m.fresh() for _ in range(count)]
    annotation = "" if type_ == INDEX else f" : {type_}"
    m.put(f"foreach ({', '.join(variables)}){annotation} = ({lists[0]}), ({lists[1]}) {{")
    m.is_foreach = True
    with m.region(True, [(variable, type_) for variable in variables]):
        m.statements(m.rng.randint(0, 3))
    m.is_foreach = False
    m.put("}")


def foreach_tile(m: Maker, name: str) -> None:
    count = m.rng.randint(1, 3)
    types: list[Type] = [Scalar(m.rng.choice(INTEGERS)) for _ in range(count)]
    lists = [", ".join(m.need(t) for t in types) for _ in range(2)]
    starts, extents = ([m.fresh() for _ in types] for _ in range(2))
    sizes = [32 * m.rng.randint(1, 3), *(m.rng.randint(1, 9) for _ in types[1:])]
    m.put(
        f"foreach_tile ({', '.join(starts)}) = ({lists[0]}), ({lists[1]}) as "
        f"({', '.join(extents)}) <= ({', '.join(map(str, sizes))}) {{"
    )
    m.is_foreach = True
    with m.region(True, [*zip(starts, types, strict=True), *zip(extents, types, strict=True)]):
        m.statements(m.rng.randint(0, 3))
    m.is_foreach = False
    m.put("}")


def parallel(m: Maker, name: str) -> None:
    m.put("parallel {")
    with m.region(True, []):
        m.statements(m.rng.randint(0, 4))
    m.put("}")
