"""Writes statements of work-items on groups, atomic updates and cooperative matrices."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from cases.barrier_numbers import INTEGERS, Array, Environment, Inexact, held, stored
from cases.barrier_statements import GROUPS, Statements
from interpreting import COMPLEX

_MANTISSA_BITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53, "c32": 24, "c64": 53}
_SHAPES = ((8, 16), (16, 8), (16, 16), (32, 8), (256, 64))
_ORDERS = ("", ".relaxed", ".acquire_release", ".device.sequentially_consistent")
_LOADS = ("load", "load", "atomic_load", "atomic_load.acquire")


def exact_in_any_order(type_: str, values: Array) -> None:
    """Check that sums of numbers are exact, whatever comes first; else raise Inexact."""
    if type_ in INTEGERS:
        held(type_, np.sum(np.abs(values)))
        return
    for part in (np.real(values), np.imag(values)):
        numbers = [Fraction(float(value)) for value in part if value]
        unit = Fraction(1, max((number.denominator for number in numbers), default=1))
        if sum(map(abs, numbers)) > unit * 2 ** _MANTISSA_BITS[type_]:
            raise Inexact


class MemoryStatements(Statements):
    """Writes and computes statements on memory, in programs that are not plain."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        numbers = np.random.default_rng([seed, 1])
        self.subgroups = self.count // self.lanes
        self.members = {
            type_: self._numbers(numbers, type_).reshape(GROUPS, self.size)
            for type_ in dict.fromkeys(self.types)
        }
        self.component = self.types[0]
        self.rows, self.columns = _SHAPES[seed % len(_SHAPES)]
        self.matrix_type = f"coopmatrix<{self.component}x{self.rows}x{self.columns},matrix_acc>"
        count = self.rows * self.columns * self.subgroups
        given = numbers.integers(-4, 5, count).astype(float)
        self.blocks = given.reshape(self.subgroups, self.rows, self.columns)

    def joint_makers(self, depth: int) -> list[tuple[Callable[[], None], int]]:
        """Return what adds statements that all work-items of a group run, with weights."""
        if self.is_plain:
            return []
        more = self.barriers < 4
        return [
            (self.pointer, 2),
            (self.pass_on, 2 if more else 0),
            (self.update, 4 if more else 0),
            (self.matrix, 5),
            (lambda: self.joint_choice(depth), 3 if depth < 2 else 0),
            (lambda: self.loop(depth, diverges=False), 2 if depth < 2 else 0),
        ]

    def joint_choice(self, depth: int) -> None:
        """Add a choice that all work-items of a group make alike."""
        raise NotImplementedError

    def condition(self, *, shared: bool = False) -> str:
        """Add a condition, and return its name."""
        raise NotImplementedError

    # Groups ----------------------------------------------------------------------------

    def pointer(self) -> None:
        """Add a pointer to a member of a group: that of all, or one for each work-item."""
        type_, kind = self.any_type(), self.rng.choice(("group", "one", "own", "own"))
        if kind == "group":
            number = "%group"
        elif kind == "one":
            which = self.rng.randrange(GROUPS)
            number = self.assign("index", f"constant {which} : index", lambda _: which, True)
        else:
            inputs = self.inputs["i32"]
            given = self.assign("i32", "load %A_i32[%g] : i32", lambda _: inputs)
            one = self.constant("i32", 1)
            low = self.assign("i32", f"arith.and {given}, {one} : i32", lambda e: e[given] & 1)
            number = self.assign("index", f"cast {low} : index", lambda e: e[low])
        self._point("%G", type_, number)

    def _point(self, group: str, type_: str, number: str) -> str:
        name = self.name()

        def run(environment: Environment) -> None:
            environment[name] = environment[number]

        self.put(f"{name} = load {group}_{type_}[{number}] : memref<{type_}x{self.size}>", run)
        self.known.append((name, f"{group} {type_}", False))
        return name

    def member(self) -> None:
        """Load from a member of a group."""
        type_ = self.any_type()
        pointers = [name for name, known, _ in self.known if known == f"%G {type_}"]
        if not pointers:
            raise Inexact
        pointer, place = self.rng.choice(pointers), self.rng.choice(("%place", "%mirror"))
        at, members = self._places(place), self.members[type_]
        self.assign(
            type_, f"load {pointer}[{place}] : {type_}", lambda e: members[e[pointer] + 0, at]
        )

    def _places(self, place: str) -> Array:
        own = np.arange(self.count) % self.size
        return own if place == "%place" else self.size - 1 - own

    def memory(self, type_: str) -> tuple[str, str]:
        """Return memory that work-items of a group share, and the barrier for it."""
        if self.rng.random() < 0.6:
            return f"%K_{type_}", "barrier.local"
        pointers = [name for name, known, _ in self.known if known == f"%H {type_}"]
        if pointers and self.rng.random() < 0.7:
            return self.rng.choice(pointers), "barrier.global"
        return self._point("%H", type_, "%group"), "barrier.global"

    def pass_on(self) -> None:
        """Pass values to the work-items in reverse order, by atomic accesses or others."""
        type_ = self.any_type()
        a = self.value(type_)
        memory, barrier = self.memory(type_)
        self.barriers += 2
        store = self.rng.choice(("store", "atomic_store", "atomic_store.release"))
        self.put(f"{store} {a}, {memory}[%place]\n{barrier}")
        text = f"{self.rng.choice(_LOADS)} {memory}[%mirror] : {type_}"
        rows = (GROUPS, self.size)
        self.assign(type_, text, lambda e: np.asarray(e[a]).reshape(rows)[:, ::-1].reshape(-1))
        self.put(barrier)

    # Atomic updates --------------------------------------------------------------------

    def update(self) -> None:
        """Update elements that several work-items share, and load them after a barrier."""
        type_ = self.any_type()
        word = self.rng.choice(("add", "add", "max", "min"))
        if type_ in COMPLEX:
            word = "add"
        start, a, condition = self.value(type_), self.value(type_), ""
        if self.rng.random() < 0.3:
            condition = self.condition()
        memory, barrier = self.memory(type_)
        mask = self.rng.choice((0, 1, 3, self.size))
        slot, slots = "%mirror", self._places("%mirror")
        if mask != self.size:
            low = self.constant("i32", mask)
            number = self.assign(
                "i32", f"arith.and %item, {low} : i32", lambda e: e["%item"] & mask
            )
            slot = self.assign("index", f"cast {number} : index", lambda e: e[number])
            slots = np.arange(self.count) % self.size & mask
        self.barriers += 3
        old = self.name()
        text = f"{old} = atomic_{word}{self.rng.choice(_ORDERS)} {a}, {memory}[{slot}] : {type_}"
        if condition:
            text = f"if {condition} {{\n{text}\n}}"
        self.put(f"store {start}, {memory}[%place]\n{barrier}\n{text}")
        if not condition and mask == self.size:  # no other updates it
            taken = np.arange(self.count) // self.size * self.size + slots

            def run(environment: Environment) -> None:
                environment[old] = environment[start][taken]

            self.put("", run)
            self.known.append((old, type_, False))
        self.put(barrier)

        def compute(environment: Environment) -> Array:
            shared = np.array(np.broadcast_to(environment[start], self.count))
            given = np.broadcast_to(environment[a], self.count)
            runs = np.flatnonzero(environment[condition]) if condition else np.arange(self.count)
            at = np.arange(self.count) // self.size * self.size + slots
            if word == "add":
                for each in np.unique(at[runs]):
                    exact_in_any_order(
                        type_, np.append(given[runs][at[runs] == each], shared[each])
                    )
                np.add.at(shared, at[runs], given[runs])
            else:
                function = np.maximum if word == "max" else np.minimum
                function.at(shared, at[runs], given[runs])
            return shared[at]

        self.assign(type_, f"{self.rng.choice(_LOADS)} {memory}[{slot}] : {type_}", compute)
        self.put(barrier)

    # Cooperative matrices --------------------------------------------------------------

    def matrices(self) -> list[str]:
        """Return the matrices in sight."""
        return [name for name, known, _ in self.known if known == self.matrix_type]

    def assign_matrix(self, text: str, compute: Callable[[Environment], Array]) -> str:
        """Add an instruction whose result is a matrix, and return its name."""
        name = self.name()

        def run(environment: Environment) -> None:
            environment[name] = held(self.component, compute(environment))

        self.put(f"{name} = {text}", run)
        self.known.append((name, self.matrix_type, False))
        return name

    def matrix(self) -> None:
        """Add an instruction on matrices."""
        known, kind = self.matrices(), self.matrix_type
        if not known or self.rng.random() < 0.15:
            text = f"cooperative_matrix_load %M[0, %column] : {kind}"
            self.assign_matrix(text, lambda _: self.blocks)
            return
        a, b = self.rng.choice(known), self.rng.choice(known)
        word = self.rng.choice(("neg", "add", "sub", "mul", "exchange"))
        if word == "neg":
            self.assign_matrix(f"arith.neg {a} : {kind}", lambda e: -e[a])
        elif word == "exchange":
            self._exchange_matrices(a)
        else:
            function = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[word]
            self.assign_matrix(f"arith.{word} {a}, {b} : {kind}", lambda e: function(e[a], e[b]))

    def _exchange_matrices(self, a: str) -> None:
        """Pass a matrix to another subgroup of the group."""
        self.barriers += 2
        self.put(f"cooperative_matrix_store {a}, %E[0, %column]\nbarrier.global")
        text = f"cooperative_matrix_load %E[0, %other] : {self.matrix_type}"
        rows = (GROUPS, -1, self.rows, self.columns)
        self.assign_matrix(text, lambda e: e[a].reshape(rows)[:, ::-1].reshape(e[a].shape))
        self.put("barrier.global")

    def where(self, type_: str, condition: Array, a: Array, b: Array) -> Array:
        """Return numbers of work-items, or of the matrices of subgroups, by a condition."""
        if type_ == self.matrix_type:
            condition = np.broadcast_to(condition, self.count)[:: self.lanes, None, None]
        return np.where(condition, a, b)

    # The whole -------------------------------------------------------------------------

    def memory_parameters(self, body: str) -> list[tuple[str, str, Array | list[Array]]]:
        """Return names, types and arrays of parameters that statements here use."""
        found: list[tuple[str, str, Array | list[Array]]] = []
        shape = (self.rows, self.columns * self.subgroups)
        for type_, members in self.members.items():
            text = f"group<memref<{type_}x{self.size}>x{GROUPS}>"
            if f"%G_{type_}[" in body:
                found.append((f"%G_{type_}", text, [stored(type_, each) for each in members]))
            if f"%H_{type_}[" in body:
                empty = [stored(type_, np.full(self.size, 77)) for _ in range(GROUPS)]
                found.append((f"%H_{type_}", text, empty))
        for name in ("%M", "%E"):
            if f"{name}[" in body:
                text = f"memref<{self.component}x{shape[0]}x{shape[1]}>"
                found.append((name, text, self.matrix_array(self.blocks)))
        return found

    def matrix_array(self, blocks: Array) -> Array:
        """Return the array of the matrices of all subgroups."""
        beside = blocks.transpose(1, 0, 2).reshape(self.rows, -1)
        return np.asfortranarray(stored(self.component, beside))

    def matrices_in(self, array: Array) -> Array:
        """Return the matrices of all subgroups in an array."""
        shape = (self.rows, self.subgroups, self.columns)
        return array.reshape(shape).transpose(1, 0, 2)

    def memory_text(self) -> str:
        """Return the instructions for places of matrices."""
        per_group = self.size // self.lanes
        return f"""%number = cast %s : index
%per_group = constant {per_group} : index
%all = arith.mul %group, %per_group : index
%columns = constant {self.columns} : index
%q = arith.add %all, %number : index
%column = arith.mul %q, %columns : index
%highest = constant {per_group - 1} : index
%lower = arith.sub %highest, %number : index
%p = arith.add %all, %lower : index
%other = arith.mul %p, %columns : index"""
