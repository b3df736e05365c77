"""Writes functions at random: names, values of a wanted type, regions."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence

from program_types import (
    COMPLEX,
    INDEX,
    INTEGERS,
    SIZE_BYTES,
    CoopMatrix,
    Group,
    Memref,
    Scalar,
    Type,
    packed,
    random_memref,
)

_MAX_DEPTH = 3
_SIZES = (1, 2, 3, 4, 8, 16)
_HALF = ("0x1p-1", "0x.8p0", "5e-1", ".5", "0.5", "0x8.p-4")


@dataclasses.dataclass(frozen=True)
class Choice:
    """A family of instructions that can be written.

    Args:
        names: instructions of the family.
        make: writes one of them, preceded by what it needs.
        kind: collective, mixed, spmd, or barrier, which is not in a foreach.
        has_region: whether it holds other instructions.
    """

    names: tuple[str, ...]
    make: Callable[[Maker, str], None]
    kind: str = "mixed"
    has_region: bool = False


class Maker:
    """Writes one function; parameters are added when an instruction needs them."""

    matrix_shapes = ((8, 16), (16, 16), (8, 8))
    matrix_sizes = (8, 16)

    def __init__(self, rng: random.Random, name: str, choices: Sequence[Choice]) -> None:
        self.rng = rng
        self.choices = choices
        self.name = name
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.regions: list[list[tuple[str, Type]]] = [[]]
        self.is_spmd = False
        self.is_foreach = False
        self.next_name = 0
        self.constants: set[str] = set()

    def function(self, count: int, must_use: str | None) -> str:
        """Return the text of the function."""
        self.statements(count)
        if must_use is not None:
            self.require(must_use)
        attributes = ""
        if self.rng.random() < 0.3:
            size = self.rng.choice((16, 32))
            attributes = f" attributes {{subgroup_size={size}, work_group_size=[{2 * size}, 2]}}"
        head = f"func @{self.name}({', '.join(self.parameters)}){attributes} {{"
        return "\n".join([head, *self.lines, "}"])

    # Names and values --------------------------------------------------------------------

    def fresh(self) -> str:
        """Return a new name, numbered or not."""
        self.next_name += 1
        return f"%{'v' * self.rng.randint(0, 1)}{self.next_name}"

    def put(self, line: str) -> None:
        self.lines.append(line)

    def assign(self, type_: Type, text: str) -> str:
        """Write an instruction with one result, and return its name."""
        name = self.fresh()
        self.put(f"{name} = {text}")
        self.regions[-1].append((name, type_))
        return name

    def need(self, type_: Type) -> str:
        """Return the name of a visible value of a type; make one if there is none."""
        known = [name for region in self.regions for name, t in region if t == type_]
        if known and self.rng.random() < 0.8:
            return self.rng.choice(known)
        if isinstance(type_, CoopMatrix):
            value = self.literal(Scalar(type_.component))
            return self.assign(type_, f"constant {value} : {type_}")
        if isinstance(type_, Scalar) and self.rng.random() < 0.7:
            return self.constant(type_)
        if isinstance(type_, Memref) and type_.space == "local":
            return self.assign(type_, f"alloca : {type_}")
        return self.parameter(type_)

    def constant(self, type_: Scalar) -> str:
        separator = self.rng.choice((":", ":", "->"))
        name = self.assign(type_, f"constant {self.literal(type_)} {separator} {type_}")
        self.constants.add(name)
        return name

    def parameter(self, type_: Type) -> str:
        name = self.fresh()
        self.regions[0].append((name, type_))
        self.parameters.append(f"{name}: {type_}{self.parameter_attributes(type_)}")
        return name

    def parameter_attributes(self, type_: Type) -> str:
        """Return attributes that hold for the type, or nothing."""
        memref = type_.memref if isinstance(type_, Group) else type_
        if not isinstance(memref, Memref) or self.rng.random() < 0.6:
            return ""
        entries = [f"alignment={SIZE_BYTES[memref.element] * self.rng.choice((1, 2, 4))}"]
        for key, sizes in (("shape_gcd", memref.shape), ("stride_gcd", memref.stride)):
            if self.rng.random() < 0.5:
                known = [self.rng.choice((1, size or self.rng.randint(1, 8))) for size in sizes]
                entries.append(f"{key}=[{', '.join(map(str, known))}]")
        return f" {{{', '.join(entries)}}}"

    def literal(self, type_: Scalar) -> str:
        """Return a constant of a type in some spelling."""
        name = type_.name
        if name == "bool":
            return self.rng.choice(("true", "false"))
        if name in INTEGERS:
            bits = 8 * SIZE_BYTES[name]
            limit = 2 ** (bits - 1) - 1
            return self.rng.choice(("0", "1", "+7", "-1", str(limit), str(-limit)))
        if name in COMPLEX:
            part = Scalar("f32" if name == "c32" else "f64")
            return f"[{self.literal(part)}, {self.literal(part)}]"
        return self.rng.choice(("0.0", "-0.0", "1.", "1e2", "0.1", "inf", "-inf", "nan", *_HALF))

    def operand(self, type_: Scalar) -> str:
        """Return a value, or a constant where the language allows one."""
        return self.literal(type_) if self.rng.random() < 0.3 else self.need(type_)

    def index(self, size: int | None) -> str:
        """Return an index below a size, as far as the verifier can know it."""
        if self.rng.random() < 0.5:
            return str(self.rng.randrange(size or 4))
        return self.unknown_index()

    def unknown_index(self) -> str:
        """Return an index of which the verifier knows nothing."""
        known = [name for region in self.regions for name, t in region if t == INDEX]
        unknown = [name for name in known if name not in self.constants]
        return self.rng.choice(unknown) if unknown else self.parameter(INDEX)

    def shape(self, order: int) -> tuple[int | None, ...]:
        return tuple(self.rng.choice((*_SIZES, None)) for _ in range(order))

    def memref(self, element: str, shape: tuple[int | None, ...]) -> str:
        """Return a memref value with some legal layout and address space."""
        is_static = None not in shape
        if is_static and not self.is_spmd and self.rng.random() < 0.3:
            return self.need(packed(element, shape, "local"))
        return self.need(random_memref(self.rng, element, shape))

    def updated(self, element: str, shape: tuple[int | None, ...]) -> str:
        """Return a memref that overlaps no other one so far."""
        if None not in shape and not self.is_spmd and self.rng.random() < 0.3:
            local = packed(element, shape, "local")
            return self.assign(local, f"alloca : {local}")
        return self.parameter(random_memref(self.rng, element, shape))

    # Regions -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def region(self, is_spmd: bool, values: list[tuple[str, Type]]) -> Iterator[None]:
        """Open a region for what is written inside the context."""
        before, self.is_spmd = self.is_spmd, is_spmd
        self.regions.append(list(values))
        yield
        self.regions.pop()
        self.is_spmd = before

    def statements(self, count: int) -> None:
        for _ in range(count):
            kinds = self.allowed_kinds()
            allowed = [
                choice
                for choice in self.choices
                if choice.kind in kinds
                and (not choice.has_region or len(self.regions) <= _MAX_DEPTH)
            ]
            choice = self.rng.choice(allowed)
            choice.make(self, self.rng.choice(choice.names))

    def allowed_kinds(self) -> list[str]:
        """Return the kinds of instructions that may be written here."""
        kinds = ["mixed", "spmd" if self.is_spmd else "collective"]
        return kinds if self.is_foreach else [*kinds, "barrier"]

    def require(self, name: str) -> None:
        """Write an instruction, in an SPMD region if it needs one."""
        choice = next(c for c in self.choices if name in c.names)
        if choice.kind != "spmd":
            choice.make(self, name)
            return
        self.put("parallel {")
        with self.region(True, []):
            choice.make(self, name)
        self.put("}")
