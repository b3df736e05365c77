"""The tinytc dialect in the mlir package."""

from collections.abc import Sequence
from typing import Literal

from mlir import ir

def register_dialect(context: ir.Context) -> None:
    """Register and load the tinytc dialect in an mlir context."""

def targets() -> list[str]:
    """Return the names of all targets, the default first."""

def emit(prepared: ir.Operation, lowered: ir.Operation) -> tuple[bytes, str]:
    """Return the SPIR-V bytes and the JSON manifest of a module at the spirv stage.

    Raises:
        ValueError: that cannot be done; the diagnostics of the context say why.
    """

def count_flops(module: ir.Operation, kernel: str) -> int | None:
    """Return the floating-point operations of a kernel for one group, None if not known."""

def broadcasts_lane_conditions(module: ir.Operation) -> bool:
    """Return whether conditions on the lane become broadcasts in a module, due to its target."""

def enum_attribute(context: ir.Context, mnemonic: str, word: str) -> ir.Attribute:
    """Return the enum attribute of the dialect that a word stands for."""

def enum_word(attribute: ir.Attribute) -> str:
    """Return the word of an enum attribute of the dialect."""

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
