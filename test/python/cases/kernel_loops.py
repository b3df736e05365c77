"""How the generator of kernels writes loops in which work-items share a tensor."""

from __future__ import annotations

from cases.kernel_atomics import add_to_element, write_element
from cases.kernel_maker import KernelMaker, Tensor
from program_types import INDEX, INTEGERS, Scalar


def foreach(m: KernelMaker, name: str) -> None:
    """Write a loop in which each iteration writes one element of a tensor."""
    m.used.clear()
    written = m.any_tensor(1)
    summed = m.any_tensor() if m.rng.random() < 0.3 else None
    type_ = Scalar(m.rng.choice(INTEGERS))
    lower = [m.rng.randrange(min(size, 3)) for size in written.shape]
    names = [m.fresh() for _ in lower]
    annotation = "" if type_ == INDEX else f" : {type_}"
    zeros = [m.assign(type_, f"constant {x} : {type_}") for x in lower]
    ends = [m.assign(type_, f"constant {x} : {type_}") for x in written.shape]
    m.put(
        f"foreach ({', '.join(names)}){annotation} = ({', '.join(zeros)}), ({', '.join(ends)}) {{"
    )
    m.is_foreach = True
    with m.region(True, [(each, type_) for each in names]), m.divergence():
        indices = names
        if type_ != INDEX:
            indices = [m.assign(INDEX, f"cast {each} : index") for each in names]
        m.statements(m.rng.randint(1, 4))
        write(m, written, indices, summed)
    m.is_foreach = False
    m.put("}")
    m.used.clear()


def foreach_tile(m: KernelMaker, name: str) -> None:
    """Write a loop over tiles in which the work-items of a tile share its elements."""
    m.used.clear()
    written = m.any_tensor(1)
    starts, extents, places = ([m.fresh() for _ in written.shape] for _ in range(3))
    lower = ", ".join(str(m.rng.randrange(min(size, 3))) for size in written.shape)
    upper = ", ".join(map(str, written.shape))
    sizes = [64, *(m.rng.randint(1, 4) for _ in written.shape[1:])]
    lane, width, first, step = (m.fresh() for _ in range(4))
    m.put(
        f"foreach_tile ({', '.join(starts)}) = ({lower}), ({upper}) as ({', '.join(extents)}) "
        f"<= ({', '.join(map(str, sizes))}) {{"
    )
    m.is_foreach = True
    with m.region(True, [(each, INDEX) for each in (*starts, *extents)]):
        m.put(f"{lane} = subgroup_local_id : i32\n{first} = cast {lane} : index")
        m.put(f"{width} = subgroup_size : i32\n{step} = cast {width} : index")
        m.statements(m.rng.randint(0, 2))
        inner = [m.fresh() for _ in starts]
        m.put(f"for {inner[0]} = {first}, {extents[0]}, {step} {{")
        for each, extent in zip(inner[1:], extents[1:], strict=True):
            m.put(f"for {each} = 0, {extent} {{")
        with m.region(True, []), m.divergence():
            for place, start, each in zip(places, starts, inner, strict=True):
                m.put(f"{place} = add {start}, {each} : index")
            m.statements(m.rng.randint(1, 3))
            write(m, written, places, None)
        m.put("}" * len(inner))
    m.is_foreach = False
    m.put("}")
    m.used.clear()


def write(m: KernelMaker, tensor: Tensor, indices: list[str], summed: Tensor | None) -> None:
    """Write the stores of a work-item: one to its own element, one that may be anyone's."""
    place = f"{tensor.name}[{', '.join(indices)}]"
    write_element(m, tensor, place)
    if summed is not None:
        other = ", ".join(m.index(size) for size in summed.shape)
        add_to_element(m, summed, f"{summed.name}[{other}]")
