# SPDX-License-Identifier: BSD-3-Clause
"""The checks in C that no instruction updates an array that overlaps one that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from ..runtime.bounds.batch_modes import batch_modes, modes_of_blocks
from ..runtime.bounds.disjoint_blocks import OTHER_GROUPS, DisjointBlocks, Sizes
from ..runtime.kernel_info import GroupArgument, MemrefArgument
from ..scalars import SCALAR_TYPES
from .table import Kernel

_MEMBER = "member"  # the variable that counts the members of groups


def overlaps(kernel: Kernel) -> Iterator[str]:
    """Yield a statement for each pair of blocks that must not overlap."""
    modes = batch_modes(kernel.info)
    for rule in kernel.info.disjoint_blocks:
        yield _overlap(kernel, rule)
        if (found := modes_of_blocks(rule, modes)) is not None:
            yield _overlap_of_groups(kernel, rule, *found)


def _overlap(kernel: Kernel, rule: DisjointBlocks) -> str:
    written, read = (_argument(kernel, name) for name in (rule.written, rule.read))
    blocks = [
        _block(kernel, argument, sizes, rule.member_mode)
        for argument, sizes in ((written, rule.written_sizes), (read, rule.read_sizes))
    ]
    guards = _guards(kernel, rule)
    head, what, tail = rule.message(
        kernel.info.name, *(isinstance(each, GroupArgument) for each in (written, read))
    )
    texts = f'"{head}{what}"' + (f', {_MEMBER}, "{tail}"' if what else f', -1, "{tail}"')
    condition = f"if ({' && '.join(guards)})\n        " if guards else ""
    return (
        f"  for (int64_t {_MEMBER} = 0; {_MEMBER} < {_count(kernel, rule)}; ++{_MEMBER}) {{\n"
        f"    const struct block written = {blocks[0]};\n"
        f"    const struct block read = {blocks[1]};\n"
        f"    {condition}if (check_overlap(out, &written, &read, {int(rule.in_place)}, {texts}))\n"
        "      return 1;\n  }\n"
    )


def _overlap_of_groups(
    kernel: Kernel, rule: DisjointBlocks, written_mode: int, read_mode: int | None
) -> str:
    """Return the statement for what one group reads and another one updates."""
    written, read = (_argument(kernel, name) for name in (rule.written, rule.read))
    guards, groups = ["args->groups > 1", *_guards(kernel, rule)], "args->groups"
    step = _stride_bytes(kernel, written, written_mode)
    if read_mode is not None and (other := _stride_bytes(kernel, read, read_mode)) != step:
        guards.append(f"{step} == {other}")
    side = "written" if read_mode is None else "read"
    blocks = {"written": "&written", "read": "&read", side: "&others"}
    firsts = ["1"] if read_mode is None else ["1", f"1 - {groups}"]
    head, *_ = rule.message(kernel.info.name, False, False)
    tests = "".join(
        f"    others = of_groups({side}, {step}, {first}, {groups} - 1);\n"
        f"    if (check_overlap(out, {blocks['written']}, {blocks['read']}, 0,\n"
        f'                      "{head}", -1, "{OTHER_GROUPS}"))\n'
        "      return 1;\n"
        for first in firsts
    )
    return (
        f"  if ({' && '.join(guards)}) {{\n"
        f"    const struct block written = {_block(kernel, written, rule.written_sizes, None)};\n"
        f"    const struct block read = {_block(kernel, read, rule.read_sizes, None)};\n"
        f"    struct block others;\n{tests}  }}\n"
    )


def _stride_bytes(kernel: Kernel, argument: MemrefArgument, mode: int) -> str:
    item_bytes = SCALAR_TYPES[argument.element_type].size_bytes
    return f"{_value(kernel, argument, 'stride', mode)} * {item_bytes}"


def _guards(kernel: Kernel, rule: DisjointBlocks) -> list[str]:
    """Return the conditions under which blocks are known."""
    written, read = (_argument(kernel, name) for name in (rule.written, rule.read))
    guards = [f"{_data(kernel, each)} != NULL" for each in (written, read) if each.optional]
    for mode in rule.moved:  # with other strides, blocks are at another distance than the arrays
        own, other = (_value(kernel, each, "stride", mode) for each in (written, read))
        if own != other:
            guards.append(f"{own} == {other}")
    return guards


def _argument(kernel: Kernel, name: str) -> MemrefArgument:
    found = next(argument for argument in kernel.info.arguments if argument.name == name)
    assert isinstance(found, MemrefArgument)
    return found


def _data(kernel: Kernel, argument: MemrefArgument) -> str:
    role = "members" if isinstance(argument, GroupArgument) else "data"
    return f"args->{kernel.field(role, argument.name).name}"


def _value(kernel: Kernel, argument: MemrefArgument, role: str, mode: int) -> str:
    """Return a size or a stride."""
    known = (argument.shape if role == "shape" else argument.stride)[mode]
    if known is not None:
        return f"INT64_C({known})"
    suffix = f"[{_MEMBER}]" if isinstance(argument, GroupArgument) else ""
    return f"args->{kernel.field(role, argument.name, mode).name}{suffix}"


def _block(kernel: Kernel, argument: MemrefArgument, sizes: Sizes, member_mode: int | None) -> str:
    """Return the block of a member, as the initializer of a structure."""
    item_bytes = SCALAR_TYPES[argument.element_type].size_bytes
    modes = range(len(argument.shape))
    own = [_value(kernel, argument, "shape", mode) for mode in modes]
    pairs = zip(sizes, own, strict=True)
    shape = [size if known is None else f"least({known}, {size})" for known, size in pairs]
    strides = [_stride_bytes(kernel, argument, mode) for mode in modes]
    data = _data(kernel, argument)
    if isinstance(argument, GroupArgument):
        first = argument.offset
        field = "" if first is not None else kernel.field("offset", argument.name).name
        offset = f"args->{field} * {item_bytes}" if field else str((first or 0) * item_bytes)
        address = f"(uint64_t){data}[{_MEMBER}] + (uint64_t)({offset})"
    else:
        address = f"(uint64_t){data}"
        if member_mode is not None:
            address += f" + (uint64_t){_MEMBER} * (uint64_t)({strides[member_mode]})"
    lists = ", ".join(f"{{{', '.join(each) or '0'}}}" for each in (shape, strides))
    return f"{{{address}, {item_bytes}, {len(argument.shape)}, {lists}}}"


def _count(kernel: Kernel, rule: DisjointBlocks) -> str:
    """Return the number of members to compare."""
    counts = []
    for name in (rule.written, rule.read):
        argument = _argument(kernel, name)
        if isinstance(argument, GroupArgument):
            size = argument.size
            field = "" if size is not None else kernel.field("size", name).name
            counts.append(f"args->{field}" if field else str(size))
        elif rule.member_mode is not None:
            counts.append(_value(kernel, argument, "shape", rule.member_mode))
    if not counts:
        return "1"
    return counts[0] if len(counts) == 1 else f"least({', '.join(counts)})"
