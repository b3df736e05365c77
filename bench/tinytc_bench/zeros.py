# SPDX-License-Identifier: BSD-3-Clause
"""Chains of SeisSol of order 6 with the patterns of zeros of their matrices, and without."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import tinytc_mlir as tt
from tinytc_mlir.measure.timing import Settings, interleave
from tinytc_mlir.shapes import Boxes
from tinytc_mlir.zero_patterns import boxes_of

from . import dubiner
from .chains import Chain, local_flux, neighbour_flux, volume
from .measurements import Batched, BatchedRun
from .solves import ProcessorTime

ORDER, CELLS = 6, 512
_TYPES: dict[str, npt.DTypeLike] = {"f32": np.float32, "f64": np.float64}
Matrices = Mapping[str, npt.NDArray[np.float64]]


def padded(matrix: npt.NDArray[np.float64], rows: int) -> npt.NDArray[np.float64]:
    """Return a matrix with rows of zeros after its own."""
    return np.vstack([matrix, np.zeros((rows - len(matrix), matrix.shape[1]))])


def star() -> npt.NDArray[np.float64]:
    """Return a Jacobian of the elastic wave equation: stresses and velocities change each other."""
    matrix = np.zeros((9, 9))
    matrix[:6, 6:] = 1
    matrix[6:, :6] = 2
    return matrix


def chains() -> Iterator[tuple[Chain, Matrices]]:
    """Yield chains, and those of their matrices that have zeros."""
    stiff = [dubiner.stiffness(ORDER, n) for n in range(3)]
    stars = {f"S{n}": star() for n in range(3)}
    cell = volume("volume", (56, 56), (56, 56, 56), 9)
    yield cell, {f"K{n}": each for n, each in enumerate(stiff)} | stars
    steps = volume("derivative", (35, 56), (56, 56, 56), 9, "out")
    yield steps, {f"K{n}": each.T[:35] for n, each in enumerate(stiff)} | stars
    faces = range(4)
    flux = local_flux("local", (56, 21, 24), 9, 4)
    traces = {f"R{n}": padded(dubiner.trace(ORDER, n), 24) for n in faces}
    yield flux, traces | {f"L{n}": dubiner.lift(ORDER, n) for n in faces}
    yield (
        neighbour_flux("neighbour", (56, 21, 24), 9),
        {
            "R": padded(dubiner.trace(ORDER, 1), 24),
            "F": padded(dubiner.turn(ORDER), 24),
            "L": dubiner.lift(ORDER, 2),
        },
    )


def patterns_of(matrices: Matrices) -> dict[str, Boxes]:
    """Return where matrices are not zero, by blocks of functions of the same degree."""
    return {name: boxes_of(blocks(matrix), 2) for name, matrix in matrices.items()}


def blocks(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return where a matrix is not zero, and the rest of each block that is not zero."""
    edges = {
        56: [0, 1, 4, 10, 20, 35, 56], 35: [0, 1, 4, 10, 20, 35], 9: [0, 6, 9],
        21: [0, 1, 3, 6, 10, 15, 21], 24: [0, 1, 3, 6, 10, 15, 21, 24],
    }  # fmt: skip
    mask = np.zeros(matrix.shape, bool)
    rows, columns = (edges[size] for size in matrix.shape)
    for r, row_end in itertools.pairwise(rows):
        for c, column_end in itertools.pairwise(columns):
            mask[r:row_end, c:column_end] = matrix[r:row_end, c:column_end].any()
    return mask


def arguments(chain: Chain, matrices: Matrices, dtype: npt.DTypeLike) -> dict[str, Any]:
    """Return the arguments of a chain, with the cells as last mode of groups."""
    random = np.random.default_rng(0)
    given = {}
    for name, matrix in chain.matrices.items():
        if matrix.role == "temporary":
            continue
        shape = (matrix.rows, matrix.columns, CELLS)[: 3 if matrix.is_batch else 2]
        value = random.standard_normal(shape)
        if name in matrices:
            own = matrices[name]
            value = value * (own != 0)[..., None] if matrix.is_batch else own
        given[name] = tt.asarray(np.asfortranarray(value, dtype), queue="native")
    return given


def measure(settings: Settings) -> Batched:
    """Return processor times of the chains, and of the same without patterns."""
    context, runs, problems = tt.Context(), list[BatchedRun](), dict[str, str]()
    for type_, (chain, matrices) in itertools.product(_TYPES, chains()):
        texts = {"ours": chain.text(type_, patterns_of(matrices)), "dense": chain.text(type_)}
        candidates, results = {}, {}
        for name, text in texts.items():
            kernel = context.parse(text).compile("native")[chain.function(type_)]
            given = arguments(chain, matrices, _TYPES[type_])
            launch = kernel.bind(given, groups=CELLS, queue="native")
            launch()
            results[name] = np.array(given["Q"])
            candidates[name] = ProcessorTime(launch)
        error = np.abs(results["ours"] - results["dense"]).max() / np.abs(results["dense"]).max()
        if not error <= 1000 * np.finfo(results["ours"].dtype).eps:
            problems["ours"] = f"{chain.name} in {type_}: relative difference {error}"
        times = interleave(candidates, settings)
        runs.append({"name": f"{chain.name}.{type_}", "elements": CELLS, "times_ns": times})
    return {"runs": runs, "problems": problems} if problems else {"runs": runs}
