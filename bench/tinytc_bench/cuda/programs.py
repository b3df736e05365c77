# SPDX-License-Identifier: BSD-3-Clause
"""Programs of the benchmark with the arrays of some groups in files, to be timed on a GPU."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytc_mlir.errors import LoweringError, TinyTCError
from tinytc_mlir.scalars import SCALAR_TYPES

from .views import Part

if TYPE_CHECKING:
    from tinytc_mlir.compiler import Module

INDEX = "programs.json"
_PERIOD = 7  # groups that differ
_CHECKED = 1024 * _PERIOD  # groups that are written or checked at once


@dataclasses.dataclass(frozen=True)
class ProgramCase:
    """A program to time.

    Args:
        name: name of the case.
        family: its family, e.g. "gemm".
        kernels: kernels that are launched one after the other.
        type: scalar type of the result.
        arrays: fields of `bench.case.Array`.
        scalars: values of scalar parameters by name.
        flops: floating-point operations of one group.
        traffic_bytes: bytes of one group that must cross the memory bus.
        footprint_bytes: bytes of one group.
        terms: how many products add up to one element.
        gemm: fields of `bench.case.Gemm`, None if it is none.
        products: fields of the products of a chain, in their order; none if it is no chain.
        matrices: rows, columns and role of the matrices of a chain by name.
    """

    name: str
    family: str
    kernels: tuple[str, ...]
    type: str
    arrays: tuple[Mapping[str, Any], ...]
    scalars: Mapping[str, float]
    flops: int
    traffic_bytes: int
    footprint_bytes: int
    terms: int
    gemm: Mapping[str, Any] | None = None
    products: tuple[Mapping[str, Any], ...] = ()
    matrices: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)


def tiles_path(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Return where the program is that `tileiras` makes of a case, if there is one."""
    return folder / f"{name}.tiles.tinytcb"


def write_programs(folder: pathlib.Path, target: str, *, tiles: bool = False) -> int:
    """Compile all cases of the benchmark and write what timing them takes.

    Args:
        folder: where to.
        target: name of the target.
        tiles: write programs on tiles, too, of the cases that can be ones.

    Returns:
        the number of programs.
    """
    from tinytc_mlir.compiler import Context

    from ..cases import select
    from ..data import random_values

    described = []
    for case in select([]):
        module = Context().parse(case.ours.text_for_gpus, case.name)
        module.compile(target).save(folder / f"{case.name}.tinytcb")
        if tiles:
            _write_tiles(module, target, tiles_path(folder, case.name))
        random = np.random.default_rng(0)
        blocks = {each.name: random_values(random, each, _PERIOD) for each in case.arrays}
        expected = {f"{name}.expected": values for name, values in case.expected(blocks).items()}
        arrays: dict[str, Any] = {**blocks, **expected}
        np.savez_compressed(folder / f"{case.name}.npz", **arrays)
        chain = case.chain
        described.append(
            ProgramCase(
                case.name,
                case.family,
                case.ours.kernels,
                case.type,
                tuple(dataclasses.asdict(each) for each in case.arrays),
                dict(case.scalars),
                case.flops,
                case.traffic_bytes,
                case.footprint_bytes,
                case.terms,
                None if case.gemm is None else dataclasses.asdict(case.gemm),
                () if chain is None else tuple(map(dataclasses.asdict, chain.products)),
                {}
                if chain is None
                else {name: dataclasses.asdict(each) for name, each in chain.matrices.items()},
            )
        )
    text = json.dumps([dataclasses.asdict(each) for each in described], indent=1)
    (folder / INDEX).write_text(text, encoding="utf-8")
    return len(described)


def _write_tiles(module: Module, target: str, path: pathlib.Path) -> None:
    """Write a program on tiles, unless an instruction has no counterpart there."""
    try:
        module.assemble_tile(target).save(path)
    except LoweringError:
        path.unlink(missing_ok=True)


