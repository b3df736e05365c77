"""Writes kernels at random that are defined for their arguments, which are made with them.

The generator of programs (`program_maker`) writes everything that is legal; most of it is undefined
for most arguments. Here operands of collective instructions fit each other, indices are inside,
loops are short, numbers small, and work-items write what nobody else touches. What is undefined
all the same, the reference interpreter finds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random

from cases.case import Case
from cases.operands import GROUPS, LAYOUTS, Writer
from program_maker import Choice, Maker
from program_types import COMPLEX, INDEX, INTEGERS, SCALARS, Memref, Scalar, Type
from tinytc_mlir.frontend.spelling import memref_text
from tinytc_mlir.tuning import Schedule
from tinytc_mlir.tuning.schedule import COLUMNS, ROWS, UNROLLS

_SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 19, 32, 33)
_SUBGROUP_SIZES = (4, 8, 16, 32, 64)
_MAX_WORK_ITEMS = 256
_PRIVATE_LAYOUTS = tuple(name for name in LAYOUTS if name == "batch" or name.startswith("group"))
_GRIDS = ((2, 2), (1, 4), (2, 1, 2), (1, 2, 2))
# The number of a group, counted through the grid.
_GROUP_ID = """\
%gidx = group_id.x : index
%gidy = group_id.y : index
%gidz = group_id.z : index
%gidnx = num_groups.x : index
%gidny = num_groups.y : index
%gidrow = arith.mul %gidz, %gidny : index
%gidyz = arith.add %gidy, %gidrow : index
%gidstart = arith.mul %gidyz, %gidnx : index
%gid = arith.add %gidstart, %gidx : index"""
_INTEGERS = ("0", "1", "1", "2", "3", "-1", "-2")
_NUMBERS = ("0.0", "1.0", "1.0", "2.0", "-1.0", "0.5", "-0.0", "3.0")


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A memref that instructions can use, visible in the whole kernel.

    Args:
        name: name with %.
        element: element type.
        shape: sizes, also of modes that are dynamic in its type.
        is_local: whether it is in local memory.
    """

    name: str
    element: str
    shape: tuple[int, ...]
    is_local: bool = False


