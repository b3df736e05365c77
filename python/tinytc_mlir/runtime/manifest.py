# SPDX-License-Identifier: BSD-3-Clause
"""What a compiled module says about its kernels, and its JSON form.

The compiler emits the JSON next to the SPIR-V binary; every launch is checked against it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any, TypeAlias, TypeGuard, TypeVar

from ..errors import Diagnostic, TinyTCError, describe
from ..scalars import SCALAR_TYPES
from ..shapes import INT64_MAX, packed_stride
from .bounds.disjoint_blocks import DisjointBlocks, blocks_from_dict
from .bounds.equal_sizes import EqualSizes, sizes_from_dict, sizes_to_dict
from .bounds.group_bounds import (
    GroupAccess,
    GroupBound,
    LaunchDependent,
    UncheckedUse,
    access_from_dict,
    bound_from_dict,
    bound_to_dict,
    dimension_from,
    launch_dependent_from_dict,
    unchecked_from_dict,
    unchecked_to_dict,
)
from .bounds.launch_sums import (
    ASSOCIATED,
    STRIDE,
    Known,
    Sum,
    json_integer,
    sum_from_list,
    sum_to_list,
)

VERSION = 1
# Formats of code.
SPIRV = "spirv"  # that of older manifests, which do not name theirs
PTX = "ptx"
CUBIN = "cubin"
ELF = "elf"
ACCESSES = ("none", "read", "write", "read_write")
_RANGE = f"from 0 to {INT64_MAX}"
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
Dimensions: TypeAlias = tuple[int | None, ...]


@dataclasses.dataclass(frozen=True)
class ScalarArgument:
    """A parameter of scalar type.

    Args:
        name: name of the parameter without its `%`.
        type: name of the scalar type in the language.
    """

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclasses.dataclass(frozen=True)
class MemrefArgument:
    """A parameter of memref type; None means that a value is only known at the launch.

    Args:
        name: name of the parameter without its `%`.
        element_type: name of the scalar type of the elements.
        shape: size of every mode.
        stride: stride of every mode in elements.
        access: what the kernel does with the elements: one of `ACCESSES`.
        alignment: divisor of the base pointer in bytes, None if nothing is promised.
        shape_gcd: divisors of the leading sizes.
        stride_gcd: divisors of the leading strides.
        optional: whether a launch may pass None, because the kernel asks with `associated`.
        modes: mode i is mode modes[i] of the array of a launch; None if they are the same.
        buffer: if a launch allocates the array when it is not given, each size that is None: a
            sum of what the launch knows, or the dimension whose number of groups it is.

    >>> str(MemrefArgument("A", "f32", (16, None), (1, 16), "read"))
    'A: memref<f32x16x?>'
    """

    name: str
    element_type: str
    shape: Dimensions
    stride: Dimensions
    access: str = "read_write"
    alignment: int | None = None
    shape_gcd: tuple[int, ...] = ()
    stride_gcd: tuple[int, ...] = ()
    optional: bool = False
    modes: tuple[int, ...] | None = None
    buffer: tuple[Sum | int, ...] | None = None

    @property
    def is_read(self) -> bool:
        """Whether the kernel may read elements."""
        return self.access in ("read", "read_write")

    @property
    def is_written(self) -> bool:
        """Whether the kernel may write elements."""
        return self.access in ("write", "read_write")

    @property
    def packed_stride(self) -> Dimensions:
        """Strides of the shape if no layout is written."""
        return packed_stride(self.shape)

    @property
    def memref_type(self) -> str:
        """The type as the language writes it."""
        shape = "".join(f"x{_dimension(size)}" for size in self.shape)
        if self.stride == self.packed_stride:
            return f"memref<{self.element_type}{shape}>"
        strides = ",".join(_dimension(stride) for stride in self.stride)
        return f"memref<{self.element_type}{shape},strided<{strides}>>"

    def __str__(self) -> str:
        return f"{self.name}: {self.memref_type}"


@dataclasses.dataclass(frozen=True)
class GroupArgument(MemrefArgument):
    """A parameter of group type: the fields of a memref describe every member.

    Args:
        size: number of members, None if it is only known at the launch.
        offset: elements between the pointer of a member and what a load returns.

    >>> str(GroupArgument("A", "f32", (16, 8), (1, 16), "read", size=None))
    'A: group<memref<f32x16x8>x?>'
    """

    size: int | None = None
    offset: int | None = 0

    def __str__(self) -> str:
        offset = "" if self.offset == 0 else f", offset: {_dimension(self.offset)}"
        return f"{self.name}: group<{self.memref_type}x{_dimension(self.size)}{offset}>"


Argument: TypeAlias = ScalarArgument | MemrefArgument
_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Check:
    """A check of a debug build, or a print.

    Args:
        diagnostic: the error that it reports; `{0}` in its message is the first value, and `{{` and
            `}}` are braces.
        types: how the values are stored: "i64", "f32" or "f64".
        print: whether it is a print, which is no error.

    >>> Check(Diagnostic("error", "expected {{x}}, got {0}"), ("i64",)).message(["3"])
    'expected {x}, got 3'
    """

    diagnostic: Diagnostic
    types: tuple[str, ...] = ()
    print: bool = False

    def message(self, values: Sequence[str]) -> str:
        """Return the message about some values."""

        def replacement(match: re.Match[str]) -> str:
            return values[int(match[1])] if match[1] else match[0][0]

        return _PLACEHOLDER.sub(replacement, self.diagnostic.message)


@dataclasses.dataclass(frozen=True)
class KernelInfo:
    """What a launch must know about one kernel.

    Args:
        name: entry point of the code.
        arguments: the parameters from left to right.
        local_size: work-group size in work-items, three modes; the third one is 1, or the groups
            that run side by side.
        subgroup_size: work-items of a subgroup.
        local_memory_bytes: local memory of a work-group.
        groups_per_work_group: groups that one work-group computes, one after the other or side by
            side; if above 1, the kernel has one more parameter, the number of groups as i64.
        requires: what the device must support, e.g. "f64".
        checks: what a debug build can report; if there are any, the kernel has one more parameter,
            a pointer to the buffer of the report, before the number of groups.
        group_bounds: what elements groups access; a launch with more groups than fit is refused.
        equal_sizes: sizes that instructions require to be equal; a launch with others is refused.
        disjoint_blocks: arrays of which an instruction reads one and updates the other; a launch of
            arrays that overlap is refused.
        unchecked_uses: accesses that no bound covers; the first launch in which they may be outside
            the arrays warns of them.
        group_accesses: how groups share the modes of the arrays that they access; None in binaries
            of older versions.
        launch_dependent: instructions whose results differ if the batch is cut into several
            launches.
        grid_dimensions: dimensions whose group id or number of groups the kernel asks for.
        flops_per_group: floating-point operations of a group, of products and of scalars in
            `foreach`; None if they depend on sizes of the launch or on conditions.
        bytes_per_group: bytes of global memory that a group reads and writes, each view once; None
            as above.
        aligned_variant: name of the same kernel for arrays that begin at multiples of 16 bytes and
            of which those that are written do not overlap those that are only read; launches with
            such arrays take it. None if there is none.
        variant_may_overlap: whether arrays of the variant may overlap all the same.
        aligned_strides: whether columns must begin at multiples of 16 bytes for it, too, where the
            program does not say their stride.
        aligned_members_variant: name of a variant that asks of members of groups, too, that they
            begin at multiples of 16 bytes. None if there is none.
        complex_parts: whether a complex scalar is two parameters, its real and its imaginary part.

    >>> KernelInfo("f", (ScalarArgument("x", "f32"),), (16, 1, 1), 16).signature
    'f(x: f32)'
    """

    name: str
    arguments: tuple[Argument, ...]
    local_size: tuple[int, int, int]
    subgroup_size: int
    local_memory_bytes: int = 0
    groups_per_work_group: int = 1
    requires: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    group_bounds: tuple[GroupBound, ...] = ()
    equal_sizes: tuple[EqualSizes, ...] = ()
    disjoint_blocks: tuple[DisjointBlocks, ...] = ()
    unchecked_uses: tuple[UncheckedUse, ...] = ()
    group_accesses: tuple[GroupAccess, ...] | None = None
    launch_dependent: tuple[LaunchDependent, ...] = ()
    grid_dimensions: tuple[int, ...] = (0,)
    flops_per_group: int | None = None
    bytes_per_group: int | None = None
    aligned_variant: str | None = None
    variant_may_overlap: bool = False
    aligned_strides: bool = False
    aligned_members_variant: str | None = None
    complex_parts: bool = False

    def work(self, groups: int) -> tuple[int | None, int | None]:
        """Return operations of a launch and bytes that it moves; None is not known."""
        flops, moved = self.flops_per_group, self.bytes_per_group
        return (
            None if flops is None else flops * groups,
            None if moved is None else moved * groups,
        )

    @property
    def signature(self) -> str:
        """The kernel's name and parameters on one line."""
        return f"{self.name}({', '.join(map(str, self.arguments))})"


