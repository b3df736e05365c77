"""Converts kernels to programs on tiles, and runs them on the arguments of a launch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir

from tinytc_mlir.errors import LaunchError, LoweringError
from tinytc_mlir.frontend.mlir_diagnostics import diagnostics_of
from tinytc_mlir.gpu_stage.arguments import abi_values
from tinytc_mlir.reference.arguments import kernel_info
from tinytc_mlir.reference.arithmetic import NUMPY
from tinytc_mlir.reference.machine import Geometry
from tinytc_mlir.reference.regions import Region
from tinytc_mlir.reference.untyped import Ir, Value

from .accesses import Block, Step
from .memory import TileMemory
from .operations import compile_block
from .order import AccessOrder
from .types import TileType, type_of

_ANY_GEOMETRY = Geometry((16, 1), 16)


class TileStage:
    """The kernels of a module as programs on tiles.

    Args:
        module: `tinytc_mlir.Module` at the stage of the dialect.
        aligned: promise that arrays begin at multiples of 16 bytes.

    Raises:
        LoweringError: a kernel has an instruction that programs on tiles do not have.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @axpy(%alpha: f32, %x: memref<f32x3>, %y: memref<f32x3>) {
    ...   %one = constant 1.0 : f32
    ...   axpby.n %alpha, %x, %one, %y
    ... }''')
    >>> x, y = np.array([1, 2, 3], np.float32), np.ones(3, np.float32)
    >>> TileStage(module).run("axpy", [2.0, x, y])
    >>> y.tolist()
    [3.0, 5.0, 7.0]
    """

    def __init__(self, module: Ir, *, aligned: bool = False) -> None:
        operation = module.operation.clone().operation
        options = "{aligned=true}" if aligned else ""
        try:
            module.context.run_pipeline(f"lower-to-tile{options}", operation)
        except ir.MLIRError as error:
            raise LoweringError(diagnostics_of(error, module.sources)) from None
        self.operation = operation
        self._module = module
        self._kernels = _named(module.operation, "tinytc.func")
        self._entries: dict[str, Ir] = {}
        for tiles in _named(operation, "tile.module").values():
            self._entries |= _named(tiles, "tile.entry")
        self._codes: dict[str, Step] = {}

    def run(
        self,
        kernel: str,
        arguments: Sequence[Any] | Mapping[str, Any],
        groups: int | Sequence[int] | None = 1,
    ) -> None:
        """Run a kernel on NumPy arrays, in place, one tile block after the other.

        Args:
            kernel: name of the kernel.
            arguments: arguments by position or by name, as for a launch.
            groups: number of groups, an integer or up to three of them; None is the number that
                fits the arrays.

        Raises:
            ArgumentError: an argument does not fit its parameter, or there are more groups than
                fit the arrays.
            LaunchError: there is no such kernel.
            InterpreterError: the program accesses memory outside of all arrays, or a promise does
                not hold, or tokens do not order its accesses.
        """
        if kernel not in self._entries:
            names = ", ".join(sorted(self._entries))
            raise LaunchError(f"expected the name of a kernel ({names}), got {kernel!r}")
        entry = self._entries[kernel].regions[0].blocks[0]
        info = kernel_info(self._kernels[kernel], _ANY_GEOMETRY)
        given, launch = abi_values(info, arguments, groups, NUMPY)
        regions: list[Region] = []
        values = list(_words(given, regions))
        parameters = list(entry.arguments)
        memory = TileMemory(regions)
        order = AccessOrder(memory.sizes)
        if kernel not in self._codes:
            self._codes[kernel] = compile_block(entry)
        with np.errstate(all="ignore"):
            for z, y, x in itertools.product(*map(range, reversed(launch.counts))):
                first = {
                    parameter: _value(type_of(parameter), value)
                    for parameter, value in zip(parameters, values, strict=True)
                }
                order.begin()
                self._codes[kernel](Block(first, memory, order, (x, y, z), launch.counts))
        launch.finish()


def _named(operation: Ir, word: str) -> dict[str, Ir]:
    """Return the operations of a kind in the body of another one, by their symbols."""
    found = operation.regions[0].blocks[0].operations
    return {op.attributes["sym_name"].value: op for op in found if op.operation.name == word}


def _words(given: Sequence[Any], regions: list[Region]) -> Iterator[Any]:
    """Yield what each parameter of the entry gets; note the memory, which regions keep."""
    for value in given:
        if isinstance(value, Region):
            regions.append(value)
            yield value.address
        elif isinstance(value, list):
            table = np.array([member.address for member in value], np.int64)
            regions += [*value, Region.of_array("a table of pointers", table)]
            yield regions[-1].address
        elif isinstance(value, (complex, np.complexfloating)):
            yield from (value.real, value.imag)
        else:
            yield value


def _value(kind: TileType, value: Value) -> Value:
    """Return a parameter's value; that of some types is given by its bits."""
    if kind.element.is_bits:
        return kind.element.from_memory(np.asarray(value, kind.element.dtype))[()]
    return np.asarray(value).astype(kind.element.value_dtype)[()]