def read_programs(folder: pathlib.Path) -> Iterator[ProgramCase]:
    """Yield the programs of a folder.

    Raises:
        TinyTCError: the folder has no readable index.
    """
    try:
        for fields in json.loads((folder / INDEX).read_text(encoding="utf-8")):
            tuples = {key: tuple(fields[key]) for key in ("kernels", "arrays", "products")}
            yield ProgramCase(**{**fields, **tuples})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TinyTCError(
            f"expected programs in {folder / INDEX}, got an error: {error}"
        ) from error


def _repeated(block: np.ndarray[Any, Any], groups: int) -> np.ndarray[Any, Any]:
    """Return the first groups of what repeats a few groups along the last mode, column-major."""
    flat = np.ravel(block, order="F")
    size = flat.size // block.shape[-1] * groups
    return np.resize(flat, size).reshape((*block.shape[:-1], groups), order="F")


class DeviceData:
    """The arrays of a case on a device.

    Args:
        case: the case.
        blocks: arrays of a few groups and the expected results, from the case's file.
        groups: number of groups; the few are repeated.
        device: device of the runtime.
    """

    def __init__(
        self,
        case: ProgramCase,
        blocks: Mapping[str, np.ndarray[Any, Any]],
        groups: int,
        device: object,
    ) -> None:
        self.case = case
        self.groups = groups
        self._blocks = blocks
        self.wholes: dict[str, Any] = {}
        self.arguments: dict[str, Any] = dict(case.scalars)
        for array in case.arrays:
            self.arguments[array["name"]] = self._place(array, device)

    def reset(self) -> None:
        """Reset what kernels write to its initial values; pure results become NaN."""
        for array in self.case.arrays:
            if array["role"] != "in":
                self.wholes[array["name"]].set(self._initial(array))

    def error(self) -> float:
        """Return the largest error of the results, relative to what rounding explains."""
        worst = 0.0
        for array in self.case.arrays:
            if array["role"] in ("in", "scratch"):
                continue
            name = array["name"]
            expected = np.asarray(self._blocks[f"{name}.expected"])
            actual = self._groups_last(array, self.wholes[name].get())
            epsilon = SCALAR_TYPES[self.case.type].epsilon
            scale = float(np.abs(expected).max()) or 1.0
            allowed = 8 * epsilon * scale * max(self.case.terms, 1) ** 0.5
            for begin in range(0, self.groups, _CHECKED):
                part = actual[..., begin : begin + _CHECKED]
                difference = float(np.abs(part - _repeated(expected, part.shape[-1])).max())
                if not np.isfinite(difference):
                    return float("inf")
                worst = max(worst, difference / allowed)
        return worst

    def _place(self, array: Mapping[str, Any], device: object) -> object:
        from tinytc_mlir.runtime.arrays.memory import asarray

        name, shape = array["name"], tuple(array["shape"])
        whole = self.wholes[name] = asarray(self._initial(array), queue=device)
        if not array["leading"] or array["is_shared"] or array["is_tall"]:
            return whole
        return Part(whole, 0, (*shape, self.groups), whole.strides)

    def _initial(self, array: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Return the initial values, column-major, with rows up to the leading dimension."""
        block, shape = self._blocks[array["name"]], tuple(array["shape"])
        if array["is_shared"]:
            return np.asfortranarray(block)
        if array["is_tall"]:
            result = np.empty((shape[0] * self.groups, *shape[1:]), block.dtype, "F")
        else:
            rows = (array["leading"],) if array["leading"] else shape[:1]
            result = np.zeros((*rows, *shape[1:], self.groups), block.dtype, "F")
        batches = self._groups_last(array, result)
        if array["role"] in ("out", "scratch") and block.dtype.kind in "fc":
            batches[...] = np.nan
            return result
        for begin in range(0, self.groups, _CHECKED):
            part = batches[..., begin : begin + _CHECKED]
            part[...] = _repeated(block, part.shape[-1])
        return result

    def _groups_last(
        self, array: Mapping[str, Any], whole: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        rows = array["shape"][0]
        if array["is_tall"]:
            blocks = whole.reshape((rows, self.groups, *array["shape"][1:]), order="F")
            return np.moveaxis(blocks, 1, -1)
        return whole[:rows] if array["leading"] else whole
