# SPDX-License-Identifier: BSD-3-Clause
"""The headers for C and C++ and the module for Fortran."""

from __future__ import annotations

import importlib.resources
import string

from ..runtime.kernel_info import GroupArgument, MemrefArgument
from ..scalars import SCALAR_TYPES
from ..version import __version__
from .table import PASSED_AS_BITS, Field, Kernel, description, element_type

_C_TYPES = {
    "bool": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "index": "int64_t",
    "f32": "float",
    "f64": "double",
    "c32": "tinytc_c32",
    "c64": "tinytc_c64",
    **{name: f"uint{SCALAR_TYPES[name].bits}_t" for name in PASSED_AS_BITS},
}
_FORTRAN_TYPES = {
    "bool": ("logical(c_bool)", ".false."),
    "i8": ("integer(c_int8_t)", "0"),
    "i16": ("integer(c_int16_t)", "0"),
    "i32": ("integer(c_int32_t)", "0"),
    "i64": ("integer(c_int64_t)", "0"),
    "index": ("integer(c_int64_t)", "0"),
    "f32": ("real(c_float)", "0"),
    "f64": ("real(c_double)", "0"),
    "c32": ("complex(c_float_complex)", "0"),
    "c64": ("complex(c_double_complex)", "0"),
    **{name: (f"integer(c_int{SCALAR_TYPES[name].bits}_t)", "0") for name in PASSED_AS_BITS},
}


_FOLDER = importlib.resources.files(__package__).joinpath("templates")
PROCESSOR = "processor"  # libraries that hosts call


def template(file: str, /, **values: str) -> str:
    """Return a template of this package, filled in."""
    text = _FOLDER.joinpath(file).read_text(encoding="utf-8")
    return string.Template(text).substitute(values, version=__version__)


def _of_kind(kind: str, file: str, /, **values: str) -> str:
    """Return a template that not all kinds of libraries have, filled in; nothing without one."""
    path = f"{kind}/{file}"
    return template(path, **values) if _FOLDER.joinpath(path).is_file() else ""


def _call(kind: str, language: str, kernel: Kernel, name: str) -> str:
    """Return the declaration of the function that runs groups of a kernel.

    Libraries for devices have it in C and C++ in a header of their own.

    Args:
        kind: as for `c_header`.
        language: what files of the language end in.
        kernel: the kernel.
        name: what the language calls it.
    """
    is_linear = kernel.dimensions == 1
    order = "" if is_linear else ", counted along x, then y, then z"
    size = kernel.scratch_bytes
    return _of_kind(
        kind,
        f"call.{language}.in",
        name=name,
        c_name=kernel.c_name,
        range=f"groups first to last - 1{order}",
        scratch=f"\n * Each thread needs {size} bytes of scratch memory." if size else "",
    )


def c_type(field: Field) -> str:
    """Return the type of a field in C."""
    argument = field.argument
    if argument is None:
        return "void *" if field.role == "scratch" else "int64_t"
    type_ = _C_TYPES[element_type(argument)]
    if field.role == "scalar":
        return type_
    if field.role in ("data", "members"):
        assert isinstance(argument, MemrefArgument)
        const = "" if argument.is_written else "const "
        return f"{const}{type_} *{'const *' if field.role == 'members' else ''}"
    is_listed = field.role in ("shape", "stride") and field.is_group
    return "const int64_t *" if is_listed else "int64_t"


def declared(type_: str, name: str) -> str:
    """Return the declaration of a name in C."""
    return f"{type_}{'' if type_.endswith('*') else ' '}{name}"


def c_header(
    library: str, kernels: tuple[Kernel, ...], kind: str = PROCESSOR, **values: str
) -> str:
    """Return the header for C, which C++ can include, too.

    Args:
        library: its name.
        kernels: its kernels.
        kind: what the library is for, which is the folder of its templates.
        values: what they need besides.
    """
    parts = []
    for kernel in kernels:
        members = "".join(
            f"  {declared(c_type(field), field.name)}; /**< {description(field)} */\n"
            for field in kernel.fields
        )
        parts.append(
            template(
                "kernel.h.in",
                name=kernel.c_name,
                signature=kernel.info.signature,
                members=members,
                call=_call(kind, "h", kernel, kernel.c_name),
            )
        )
    return template(
        "library.h.in",
        library=library,
        guard=library.upper(),
        kernels="\n".join(parts),
        functions=_of_kind(kind, "functions.h.in", library=library, **values),
    )


