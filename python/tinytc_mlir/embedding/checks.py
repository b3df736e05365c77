# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a launch in C, as launches from Python have them.

An error is certain, as in Python: nothing is refused that might be right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from ..runtime.bounds.group_bounds import described_modes, is_alloca
from ..runtime.bounds.launch_sums import ASSOCIATED, STRIDE, LaunchValue
from ..runtime.bounds.plan import LaunchPlan
from ..runtime.kernel_info import GroupArgument, MemrefArgument, ScalarArgument
from ..runtime.launches.arguments import MAX_GROUPS
from ..scalars import SCALAR_TYPES
from .overlaps import overlaps
from .table import Kernel


def checks(kernel: Kernel) -> str:
    """Return the statements that check the arguments of a kernel."""
    rules = (_group_counts, _arrays, _rules, overlaps)
    return "".join(text for rule in rules for text in rule(kernel))


def _group_counts(kernel: Kernel) -> Iterator[str]:
    for field in kernel.fields:
        place = f"{kernel.info.name}: {field.name}: "
        if field.role == "groups":
            yield (
                f"  if (args->{field.name} < 0 || args->{field.name} > {MAX_GROUPS})\n"
                f'    return fail(out, "{place}", "expected an integer from 0 to ", {MAX_GROUPS}, '
                f'" as number of groups", args->{field.name});\n'
            )
        if field.role == "size":
            yield (
                f"  if (args->{field.name} < 0)\n"
                f'    return fail(out, "{place}", "expected at least ", 0, " members", '
                f"args->{field.name});\n"
            )
        if field.role == "scratch":
            yield (
                f"  if (!args->{field.name} || (uintptr_t)args->{field.name} % 128)\n"
                f'    return put(out, "{place}expected memory at a multiple of 128 bytes, got '
                'other memory"), 1;\n'
            )


def _no_groups(kernel: Kernel) -> Iterator[str]:
    """Yield what ends the checks where nothing runs."""
    none = " || ".join(f"!args->{field.name}" for field in kernel.fields if field.role == "groups")
    if none:
        yield f"  if ({none})\n    return 0;\n"


def _arrays(kernel: Kernel) -> Iterator[str]:
    for argument in kernel.info.arguments:
        if not isinstance(argument, MemrefArgument):
            continue
        place = f"{kernel.info.name}: argument '{argument.name}': "
        itemsize = SCALAR_TYPES[argument.element_type].size_bytes
        element = min(itemsize, 8)
        alignment = argument.alignment or element
        yield (
            "  {\n    static const struct array type = {\n"
            f'        "{place}", {len(argument.shape)}, {alignment}, {int(argument.optional)}, '
            f"{_list(argument.shape_gcd)}, {_list(argument.stride_gcd)}}};\n"
        )
        body = _one_array(kernel, argument, itemsize)
        yield body + "  }\n"


def sizes_and_strides(kernel: Kernel, argument: MemrefArgument, index: str = "") -> list[str]:
    """Return the sizes and the strides of an array as lists in C; `index` is that of a member."""
    return [
        _list(
            f"args->{kernel.field(role, argument.name, mode).name}{index}"
            if value is None
            else value
            for mode, value in enumerate(values)
        )
        for role, values in (("shape", argument.shape), ("stride", argument.stride))
    ]


def _one_array(kernel: Kernel, argument: MemrefArgument, itemsize: int) -> str:
    is_group = isinstance(argument, GroupArgument)
    sizes, strides = sizes_and_strides(kernel, argument, "[i]" if is_group else "")
    data = f"args->{kernel.field('members' if is_group else 'data', argument.name).name}"
    offset = "0"
    if isinstance(argument, GroupArgument):
        first = argument.offset
        name = "" if first is not None else kernel.field("offset", argument.name).name
        offset = f"args->{name} * {itemsize}" if name else str((first or 0) * itemsize)
    call = (
        f"    const int64_t sizes[] = {sizes}, strides[] = {strides};\n"
        f"    if (check_array(out, &type, {data}{'[i]' if is_group else ''}, {offset}, sizes, "
        "strides))\n      return 1;\n"
    )
    if not isinstance(argument, GroupArgument):
        return call
    count = _group_size(kernel, argument)
    lists = [data] + [
        f"args->{field.name}"
        for field in kernel.fields
        if field.argument is argument and field.role in ("shape", "stride")
    ]
    is_null = " || ".join(f"!{each}" for each in lists)
    null = (
        f"    if ({count} > 0 && ({is_null}))\n      return put(out, type.place), "
        'put(out, "expected lists of members, got a null pointer"), 1;\n'
    )
    if argument.optional:
        null = f"    if ({data}) {{\n" + null
    loop = f"    for (int64_t i = 0; i < {count}; ++i) {{\n{call}    }}\n"
    return null + loop + ("    }\n" if argument.optional else "")


