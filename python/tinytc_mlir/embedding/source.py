# SPDX-License-Identifier: BSD-3-Clause
"""The C source of a library: it checks arguments and calls the code for the processor."""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence

from ..runtime import bounds
from ..runtime.kernel_info import ScalarArgument
from ..scalars import SCALAR_TYPES
from .checks import checks
from .languages import c_type, template
from .table import Field, Kernel, element_type

# Requirements of code for the targets: a level of x86-64, 5 with sums of products of bf16, 6 with
# AMX; or bytes of registers of SVE, plus 1 with matrix instructions. Others need nothing that
# anybody asks for.
_LEVELS = {
    "x86-64-v2": 2,
    "x86-64-v3": 3,
    "x86-64-v4": 4,
    "x86-64-v4-bf16": 5,
    "x86-64-v4-amx": 6,
}
_REGISTER_BYTES = {"aarch64-mmla": 1, "aarch64-sve256": 33, "aarch64-sve512": 64}


def internal_name(kernel: Kernel, target: str) -> str:
    """Return the name of the code of a kernel for a target, inside the library."""
    return f"{kernel.c_name}_code_{target.replace('-', '_')}"


def c_source(library: str, kernels: Sequence[Kernel], targets: Sequence[str]) -> str:
    """Return the C source of a library.

    Args:
        library: its name.
        kernels: its kernels.
        targets: targets that there is code for, the best first.
    """
    needs = _LEVELS | _REGISTER_BYTES
    values = {
        "library": library,
        "names": ", ".join(f'"{target}"' for target in targets),
        "count": str(len(targets)),
        "levels": ", ".join(str(needs.get(target, 0)) for target in targets),
        "asks_for_tiles": str(int("x86-64-v4-amx" in targets)),
    }
    find = template(f"processor/choice_{_question(targets)}.c.in", **values)
    return template(
        "library.c.in",
        library=library,
        summary=f"Checks of the library {library}, and its choice of machine code.",
        includes="\n#include <stdatomic.h>\n",
        evaluator=_evaluator(),
        code=find + "\n" + template("processor/choice.c.in", **values) + "\n",
        kernels="\n".join(_kernel(kernel, targets) for kernel in kernels),
    )


def check_source(library: str, kernels: Sequence[Kernel]) -> str:
    """Return the C source of the checks of a library for devices.

    Args:
        library: its name.
        kernels: its kernels.
    """
    return template(
        "library.c.in",
        library=library,
        summary=f"Checks of the library {library}.",
        includes="",
        evaluator=_evaluator(),
        code="",
        kernels="\n".join(_check(kernel) for kernel in kernels),
    )


def _evaluator() -> str:
    """Return what launches from Python are checked with."""
    files = map(importlib.resources.files(bounds).joinpath, ("checks.c", "overlaps.c"))
    return "\n".join(file.read_text(encoding="utf-8").partition("\n")[2] for file in files)


def group_counts(kernel: Kernel) -> dict[str, str]:
    """Return the numbers of groups in x, y and z that callers give."""
    counts = [f"args->{f.name}" for f in kernel.fields if f.role == "groups"]
    return dict(zip(("nx", "ny", "nz"), [*counts, "1", "1"], strict=False))


def _check(kernel: Kernel, ready: str = "") -> str:
    return template("check.c.in", name=kernel.c_name, ready=ready, checks=checks(kernel))


def _question(targets: Sequence[str]) -> str:
    """Return what the library asks before it chooses code."""
    if any(target in _LEVELS for target in targets):
        return "x86_64"
    return "aarch64" if any(target in _REGISTER_BYTES for target in targets) else "one"


def _kernel(kernel: Kernel, targets: Sequence[str]) -> str:
    parameters, arguments = _call(kernel)
    names = [internal_name(kernel, target) for target in targets]
    count = str(len(targets))
    code = template(
        "processor/kernel.c.in",
        name=kernel.c_name,
        signature=kernel.info.signature,
        parameters=", ".join(parameters),
        arguments=", ".join(arguments),
        declarations="".join(
            f'__attribute__((visibility("hidden"))) {kernel.c_name}_code {name};\n'
            for name in names
        ),
        codes=", ".join(names),
        count=count,
        **group_counts(kernel),
    )
    ready = template(
        "processor/ready.c.in", kernel=kernel.info.name, count=count, targets=", ".join(targets)
    )
    return code + _check(kernel, ready)


def _call(kernel: Kernel) -> tuple[list[str], list[str]]:
    """Return types of the parameters of the code of a kernel, and what is passed."""
    types: list[str] = []
    values: list[str] = []
    for field in kernel.fields:
        if field.role in ("groups", "scratch"):
            continue
        given = f"args->{field.name}"
        if field.role == "scalar":
            _add_scalar(field, given, types, values)
        else:
            types.append(c_type(field))
            values.append(given)
    types += ["int64_t"] * 7
    values += ["begin", "end", "row % ny", "row / ny", "nx", "ny", "nz"]
    if kernel.scratch_bytes:
        types.append("void *")
        values.append("args->scratch")
    return types, values


def _add_scalar(field: Field, given: str, types: list[str], values: list[str]) -> None:
    assert isinstance(field.argument, ScalarArgument)
    type_ = SCALAR_TYPES[element_type(field.argument)]
    if type_.kind == "complex":
        part = "float" if type_.name == "c32" else "double"
        types += [part, part]
        values += [f"((const {part} *)&{given})[{index}]" for index in (0, 1)]
    else:
        types.append("int8_t" if type_.kind == "bool" else c_type(field))
        values.append(given)
