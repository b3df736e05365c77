# SPDX-License-Identifier: BSD-3-Clause
"""Tells mypy that `tt.f32[56, 9]` is an array, as types of its own contain no numbers.

A configuration names it: `plugins = tinytc_mlir.kernels.mypy_plugin`. Without it, parameters of
kernels can be anything for mypy. pyright needs no plugin.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.types import Type

from .types import SCALARS

_LANGUAGE, _VALUES = (f"{__package__}.{name}" for name in ("language", "values_of_kernels"))
_CLASSES = {**dict.fromkeys(SCALARS, "Typed"), "group": "Members"}


class KernelTypes(Plugin):
    """Knows the types of parameters of kernels."""

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Return what makes a type of an annotation, None for those that are none of ours."""
        module, _, name = fullname.rpartition(".")
        if module != _LANGUAGE or name not in _CLASSES:
            return None
        return lambda context: context.api.named_type(f"{_VALUES}.{_CLASSES[name]}", [])


def plugin(version: str) -> type[Plugin]:
    """Return the plugin for a version of mypy."""
    return KernelTypes
