# SPDX-License-Identifier: BSD-3-Clause
"""Sources that launch kernels on devices: by OpenCL and SYCL, or by CUDA's driver.

Programs compile them with the headers that they have; nothing of an interface is needed to make
them. Arguments and checks are those of libraries for CPUs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..runtime.kernel_info import PTX, MemrefArgument
from ..runtime.nvidia.cuda_code import dynamic_local_bytes
from ..runtime.program import Program
from ..runtime.spirv.code import tells_lanes_apart
from ..runtime.spirv.driver import CPU_BUILD_OPTIONS
from ..runtime.spirv.intel_gpus import build_options
from ..scalars import SCALAR_TYPES
from .batch_functions import CUDA, SYCL, batch_header
from .checks import sizes_and_strides
from .languages import c_header, c_type, cpp_header, fortran_module, template
from .source import check_source, group_counts
from .table import Field, Kernel

_CPU = "cpu"
_BYTES_OF_LINE = 20


def device_sources(
    library: str, kernels: Sequence[Kernel], target: str, program: Program
) -> Mapping[str, str]:
    """Return the files of a library by their paths, besides what its archive is made of.

    Args:
        library: its name.
        kernels: its kernels.
        target: name of the target.
        program: their code for it.
    """
    table = tuple(kernels)
    is_cuda = program.manifest.format == PTX
    form = "PTX that ends with 0" if is_cuda else "SPIR-V"
    interface = "cuda" if is_cuda else "opencl"
    header = c_header(library, table, "device", target=target, format=form)
    files = {
        f"include/{library}.h": header,
        f"include/{library}.hpp": cpp_header(library, table, "device"),
        f"include/{library}.f90": fortran_module(library, table, interface),
        f"include/{library}_{interface}.h": _header(library, table, interface),
        f"include/{library}_batch.hpp": batch_header(library, table, CUDA if is_cuda else SYCL),
        f"lib/cmake/{library}/{library}-config.cmake": template(
            "device/config.cmake.in",
            library=library,
            interface=interface,
            package="CUDAToolkit" if is_cuda else "OpenCL",
            driver="CUDA::cuda_driver" if is_cuda else "OpenCL::OpenCL",
        ),
        f"lib/pkgconfig/{library}.pc": template("library.pc.in", library=library),
    }
    if is_cuda:
        return files | {f"src/{library}_cuda.c": _cuda_source(library, table)}
    return files | {
        f"src/{library}_opencl.c": _opencl_source(library, table, target, program),
        f"include/{library}_sycl.hpp": _sycl_header(library, table, target, program),
    }


def archived_sources(
    library: str, kernels: Sequence[Kernel], program: Program
) -> Mapping[str, str]:
    """Return the sources in C of the archive: the checks, and the code as data.

    Args:
        library: its name.
        kernels: its kernels.
        program: their code for the target.
    """
    data = program.code + (b"\0" if program.manifest.format == PTX else b"")
    lines = (data[at : at + _BYTES_OF_LINE] for at in range(0, len(data), _BYTES_OF_LINE))
    numbers = "".join(f"  {','.join(map(str, line))},\n" for line in lines)
    code = template("device/code.c.in", library=library, bytes=numbers, size=str(len(data)))
    return {"checks.c": check_source(library, kernels), "code.c": code}


def _header(library: str, kernels: Sequence[Kernel], interface: str) -> str:
    each = (
        template(f"{interface}/kernel.h.in", library=library, name=kernel.c_name)
        for kernel in kernels
    )
    return template(
        f"{interface}/library.h.in", library=library, guard=library.upper(), kernels="\n".join(each)
    )


def _numbered(kernels: Sequence[Kernel]) -> list[tuple[Kernel, dict[str, str]]]:
    """Return each kernel with what all templates say of its launch."""
    return [
        (
            kernel,
            {
                "number": str(number),
                "packed": str(kernel.info.groups_per_work_group),
                **group_counts(kernel),
            },
        )
        for number, kernel in enumerate(kernels)
    ]


def _parameters(kernel: Kernel) -> list[Field]:
    """Return what a kernel is passed besides the number of groups."""
    return [field for field in kernel.fields if field.role != "groups"]


def _has_groups(kernel: Kernel) -> bool:
    return any(field.role == "members" for field in kernel.fields)


def _strings(names: Sequence[str | None]) -> str:
    return ", ".join("NULL" if name is None else f'"{name}"' for name in names)


def _options(target: str, program: Program, interface: str) -> str:
    if target == _CPU:
        return CPU_BUILD_OPTIONS if interface == "opencl" else ""
    return build_options(program.manifest.registers, target, interface)


def driver_options(target: str, program: Program) -> Mapping[str, str]:
    """Return the options that SYCL passes to each driver."""
    names = ("opencl", "level_zero")
    return {name: _options(target, program, name) for name in names}


def _opencl_source(library: str, kernels: Sequence[Kernel], target: str, program: Program) -> str:
    asks = target == _CPU and tells_lanes_apart(program.code)
    options = dict.fromkeys((_options(target, program, "opencl"), ""))
    parts = []
    for kernel, values in _numbered(kernels):
        lines = [f"  {_opencl_argument(field)}\n" for field in _parameters(kernel)]
        if kernel.info.groups_per_work_group > 1:
            lines.append("  pass_integer(&call, nx);\n")
        local = ", ".join(map(str, kernel.info.local_size))
        parts.append(
            template(
                "opencl/kernel.c.in",
                library=library,
                name=kernel.c_name,
                local=local,
                arguments="".join(lines),
                **values,
            )
        )
    return template(
        "opencl/library.c.in",
        library=library,
        count=str(len(kernels)),
        names=_strings([kernel.info.name for kernel in kernels]),
        follow=", ".join(str(int(_has_groups(kernel))) for kernel in kernels),
        options=_strings(list(options)),
        vectors=template("opencl/vectors.c.in") if asks else "",
        check_vectors=(
            "    if (status == CL_SUCCESS && lost_vectors(made->program, device))\n"
            "      status = CL_BUILD_PROGRAM_FAILURE;\n"
            if asks
            else ""
        ),
        kernels="\n".join(parts),
    )


def _opencl_argument(field: Field) -> str:
    given = f"args->{field.name}"
    if c_type(field).endswith("*"):
        return f"pass_pointer(&call, {given});"
    return f"pass(&call, sizeof {given}, &{given});"


def _sycl_header(library: str, kernels: Sequence[Kernel], target: str, program: Program) -> str:
    parts = []
    for kernel, values in _numbered(kernels):
        names = [f"values.{field.name}" for field in _parameters(kernel)]
        if kernel.info.groups_per_work_group > 1:
            names.append("nx")
        values |= {key: text.replace("args->", "values.") for key, text in values.items()}
        parts.append(
            template(
                "sycl/kernel.hpp.in",
                name=kernel.name,
                c_name=kernel.c_name,
                local=", ".join(map(str, reversed(kernel.info.local_size))),
                arguments="".join(f", {name}" for name in names),
                **values,
            )
        )
    objects = (f'bundle_.ext_oneapi_get_kernel("{kernel.info.name}")' for kernel in kernels)
    return template(
        "sycl/library.hpp.in",
        library=library,
        guard=library.upper(),
        kernels="\n".join(parts),
        **driver_options(target, program),
        count=str(len(kernels)),
        kernel_objects=", ".join(objects),
    )


def _cuda_source(library: str, kernels: Sequence[Kernel]) -> str:
    parts = []
    for kernel, values in _numbered(kernels):
        names = [f"(void *)&args->{field.name}" for field in _parameters(kernel)]
        if kernel.info.groups_per_work_group > 1:
            names.append("&nx")
        parts.append(
            template(
                "cuda/kernel.c.in",
                library=library,
                name=kernel.c_name,
                parameters=", ".join(names) or "NULL",
                choice=_cuda_choice(kernel, values["number"]),
                local=", ".join(map(str, kernel.info.local_size)),
                local_bytes=str(dynamic_local_bytes(kernel.info)),
                **values,
            )
        )
    has_variants = any(kernel.info.aligned_variant for kernel in kernels)
    return template(
        "cuda/library.c.in",
        library=library,
        count=str(len(kernels)),
        names=_strings([kernel.info.name for kernel in kernels]),
        aligned=_strings([kernel.info.aligned_variant for kernel in kernels]),
        local_bytes=", ".join(str(dynamic_local_bytes(kernel.info)) for kernel in kernels),
        arrays=template("cuda/arrays.c.in") if has_variants else "",
        kernels="\n".join(parts),
    )


def _cuda_choice(kernel: Kernel, number: str) -> str:
    """Return what takes the variant for aligned arrays; pointers of groups are not looked at."""
    if kernel.info.aligned_variant is None:
        return ""
    fields = [field for field in kernel.fields if field.role == "data"]
    if not fields:
        return f"  function = kernels->aligned[{number}];\n"
    calls, accesses = [], []
    for index, field in enumerate(fields):
        argument = field.argument
        assert isinstance(argument, MemrefArgument)
        calls.append(f" &&\n        {_fits(kernel, argument, f'&arrays[{index}]')}")
        accesses.append(f"{{0, 0, {int(argument.is_read)}, {int(argument.is_written)}}}")
    overlap = f" &&\n        !may_overlap(arrays, {len(fields)})"
    return template(
        "cuda/choice.c.in",
        number=number,
        arrays=", ".join(accesses),
        fits="".join(calls),
        overlap="" if kernel.info.variant_may_overlap else overlap,
    )


def _fits(kernel: Kernel, argument: MemrefArgument, array: str) -> str:
    lists = (f"(const int64_t[]){each}" for each in sizes_and_strides(kernel, argument))
    has_columns = kernel.info.aligned_strides and None in argument.stride[1:]
    data = f"args->{kernel.field('data', argument.name).name}"
    item_bytes = SCALAR_TYPES[argument.element_type].size_bytes
    words = (array, data, str(item_bytes), str(len(argument.shape)), *lists, str(int(has_columns)))
    return f"fits({', '.join(words)})"
