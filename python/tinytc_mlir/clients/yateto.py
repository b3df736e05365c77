# SPDX-License-Identifier: BSD-3-Clause
"""Kernels for YATeTo, the code generator of SeisSol and tandem.

YATeTo asks tools for the products of its kernels. The tools of this module write calls of a library
and collect the programs for it; `Kernels.build` compiles them when YATeTo has finished. YATeTo is
imported when the tools are made, and its classes are their bases.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pathlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..embedding import build_library
from ..embedding.library import DEFAULT_TARGETS
from ..errors import TinyTCError

_TYPES = {"float": "f32", "double": "f64"}
_WORKING_SIZE = 128  # as YATeTo has it: above this mean of M, N and K, BLAS is as good


class Kernels:
    """The kernels of one run of YATeTo: tools that ask for them, and their libraries.

    The host's kernels are in the library `<name>`, those that take batches in `<name>_batches`.

    Args:
        folder: where the libraries are written, `include/` and `lib/` of `tinytc build`.
        name: name of the libraries.
        host: targets of native code for kernels of the host.
        device: target of kernels that take batches, such as `"cuda:sm_90"` or `"intel-gpu:pvc"`;
            targets of native code run batches on the host's threads. None leaves them to YATeTo.

    Example:
        >>> kernels = Kernels("generated", host=["native"], device="cuda:sm_90")
        >>> kernels.texts()
        []
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        name: str = "kernels",
        *,
        host: Sequence[str] = DEFAULT_TARGETS,
        device: str | Sequence[str] | None = None,
    ) -> None:
        self.folder = pathlib.Path(folder)
        self.name = name
        self.batch_name = f"{name}_batches"
        self._host = tuple(host)
        self._device = (device,) if isinstance(device, str) else tuple(device or ())
        self._texts: dict[str, dict[str, str]] = {name: {}, self.batch_name: {}}

    def tools(self, arch: Any) -> list[Any]:
        """Return the tools, for YATeTo's `GeneratorCollection`.

        With a device, YATeTo's own classes `TinytcWrapper` and `TinytcWriter` are replaced by
        those of this object for the rest of the process.

        Args:
            arch: YATeTo's architecture.

        Raises:
            TinyTCError: YATeTo is not installed, or has no class of a tool.
        """
        configuration = _imported("yateto.gemm_configuration")
        tools = [_host_tool(configuration, self, arch)]
        if self._device:
            tools.append(_batch_tool(configuration, arch))
            _replace_writers(self)
        return tools

    def add(self, library: str, kernel: str, text: str) -> None:
        """Add a program with one kernel to a library."""
        self._texts[library].setdefault(kernel, text)

    def texts(self) -> list[str]:
        """Return the programs so far: those for the host, then those for batches."""
        return [text for texts in self._texts.values() for text in texts.values()]

    def build(self) -> list[pathlib.Path]:
        """Compile all kernels that YATeTo has asked for, and return the files.

        Raises:
            CompileError: a program of YATeTo is wrong.
            TinyTCError: a library cannot be built.
        """
        from ..compiler import Context

        files = []
        for library, targets in ((self.name, self._host), (self.batch_name, self._device)):
            if self._texts[library]:
                text = "\n".join(self._texts[library].values())
                module = Context().parse(text, f"{library}.ir")
                files += build_library(module, self.folder, library, targets=targets)
        return files


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise TinyTCError(
            f"expected YATeTo's module {name} (https://github.com/SeisSol/yateto), got none"
        ) from error


def _base(configuration: Any, name: str) -> Any:
    found = getattr(configuration, name, None)
    if found is None:
        raise TinyTCError(
            f"expected YATeTo with the tool {name} in {configuration.__name__}, got one without"
        )
    return found


def _host_tool(configuration: Any, kernels: Kernels, arch: Any) -> Any:
    """Return the tool for products on the host, where YATeTo calls tools as it calls BLAS."""

    class TinyTC(_base(configuration, "BLASlike")):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(kernels.name, [f"{kernels.name}_batch.hpp"])

        def archSupported(self) -> bool:  # noqa: N802
            return True

        def supported(self, *arguments: Any, **options: Any) -> bool:
            """Return whether a product is on the host, and of dense matrices of one type."""
            *_, target = [*arguments, *options.values()]
            is_sparse = arguments[3] or arguments[4]
            types = {each.ctype() for each in arguments if hasattr(each, "ctype")}
            is_known = types <= _TYPES.keys() and len(types) <= 1
            return target == "cpu" and not is_sparse and is_known

        def preference(self, m: int, n: int, k: int, *_: Any, **__: Any) -> int:
            preference = configuration.Preference
            is_small = (m * n * k) ** (1 / 3) <= _WORKING_SIZE
            return int(preference.HIGHEST if is_small else preference.LOW)

        def call(self, *arguments: Any, **options: Any) -> str:
            """Return the statement that computes a product."""
            return _host_call(kernels, arch, arguments, options)

    return TinyTC()


