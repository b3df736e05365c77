# SPDX-License-Identifier: BSD-3-Clause
"""Modules of functions: the front-end's emitter and verifier, and the cache of programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..compiler import Context, Module
from ..errors import CompileError
from ..program_cache import Source
from .source import FunctionSource
from .types import Type

if TYPE_CHECKING:
    from .translation import Translation


def build(
    source: FunctionSource,
    types: Mapping[str, Type],
    constants: Mapping[str, object],
    options: Mapping[str, object],
    translation: Callable[..., Translation] | None = None,
) -> Module:
    """Return the module of a function.

    Args:
        source: the function.
        types: the type of each parameter.
        constants: values of `tt.const` parameters.
        options: attributes of the kernel.
        translation: makes the reader of the function, None for that of kernels.

    Raises:
        ParseError: the function has what kernels do not have, or misuses names, types or constants.
        VerificationError: an instruction violates a restriction of the language.
    """
    from ..frontend import ast as text
    from ..frontend import verified
    from ..frontend.emit import Emitter
    from ..frontend.preprocessor import Preprocessor
    from ..frontend.source import Reporter, TooManyErrors
    from .joined_source import JoinedSource
    from .translation import Translation, in_python

    translation = translation or Translation
    context = Context()
    joined = JoinedSource(source.source)
    place = source.span(source.tree)
    emitter = Emitter(Reporter(joined), context._mlir_context, Preprocessor({}), place)
    reader = translation(source, emitter.reporter, constants, emitter)
    function = reader.function(types, options)
    with contextlib.suppress(TooManyErrors):
        emitter.program(text.Program(function.span, [function], {}))
    try:
        module = verified(emitter)
    except CompileError as error:
        raise type(error)(in_python(list(error.diagnostics), reader.written)) from None
    sources = {each.filename: each.text for _, each in reversed(joined.files)}
    return Module(context, module.operation, sources, is_text=True)


class _LazyContext(Context):
    """A context that makes the module of a function when no program of it is in the cache."""

    def __init__(self, make: Callable[[], Module]) -> None:
        super().__init__()
        self._make = make

    def _read(self, source: Source) -> Module:
        module = self._make()
        self.__dict__["_mlir_context"] = module.context._mlir_context
        return module


def lazy_module(source: FunctionSource, key: Sequence[str], make: Callable[[], Module]) -> Module:
    """Return a module that is made only if its program has to be compiled.

    Args:
        source: the function.
        key: what else the program depends on.
        make: returns the module.
    """
    named = Source("python", "\n".join([source.key(), *key]), source.filename)
    return Module(_LazyContext(make), None, {}, is_text=True, source=named)
