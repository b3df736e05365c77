# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with one more batch mode: a dimension of the groups that the kernel does not use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..errors import ArgumentError
from ..runtime.manifest import GroupArgument, KernelInfo, MemrefArgument

DIMENSIONS = "xyz"


def batch_dimension(info: KernelInfo) -> int:
    """Return the dimension of the groups that a batch of calls takes.

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
        raise ArgumentError(f"{info.name}: expected arrays that a batch mode fits, got {found}")
    for dimension in range(len(DIMENSIONS)):
        if dimension not in info.grid_dimensions:
            return dimension
    raise ArgumentError(
        f"{info.name}: expected a dimension of the groups for the batch, got a kernel that uses "
        "all three"
    )


def batched_text(text: str, info: KernelInfo, batched: Collection[str]) -> str:
    r"""Return the program of a kernel with one more mode, the last, in some parameters.

    Args:
        text: a program with this kernel alone, as the printer writes it.
        info: the kernel.
        batched: names of the parameters; a scalar becomes an array.

    >>> from ..runtime.manifest import ScalarArgument
    >>> arguments = (ScalarArgument("a", "f32"), MemrefArgument("x", "f32", (4,), (1,)))
    >>> info = KernelInfo("f", arguments, (1, 1, 1), 1, grid_dimensions=())
    >>> print(batched_text("func @f(%a: f32, %x: memref<f32x4>) {\n}\n", info, ["a", "x"]))
    func @f(%a_batch: memref<f32x?>, %x_batch: memref<f32x4x?>) {
      %batch_id = group_id.x : index
      %a = load %a_batch[%batch_id] : f32
      %x = subview %x_batch[:, %batch_id] : memref<f32x4>
    }
    <BLANKLINE>
    """
    dimension = batch_dimension(info)
    head, body_start = _head(text)
    views = [f"  %batch_id = group_id.{DIMENSIONS[dimension]} : index\n"]
    parameters = []
    for name, type_ in _parameters(head):
        if name not in batched:
            parameters.append(f"%{name}: {type_}")
            continue
        new = _with_part(_with_mode(type_), dimension)
        parameters.append(f"%{name}_batch: {new}")
        match = re.match(r"memref<[^>]*?((?:x(?:\d+|\?))*)(?:,.*)?>", type_)
        if match is None:
            views.append(f"  %{name} = load %{name}_batch[%batch_id] : {type_}\n")
        else:
            order = match[1].count("x")
            indices = ", ".join([*[":"] * order, "%batch_id"])
            plain = type_.partition(" {")[0]
            views.append(f"  %{name} = subview %{name}_batch[{indices}] : {plain}\n")
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
