# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with one more batch mode: a dimension of the groups that the kernel does not use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..errors import ArgumentError
from ..runtime.kernel_info import GroupArgument, KernelInfo, MemrefArgument

DIMENSIONS = "xyz"


def batch_dimension(info: KernelInfo, groups: Sequence[object]) -> int:
    """Return the dimension of the groups that a batch of calls takes.

    Args:
        info: the kernel.
        groups: numbers of groups; 1 where there is never more than one.

    Raises:
        ArgumentError: the kernel has groups or orders of modes that a batch mode cannot be added
            to, or uses all dimensions.
    """
    for argument in info.arguments:
        if isinstance(argument, GroupArgument):
            found = f"the group {argument.name!r}"
        elif isinstance(argument, MemrefArgument) and argument.modes is not None:
            found = f"{argument.name!r} with its modes in another order"
        elif isinstance(argument, MemrefArgument) and argument.optional:
            found = f"{argument.name!r}, which may be missing"
        else:
            continue
        raise ArgumentError(
            f"{info.name}: expected arrays that can have one more mode for the batch, got {found}"
        )
    for dimension in range(len(DIMENSIONS)):
        if dimension not in info.grid_dimensions and groups[dimension] == 1:
            return dimension
    raise ArgumentError(
        f"{info.name}: expected a kernel that leaves a dimension of the groups to the batch, got "
        "one that uses x, y and z"
    )


def fresh_name(text: str, name: str) -> str:
    """Return the name for a value of a program, with a number if the program has one of it.

    >>> fresh_name("%x_batch = load %x[]", "x_batch"), fresh_name("%x_batches = ...", "x_batch")
    ('x_batch2', 'x_batch')
    """
    candidate, number = name, 1
    while re.search(rf"%{re.escape(candidate)}\b", text):
        number += 1
        candidate = f"{name}{number}"
    return candidate


def batched_text(text: str, batched: Mapping[str, str], dimension: int) -> str:
    r"""Return the program of a kernel with one more mode, the last, in some parameters.

    Args:
        text: a program with this kernel alone, as the printer writes it.
        batched: new names of the parameters; a scalar becomes an array.
        dimension: the dimension of the groups that the batch takes.

    >>> text = "func @f(%a: f32, %x: memref<f32x4>) {\n}\n"
    >>> print(batched_text(text, {"a": "a_batch", "x": "x_batch"}, 0))
    func @f(%a_batch: memref<f32x?>, %x_batch: memref<f32x4x?>) {
      %batch_id = group_id.x : index
      %a = load %a_batch[%batch_id] : f32
      %x = subview %x_batch[:, %batch_id] : memref<f32x4>
    }
    <BLANKLINE>
    """
    head, body_start = _head(text)
    id_ = fresh_name(text, "batch_id")
    views = [f"  %{id_} = group_id.{DIMENSIONS[dimension]} : index\n"]
    parameters = []
    for name, type_ in _parameters(head):
        if name not in batched:
            parameters.append(f"%{name}: {type_}")
            continue
        new = _with_part(_with_mode(type_), dimension)
        parameters.append(f"%{batched[name]}: {new}")
        match = re.match(r"memref<[^>]*?((?:x(?:\d+|\?))*)(?:,.*)?>", type_)
        if match is None:
            views.append(f"  %{name} = load %{batched[name]}[%{id_}] : {type_}\n")
        else:
            order = match[1].count("x")
            indices = ", ".join([*[":"] * order, f"%{id_}"])
            plain = type_.partition(" {")[0]
            views.append(f"  %{name} = subview %{batched[name]}[{indices}] : {plain}\n")
    start = text.index("(") + 1
    return (
        text[:start]
        + ", ".join(parameters)
        + text[start + len(head) : body_start]
        + "".join(views)
        + text[body_start:]
    )


def _head(text: str) -> tuple[str, int]:
    """Return the list of parameters, and where the body begins."""
    start = text.index("(") + 1
    depth, end = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[start : end - 1], text.index("{\n", end) + 2


def _parameters(head: str) -> Iterator[tuple[str, str]]:
    """Yield names and types, with the attributes after a type."""
    for parameter in re.split(r",\s*(?=%\w+\s*:)", head.strip()):
        name, _, type_ = parameter.partition(":")
        yield name.strip().removeprefix("%"), type_.strip()


def _with_part(type_: str, dimension: int) -> str:
    """Return the type of a buffer with a part for each group of a dimension; others as they are.

    >>> _with_part("memref<f64x?x?> {buffer=[0, 0, 0, 1]}", 1)
    'memref<f64x?x?> {buffer=[0, 0, 0, 1, -1, 1, 0, 1]}'
    """

    def longer(match: re.Match[str]) -> str:
        return f"buffer=[{match[1]}{', ' * bool(match[1])}-1, {dimension}, 0, 1]"

    return re.sub(r"\bbuffer=\[([^]]*)\]", longer, type_)


def _with_mode(type_: str) -> str:
    """Return the type of a parameter with one more mode of unknown size.

    >>> _with_mode("memref<f64x3x?,strided<1,?>>"), _with_mode("f32")
    ('memref<f64x3x?x?,strided<1,?,?>>', 'memref<f32x?>')
    """
    if not type_.startswith("memref<"):
        return f"memref<{type_}x?>"
    shape, comma, rest = type_.removeprefix("memref<").partition(",")
    if comma and rest.lstrip().startswith("strided<"):
        strides, _, end = rest.partition(">")
        return f"memref<{shape}x?,{strides},?>{end}"
    shape, _, end = type_.removeprefix("memref<").partition(">")
    return f"memref<{shape}x?>{end}"
