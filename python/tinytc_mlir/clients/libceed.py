# SPDX-License-Identifier: BSD-3-Clause
"""A back end of libCEED, the library of finite elements without matrices.

libCEED's back ends for processors contract tensors with small matrices: one axis of the values at
the nodes of elements after the other. The library that is built here registers the back ends
`/cpu/self/tinytc/serial` and `/cpu/self/tinytc/blocked`, which contract by kernels of this package,
and `/cpu/self/tinytc/fused`, which also applies mass and diffusion of hexahedra by one kernel.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pathlib
import re
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..embedding import build_library
from ..embedding.library import DEFAULT_TARGETS, compile_shared
from ..errors import TinyTCError
from ..version import __version__
from .ceed_operators import BLOCK, DIFFUSION, MASS, OperatorKernel

_LIBRARY = "ceed_tinytc_kernels"
_MAX_LOCAL_BYTES = 256 * 1024  # of native code
_ANY = 0  # number of rows that a call gives
#: Numbers of nodes and quadrature points in 1-D: those of orders 1 to 8 with a point more than
#: nodes, as CEED's problems have them.
ORDERS = tuple((order + 1, order + 2) for order in range(1, 9))


def build_backend(
    folder: str | os.PathLike[str],
    *,
    sizes: Sequence[tuple[int, int]] = ORDERS,
    targets: Sequence[str] = DEFAULT_TARGETS,
    include: str | os.PathLike[str] | None = None,
) -> pathlib.Path:
    """Build the back end and return the shared library `lib/libceed_tinytc.so`.

    Programs link it or load it with `LD_PRELOAD`; Python loads it with `load_backend`.

    Args:
        folder: where to write `include/`, `src/` and `lib/`.
        sizes: pairs of the nodes and the quadrature points of bases in 1-D that there are kernels
            for; others are computed by plain loops.
        targets: targets of native code.
        include: the folder with `ceed.h`; by default that of the installed package libceed.

    Raises:
        TinyTCError: there are no headers or no C compiler, or a pair is wrong.
    """
    for pair in sizes:
        if len(pair) != 2 or not all(isinstance(size, int) and size > 0 for size in pair):
            raise TinyTCError(f"expected pairs of positive integers as sizes, got {pair}")
    headers = _headers(include)
    from ..compiler import Context

    place = pathlib.Path(folder)
    kernels = list(dict.fromkeys(_kernels(sizes)))
    operators = list(_operator_kernels(sizes))
    texts = [kernel.text() for kernel in kernels] + [kernel.text() for kernel in operators]
    build_library(Context().parse("\n".join(texts), "ceed.ir"), place, _LIBRARY, targets=targets)
    header = (place / "include" / f"{_LIBRARY}.h").read_text(encoding="utf-8")
    sources = []
    for name, text in (
        ("ceed_tinytc", _source(kernels, targets)),
        ("ceed_tinytc_operators", _operators(operators, header)),
    ):
        sources.append(place / "src" / f"{name}.c")
        sources[-1].parent.mkdir(exist_ok=True)
        sources[-1].write_text(text, encoding="utf-8")
    made = place / "lib" / "libceed_tinytc.so"
    archive = place / "lib" / f"lib{_LIBRARY}.a"
    compile_shared(sources, made, [headers, place / "include"], [archive])
    return made


def load_backend(library: str | os.PathLike[str]) -> None:
    """Make the back ends known to the package libceed in this process.

    Args:
        library: what `build_backend` returned.

    Raises:
        TinyTCError: the package is not installed.
    """
    ctypes.CDLL(str(_package() / "lib" / "libceed.so"), ctypes.RTLD_GLOBAL)
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)


class _Contraction(NamedTuple):
    """A contraction of one axis.

    Args:
        start: size of the axis before.
        to: its size afterwards.
        rows: number of values before the axis, `_ANY` if calls give it.
        is_transposed: whether the matrix is.
    """

    start: int
    to: int
    rows: int
    is_transposed: bool

    @property
    def name(self) -> str:
        """Name of the kernel."""
        form = "t" if self.is_transposed else "n"
        return f"contract_{self.start}_{self.to}_{self.rows}_{form}"

    def text(self) -> str:
        """Return the kernel; a matrix of libCEED is by rows, so it is transposed to us."""
        start, to, rows, is_transposed = self
        matrix = f"memref<f64x{to}x{start}>" if is_transposed else f"memref<f64x{start}x{to}>"
        head = f"func @{self.name}(%beta: f64, %t: {matrix}, %u: memref<f64x"
        one = "  %one = constant 1.0 : f64\n"
        if rows == 1:  # all groups are columns of one product
            form = "n.n" if is_transposed else "t.n"
            return (
                f"{head}{start}x?>, %v: memref<f64x{to}x?>) {{\n{one}"
                f"  gemm.{form} %one, %t, %u, %beta, %v\n}}\n"
            )
        size = "?" if rows == _ANY else str(rows)
        form = "n.t" if is_transposed else "n.n"
        return (
            f"{head}{size}x{start}x?>, %v: memref<f64x{size}x{to}x?>) {{\n{one}"
            "  %group = group_id : index\n"
            f"  %a = subview %u[:, :, %group] : memref<f64x{size}x{start}>\n"
            f"  %c = subview %v[:, :, %group] : memref<f64x{size}x{to}>\n"
            f"  gemm.{form} %one, %a, %t, %beta, %c\n}}\n"
        )


def _kernels(sizes: Sequence[tuple[int, int]]) -> Iterator[_Contraction]:
    """Yield the contractions of bases: interpolation, derivatives at points, and transposes."""
    for nodes, points in sizes:
        for start, to, is_transposed in (
            (nodes, points, False),
            (points, nodes, True),
            (points, points, False),
            (points, points, True),
        ):
            powers = [to, to * to]
            blocks = [BLOCK, *(BLOCK * each for each in powers)]
            for rows in (1, *powers, *blocks, _ANY):
                yield _Contraction(start, to, rows, is_transposed)


def _operator_kernels(sizes: Sequence[tuple[int, int]]) -> Iterator[OperatorKernel]:
    """Yield the kernels of operators whose arrays fit, and whose slopes those at points give."""
    for nodes, points in dict.fromkeys(sizes):
        for kind in (MASS, DIFFUSION):
            kernel = OperatorKernel(kind, nodes, points)
            if kernel.local_bytes <= _MAX_LOCAL_BYTES and (kind == MASS or points >= nodes):
                yield kernel


def _source(kernels: Sequence[_Contraction], targets: Sequence[str]) -> str:
    pairs: dict[tuple[int, int], dict[int, list[_Contraction | None]]] = {}
    for kernel in kernels:
        by_rows = pairs.setdefault((kernel.start, kernel.to), {})
        by_rows.setdefault(kernel.rows, [None, None])[kernel.is_transposed] = kernel
    tables, sizes = [], []
    for (start, to), by_rows in pairs.items():
        lines = []
        for rows in sorted(by_rows, reverse=True):
            names = ", ".join(f"run_{each.name}" if each else "NULL" for each in by_rows[rows])
            lines.append(f"    {{{rows}, {{{names}}}}},\n")
        name = f"entries_{start}_{to}"
        tables.append(f"static const struct entry {name}[] = {{\n{''.join(lines)}}};\n")
        sizes.append(f"    {{{start}, {to}, {name}}},\n")
    return _template(
        "ceed.c.in",
        targets=", ".join(targets),
        functions="".join(map(_function, kernels)),
        entries="\n".join(tables),
        sizes="".join(sizes),
    )


def _operators(kernels: Sequence[OperatorKernel], header: str) -> str:
    functions, entries = [], []
    for kernel in kernels:
        name = f"{_LIBRARY}_{kernel.name}"
        # The header says how much memory a kernel needs of its caller.
        words = rf"needs (\d+) bytes of scratch memory[^/]*/\nvoid {name}\("
        scratch = re.search(words, header)
        functions.append(
            f"static void run_{kernel.name}(const struct block *block, int64_t group) {{\n"
            f"  const {name}_args args = {{\n"
            "      .interpolation = block->interpolation, .derivative = block->derivative,\n"
            "      .data = block->data, .data_shape3 = block->blocks,\n"
            "      .places = block->places, .places_shape2 = block->blocks,\n"
            "      .u = block->u, .u_shape0 = block->nodes, .result = block->result,\n"
            f"{'      .scratch = block->scratch,' if scratch else ''}\n"
            "      .groups = block->blocks};\n"
            f"  {name}(&args, group, group + 1);\n}}\n\n"
        )
        size = scratch[1] if scratch else 0
        values = (int(kernel.kind == DIFFUSION), kernel.nodes, kernel.points, size)
        entries.append(f"    {{{', '.join(map(str, values))}, run_{kernel.name}}},\n")
    return _template(
        "ceed_operator.c.in",
        block=str(BLOCK),
        functions="".join(functions),
        entries="".join(entries),
    )


def _template(name: str, **values: str) -> str:
    path = pathlib.Path(__file__).parent / "templates" / name
    text = string.Template(path.read_text(encoding="utf-8"))
    return text.substitute(values, version=__version__, library=_LIBRARY)


def _function(kernel: _Contraction) -> str:
    """Return the C function that calls a kernel."""
    rows = kernel.rows
    name = f"{_LIBRARY}_{kernel.name}"
    last = 1 if rows == 1 else 2
    fields = [".beta = beta", ".t = t", ".u = u", ".v = v"]
    fields += [f".{array}_shape{last} = groups" for array in "uv"]
    if rows == _ANY:
        fields += [f".{array}_shape0 = rows" for array in "uv"]
        fields += [f".u_stride1 = rows, .u_stride2 = rows * {kernel.start}"]
        fields += [f".v_stride1 = rows, .v_stride2 = rows * {kernel.to}"]
    count = "1" if rows == 1 else "groups"
    return (
        f"static void run_{kernel.name}(int64_t groups, int64_t rows, double beta,\n"
        "    const double *t, const double *u, double *v) {\n"
        f"  const {name}_args args = {{{', '.join(fields)}, .groups = {count}}};\n"
        "  (void)rows;\n"
        f"  {name}(&args, 0, {count});\n}}\n\n"
    )


def _package() -> pathlib.Path:
    found = importlib.util.find_spec("libceed")
    if found is None or found.origin is None:
        raise TinyTCError("expected the package libceed (pip install libceed==0.12.0), got none")
    return pathlib.Path(found.origin).parent


def _headers(include: str | os.PathLike[str] | None) -> pathlib.Path:
    folder = _package() / "include" if include is None else pathlib.Path(include)
    if not (folder / "ceed" / "backend.h").is_file():
        raise TinyTCError(f"expected libCEED's headers, ceed/backend.h among them, in {folder}")
    return folder