def _host_call(
    kernels: Kernels, arch: Any, arguments: Sequence[Any], options: dict[str, Any]
) -> str:
    transposed_a, transposed_b, m, n, k, alpha, a, stride_a, b, stride_b, beta, c, stride_c = (
        arguments[:13]
    )
    given = [*arguments[13:], *options.values()]
    named = [each.ctype() for each in given if hasattr(each, "ctype")]
    c_type = named[-1] if named else arch.typename
    if c_type not in _TYPES:
        raise TinyTCError(f"expected a product of {' or '.join(_TYPES)}, got one of {c_type}")
    type_ = _TYPES[c_type]
    factors, parameters, lines = [], [], []
    for name, value in (("alpha", alpha), ("beta", beta)):
        if value in (0.0, 1.0):
            lines.append(f"  %{name} = constant {float(value)} : {type_}")
        else:
            parameters.append(f"%{name}: {type_}")
            factors.append(str(value))
    for name, shape, stride in (
        ("A", (k, m) if transposed_a else (m, k), stride_a),
        ("B", (n, k) if transposed_b else (k, n), stride_b),
        ("C", (m, n), stride_c),
    ):
        rows, columns = shape
        memref = f"memref<{type_}x{rows}x{columns}, strided<1,{stride}>>"
        parameters.append(f"%{name}: {memref}")
    form = ".".join("t" if each else "n" for each in (transposed_a, transposed_b))
    lines.append(f"  gemm.{form} %alpha, %A, %B, %beta, %C")
    body = f"({', '.join(parameters)}) {{\n" + "\n".join(lines) + "\n}\n"
    kernel = f"gemm_{m}x{n}x{k}_{hashlib.sha256(body.encode()).hexdigest()[:16]}"
    kernels.add(kernels.name, kernel, f"func @{kernel}{body}")
    words = ", ".join(["1", "nullptr", *factors, str(a), str(b), str(c)])
    return f"{kernels.name}::batch::{kernel}({words});"


def _batch_tool(configuration: Any, arch: Any) -> Any:
    """Return the tool for batches, by whose class YATeTo chooses to fuse products."""

    class TinyTCBatches(_base(configuration, "tinytc")):  # type: ignore[misc]
        def archSupported(self) -> bool:  # noqa: N802
            return True

    return TinyTCBatches(arch)


def _replace_writers(kernels: Kernels) -> None:
    """Let YATeTo's generators of batches write calls of a library."""
    wrapper = _wrapper(_imported("yateto.codegen.common"), kernels)
    writer = _writer(_imported("yateto.codegen.cache"), kernels)
    for name in ("fused_gemms", "copyscaleadd"):
        _imported(f"yateto.codegen.{name}.tinytc")
    for module in [each for name, each in sys.modules.items() if name.startswith("yateto.codegen")]:
        for name, replacement in (("TinytcWrapper", wrapper), ("TinytcWriter", writer)):
            if hasattr(module, name):
                setattr(module, name, replacement)


def _wrapper(common: Any, kernels: Kernels) -> Any:
    base = _base(common, "TinytcWrapper")
    base = getattr(base, "replaced", base)

    class TinytcWrapper(base):  # type: ignore[misc,valid-type]
        replaced = base

        def __init__(self, kernel: Any, arguments: Sequence[Any], *options: Any) -> None:
            super().__init__(kernel, arguments, *options)
            self._arguments = list(arguments)
            kernels.add(kernels.batch_name, self.kernel_name, self.source)

        def definition(self) -> str:
            """Return the function that runs the kernel for a batch."""
            aux = common.BatchedOperationsAux
            given = [aux.NUM_ELEMENTS_NAME, aux.STREAM_PTR_NAME, *self._values()]
            function = f"{kernels.batch_name}::batch::{self.kernel_name}"
            return f"{self.prototype()[:-1]} {{\n  {function}({', '.join(given)});\n}}\n\n"

        def _values(self) -> Iterator[str]:
            for argument in self._arguments:
                yield argument.name
                is_group = hasattr(argument, "constant") and not (
                    argument.constant or argument.temporary
                )
                if is_group:
                    yield f"{common.BatchedOperationsAux.EXTRA_OFFSET_NAME}_{argument.name}"

    return TinytcWrapper


def _writer(cache: Any, kernels: Kernels) -> Any:
    base = _base(cache, "TinytcWriter")
    base = getattr(base, "replaced", base)

    class TinytcWriter(base):  # type: ignore[misc,valid-type]
        replaced = base

        def header(self, cpp: Any) -> None:
            """Include what the functions call."""
            cpp.include(f"{kernels.batch_name}_batch.hpp")

    return TinytcWriter
