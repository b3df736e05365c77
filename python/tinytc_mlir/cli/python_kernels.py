# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that are functions of Python, named as `module.py:name`."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import TinyTCError, describe, got
from ..kernels.kernel import KernelFunction
from ..kernels.types import SCALARS
from ..tuning.autotuned_kernel import AutotunedKernel

if TYPE_CHECKING:
    from ..compiler import Module


def module_of_kernel(path: str, name: str, defines: Sequence[tuple[str, str]]) -> Module:
    """Return the module of a kernel in a file of Python, which is executed.

    Constants of an autotuned kernel have the first of their choices where they are not given.

    Args:
        path: the file.
        name: what the file calls the kernel.
        defines: values of `tt.const` parameters.

    Raises:
        TinyTCError: the file has no such kernel, or the kernel no such parameter.
        OSError: the file cannot be read.
    """
    kinds = (KernelFunction, AutotunedKernel)
    found = vars(_module(path)).get(name)
    if not isinstance(found, kinds):
        names = [n for n, v in vars(_module(path)).items() if isinstance(v, kinds)]
        listed = ", ".join(names) or "none"
        what = got(name, names) if found is None else f"got {describe(found)}"
        raise TinyTCError(f"{path}: expected one of the kernels {listed}, {what}")
    constants = {key: _value(text) for key, text in defines}
    if isinstance(found, AutotunedKernel):
        found, constants = cast("KernelFunction", found.with_first_choices(constants)), {}
    return found.with_constants(constants).module if constants else found.module


def kernels_in(text: str) -> list[str]:
    r"""Return the names of functions that look like kernels, without executing anything.

    >>> kernels_in("@tt.kernel\ndef scale(): pass")
    ['scale']
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return [f.name for f in functions if any("kernel" in ast.unparse(d) for d in f.decorator_list)]


def _module(path: str) -> object:
    """Return the module of a file, executed once."""
    name = f"tinytc_kernels.{Path(path).resolve()}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(Path(path).resolve().parent))  # as `python path` does
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def _value(text: str) -> object:
    """Return the value of a constant: a type, a number, or a text."""
    if text in SCALARS:
        return SCALARS[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