def cpp_header(library: str, kernels: tuple[Kernel, ...], kind: str = PROCESSOR) -> str:
    """Return the header for C++20; `kind` as for `c_header`."""
    parts = []
    for kernel in kernels:
        own = [field for field in kernel.fields if not _is_derived(field)]
        parts.append(
            template(
                "kernel.hpp.in",
                name=kernel.name,
                c_name=kernel.c_name,
                signature=kernel.info.signature,
                members="".join(f"  {_cpp_member(field)}\n" for field in own),
                values="".join(
                    f"    .{f.name} = {_cpp_value(kernel, f)},\n" for f in kernel.fields
                ),
                checks="".join(
                    f"  {check}\n"
                    for check in (_cpp_check(kernel, each) for each in own if each.argument)
                    if check
                ),
                call=_call(kind, "hpp", kernel, kernel.name),
            )
        )
    return template(
        "library.hpp.in",
        library=library,
        guard=library.upper(),
        kernels="\n".join(parts),
        functions=_of_kind(kind, "functions.hpp.in", library=library),
    )


def _is_derived(field: Field) -> bool:
    """Return whether the view of an array or the span of a group has the value of a field."""
    is_of_array = field.role in ("shape", "stride") and not field.is_group
    return is_of_array or field.role == "size"


def _cpp_member(field: Field) -> str:
    type_ = c_type(field)
    default = " = 1" if field.role == "groups" else "{}"
    if field.role == "data":
        assert isinstance(field.argument, MemrefArgument)
        type_ = f"tinytc::view<{type_.removesuffix(' *')}, {len(field.argument.shape)}>"
    elif field.role == "members":
        type_ = f"tinytc::members<{type_.removesuffix(' *const *')}>"
    elif type_ == "const int64_t *":
        type_ = "std::span<const std::int64_t>"
    return f"{declared(type_, field.name)}{default}; ///< {description(field)}"


def _cpp_value(kernel: Kernel, field: Field) -> str:
    argument = field.argument
    if field.role in ("data", "members"):
        return f"args.{field.name}.data"
    if argument is None or field.role in ("scalar", "offset"):
        return f"args.{field.name}"
    if field.role == "size":
        return f"args.{kernel.field('members', argument.name).name}.size"
    if field.is_group:
        return f"args.{field.name}.data()"
    view = kernel.field("data", argument.name).name
    return f"args.{view}.{'sizes' if field.role == 'shape' else 'strides'}[{field.mode}]"


def _cpp_check(kernel: Kernel, field: Field) -> str:
    """Return the check of what C's structure has no place for; nothing if there is none."""
    argument, name = field.argument, f"args.{field.name}"
    assert argument is not None
    place = f"{kernel.info.name}: argument '{argument.name}': "
    if isinstance(argument, GroupArgument) and field.role in ("shape", "stride"):
        group = f"args.{kernel.field('members', argument.name).name}"
        what = f"{'sizes' if field.role == 'shape' else 'strides'} of mode {field.mode}"
        return f'tinytc::check_list({name}, {group}.size, "{place}", "{what}");'
    if isinstance(argument, GroupArgument) and field.role == "members":
        size = "" if argument.size is None else str(argument.size)
        return size and f'tinytc::check_members({name}, {size}, "{place}");'
    if field.role != "data" or not isinstance(argument, MemrefArgument):
        return ""
    sizes, strides = (
        ", ".join("-1" if value is None else str(value) for value in values)
        for values in (argument.shape, argument.stride)
    )
    return f'tinytc::check_view({name}, {{{sizes}}}, {{{strides}}}, "{place}");'


def fortran_module(library: str, kernels: tuple[Kernel, ...], kind: str = PROCESSOR) -> str:
    """Return the module for Fortran; `kind` as for `c_header`."""
    types, interfaces = [], []
    for kernel in kernels:
        members = "".join(
            f"    !> {description(field)[:120]}\n    {_fortran_declaration(field)}\n"
            for field in kernel.fields
        )
        types.append(template("type.f90.in", name=kernel.fortran, members=members))
        interfaces.append(
            template(
                "interface.f90.in",
                name=kernel.fortran,
                c_name=kernel.c_name,
                call=_call(kind, "f90", kernel, kernel.fortran),
            )
        )
    return template(
        "library.f90.in",
        library=library,
        types="\n".join(types),
        interfaces="\n".join(interfaces),
        functions=_of_kind(kind, "functions.f90.in", library=library),
    )


def _fortran_declaration(field: Field) -> str:
    type_ = c_type(field)
    if type_.endswith("*"):
        return f"type(c_ptr) :: {field.fortran} = c_null_ptr"
    if field.role == "scalar":
        assert field.argument is not None
        type_, value = _FORTRAN_TYPES[element_type(field.argument)]
        return f"{type_} :: {field.fortran} = {value}"
    return f"integer(c_int64_t) :: {field.fortran} = {1 if field.role == 'groups' else 0}"
