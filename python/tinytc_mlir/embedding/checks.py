# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a launch in C, as launches from Python have them.

An error is certain, as in Python: nothing is refused that might be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..runtime.bounds.equal_sizes import EqualSizes
from ..runtime.bounds.group_bounds import GroupBound, Line, described_modes, is_alloca
from ..runtime.bounds.launch_sums import (
    ASSOCIATED,
    STRIDE,
    LaunchQuotient,
    LaunchValue,
    Sum,
    values_in,
)
from ..runtime.launches.arguments import MAX_GROUPS
from ..runtime.manifest import GroupArgument, MemrefArgument, ScalarArgument
from ..scalars import SCALAR_TYPES
from .overlaps import overlaps
from .table import Kernel

_SEPARATOR = " && "


def checks(kernel: Kernel) -> str:
    """Return the statements that check the arguments of a kernel."""
    rules = (_group_counts, _arrays, _sizes, _no_groups, _bounds, overlaps)
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


def _sizes(kernel: Kernel) -> Iterator[str]:
    for sizes in kernel.info.equal_sizes:
        if sizes.reason:
            continue
        size, expected = _sum(kernel, sizes.size), _sum(kernel, sizes.expected)
        rules = [*_guards(kernel, sizes), f"{size} != {expected}"]
        rules += [f"{_sum(kernel, condition)} >= 0" for condition in sizes.conditions]
        place = "" if sizes.line is None else f" in line {sizes.line}"
        yield (
            f"  if ({_SEPARATOR.join(rules)})\n"
            f'    return fail(out, "{kernel.info.name}: ", "expected a size of ", {expected}, '
            f'" for {sizes.instruction}{place}", {size});\n'
        )


def _guards(kernel: Kernel, rule: EqualSizes | GroupBound) -> list[str]:
    """Return conditions under which a rule says something of a launch."""
    guards = []
    for argument in kernel.info.arguments:
        if not isinstance(argument, MemrefArgument):
            continue
        if argument.optional and argument.name in rule.needed:
            guards.append(_is_passed(kernel, argument))
        if isinstance(argument, GroupArgument) and argument.name in rule.sized:
            count = _group_size(kernel, argument)
            guards.append(f"{count} > 0")
            guards += [
                f"are_equal(args->{field.name}, {count})"
                for field in kernel.fields
                if field.argument is argument and field.role == "shape"
            ]
    return guards


def _is_passed(kernel: Kernel, argument: MemrefArgument) -> str:
    role = "members" if isinstance(argument, GroupArgument) else "data"
    return f"(args->{kernel.field(role, argument.name).name} != NULL)"


def _bounds(kernel: Kernel) -> Iterator[str]:
    for bound in kernel.info.group_bounds:
        if bound.block is not None and bound.block.reach is not None:
            continue  # what is outside the array may be in its memory
        yield _bound(kernel, bound)


def _bound(kernel: Kernel, bound: GroupBound) -> str:
    is_alloca_ = is_alloca(bound.argument)
    place = f"{kernel.info.name}: "
    place += bound.argument if is_alloca_ else f"argument '{bound.argument}'"
    what = described_modes(bound.argument, bound.modes)
    slope, start = _line(kernel, bound.index)
    counts = [f.name for f in kernel.fields if f.role == "groups"]
    counts_down = bound.size is None
    for dimension, terms in bound.others:
        if dimension < len(counts):
            value = _sum(kernel, terms)
            compare = "<" if counts_down else ">"
            start += f" + ({value} {compare} 0 ? {value} * (args->{counts[dimension]} - 1) : 0)"
    size = "0" if bound.size is None else _sum(kernel, bound.size)
    lines = [f"{{{', '.join(_line(kernel, line))}}}" for line in bound.conditions]
    guards = [*_guards(kernel, bound), *_knows(kernel, bound)]
    if bound.others:
        guards += [f"args->{name} > 0" for name in counts]
    head = f"  if ({_SEPARATOR.join(guards)}) {{\n" if guards else "  {\n"
    if lines:
        head += f"    const struct line conditions[] = {{{', '.join(lines)}}};\n"
    head += (
        f"    const struct bound bound = {{{{{slope}, {start}}}, {size}, {int(counts_down)}, "
        f"{len(lines)}, {'conditions' if lines else 'NULL'}}};\n"
    )
    if bound.is_fixed:
        call = f'check_index(out, "{place}: ", "{what}", &bound)'
    else:
        count = f"args->{counts[bound.dimension]}" if bound.dimension < len(counts) else "1"
        call = f'check_groups(out, "{place}: ", "{what}", {count}, &bound)'
    return f"{head}    if ({call})\n      return 1;\n  }}\n"


def _knows(kernel: Kernel, bound: GroupBound) -> Iterator[str]:
    """Yield what keeps conditions within 64 bits; without it they say nothing."""
    if not bound.compares_values:
        return
    values = {
        v for line in bound.conditions for s in (line.slope, line.start) for v in values_in(s)
    }
    for text in sorted({_value(kernel, v) for v in values if v.kind != ASSOCIATED}):
        yield f"{text} <= INT64_C(1) << 38 && {text} >= -(INT64_C(1) << 38)"


def _line(kernel: Kernel, line: Line) -> tuple[str, str]:
    return _sum(kernel, line.slope), _sum(kernel, line.start)


def _sum(kernel: Kernel, terms: Sum) -> str:
    """Return a sum as kernels compute it, in 64 bits that wrap."""
    products = []
    for term in terms:
        factors = [f"(uint64_t){_value(kernel, value)}" for value in term.values]
        if term.factor != 1 or not factors:
            factors.insert(0, f"UINT64_C({term.factor % 2**64})")
        products.append(" * ".join(factors))
    if not any(term.values for term in terms):
        total = sum(term.factor for term in terms)
        return f"INT64_C({total})" if total >= 0 else f"(-INT64_C({-total}))"
    return f"(int64_t)({' + '.join(products)})"


def _value(kernel: Kernel, value: LaunchValue | LaunchQuotient) -> str:
    """Return an integer of a launch."""
    if isinstance(value, LaunchQuotient):
        return f"({_sum(kernel, value.dividend)} / {value.divisor})"
    argument = next(a for a in kernel.info.arguments if a.name == value.argument)
    if isinstance(argument, ScalarArgument):
        return f"(int64_t)args->{kernel.field('scalar', argument.name).name}"
    assert isinstance(argument, MemrefArgument)
    if value.kind == ASSOCIATED:
        return f"(int64_t){_is_passed(kernel, argument)}"
    if value.mode is None:
        assert isinstance(argument, GroupArgument)
        return f"(int64_t){_group_size(kernel, argument)}"
    role = "stride" if value.kind == STRIDE else "shape"
    known = (argument.stride if role == "stride" else argument.shape)[value.mode]
    if known is not None:
        return f"INT64_C({known})"
    suffix = "[0]" if isinstance(argument, GroupArgument) else ""
    return f"args->{kernel.field(role, argument.name, value.mode).name}{suffix}"
