# SPDX-License-Identifier: BSD-3-Clause
"""Reads the JSON of a manifest, and of the bounds of a kernel."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, TypeGuard, TypeVar, cast

from ..certificates import Certificate
from ..errors import Diagnostic, TinyTCError, describe
from ..scalars import SCALAR_TYPES
from ..shapes import INT64_MAX, Boxes
from .bounds.disjoint_blocks import blocks_from_dict
from .bounds.equal_sizes import sizes_from_dict
from .bounds.group_bounds import (
    GroupAccess,
    access_from_dict,
    bound_from_dict,
    dimension_from,
    launch_dependent_from_dict,
    unchecked_from_dict,
)
from .bounds.launch_sums import (
    ASSOCIATED,
    STRIDE,
    Known,
    Sum,
    json_integer,
    sum_from_list,
)
from .kernel_info import (
    ACCESSES,
    SPIRV,
    Argument,
    Check,
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)

VERSION = 1
_RANGE = f"from 0 to {INT64_MAX}"
_T = TypeVar("_T")


def read_manifest(text: str | bytes) -> dict[str, Any]:
    """Return the fields of the manifest that a JSON text describes; see `Manifest.from_json`."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise TinyTCError(f"manifest: expected JSON, got an error: {error}") from None
    reader = _Reader(data, "manifest")
    version = reader.integer("version")
    if version != VERSION:
        raise TinyTCError(f"manifest: expected version {VERSION}, got {version}")
    kernels = tuple(map(_kernel_from_reader, reader.objects("kernels")))
    reader.check_different("kernels", [kernel.name for kernel in kernels])
    return {
        "target": reader.string("target"),
        "kernels": kernels,
        "format": reader.string("format", SPIRV),
        "registers": reader.optional("registers", None),
        "certificates": tuple(map(_certificate, reader.items("certificates", []))),
    }


def _certificate(value: object) -> Certificate:
    """Return a certificate."""
    try:
        return Certificate.from_dict(cast("Mapping[str, Any]", value))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TinyTCError(f"manifest: expected a certificate, got an error: {error!r}") from None


