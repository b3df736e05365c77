"""Compares chains of products with the fastest code written by hand for each, on one core.

Run with `python bench/chain_bounds.py seissol.f32` on Linux with AVX-512 and gcc; the arguments
are names of cases as for `tinytc bench`. All groups use the same matrices, which stay in the
first-level cache. The output lists, in nanoseconds for each group:

- fma: the multiply-adds of the chain at the rate of those that only use registers, where rows that
  do not fill a register count as if they did;
- given: code for the sizes and strides of the chain, with masks for what is beyond the last row;
- padded: code for matrices whose columns are copied to whole registers and cache lines before,
  which a program in SeisSol's layout cannot have;
- libxsmm's kernels, and our kernel.

For each product, the code written by hand comes in several tiles, of which the fastest is taken;
where a product only multiplies what the one before it computed, also as one step that keeps that
in registers, if it is faster. A time is the least of several, CPU times of one core.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import cpu_time  # sets the number of threads before the libraries start theirs
import numpy as np
import numpy.typing as npt

from tinytc_bench.case import Case
from tinytc_bench.cases import select
from tinytc_bench.chains import Chain, Product
from tinytc_bench.data import Data
from tinytc_mlir.measure.timing import geometric_mean

_Array: TypeAlias = npt.NDArray[np.floating[Any]]

_REGISTERS = 32
_TILES = ((1, 9), (2, 9), (3, 9), (4, 5), (4, 3), (2, 5), (1, 5), (1, 3), (2, 3))
_FUSED_ROWS = (1, 2, 3)
_ROUNDS = 15
_TURN = 2000
HEAD = """
#include <immintrin.h>
#define INLINE static inline __attribute__((always_inline))
"""
TYPES = {
    "f32": """
typedef float T; typedef __m512 V; typedef __mmask16 M;
#define L 16
#define ALL 0xffffu
#define FMA _mm512_fmadd_ps
#define SET _mm512_set1_ps
#define LOAD _mm512_maskz_loadu_ps
#define STORE _mm512_mask_storeu_ps
""",
    "f64": """
typedef double T; typedef __m512d V; typedef __mmask8 M;
#define L 8
#define ALL 0xffu
#define FMA _mm512_fmadd_pd
#define SET _mm512_set1_pd
#define LOAD _mm512_maskz_loadu_pd
#define STORE _mm512_mask_storeu_pd
""",
}
TAIL = """
typedef void (*step_function)(const T *a, const T *b, T *c, const T *s);
struct step { step_function run; const T *a, *b, *s; T *c; };

void run_steps(const struct step *steps, long count, long times) {
    for (long i = 0; i < times; ++i)
        for (long p = 0; p < count; ++p)
            steps[p].run(steps[p].a, steps[p].b, steps[p].c, steps[p].s);
}

/* 24 sums of `times` multiply-adds each. */
void multiply_add(long times, T *result) {
    V value[24];
    const V factor = SET((T)0.999), term = SET((T)0.001);
    for (int r = 0; r < 24; ++r)
        value[r] = SET((T)r);
    for (long i = 0; i < times; ++i)
        _Pragma("GCC unroll 24")
        for (int r = 0; r < 24; ++r)
            value[r] = FMA(value[r], factor, term);
    for (int r = 1; r < 24; ++r)
        value[0] = FMA(value[r], factor, value[0]);
    STORE(result, ALL, value[0]);
}
"""


class _Step(ctypes.Structure):
    """`struct step` of the C code."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("run", "a", "b", "s", "c"))


