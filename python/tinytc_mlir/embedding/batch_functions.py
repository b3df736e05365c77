# SPDX-License-Identifier: BSD-3-Clause
"""The header with a function for each kernel that takes a batch by position.

Code generators such as YATeTo write calls `f(elements, stream, pointers, offsets)`. The functions
of this header, for C++17, fill in the structure of the arguments and run the kernel: on threads of
the host, on a queue of SYCL or on a stream of CUDA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .languages import c_type, declared, template
from .masks import ENDING, FLAGS
from .table import Field, Kernel, description, unique

#: What each kind of library includes and how its functions begin.
PROCESSOR, SYCL, CUDA = "processor", "sycl", "cuda"
_ELEMENTS, _STREAM, _OFFSET = "elements", "stream", "extraOffset_"
#: What the bodies of functions declare or call.
_OWN = (
    *("check_status", "current_kernels", "first", "kernels_of", "last", "message", "own", "queue"),
    "values",
)


def batch_header(library: str, kernels: Sequence[Kernel], kind: str) -> str:
    """Return the header.

    Args:
        library: its name.
        kernels: its kernels; those with flags belong to the function of the kernel without.
        kind: PROCESSOR, SYCL or CUDA.
    """
    by_name = {kernel.info.name: kernel for kernel in kernels}
    variants = {f"{name}{ENDING}" for name in by_name}
    parts = [
        _function(kernel, by_name.get(kernel.info.name + ENDING), kind)
        for kernel in kernels
        if kernel.info.name not in variants
    ]
    return template(
        "batch/library.hpp.in",
        library=library,
        guard=library.upper(),
        head=template(f"batch/{kind}_head.hpp.in", library=library),
        helpers=template(f"batch/{kind}.hpp.in", library=library),
        kernels="\n".join(parts),
    )


def _function(kernel: Kernel, masked: Kernel | None, kind: str) -> str:
    is_host = kind == PROCESSOR
    parameters = [f"std::int64_t {_ELEMENTS}", f"void *{_STREAM}"]
    names = _names(kernel)
    parameters += [declared(c_type(field), name) for field, name in names.items()]
    by_field = {field.name: name for field, name in names.items()}
    may_mask = masked is not None or (is_host and kernel.dimensions == 1)
    if may_mask:
        parameters.append(f"const unsigned *{FLAGS} = nullptr")
    if is_host:
        call = _host_call(kernel, FLAGS if may_mask else "nullptr")
    else:
        call = _launch(kernel, kind)
    choice = ""
    if masked is not None:
        lines = f"{_assignments(masked, by_field)}{_launch(masked, kind)}".replace("\n  ", "\n    ")
        choice = template(
            "batch/masked.hpp.in", flags=FLAGS, c_name=masked.c_name, lines=f"  {lines}"
        )
    return template(
        "batch/kernel.hpp.in",
        name=kernel.name,
        c_name=kernel.c_name,
        signature=kernel.info.signature,
        documentation="".join(
            f"/// - `{name}`: {description(field)}\n" for field, name in names.items()
        ),
        flags=f"/// Elements whose flag is 0 are left out, unless {FLAGS} is null.\n"
        if may_mask
        else "",
        parameters=", ".join(parameters),
        choice=choice,
        assignments=_assignments(kernel, by_field),
        call=call,
    )


def _host_call(kernel: Kernel, flags: str) -> str:
    own = f"    ::{kernel.c_name}_args own = values;\n    own.scratch = {_scratch(kernel)};\n"
    return template(
        "batch/processor_call.hpp.in",
        c_name=kernel.c_name,
        groups=" * ".join(f"values.{f.name}" for f in kernel.fields if f.role == "groups"),
        flags=flags,
        scratch=own if kernel.scratch_bytes else "",
        own="own" if kernel.scratch_bytes else "values",
    )


def _launch(kernel: Kernel, kind: str) -> str:
    return template(f"batch/{kind}_call.hpp.in", c_name=kernel.c_name)


def _is_batch(kernel: Kernel, field: Field) -> bool:
    """Return whether a field is the number of elements.

    So is the last size of an array unless the groups are a grid, whose modes can be any.
    """
    if field.role == "groups":
        return field.mode == 0
    if field.role == "size":
        return True
    if field.role != "shape" or field.is_group or kernel.dimensions > 1:
        return False
    shape = getattr(field.argument, "shape", ())
    return shape[field.mode] is None and field.mode == len(shape) - 1


def _names(kernel: Kernel) -> dict[Field, str]:
    """Return the parameters of a function, none of which is a name that its body has."""
    taken = {_ELEMENTS, _STREAM, FLAGS, *_OWN}
    names = {}
    for field in kernel.fields:
        if not _is_batch(kernel, field) and field.role != "scratch":
            is_offset = field.role == "offset"
            name = _OFFSET + field.name.removesuffix("_offset") if is_offset else field.name
            names[field] = unique(name, taken)
    return names


def _assignments(kernel: Kernel, names: Mapping[str, str]) -> str:
    """Return what fills in the structure; `names` are those of the parameters, by fields."""
    lines = []
    for field in kernel.fields:
        value = names.get(field.name, _ELEMENTS)
        if field.name not in names and field.role == "data":  # the last one, of a masked kernel
            value = f"reinterpret_cast<const std::int32_t *>({FLAGS})"
        if field.role == "scratch":
            value = _scratch(kernel)
        lines.append(f"  values.{field.name} = {value};\n")
    return "".join(lines)


def _scratch(kernel: Kernel) -> str:
    """Return the memory that a thread of the host has for itself."""
    return f"tinytc::scratch<{kernel.scratch_bytes}>()"