class KernelMaker(Maker):
    """Writes one kernel.

    Args:
        rng: source of all choices.
        choices: instructions to choose from.
    """

    matrix_shapes = ((8, 16), (4, 4), (5, 3), (8, 8), (1, 7), (16, 2))
    matrix_sizes = (1, 3, 4, 8)

    def __init__(self, rng: random.Random, choices: tuple[Choice, ...]) -> None:
        super().__init__(rng, "f", choices)
        self.groups = rng.choice((1, 1, GROUPS))
        self.writer = Writer(rng)
        self.values: dict[str, tuple[str, object]] = {}
        self.head: list[str] = []
        self.tail: list[str] = []
        self.tensors: list[Tensor] = []
        # Those that an instruction or an SPMD region uses already.
        self.used: set[Tensor] = set()
        self.next_operands: list[str] = []
        # Whether work-items of a subgroup may disagree about being here.
        self.is_divergent = False

    def case(self, name: str, count: int) -> Case:
        """Return the kernel, with its arguments.

        Args:
            name: name of the case.
            count: number of instructions, not counting what they need.
        """
        self.statements(count)
        lines = [*self.head, *self.lines, *self.tail]
        body = "\n".join(["%gid = builtin.group_id : index", *lines])
        schedule = Schedule()
        if self.rng.random() < 0.5:
            rows, columns, unroll = (self.rng.choice((0, *c)) for c in (ROWS, COLUMNS, UNROLLS))
            schedule = Schedule(rows, columns, unroll, self.rng.choice((0, 0, 2)))
        attributes = self._attributes(body)
        groups: int | tuple[int, ...] = self.groups
        if groups > 1 and self.rng.random() < 0.5:
            groups, body = self.rng.choice(_GRIDS), "\n".join([_GROUP_ID, *lines])
        return Case(name, body, self.values, groups, attributes, schedule=schedule, may_round=True)

    def _attributes(self, body: str) -> str:
        """Return sizes of subgroup and work-group; the compiler chooses some."""
        if "parallel" not in body and self.rng.random() < 0.2:
            return ""
        size = self.rng.choice(_SUBGROUP_SIZES)
        rows, columns = size * self.rng.choice((1, 1, 2, 3)), self.rng.choice((1, 1, 1, 2, 3))
        if rows * columns > _MAX_WORK_ITEMS:
            rows, columns = size, 1
        return f"subgroup_size={size}, work_group_size=[{rows},{columns}]"

    # Values --------------------------------------------------------------------------------

    def need(self, type_: Type) -> str:
        """Return the name of a visible value; no parameter of a matrix, and no local memory."""
        assert not isinstance(type_, Memref), "tensors come from `tensor`"
        if isinstance(type_, Scalar) and type_.name != "bool" and self.rng.random() < 0.4:
            # What was computed last is used, in another type.
            for name, known in reversed(self.regions[-1][-4:]):
                if isinstance(known, Scalar) and known.name != "bool":
                    return name if known == type_ else self._cast(name, known, type_)
        return super().need(type_)

    def _cast(self, name: str, source: Scalar, type_: Scalar) -> str:
        """Return a value in another type, a real type's from the real part of a complex number."""
        if source.name in COMPLEX and type_.name not in COMPLEX:
            source = Scalar("f32" if source.name == "c32" else "f64")
            name = self.assign(source, f"arith.re {name} : {source}")
        return name if source == type_ else self.assign(type_, f"cast {name} : {type_}")

    def parameter(self, type_: Type) -> str:
        name = self.fresh()
        self.regions[0].append((name, type_))
        text = str(type_)
        value: object = self.rng.randint(0, 3)
        if text == "bool":
            value = self.rng.random() < 0.5
        elif text in COMPLEX:
            value = complex(self.rng.randint(-2, 2), self.rng.randint(-1, 1))
        elif text not in INTEGERS:
            value = float(self.rng.choice(_NUMBERS))
        self.values[name[1:]] = (text, value)
        return name

    def literal(self, type_: Scalar) -> str:
        """Return a small constant, now and then any."""
        if type_.name == "bool" or self.rng.random() < 0.02:
            return super().literal(type_)
        if type_.name in INTEGERS:
            return self.rng.choice(_INTEGERS)
        if type_.name in COMPLEX:
            return f"[{self.rng.choice(_NUMBERS)}, {self.rng.choice(_NUMBERS)}]"
        return self.rng.choice(_NUMBERS)

    def operand(self, type_: Scalar) -> str:
        """Return what is asked for, else a value or a constant."""
        return self.next_operands.pop(0) if self.next_operands else super().operand(type_)

    def index(self, size: int | None) -> str:
        """Return an index below a size."""
        assert size is not None
        if size == 1 or self.rng.random() < 0.5:
            return str(self.rng.randrange(size))
        mask = (1 << (size.bit_length() - 1)) - 1
        return self.assign(INDEX, f"arith.and {self.need(INDEX)}, {mask} : index")

    # Tensors -------------------------------------------------------------------------------

    def shape(self, order: int) -> tuple[int, ...]:
        return tuple(self.rng.choice(_SIZES[: 9 if order > 1 else None]) for _ in range(order))

    def memref(self, element: str, shape: tuple[int | None, ...]) -> str:
        return self.tensor(element, shape).name

    def updated(self, element: str, shape: tuple[int | None, ...]) -> str:
        """Return a memref that the instruction does not use yet."""
        return self.memref(element, shape)

    def tensor(self, element: str, shape: tuple[int | None, ...]) -> Tensor:
        """Return a tensor that the instruction does not use yet."""
        known = [
            tensor
            for tensor in self.tensors
            if (tensor.element, tensor.shape) == (element, shape) and tensor not in self.used
        ]
        tensor = self.rng.choice(known) if known and self.rng.random() < 0.8 else None
        return self.use(tensor or self._new_tensor(element, tuple(s or 1 for s in shape)))

    def any_tensor(self, least: int = 0, most: int = 3) -> Tensor:
        """Return a tensor that is not in use, of an order between two."""
        known = [t for t in self.tensors if least <= len(t.shape) <= most and t not in self.used]
        if known and self.rng.random() < 0.7:
            return self.use(self.rng.choice(known))
        order = self.rng.randint(max(least, 1), most)
        return self.use(self._new_tensor(self.rng.choice(SCALARS), self.shape(order)))

    def use(self, tensor: Tensor) -> Tensor:
        self.used.add(tensor)
        return tensor

    def _new_tensor(self, element: str, shape: tuple[int, ...]) -> Tensor:
        """Return a new tensor in a random layout, private to the group where there are several."""
        number = len(self.tensors)
        name = "T" + "abcdefghijklmnopqrstuvwxyz"[number % 26] * (number // 26 + 1)
        layouts = _PRIVATE_LAYOUTS if shape else ("batch", "group")
        choices = LAYOUTS if self.groups == 1 else (*layouts, "local")
        # Copies to local memory and back are made by axpby.
        layout = self.rng.choice([c for c in choices if c != "local" or len(shape) <= 2])
        is_scratch = layout == "local" and self.groups > 1
        if is_scratch:
            layout = self.rng.choice(layouts)
        operand = self.writer.operand(name, layout, element, shape)
        self.values |= operand.parameters
        self.head += operand.before.splitlines()
        self.tail += operand.after.splitlines()
        tensor = Tensor(f"%{name}", element, shape, layout == "local")
        self.tensors.append(tensor)
        return self._scratch(tensor) if is_scratch else tensor

    def _scratch(self, source: Tensor) -> Tensor:
        """Return a copy of a tensor in local memory; the copy comes back at the end."""
        name, element = f"{source.name}l", source.element
        one, zero = (
            ("1", "0")
            if element in INTEGERS
            else ("[1.0, 0.0]", "[0.0, 0.0]")
            if element in COMPLEX
            else ("1.0", "0.0")
        )
        self.head += [
            f"{name} = alloca : {memref_text(element, source.shape, None, 'local')}",
            f"{name}_one = constant {one} : {element}",
            f"{name}_zero = constant {zero} : {element}",
            f"axpby.n {name}_one, {source.name}, {name}_zero, {name}",
        ]
        self.tail.append(f"axpby.n {name}_one, {name}, {name}_zero, {source.name}")
        # The source is only for the copies.
        self.tensors.remove(source)
        tensor = Tensor(name, element, source.shape, is_local=True)
        self.tensors.append(tensor)
        return tensor

    @contextlib.contextmanager
    def divergence(self):
        """Work-items may disagree about what is written inside the context."""
        before, self.is_divergent = self.is_divergent, True
        yield
        self.is_divergent = before

    def allowed_kinds(self) -> list[str]:
        kinds = super().allowed_kinds()
        if self.is_divergent and "barrier" in kinds:
            kinds.remove("barrier")
        if self.is_spmd and not self.is_divergent:
            kinds.append("convergent")
        return kinds