def _even(extent: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield begin and size of pieces that differ in size by one at most."""
    count = -(-extent // most)
    begin = 0
    for i in range(count):
        size = (extent - begin) // (count - i)
        yield begin, size
        begin += size


class Code:
    """The C code of a chain in one layout.

    Args:
        chain: the chain.
        type_: scalar type.
        is_padded: whether columns are whole registers.
    """

    def __init__(self, chain: Chain, type_: str, is_padded: bool) -> None:
        self.chain = chain
        self.lanes = 16 if type_ == "f32" else 8
        self.is_padded = is_padded
        self.suffix = "padded" if is_padded else "given"

    def rows(self, name: str) -> int:
        """Return the distance of the columns of a matrix."""
        rows = self.chain.matrices[name].rows
        return -(-rows // self.lanes) * self.lanes if self.is_padded else rows

    def mask(self, rows: int, block: int) -> str:
        """Return the mask of a block of rows."""
        left = rows - block * self.lanes
        if self.is_padded or left >= self.lanes:
            return "ALL"
        return f"{(1 << left) - 1:#x}u"

    def b(self, product: Product, column: int, step: str) -> str:
        """Return an element of B."""
        stride = self.rows(product.b)
        if product.is_b_transposed:
            return f"b[{column} + ({step}) * {stride}]"
        return f"b[({step}) + {column * stride}]"

    def sums(
        self, product: Product, blocks: tuple[int, int], columns: tuple[int, int], adds: bool
    ) -> Iterator[str]:
        """Yield the loop of a tile, whose sums are v{row}_{column}."""
        rows, _, inner = product.sizes
        first, height = blocks
        places = itertools.product(range(first, first + height), range(columns[0], sum(columns)))
        tile = list(places)
        for i, j in tile:
            place = f"c + {j * self.rows(product.c) + i * self.lanes}"
            old = f"LOAD({self.mask(rows, i)}, {place})" if adds else "SET(0)"
            yield f"V v{i}_{j} = {old};"
        yield f"for (long k = 0; k < {inner}; ++k) {{"
        for i in range(first, first + height):
            place = f"a + k * {self.rows(product.a)} + {i * self.lanes}"
            yield f"const V a{i} = LOAD({self.mask(rows, i)}, {place});"
        for j in range(columns[0], sum(columns)):
            yield f"const V b{j} = SET({self.b(product, j, 'k')});"
            for i in range(first, first + height):
                yield f"v{i}_{j} = FMA(a{i}, b{j}, v{i}_{j});"
        yield "}"

    def product(self, number: int, tile: tuple[int, int]) -> Iterator[str]:
        """Yield the function of a product in tiles of rows of registers and columns."""
        product = self.chain.products[number]
        rows, count, _ = product.sizes
        yield f"void p{number}_{tile[0]}_{tile[1]}_{self.suffix}"
        yield "(const T *a, const T *b, T *c, const T *s) {"
        for columns in _even(count, tile[1]):
            for blocks in _even(-(-rows // self.lanes), tile[0]):
                yield "{"
                yield from self.sums(product, blocks, columns, product.adds)
                for i in range(blocks[0], sum(blocks)):
                    for j in range(columns[0], sum(columns)):
                        place = f"c + {j * self.rows(product.c) + i * self.lanes}"
                        yield f"STORE({place}, {self.mask(rows, i)}, v{i}_{j});"
                yield "}"
        yield "}"

    def fused(self, number: int, height: int) -> Iterator[str]:
        """Yield the function of a product and the next one, with what is between in registers."""
        first, second = self.chain.products[number : number + 2]
        rows, count, _ = first.sizes
        yield f"void f{number}_{height}_{self.suffix}"
        yield "(const T *a, const T *b, T *c, const T *s) {"
        for blocks in _even(-(-rows // self.lanes), height):
            yield "{"
            yield from self.sums(first, blocks, (0, count), False)
            for j in range(second.sizes[1]):
                for i in range(blocks[0], sum(blocks)):
                    place = f"c + {j * self.rows(second.c) + i * self.lanes}"
                    mask = self.mask(rows, i)
                    old = f"LOAD({mask}, {place})" if second.adds else "SET(0)"
                    yield f"V r{i}_{j} = {old};"
                    for k in range(second.sizes[2]):
                        element = f"SET(s[{k + j * self.rows(second.b)}])"
                        yield f"r{i}_{j} = FMA(v{i}_{k}, {element}, r{i}_{j});"
                    yield f"STORE({place}, {mask}, r{i}_{j});"
            yield "}"
        yield "}"

    def can_fuse(self, number: int) -> bool:
        """Return whether a product computes only what the next one multiplies from the left."""
        products = self.chain.products
        if number + 1 == len(products) or products[number].adds:
            return False
        return products[number].c == products[number + 1].a

    def functions(self) -> Iterator[tuple[int, int, str]]:
        """Yield first product, number of products and name of each function."""
        for number, product in enumerate(self.chain.products):
            registers = -(-product.sizes[0] // self.lanes)
            tiles = {(min(h, registers), min(w, product.sizes[1])) for h, w in _TILES}
            for height, width in sorted(tiles):
                if height * width + height <= _REGISTERS:
                    yield number, 1, f"p{number}_{height}_{width}_{self.suffix}"
            if self.can_fuse(number):
                for height in sorted({min(h, registers) for h in _FUSED_ROWS}):
                    yield number, 2, f"f{number}_{height}_{self.suffix}"

    def text(self) -> str:
        """Return all functions."""
        lines: list[str] = []
        for number, count, name in self.functions():
            sizes = [int(text) for text in name.split("_")[1:-1]]
            if count == 1:
                lines += self.product(number, (sizes[0], sizes[1]))
            else:
                lines += self.fused(number, sizes[0])
        return "\n".join(lines)


def compile_c(text: str, folder: str) -> ctypes.CDLL:
    """Return the library built from C code."""
    source = pathlib.Path(folder) / "chain.c"
    source.write_text(text)
    output = source.with_suffix(".so")
    flags = ("-O2", "-march=native", "-mprefer-vector-width=512", "-shared", "-fPIC")
    subprocess.run(["gcc", *flags, "-o", str(output), str(source)], check=True)
    return ctypes.CDLL(str(output))


def _aligned(rows: int, columns: int, dtype: npt.DTypeLike, seed: int) -> _Array:
    """Return a matrix that begins at a cache line."""
    count = rows * columns
    memory = np.zeros(count + 32, dtype)
    first = -memory.ctypes.data % 64 // memory.itemsize
    values: _Array = memory[first : first + count].reshape((rows, columns), order="F")
    values[:] = np.random.default_rng(seed).uniform(-1, 1, (rows, columns)) / 64
    return values


def _least(candidates: dict[str, Callable[[], Any]], times: int, rounds: int) -> dict[str, float]:
    """Return the least CPU time of each candidate for one of `times`, in nanoseconds."""
    least = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            run()
            begin = time.process_time_ns()
            run()
            least[name] = min(least[name], (time.process_time_ns() - begin) / times)
    return least


class _Chosen:
    """The fastest steps of a chain in one layout."""

    def __init__(self, library: ctypes.CDLL, code: Code, dtype: npt.DTypeLike) -> None:
        self.library, self.code = library, code
        chain = code.chain
        self.arrays = {
            name: _aligned(code.rows(name), matrix.columns, dtype, seed)
            for seed, (name, matrix) in enumerate(chain.matrices.items())
        }
        for name, matrix in chain.matrices.items():
            self.arrays[name][matrix.rows :] = 0
        candidates: dict[str, Callable[[], Any]] = {}
        places: dict[str, tuple[int, int]] = {}
        for number, count, name in code.functions():
            candidates[name] = self.runner([self.step(name, number, count)], _TURN)
            places[name] = (number, count)
        times = _least(candidates, _TURN, 3)
        # The fastest way to compute the first products.
        best: list[tuple[float, list[str]]] = [(0.0, [])]
        for end in range(1, len(chain.products) + 1):
            ways = [
                (best[number][0] + times[name], [*best[number][1], name])
                for name, (number, count) in places.items()
                if number + count == end
            ]
            best.append(min(ways))
        self.names = best[-1][1]
        self.steps = [self.step(name, *places[name]) for name in self.names]

    def step(self, function: str, number: int, count: int) -> _Step:
        """Return a step with the addresses of its matrices."""
        first = self.code.chain.products[number]
        last = self.code.chain.products[number + count - 1]
        b, s = self.arrays[first.b], self.arrays[last.b]
        offset = first.first * b.itemsize
        address = ctypes.cast(self.library[function], ctypes.c_void_p)
        a, c = self.arrays[first.a], self.arrays[last.c]
        return _Step(address, a.ctypes.data, b.ctypes.data + offset, s.ctypes.data, c.ctypes.data)

    def runner(self, steps: list[_Step], times: int) -> Callable[[], Any]:
        """Return a function that runs steps several times."""
        array = (_Step * len(steps))(*steps)
        return lambda: self.library.run_steps(
            array, ctypes.c_long(len(steps)), ctypes.c_long(times)
        )

    def check(self) -> None:
        """Compare one run with NumPy."""
        chain = self.code.chain
        expected = {
            name: self.arrays[name][: matrix.rows].astype(np.float64)
            for name, matrix in chain.matrices.items()
        }
        for product in chain.products:
            part = product.slices()
            a, b, c = (
                expected[getattr(product, name)][row : row + rows, column : column + columns]
                for name, (row, rows, column, columns) in part.items()
            )
            value = a @ (b.T if product.is_b_transposed else b)
            c[:] = c + value if product.adds else value
        self.runner(self.steps, 1)()
        result = chain.products[-1].c
        rows = chain.matrices[result].rows
        np.testing.assert_allclose(self.arrays[result][:rows], expected[result], 1e-4, 1e-5)


def fmas(chain: Chain, lanes: int) -> int:
    """Return the multiply-adds of registers."""
    return sum(-(-p.sizes[0] // lanes) * p.sizes[1] * p.sizes[2] for p in chain.products)


def _measure(case: Case, chain: Chain, folder: str) -> tuple[dict[str, float], dict[str, str]]:
    """Return the times of a case, and what was chosen by hand."""
    codes = [Code(chain, case.type, is_padded) for is_padded in (False, True)]
    text = "".join((HEAD, TYPES[case.type], *(code.text() for code in codes), TAIL))
    library = compile_c(text, folder)
    dtype = np.float32 if case.type == "f32" else np.float64
    result = np.zeros(16, dtype)
    data = Data(case, 4000)
    runs: dict[str, Callable[[], Any]] = {}
    runs["fma"] = lambda: library.multiply_add(
        ctypes.c_long(data.groups * 10), ctypes.c_void_p(result.ctypes.data)
    )
    names = {}
    for code in codes:
        chosen = _Chosen(library, code, dtype)
        chosen.check()
        chosen.arrays["Q"][:] = 0  # which grows with each addition
        runs[code.suffix] = chosen.runner(chosen.steps, data.groups)
        names[code.suffix] = " ".join(name.rpartition("_")[0] for name in chosen.names)
    libxsmm = cpu_time.libxsmm(case, chain, data, True, False)
    if libxsmm is not None:
        runs["libxsmm"] = libxsmm
    runs["ours"] = cpu_time.ours(case, chain, data, True)
    times = _least(runs, data.groups, _ROUNDS)
    times["fma"] *= fmas(chain, 16 if case.type == "f32" else 8) / 240
    return times, names


def main() -> None:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["seissol"], metavar="CASE")
    cases = [case for case in select(parser.parse_args().cases) if case.chain is not None]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    columns = ("fma", "given", "padded", "libxsmm", "ours")
    print(f"{'case':27}" + "".join(f"{name:>9}" for name in columns) + "  given/libxsmm by hand")
    ratios: dict[str, list[float]] = {name: [] for name in columns}
    for case in cases:
        assert case.chain is not None
        with tempfile.TemporaryDirectory() as folder:
            times, names = _measure(case, case.chain, folder)
        numbers = "".join(f"{times.get(name, float('nan')):9.1f}" for name in columns)
        if "libxsmm" in times:
            for name in columns:
                ratios[name].append(times["libxsmm"] / times[name])
        ratio = times.get("libxsmm", float("nan")) / times["given"]
        print(f"{case.name:27}{numbers}{ratio:15.2f}  {names['given']}", flush=True)
    for name, values in ratios.items():
        if values:
            print(f"{name}: {geometric_mean(values):.2f} of libxsmm's rate")


if __name__ == "__main__":
    main()
