"""Writes choices and loops of work-items, with barriers where all of a group take them alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cases.barrier_memory import MemoryStatements
from cases.barrier_numbers import COMPARISONS, Array, Environment, held
from cases.barrier_statements import Step
from interpreting import COMPLEX


class Regions(MemoryStatements):
    """Writes and computes statements that hold others."""

    def condition(self, *, shared: bool = False) -> str:
        """Add a condition, and return its name; `shared`: all work-items of a group agree."""
        type_ = self.any_type()
        word = self.rng.choice(("eq", "ne") if type_ in COMPLEX else tuple(COMPARISONS))
        a, b = (self._shared(type_) if shared else self.value(type_) for _ in range(2))
        text = f"cmp.{word} {a}, {b} : bool"
        return self.assign("bool", text, lambda e: COMPARISONS[word](e[a], e[b]))

    def _shared(self, type_: str) -> str:
        """Return a value that all work-items of a group have, perhaps from memory."""
        kind = self.rng.random()
        if kind < 0.4:
            number, inputs = self.rng.randrange(self.count), self.inputs[type_]
            place = self.constant("index", number)
            text = f"load %A_{type_}[{place}] : {type_}"
            return self.assign(type_, text, lambda _: np.full(self.count, inputs[number]), True)
        if kind < 0.7 and type_ not in COMPLEX:
            return self.assign(type_, f"cast %group : {type_}", lambda e: e["%group"], True)
        return self.random_constant(type_)

    def _region(self, make: Callable[[], None]) -> list[Step]:
        """Return the steps that a function adds, whose values are seen by no others."""
        steps, known = len(self.steps), len(self.known)
        make()
        del self.known[known:]
        added = self.steps[steps:]
        del self.steps[steps:]
        return added

    def choice(self, depth: int) -> None:
        """Add a choice between two regions, which work-items may make differently."""
        condition, type_ = self.condition(), self.any_type()
        self._choose(condition, [type_], 0.5, depth, diverges=True)

    def joint_choice(self, depth: int) -> None:
        """Add a choice that all work-items of a group make alike, with barriers."""
        types = [self.any_type() for _ in range(self.rng.randint(1, 2))]
        if self.matrices() and self.rng.random() < 0.5:
            types.append(self.matrix_type)
        self._choose(self.condition(shared=True), types, 0.8, depth, diverges=False)

    def _choose(
        self, condition: str, types: list[str], chance: float, depth: int, *, diverges: bool
    ) -> None:
        yielded: list[list[str]] = []

        def branch() -> None:
            if self.rng.random() < chance:
                self.statements(self.rng.randint(1, 2), depth + 1, diverges=diverges)
            yielded.append([self.any_value(type_) for type_ in types])

        branches = [self._region(branch) for _ in range(2)]
        texts = [
            "\n".join([s.text for s in b] + [f"yield ({', '.join(y)})"])
            for b, y in zip(branches, yielded, strict=True)
        ]

        def compute(environment: Environment) -> list[Array]:
            for step in (*branches[0], *branches[1]):
                step.run(environment)
            return [
                self.where(type_, environment[condition], environment[left], environment[right])
                for type_, left, right in zip(types, *yielded, strict=True)
            ]

        text = f"if {condition} -> ({', '.join(types)})"
        self._assign_all(types, f"{text} {{\n{texts[0]}\n}} else {{\n{texts[1]}\n}}", compute)

    def any_value(self, type_: str) -> str:
        """Return the name of a value of a type, or of a matrix."""
        if type_ == self.matrix_type:
            return self.rng.choice(self.matrices())
        return self.value(type_)

    def _assign_all(
        self, types: list[str], text: str, compute: Callable[[Environment], list[Array]]
    ) -> None:
        """Add an instruction with several results."""
        names = [self.name() for _ in types]

        def run(environment: Environment) -> None:
            with np.errstate(all="ignore"):
                for name, type_, values in zip(names, types, compute(environment), strict=True):
                    is_matrix = type_ == self.matrix_type
                    each = values if is_matrix else np.broadcast_to(values, self.count)
                    environment[name] = held(self.component if is_matrix else type_, each)

        self.put(f"{', '.join(names)} = {text}", run)
        self.known += [(name, type_, False) for name, type_ in zip(names, types, strict=True)]

    def _end(self, trips: int, *, own: bool) -> str:
        """Return the end of a loop: of each work-item, or of all, perhaps from memory."""
        end = self.constant("i32", trips)
        if own:
            text = f"arith.min {end}, %l : i32"
            return self.assign("i32", text, lambda e: np.minimum(trips, e["%l"]))
        if self.is_plain or self.rng.random() < 0.6:
            return end
        number, inputs = self.rng.randrange(self.count), self.inputs["i32"]
        place = self.constant("index", number)
        given = self.assign(
            "i32", f"load %A_i32[{place}] : i32", lambda _: np.full(self.count, inputs[number])
        )
        text = f"arith.min {end}, {given} : i32"
        return self.assign("i32", text, lambda e: np.minimum(trips, e[given]))

    def loop(self, depth: int, diverges: bool) -> None:
        """Add a loop, which work-items may leave at different times."""
        types = [self.any_type()]
        firsts = [self.value(types[0])]
        trips, start = self.rng.randint(1, 3), self.constant("i32", 0)
        own = diverges or self.rng.random() < 0.3
        end = self._end(trips, own=own)
        if not self.is_plain:
            types += [self.any_type() for _ in range(self.rng.randint(0, 2))]
            types += [self.matrix_type] * (not own and bool(self.matrices()))
            firsts += [self.any_value(type_) for type_ in types[1:]]
        carried, counter = [self.name() for _ in types], self.name()
        for name, first in zip(carried, firsts, strict=True):
            self.environment[name] = self.environment[first]
        self.environment[counter] = np.zeros(self.count, np.int64)
        yielded: list[str] = []

        def body() -> None:
            self.known += [(n, t, False) for n, t in zip(carried, types, strict=True)]
            self.known.append((counter, "i32", True))
            self.statements(self.rng.randint(2, 4), depth + 1, diverges=own)
            yielded.extend(self.any_value(type_) for type_ in types)

        steps = self._region(body)

        def compute(environment: Environment) -> list[Array]:
            environment |= {n: environment[f] for n, f in zip(carried, firsts, strict=True)}
            for trip in range(trips):
                environment[counter] = np.full(self.count, trip)
                for step in steps:
                    step.run(environment)
                runs = trip < environment[end]
                environment |= {
                    n: self.where(t, runs, environment[y], environment[n])
                    for n, t, y in zip(carried, types, yielded, strict=True)
                }
            return [environment[name] for name in carried]

        inner = "\n".join([step.text for step in steps] + [f"yield ({', '.join(yielded)})"])
        inits = ", ".join(f"{n} = {f}" for n, f in zip(carried, firsts, strict=True))
        text = f"for {counter} : i32 = {start}, {end} init({inits}) -> ({', '.join(types)}) {{\n"
        self._assign_all(types, f"{text}{inner}\n}}", compute)
