"""Writes random statements of work-items, and computes them by NumPy.

Each instruction is computed for all work-items when it is written, in numbers that hold all
results exactly, and left out if its type does not hold them. So the device has to agree bit for
bit, and the check costs no run of the interpreter.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

import numpy as np

from cases.barrier_numbers import (
    BINARY,
    FLOATS,
    INTEGERS,
    TYPES,
    UNARY,
    Array,
    Environment,
    Inexact,
    held,
)
from interpreting import COMPLEX

GROUPS = 2
WORK_GROUPS = ((4, 8, 1), (4, 16, 2), (8, 16, 1), (8, 24, 3), (16, 32, 1), (16, 48, 2), (32, 64, 1))
"""Subgroup size and shape: two to nine subgroups."""
_WEIGHTS = (3, 6, 8, 8, 1, 1, 2, 1, 2, 2)


@dataclasses.dataclass
class Step:
    """One instruction: its text, and what adds its results to the values."""

    text: str
    run: Callable[[Environment], None]


class Statements:
    """Writes and computes the statements of one kernel.

    Args:
        seed: decides all choices.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"barriers {seed}")
        self.sign_rng = random.Random(f"bits {seed}")
        # Some programs are those that were written before there were other statements.
        self.is_plain = random.Random(f"old {seed}").random() < 0.25
        self.lanes, *shape = self.rng.choice(WORK_GROUPS)
        self.attributes = f"subgroup_size={self.lanes}, work_group_size=[{shape[0]},{shape[1]}]"
        self.size = shape[0] * shape[1]
        self.count = GROUPS * self.size
        self.barriers = 0
        self.next_name = 0
        self.steps: list[Step] = []
        # The values in sight, with their types, and whether all work-items share them.
        self.known: list[tuple[str, str, bool]] = []
        self.environment: Environment = {}
        self.types = self.rng.choices(TYPES, _WEIGHTS, k=self.rng.choice((1, 1, 1, 2)))
        numbers = np.random.default_rng(seed)
        self.inputs = {}
        for type_ in dict.fromkeys((*self.types, "i32")):
            self.inputs[type_] = self._numbers(numbers, type_)
        self._start()

    def _numbers(self, rng: np.random.Generator, type_: str) -> Array:
        values = rng.integers(-4, 5, self.count)
        if type_ in FLOATS:
            return values / rng.choice((1.0, 2.0))
        return values + 1j * rng.integers(-4, 5, self.count) if type_ in COMPLEX else values

    # Steps -----------------------------------------------------------------------------

    def name(self) -> str:
        """Return a new name."""
        self.next_name += 1
        return f"%v{self.next_name}"

    def put(self, text: str, run: Callable[[Environment], None] = lambda _: None) -> None:
        """Add a step; it is run at once, and may raise Inexact."""
        run(self.environment)
        self.steps.append(Step(text, run))

    def assign(
        self, type_: str, text: str, compute: Callable[[Environment], Array], shared: bool = False
    ) -> str:
        """Add an instruction with one result, and return its name."""
        name = self.name()

        def run(environment: Environment) -> None:
            with np.errstate(all="ignore"):
                values = np.broadcast_to(compute(environment), self.count)
            environment[name] = held(type_, values)

        self.put(f"{name} = {text}", run)
        self.known.append((name, type_, shared))
        return name

    def constant(self, type_: str, value: float) -> str:
        """Add a constant, of complex numbers the real part, and return its name."""
        text = f"[{value:.1f}, {self.rng.choice((0.0, 1.0))}]" if type_ in COMPLEX else f"{value}"
        number = complex(*map(float, text[1:-1].split(","))) if type_ in COMPLEX else value
        return self.assign(type_, f"constant {text} : {type_}", lambda _: number, shared=True)

    def random_constant(self, type_: str) -> str:
        """Add one of the constants that optimizers know something of, and return its name."""
        if type_ in INTEGERS:
            return self.constant(type_, self.rng.choice((-1, 0, 1, 2, 3)))
        return self.constant(type_, self.rng.choice((-1.0, -1.0, -1.0, 1.0, -0.0, 2.0, -2.0)))

    def value(self, type_: str) -> str:
        """Return the name of a value of a type, late ones more often than early ones."""
        names = [name for name, known, _ in self.known if known == type_]
        if not names or self.rng.random() < 0.2:
            return self.random_constant(type_)
        return names[-1 - min(int(self.rng.expovariate(0.8)), len(names) - 1)]

    def any_type(self) -> str:
        """Return one of the types of this kernel."""
        return self.rng.choice(self.types)

    def _start(self) -> None:
        """Add the numbers of the work-item, and what it loads from its own place."""
        item = np.arange(self.count) % self.size
        given = {
            "%group": ("index", np.arange(self.count) // self.size, True),
            "%s": ("i32", item // self.lanes, False),
            "%l": ("i32", item % self.lanes, False),
            "%item": ("i32", item, False),
        }
        for name, (type_, values, shared) in given.items():
            self.environment[name] = values
            self.known.append((name, type_, shared))
        self.environment["%g"] = np.arange(self.count)
        for type_ in dict.fromkeys(self.types):
            self._load(type_)

    # Statements ------------------------------------------------------------------------

    def statements(self, count: int, depth: int, *, diverges: bool = False) -> None:
        """Add statements; none waits for other work-items where these may be elsewhere."""
        makers: list[tuple[Callable[[], None], int]] = [
            (self._unary, 8),
            (self._binary, 8),
            (lambda: self.choice(depth), 6),
            (self._cast, 2),
            (lambda: self._load(self.any_type()), 1),
        ]
        if not diverges:
            makers += [(self._reduction, 3), (self.barrier, 5 if self.barriers < 4 else 0)]
            makers += [(self._exchange, 1 if self.barriers < 3 else 0)]
            makers += self.joint_makers(depth)
        if not self.is_plain:
            makers += [(self.member, 1)]
        if depth < 2:
            makers += [(lambda: self.loop(depth, diverges), 1)]
        functions, weights = zip(*makers, strict=True)
        for _ in range(count):
            self.attempt(self.rng.choices(functions, weights)[0])

    def attempt(self, make: Callable[[], None]) -> bool:
        """Let a function add steps; undo all of them if a number is not exact."""
        steps, known, barriers = len(self.steps), len(self.known), self.barriers
        try:
            make()
        except Inexact:
            del self.steps[steps:], self.known[known:]
            self.barriers = barriers
            return False
        return True

    def _unary(self) -> None:
        type_ = self.any_type()
        words = ["neg", "neg", "conj" if type_ in COMPLEX else "abs"]
        word = self.rng.choice(words)
        a = self.value(type_)
        text = f"arith.{word} {a} : {type_}"
        if word == "neg" and type_ in FLOATS and self.sign_rng.random() < 0.2:
            text = self._opposite_bits(type_, a)
        self.assign(type_, text, lambda e: UNARY[word](e[a]))

    def _opposite_bits(self, type_: str, a: str) -> str:
        """Add the bits of a number of the opposite sign, and return what makes a number of them."""
        bits = "i16" if type_ == "bf16" else f"i{type_[1:]}"
        given, one, place, sign, turned = (self.name() for _ in range(5))
        word = self.sign_rng.choice(("xor", "add", "sub"))
        self.put(
            f"{given} = bitcast {a} : {bits}\n"
            f"{one} = constant 1 : {bits}   {place} = constant {int(bits[1:]) - 1} : {bits}\n"
            f"{sign} = arith.shl {one}, {place} : {bits}\n"
            f"{turned} = arith.{word} {given}, {sign} : {bits}"
        )
        return f"bitcast {turned} : {type_}"

    def _binary(self) -> None:
        type_ = self.any_type()
        words = ["add", "sub", "mul", "mul"]
        if type_ not in COMPLEX:
            words += ["min", "max"]
        if type_ in FLOATS:
            words += ["div", "div"]
        word = self.rng.choice(words)
        a, b = self.value(type_), self.value(type_)
        text = f"arith.{word} {a}, {b} : {type_}"
        self.assign(type_, text, lambda e: BINARY[word](e[a], e[b]))

    def _cast(self) -> None:
        numbers = {"index", *FLOATS, *INTEGERS}
        known = [entry for entry in self.known if entry[1] in numbers]
        name, source, shared = self.rng.choice(known)
        type_ = self.any_type()
        if type_ == source:
            raise Inexact
        self.assign(
            type_,
            f"cast {name} : {type_}",
            lambda e: np.trunc(e[name]) if type_ in INTEGERS else e[name],
            shared,
        )

    def _load(self, type_: str) -> None:
        place, at = "%g", lambda e: np.arange(self.count)
        kind = self.rng.random()
        if kind < 0.15:
            number = self.rng.randrange(self.count)
            place = self.assign("index", f"constant {number} : index", lambda _: number, True)
            at = lambda e: np.full(self.count, number)  # noqa: E731
        inputs = self.inputs[type_]
        text = f"load %A_{type_}[{place}] : {type_}"
        self.assign(type_, text, lambda e: inputs[at(e)], shared=place != "%g")

    def barrier(self) -> None:
        """Add a barrier."""
        self.barriers += 1
        self.put(self.rng.choice(("barrier.local", "barrier.global", "barrier")))

    def _rows(self, values: Array) -> Array:
        return np.asarray(values).reshape(-1, self.lanes)

    def _reduction(self) -> None:
        type_ = self.any_type()
        a = self.value(type_)
        rows = self._rows
        kind = self.rng.choice(("reduce", "reduce", "inclusive_scan", "broadcast"))
        if kind == "broadcast":
            lane = self.rng.randrange(self.lanes)
            k = self.constant("i32", lane)
            text = f"subgroup_broadcast {a}, {k} : {type_}"
            self.assign(type_, text, lambda e: rows(e[a])[:, lane].repeat(self.lanes))
            return
        word = self.rng.choice(("add",) if type_ in COMPLEX else ("add", "max", "min"))
        function = {"add": np.add, "max": np.maximum, "min": np.minimum}[word]

        def compute(environment: Environment) -> Array:
            scanned = held(type_, function.accumulate(rows(environment[a]), axis=1))
            if kind == "reduce":
                return scanned[:, -1].repeat(self.lanes)
            return scanned.reshape(-1)

        self.assign(type_, f"subgroup_{word}.{kind} {a} : {type_}", compute)

    def _exchange(self) -> None:
        """Pass values through local memory to the work-items in reverse order."""
        type_ = self.any_type()
        a = self.value(type_)
        self.barriers += 2
        self.put(f"store {a}, %L_{type_}[%place]\nbarrier.local")
        text = f"load %L_{type_}[%mirror] : {type_}"
        size = self.size
        self.assign(type_, text, lambda e: np.asarray(e[a]).reshape(-1, size)[:, ::-1].reshape(-1))
        self.put("barrier.local")

    # Statements on memory that is shared, and regions ----------------------------------

    def joint_makers(self, depth: int) -> list[tuple[Callable[[], None], int]]:
        """Return what adds statements that all work-items of a group run, with weights."""
        raise NotImplementedError

    def member(self) -> None:
        """Load from a member of a group."""
        raise NotImplementedError

    def choice(self, depth: int) -> None:
        """Add a choice between two regions."""
        raise NotImplementedError

    def loop(self, depth: int, diverges: bool) -> None:
        """Add a loop; work-items may leave it at different times if they are apart before."""
        raise NotImplementedError
