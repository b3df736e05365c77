"""The tinytc dialect in the mlir package."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from mlir import ir

def register_dialect(context: ir.Context) -> None:
    """Register and load the tinytc and tile dialects in an mlir context."""

def stage_stamp() -> str:
    """Return the line that printed stages begin with."""

def explain_stage_stamp(head: bytes) -> str | None:
    """Return why a stage that begins with these bytes is not read, None if it is."""

class Target:
    """A target as the compiler knows it."""

    @property
    def name(self) -> str: ...
    @property
    def alias(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def subgroup_sizes(self) -> list[int]: ...
    @property
    def has_f64(self) -> bool: ...
    @property
    def local_memory_bytes(self) -> int: ...

def targets() -> list[Target]:
    """Return all targets, the default first."""

def families() -> str:
    """Return the families of targets as JSON: names, formats of code, targets and stages."""

def target_of(module: ir.Operation) -> Target | None:
    """Return the target that a module is lowered for, None if it has none."""

def kernels_of(binary: ir.Operation) -> list[str]:
    """Return the names of the kernels of a gpu.binary."""

def emit(lowered: ir.Operation) -> tuple[bytes, str]:
    """Return the code and the JSON manifest of a module at the spirv or ptx stage.

    Raises:
        ValueError: the module cannot be serialized; diagnostics say why.
    """

def emit_with_lines(lowered: ir.Operation) -> bytes:
    """Return the SPIR-V bytes of a module at the spirv stage, with the lines of the source.

    Raises:
        ValueError: the module cannot be serialized; diagnostics say why.
    """

def dense_bytes(op: ir.Operation, name: str, element_bytes: int) -> bytes: ...
def write_tile_bytecode(op: ir.Operation, version: str = "") -> bytes:
    """Return the Tile IR bytecode of the tile.module that an operation is, or is around.

    Args:
        op: the operation.
        version: "13.1", "13.2" or "13.3"; by default the oldest one that has all that is used.

    Raises:
        ValueError: there is no such module or version, or the version lacks something.
    """

def describe_strategies(kernel: ir.Operation) -> str:
    """Return as JSON the strategies of operations of a kernel.

    Instructions that get none at this stage are listed, too. Sums in tiles also say what the cost
    model estimates for all tiles.
    """

def describe_group_bounds(kernel: ir.Operation) -> str:
    """Return the bounds of the number of groups of a `tinytc.func` as JSON.

    Raises:
        ValueError: the operation is no kernel.
    """

def is_prepared(kernel: ir.Operation) -> bool:
    """Return whether the manifest of a kernel describes its parameters."""

def moves_lane_conditions(module: ir.Operation) -> bool:
    """Return whether the driver of a module's target moves conditions on the lane.

    They become broadcasts then.
    """

def needs_whole_subgroups(module: ir.Operation) -> bool:
    """Return whether functions of a subgroup are undefined where some lanes do not run them."""

def enum_attribute(context: ir.Context, mnemonic: str, word: str) -> ir.Attribute:
    """Return the enum attribute of the dialect that a word stands for."""

def enum_word(attribute: ir.Attribute) -> str:
    """Return the word of an enum attribute of the dialect or of the gpu dialect.

    Raises:
        ValueError: `expected ..., got ...`, it is another attribute.
    """

def schedule_attribute(
    context: ir.Context, rows: int, columns: int, unroll: int, groups: int
) -> ir.Attribute:
    """Return a schedule; 0 leaves an entry to the compiler.

    Raises:
        ValueError: `expected ..., got ...`, an entry is out of bounds.
    """

def schedule_entries(attribute: ir.Attribute) -> dict[str, int]:
    """Return the entries of a schedule by name.

    Raises:
        ValueError: `expected ..., got ...`, it is another attribute.
    """

class Order:
    """What has happened before an access, for the agents that make it.

    An epoch lies between two barriers. Agents below 2^40 are work-items; the bits above count
    subgroups from 1, and stand for an unknown work-item of one.

    Args:
        epoch: the current one, from 1.
        since: the first epoch whose accesses may race with later ones.
        group: the work-group.
        subgroup_size: work-items in a subgroup, 0 if each agent is one.
    """

    epoch: int
    since: int
    group: int
    subgroup_size: int

    def __init__(
        self, epoch: int = 1, since: int = 1, group: int = 0, subgroup_size: int = 0
    ) -> None: ...
    def set_agents(self, epochs: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]) -> None:
        """Let each agent have an epoch and a work-group of its own.

        Args:
            epochs: one for each agent; may change.
            groups: likewise.
        """

class CheckedMemory:
    """Bytes, and for each cell of them its last accesses.

    Args:
        memory: array of the bytes.
        cell_bytes: size of a cell.
        initialised: (cells,) bool array, changed by accesses; None if all are.
        owners: (bytes,) int32 array: the number of the object that each byte belongs to, negative
            for gaps in it, 0 for nobody; None if all belong to one.
        apart: for each pair of kinds, who must be different for accesses to race: `Apart`.
    """

    def __init__(
        self,
        memory: npt.NDArray[Any],
        cell_bytes: int,
        initialised: npt.NDArray[np.bool_] | None,
        owners: npt.NDArray[np.int32] | None,
        apart: list[list[int]],
    ) -> None: ...
    def access(
        self,
        kind: int,
        addresses: npt.NDArray[Any] | int,
        unit: int,
        width: int,
        agents: npt.NDArray[Any] | int,
        order: Order,
        site: int,
        values: npt.NDArray[Any] | None = None,
        expected: int = 0,
        bases: npt.NDArray[Any] | int = -1,
        limits: tuple[int, int] = ...,
    ) -> list[tuple[int, int, int, int, int, int, bool]] | None:
        """Check an access, and store its values if it has some.

        Parts that are out of bounds are left out.

        Args:
            kind: `AccessKind`, or -1 for an access with which nobody can race.
            addresses: of the elements.
            unit: bytes that an address counts in.
            width: bytes of an element.
            agents: who accesses each of them, -1 for several.
            order: what has happened before.
            site: number of the instruction.
            values: the elements that are stored, or rows of bytes; None for other accesses.
            expected: which cells must be initialised: `Expected`.
            bases: where the pointers point to, whose object is meant; -1 for any object.
            limits: first byte and end of what may be accessed.

        Returns:
            what is wrong, for `problems_of`; None if nothing is.
        """

def fused_multiply_add(
    a: npt.NDArray[Any], b: npt.NDArray[Any], c: npt.NDArray[Any], result: npt.NDArray[Any]
) -> None:
    """Write ab + c, rounded once, for contiguous arrays of f32 or of f64."""

class MemrefType(ir.Type):  # type: ignore[misc]
    """Reference to a tensor in memory; None is a dynamic size or stride."""

    def __init__(self, cast_from_type: ir.Type) -> None: ...
    @classmethod
    def get(
        cls,
        shape: Sequence[int | None],
        element_type: ir.Type,
        stride: Sequence[int | None] | None = None,
        address_space: Literal["global", "local"] = "global",
    ) -> MemrefType: ...
    @property
    def order(self) -> int: ...
    @property
    def shape(self) -> list[int | None]: ...
    @property
    def stride(self) -> list[int | None]: ...
    @property
    def element_type(self) -> ir.Type: ...
    @property
    def address_space(self) -> Literal["global", "local"]: ...

class GroupType(ir.Type):  # type: ignore[misc]
    """Batch of pointers to memrefs; None is a dynamic size or offset."""

    def __init__(self, cast_from_type: ir.Type) -> None: ...
    @classmethod
    def get(
        cls, memref_type: ir.Type, size: int | None = None, offset: int | None = 0
    ) -> GroupType: ...
    @property
    def memref_type(self) -> ir.Type: ...
    @property
    def size(self) -> int | None: ...
    @property
    def offset(self) -> int | None: ...

class CoopMatrixType(ir.Type):  # type: ignore[misc]
    """Matrix distributed across a subgroup."""

    def __init__(self, cast_from_type: ir.Type) -> None: ...
    @classmethod
    def get(
        cls,
        rows: int,
        columns: int,
        element_type: ir.Type,
        use: Literal["matrix_a", "matrix_b", "matrix_acc"],
    ) -> CoopMatrixType: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def element_type(self) -> ir.Type: ...
    @property
    def use(self) -> Literal["matrix_a", "matrix_b", "matrix_acc"]: ...