def _group_size(kernel: Kernel, argument: GroupArgument) -> str:
    if argument.size is not None:
        return str(argument.size)
    return f"args->{kernel.field('size', argument.name).name}"


def _list(values: Iterable[object]) -> str:
    return f"{{{', '.join(map(str, values)) or '0'}}}"


def _rules(kernel: Kernel) -> Iterator[str]:
    """Yield what evaluates the rules that Python's launches keep, by the same tables."""
    # What is outside the array may be in its memory.
    bounds = [b for b in kernel.info.group_bounds if b.block is None or b.block.reach is None]
    equal = [each for each in kernel.info.equal_sizes if not each.reason]
    if bounds or equal:
        info = dataclasses.replace(
            kernel.info, group_bounds=tuple(bounds), equal_sizes=tuple(equal), unchecked_uses=()
        )
        plan = LaunchPlan(info)
        yield _launch(kernel, plan)
        for sizes, place in plan.sizes.items():
            where = "" if sizes.line is None else f" in line {sizes.line}"
            texts = f'"{kernel.info.name}: ", " for {sizes.instruction}{where}"'
            yield _check("check_equal", place, texts)
    yield from _no_groups(kernel)
    for bound in bounds:
        subject = bound.argument if is_alloca(bound.argument) else f"argument '{bound.argument}'"
        what = described_modes(bound.argument, bound.modes)
        texts = f'"{kernel.info.name}: {subject}: ", "{what}"'
        yield _check("check_groups", plan.bounds[bound], texts)


def _check(function: str, place: int, texts: str) -> str:
    return (
        f"  {{\n    static const struct rule rule = {{{place}, {texts}}};\n"
        f"    if ({function}(out, &launch, &rule))\n      return 1;\n  }}\n"
    )


def _launch(kernel: Kernel, plan: LaunchPlan) -> str:
    """Return the declaration of the values that rules read."""
    members, flags, text = [], [], ""
    for number, argument in enumerate(plan.arguments):
        flag, group = "0", "{0, NULL}"
        if isinstance(argument, GroupArgument) and argument.name in plan.member_sizes:
            rows = [
                f"args->{field.name}"
                for field in kernel.fields
                if field.argument is argument and field.role == "shape"
            ]
            text += f"  const int64_t *const rows{number}[] = {_list(rows)};\n"
            count = _group_size(kernel, argument)
            group = f"{{{count}, rows{number}}}"
            flag = f"({count} > 0 ? flag_of(&members[{number}], {len(rows)}) : MISSING)"
        members.append(group)
        flags.append(flag)
    counts = [f"args->{field.name}" for field in kernel.fields if field.role == "groups"]
    groups = _list([*counts, 1, 1][:3])
    values = (f"(int64_t){_value(kernel, value)}" for value in plan.layout)
    return (
        f"  static const int64_t plan[] = {_list(plan.words)};\n"
        f"  const int64_t values[] = {_list(values)};\n"
        f"{text}  const struct members members[] = {_list(members)};\n"
        f"  const unsigned char flags[] = {_list(flags)};\n"
        "  const struct launch launch = {plan,  values, NULL,\n"
        f"    members, flags, NULL, {groups}, {groups}, -1}};\n"
    )


def _is_passed(kernel: Kernel, argument: MemrefArgument) -> str:
    role = "members" if isinstance(argument, GroupArgument) else "data"
    return f"(args->{kernel.field(role, argument.name).name} != NULL)"


def _value(kernel: Kernel, value: LaunchValue) -> str:
    """Return an integer of a launch."""
    argument = next(a for a in kernel.info.arguments if a.name == value.argument)
    if isinstance(argument, ScalarArgument):
        is_integer = SCALAR_TYPES[argument.type].kind in ("integer", "bool")
        return f"args->{kernel.field('scalar', argument.name).name}" if is_integer else "0"
    assert isinstance(argument, MemrefArgument)
    if value.kind == ASSOCIATED:
        return _is_passed(kernel, argument)
    if value.mode is None:
        assert isinstance(argument, GroupArgument)
        return _group_size(kernel, argument)
    role = "stride" if value.kind == STRIDE else "shape"
    known = (argument.stride if role == "stride" else argument.shape)[value.mode]
    if known is not None:
        return f"INT64_C({known})"
    name = f"args->{kernel.field(role, argument.name, value.mode).name}"
    if not isinstance(argument, GroupArgument):
        return name
    return f"({_group_size(kernel, argument)} > 0 && {name} ? {name}[0] : 0)"