@dataclasses.dataclass(frozen=True)
class Manifest:
    """The kernels of a program, and the target that it was compiled for.

    Args:
        target: name of the target.
        kernels: descriptions of the kernels.
        format: what the code is: "spirv", "ptx", "cubin", "elf", or what another loader takes.
        registers: registers of a thread that kernels are made for, which the driver is told; None
            if it may decide.

    >>> manifest = Manifest("cpu", (KernelInfo("f", (), (1, 1, 1), 16),))
    >>> Manifest.from_json(manifest.to_json()) == manifest
    True
    """

    target: str
    kernels: tuple[KernelInfo, ...]
    format: str = SPIRV
    registers: int | None = None

    def to_json(self) -> str:
        """Return the manifest as JSON text."""
        kernels = [_kernel_to_dict(kernel) for kernel in self.kernels]
        data: dict[str, object] = {"version": VERSION, "target": self.target}
        data["format"] = self.format
        if self.registers is not None:
            data["registers"] = self.registers
        return json.dumps(data | {"kernels": kernels})

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Return the manifest that a JSON text describes.

        Raises:
            TinyTCError: the text is not a manifest, or is one of another version.
        """
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
        format_ = reader.string("format", SPIRV)
        return cls(reader.string("target"), kernels, format_, reader.optional("registers", None))


def _dimension(value: int | None) -> str:
    return "?" if value is None else str(value)


def _kernel_to_dict(kernel: KernelInfo) -> dict[str, Any]:
    kinds = {ScalarArgument: "scalar", MemrefArgument: "memref", GroupArgument: "group"}
    return dataclasses.asdict(kernel) | {
        "arguments": [
            {"kind": kinds[type(argument)]} | _argument_to_dict(argument)
            for argument in kernel.arguments
        ],
        "group_bounds": [bound_to_dict(bound) for bound in kernel.group_bounds],
        "equal_sizes": [sizes_to_dict(sizes) for sizes in kernel.equal_sizes],
        "unchecked_uses": [unchecked_to_dict(use) for use in kernel.unchecked_uses],
    }


def _argument_to_dict(argument: Argument) -> dict[str, Any]:
    data = dataclasses.asdict(argument)
    if isinstance(argument, MemrefArgument):
        del data["buffer"]  # most have none
        if argument.buffer is not None:
            data["buffer"] = [
                size if isinstance(size, int) else sum_to_list(size) for size in argument.buffer
            ]
    return data


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
    }
    if kind == "memref":
        return MemrefArgument(**fields)
    return GroupArgument(**fields, size=reader.optional("size"), offset=reader.optional("offset"))