def group_bounds_from_json(text: str, arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return what the compiler describes as JSON of the number of groups.

    Args:
        text: a JSON object with these fields of the manifest.
        arguments: the kernel's parameters.

    Returns:
        The arguments of `KernelInfo` that say what groups access.
    """
    return _group_bounds(_Reader(json.loads(text), "bounds"), arguments)


def _group_bounds(reader: _Reader, arguments: Sequence[Argument]) -> dict[str, Any]:
    values = {argument.name: _launch_values(argument) for argument in arguments}
    orders = {
        argument.name: (len(argument.shape), isinstance(argument, GroupArgument))
        for argument in arguments
        if isinstance(argument, MemrefArgument)
    }
    try:
        return {
            "group_bounds": tuple(
                bound_from_dict(each, values) for each in reader.items("group_bounds")
            ),
            "equal_sizes": tuple(
                sizes_from_dict(each, values) for each in reader.items("equal_sizes", [])
            ),
            "disjoint_blocks": tuple(
                blocks_from_dict(each, orders) for each in reader.items("disjoint_blocks")
            ),
            "unchecked_uses": tuple(
                unchecked_from_dict(each, values) for each in reader.items("unchecked_uses")
            ),
            "group_accesses": _group_accesses(reader, values),
            "launch_dependent": tuple(
                map(launch_dependent_from_dict, reader.items("launch_dependent"))
            ),
            "flops_per_group": reader.optional("flops_per_group", None),
            "bytes_per_group": reader.optional("bytes_per_group", None),
            # Files of older versions of the compiler have kernels of one dimension.
            "grid_dimensions": tuple(map(dimension_from, reader.items("grid_dimensions", [0]))),
        }
    except ValueError as error:
        raise reader.error(str(error)) from None


def _group_accesses(reader: _Reader, values: Known) -> tuple[GroupAccess, ...] | None:
    """Return how groups share modes, None if the manifest does not say it."""
    found = reader.field("group_accesses", "a list", _is_optional_list, None)
    return None if found is None else tuple(access_from_dict(each, values) for each in found)


def _launch_values(argument: Argument) -> list[tuple[int | None, str]]:
    """Return mode and kind of the values that a bound may mention."""
    if isinstance(argument, ScalarArgument):
        return [(None, "")] if SCALAR_TYPES[argument.type].kind == "integer" else []
    values: list[tuple[int | None, str]] = [(None, ASSOCIATED)]
    if isinstance(argument, GroupArgument):
        dynamic = [mode for mode, size in enumerate(argument.shape) if size is None]
        return [*values, (None, ""), *((mode, "") for mode in dynamic)]
    values += [(mode, "") for mode in range(len(argument.shape))]
    return values + [(mode, STRIDE) for mode, step in enumerate(argument.stride) if step is None]


class _Reader:
    """Reads fields of a JSON object and reports those that are not as expected."""

    def __init__(self, data: object, place: str) -> None:
        if not isinstance(data, Mapping):
            raise TinyTCError(f"{place}: expected an object, got {type(data).__name__}")
        self._data = data
        self._place = place

    def field(
        self,
        name: str,
        rule: str,
        accept: Callable[[object], TypeGuard[_T]],
        default: _T | EllipsisType = ...,
    ) -> _T:
        """Return a field that a predicate accepts."""
        if name not in self._data and not isinstance(default, EllipsisType):
            return default
        value = self._data.get(name)
        if not accept(value):
            raise TinyTCError(
                f"{self._place}: expected {name!r} to be {rule}, got {describe(value)}"
            )
        return value

    def string(self, name: str, default: str | EllipsisType = ...) -> str:
        return self.field(name, "a string", _is_string, default)

    def one_of(self, name: str, choices: tuple[str, ...]) -> str:
        def is_choice(value: object) -> TypeGuard[str]:
            return value in choices

        return self.field(name, "one of " + ", ".join(choices), is_choice)

    def integer(self, name: str, default: int | EllipsisType = ...) -> int:
        return self.field(name, f"an integer {_RANGE}", _is_natural, default)

    def optional(self, name: str, default: int | EllipsisType | None = ...) -> int | None:
        return self.field(name, f"an integer {_RANGE} or null", _is_dimension, default)

    def tuple(
        self,
        name: str,
        accept: Callable[[object], TypeGuard[_T]],
        default: Sequence[_T] | EllipsisType = ...,
    ) -> tuple[_T, ...]:
        def accepts(value: object) -> TypeGuard[Sequence[_T]]:
            return isinstance(value, list) and all(map(accept, value))

        return tuple(self.field(name, "a list of fitting values", accepts, default))

    def child(self, name: str) -> _Reader:
        """Return the reader of an object in a field."""
        return _Reader(self._data.get(name), f"{self._place}: {name}")

    def items(self, name: str, default: Sequence[object] = ()) -> list[Any]:
        """Return the items of a list that may be absent."""
        return list(self.field(name, "a list", _is_list, list(default)))

    def objects(self, name: str, default: list[object] | EllipsisType = ...) -> list[_Reader]:
        """Return readers of the objects in a list."""
        items = self.field(name, "a list", _is_list, default)
        return [_Reader(item, f"{self._place}: {name}[{i}]") for i, item in enumerate(items)]

    def check_different(self, what: str, names: Sequence[str]) -> None:
        """Check that names occur once."""
        for name in names:
            if names.count(name) > 1:
                raise self.error(f"expected {what} of different names, got {describe(name)} twice")

    def error(self, message: str) -> TinyTCError:
        return TinyTCError(f"{self._place}: {message}")


def _is_string(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_bool(value: object) -> TypeGuard[bool]:
    return isinstance(value, bool)


def _is_optional_string(value: object) -> TypeGuard[str | None]:
    return value is None or isinstance(value, str)


def _is_stored_type(value: object) -> TypeGuard[str]:
    return value in ("i64", "f32", "f64")


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_optional_list(value: object) -> TypeGuard[list[object] | None]:
    return value is None or isinstance(value, list)


def _is_natural(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= INT64_MAX


def _is_dimension(value: object) -> TypeGuard[int | None]:
    return value is None or _is_natural(value)


def _kernel_from_reader(reader: _Reader) -> KernelInfo:
    local_size = reader.tuple("local_size", _is_natural)
    if len(local_size) != 3 or 0 in local_size:
        raise reader.error(f"expected 3 positive modes of 'local_size', got {local_size}")
    arguments = _arguments_from_readers(reader.objects("arguments"))
    reader.check_different("arguments", [argument.name for argument in arguments])
    return KernelInfo(
        name=reader.string("name"),
        arguments=arguments,
        local_size=local_size,
        subgroup_size=reader.integer("subgroup_size"),
        local_memory_bytes=reader.integer("local_memory_bytes", 0),
        groups_per_work_group=max(reader.integer("groups_per_work_group", 1), 1),
        requires=reader.tuple("requires", _is_string, ()),
        aligned_variant=reader.field(
            "aligned_variant", "a string or null", _is_optional_string, None
        ),
        variant_may_overlap=reader.field("variant_may_overlap", "true or false", _is_bool, False),
        aligned_strides=reader.field("aligned_strides", "true or false", _is_bool, False),
        aligned_members_variant=reader.field(
            "aligned_members_variant", "a string or null", _is_optional_string, None
        ),
        complex_parts=reader.field("complex_parts", "true or false", _is_bool, False),
        checks=tuple(map(_check_from_reader, reader.objects("checks", []))),
        **_group_bounds(reader, arguments),
    )


def _check_from_reader(reader: _Reader) -> Check:
    types = reader.tuple("types", _is_stored_type)
    diagnostic = _diagnostic_from_reader(reader.child("diagnostic"))
    check = Check(diagnostic, types, reader.field("print", "true or false", _is_bool, False))
    try:
        check.message(types)
    except IndexError:
        raise reader.error(
            f"expected a message about {len(types)} values, got {describe(diagnostic.message)}"
        ) from None
    return check


def _diagnostic_from_reader(reader: _Reader) -> Diagnostic:
    def text(name: str) -> str | None:
        return reader.field(name, "a string or null", _is_optional_string, None)

    return Diagnostic(
        reader.one_of("severity", ("error", "note")),
        reader.string("message"),
        filename=text("filename"),
        line=reader.optional("line", None),
        column=reader.optional("column", None),
        length=reader.integer("length", 1),
        notes=tuple(map(_diagnostic_from_reader, reader.objects("notes", []))),
        excerpt=text("excerpt"),
        excerpt_column=reader.integer("excerpt_column", 1),
    )


def _modes_from_reader(reader: _Reader, order: int) -> tuple[int, ...] | None:
    def is_optional_permutation(value: object) -> TypeGuard[list[int] | None]:
        return value is None or (
            isinstance(value, list)
            and all(map(_is_natural, value))
            and sorted(value) == list(range(order))
        )

    modes = reader.field("modes", f"an order of {order} modes", is_optional_permutation, None)
    return None if modes is None else tuple(modes)


def _boxes_from_reader(reader: _Reader, order: int) -> Boxes | None:
    def are_boxes(value: object) -> TypeGuard[list[list[int]] | None]:
        return value is None or (
            isinstance(value, list)
            and all(isinstance(box, list) and all(map(_is_natural, box)) for box in value)
            and all(len(box) % 2 == 0 and len(box) <= 2 * order for box in value)
            and all(box[n] <= box[n + 1] for box in value for n in range(0, len(box), 2))
        )

    boxes = reader.field("nonzero", f"boxes of at most {order} modes", are_boxes, None)
    return None if boxes is None else tuple(map(tuple, boxes))


def _arguments_from_readers(readers: Sequence[_Reader]) -> tuple[Argument, ...]:
    arguments = list(map(_argument_from_reader, readers))
    values = {argument.name: _launch_values(argument) for argument in arguments}
    for position, (argument, reader) in enumerate(zip(arguments, readers, strict=True)):
        data = reader.field("buffer", "a list", _is_optional_list, None)
        if data is not None and isinstance(argument, MemrefArgument):
            buffer = _buffer_from_list(argument, data, values, reader)
            arguments[position] = dataclasses.replace(argument, buffer=buffer)
    return tuple(arguments)


def _buffer_from_list(
    argument: MemrefArgument, data: list[object], values: Known, reader: _Reader
) -> tuple[Sum | int, ...]:
    unknown = argument.shape.count(None)
    if len(data) != unknown:
        raise reader.error(f"expected {unknown} sizes of a buffer, got {len(data)}")
    try:
        return tuple(
            sum_from_list(size, values)
            if isinstance(size, list)
            else json_integer(size, "a dimension of groups", 0, 2)
            for size in data
        )
    except ValueError as error:
        raise reader.error(str(error)) from None


def _argument_from_reader(reader: _Reader) -> Argument:
    kind = reader.one_of("kind", ("scalar", "memref", "group"))
    if kind == "scalar":
        return ScalarArgument(reader.string("name"), reader.one_of("type", tuple(SCALAR_TYPES)))
    shape = reader.tuple("shape", _is_dimension)
    stride = reader.tuple("stride", _is_dimension)
    if len(shape) != len(stride):
        raise reader.error(f"expected as many strides as sizes ({len(shape)}), got {len(stride)}")
    fields: dict[str, Any] = {
        "name": reader.string("name"),
        "element_type": reader.one_of("element_type", tuple(SCALAR_TYPES)),
        "shape": shape,
        "stride": stride,
        "access": reader.one_of("access", ACCESSES),
        "alignment": reader.optional("alignment", None),
        "shape_gcd": reader.tuple("shape_gcd", _is_natural, ()),
        "stride_gcd": reader.tuple("stride_gcd", _is_natural, ()),
        "optional": reader.field("optional", "true or false", _is_bool, False),
        "modes": _modes_from_reader(reader, len(shape)),
        "nonzero": _boxes_from_reader(reader, len(shape)),
    }
    if kind == "memref":
        return MemrefArgument(**fields)
    return GroupArgument(**fields, size=reader.optional("size"), offset=reader.optional("offset"))
