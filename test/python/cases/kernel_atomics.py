"""How the generator of kernels writes atomic accesses so that they are defined."""

from __future__ import annotations

from cases.kernel_maker import KernelMaker, Tensor
from program_memory import atomic_order
from program_types import REALS, CoopMatrix, Scalar


def _order(m: KernelMaker, name: str) -> str:
    """Return modifiers of an atomic instruction that other work-items execute, too."""
    return atomic_order(m, name).replace(".subgroup", ".device")


def atomic(m: KernelMaker, name: str) -> None:
    """Write an access of a collective region; each work-item gets another result of an update."""
    tensor = m.any_tensor()
    if name in ("atomic_min", "atomic_max") and tensor.element not in REALS:
        return
    indices = ", ".join(m.index(size) for size in tensor.shape)
    place = f"{tensor.name}[{indices}]"
    if name == "atomic_load":
        type_ = Scalar(tensor.element)
        m.assign(type_, f"{name}{_order(m, name)} {place} : {tensor.element}")
    else:
        text = f"{name}{_order(m, name)} {m.operand(Scalar(tensor.element))}, {place}"
        m.put(text if name == "atomic_store" else f"{m.fresh()} = {text} : {tensor.element}")
    m.used.discard(tensor)


def write_element(m: KernelMaker, tensor: Tensor, place: str) -> None:
    """Write a store to an element that no other work-item accesses, maybe after an update."""
    type_ = Scalar(tensor.element)
    kind = m.rng.choice(("atomic_add", "atomic_min", "atomic_max"))
    if m.rng.random() < 0.4 and (kind == "atomic_add" or tensor.element in REALS):
        text = f"{kind}{atomic_order(m, kind)} {m.need(type_)}, {place} : {tensor.element}"
        m.assign(type_, text)
    flag = m.rng.choice(("store", "store", "store.atomic", "store.atomic_add", "atomic_store"))
    order = atomic_order(m, flag) if flag == "atomic_store" else ""
    m.put(f"{flag}{order} {m.need(type_)}, {place}")


def add_to_element(m: KernelMaker, tensor: Tensor, place: str) -> None:
    """Write an addition to an element that other work-items add to."""
    text = f"{m.need(Scalar(tensor.element))}, {place}"
    if m.rng.random() < 0.5:
        m.put(f"store.atomic_add {text}")
    else:
        m.put(f"{m.fresh()} = atomic_add.device {text} : {tensor.element}")


def write_matrix(
    m: KernelMaker, tensor: Tensor, value: str, type_: CoopMatrix, place: tuple[str, str]
) -> None:
    """Write a store or an update of a block by a cooperative matrix.

    Args:
        m: the maker.
        tensor: what the block is part of.
        value: the matrix.
        type_: its type.
        place: modifier for the bounds check, and position.
    """
    checked, position = place
    word = m.rng.choice(("add", "min", "max", "store"))
    if m.rng.random() < 0.5 or (word in ("min", "max") and tensor.element not in REALS):
        flag = m.rng.choice(("", ".atomic", ".atomic_add"))
        m.put(f"cooperative_matrix_store{checked}{flag} {value}, {tensor.name}[{position}]")
        return
    name = f"cooperative_matrix_atomic_{word}"
    text = f"{name}{checked}{atomic_order(m, name)} {value}, {tensor.name}[{position}]"
    m.put(text if word == "store" else f"{m.fresh()} = {text} : {type_}")
