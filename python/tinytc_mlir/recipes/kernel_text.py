# SPDX-License-Identifier: BSD-3-Clause
"""Plans the steps of statements and writes them as a kernel."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence

from ..errors import describe
from ..frontend.spelling import memref_text
from .contraction import ContractionWriter
from .recipe import Checker
from .terms import Parameter, Statement, Term
from .writer import Memref, Temporary, Tensor

# Orders of a temporary's modes that are tried, and how often each temporary has its turn.
_MAX_ORDERS, _ROUNDS = 120, 2


@dataclasses.dataclass(frozen=True)
class Step:
    """One contraction.

    Args:
        sources: numbers of one or two tensors; those after the term's own are earlier results.
        indices: indices of the result.
    """

    sources: tuple[int, ...]
    indices: str


def plan(
    check: Checker, term: Term, result: str, sizes: Mapping[str, int], optimize: object
) -> list[Step]:
    """Return the contractions of a term in the order that opt_einsum finds.

    Args:
        check: makes errors.
        term: the term.
        result: indices of the target.
        sizes: size of each index.
        optimize: how opt_einsum searches; False contracts from the left to the right.

    Raises:
        ArgumentError: opt_einsum does not know how to search like that.
    """
    import opt_einsum

    if not isinstance(optimize, (str, bool)):
        message = f"expected a name such as 'auto', True or False, got {describe(optimize)}"
        raise check.error("optimize", message)
    factors = ["".join(dict.fromkeys(access.indices)) for access in term.accesses]
    if len(factors) == 1:
        return [Step((0,), result)]
    if optimize is False:
        path = [(0, 1), *((0, n) for n in range(len(factors) - 2, 0, -1))]
    else:
        shapes = [tuple(sizes[i] for i in factor) for factor in factors]
        text = f"{','.join(factors)}->{''.join(i for i in result if i in ''.join(factors))}"
        try:
            # Without the batch: every group repeats what is contracted of operands that all share.
            path, _ = opt_einsum.contract_path(text, *shapes, shapes=True, optimize=optimize)
        except (KeyError, TypeError, ValueError) as error:
            message = f"expected what opt_einsum accepts, got an error: {error}"
            raise check.error("optimize", message) from None
    steps: list[Step] = []
    numbers = list(range(len(factors)))
    for places in path:
        chosen = [numbers.pop(place) for place in sorted(places, reverse=True)][::-1]
        while len(chosen) > 1:
            first, second, *chosen = chosen
            rest = result + "".join(factors[n] for n in [*numbers, *chosen])
            indices = dict.fromkeys(factors[first] + factors[second])
            is_last = not numbers and not chosen
            kept = result if is_last else "".join(i for i in indices if i in rest)
            steps.append(Step((first, second), kept))
            factors.append(kept)
            chosen.insert(0, len(factors) - 1)
        numbers.append(chosen[0])
    return steps


@dataclasses.dataclass(frozen=True)
class KernelText:
    """All that the text of a kernel depends on.

    Args:
        name: its name.
        comment: what it computes.
        type_: scalar type of all tensors and factors.
        parameters: all parameters in their order: names of factors, and tensors.
        statements: what it computes, in this order.
        plans: the steps of each term of each statement.
    """

    name: str
    comment: str
    type_: str
    parameters: Sequence[str | Parameter]
    statements: Sequence[Statement]
    plans: Sequence[Sequence[Sequence[Step]]]

    @property
    def batch(self) -> str:
        """A batch and its last mode, such as "%A[2]"; empty if there is none."""
        for parameter in self.parameters:
            if isinstance(parameter, Parameter) and parameter.is_batched:
                return f"%{parameter.name}[{len(parameter.shape)}]"
        return ""

    @property
    def scratch_name(self) -> str:
        """Name of the parameter for global memory, which no other parameter has."""
        return self._start({})[0].own("scratch")[1:]

    @functools.cached_property
    def temporaries(self) -> Sequence[Temporary]:
        """The temporaries of the kernel, in the order of their first use."""
        return [*self._body({}).temporaries.values()]

    def text(self, scratch: Mapping[str, int], elements: int) -> str:
        """Return the kernel in the tensor language.

        Args:
            scratch: first element of each temporary that is in global memory.
            elements: elements of global memory for each group.
        """
        body = self._body(scratch)
        parameters = [self._parameter(parameter) for parameter in self.parameters]
        if scratch:
            type_ = memref_text(self.type_, (elements, None))
            parameters.append(f"%{self.scratch_name}: {type_}")
        lines = [
            *(f"; {line}" for line in self.comment.splitlines()),
            f"func @{self.name}({', '.join(parameters)}) {{",
            *body.lines(self.batch),
            "}",
            "",
        ]
        return "\n".join(lines)

    def _parameter(self, parameter: str | Parameter) -> str:
        if isinstance(parameter, str):
            return f"%{parameter}: {self.type_}"
        batch = (None,) if parameter.is_batched else ()
        text = f"%{parameter.name}: {memref_text(self.type_, (*parameter.shape, *batch))}"
        if parameter.boxes is None:
            return text
        return f"{text} {{nonzero={[list(box) for box in parameter.boxes]}}}"

    @functools.cached_property
    def _orders(self) -> Mapping[tuple[int, int], Sequence[str]]:
        """The best order found of the modes of the temporaries of each term."""
        return {
            (s, t): self._best_orders(s, t)
            for s, statement in enumerate(self.statements)
            for t in range(len(statement.terms))
        }

    def _best_orders(self, s: int, t: int) -> Sequence[str]:
        def cost(orders: Sequence[str]) -> tuple[int, int]:
            writer, tensors = self._start({})
            for statement in self.statements[: s + 1]:
                target = self._target(writer, tensors, statement)
            self._term(writer, tensors, (s, t), orders, target)
            return writer.cost

        orders = [step.indices for step in self.plans[s][t]]
        best = cost(orders) if len(orders) > 1 else (0, 0)
        for _ in range(_ROUNDS):
            for number in range(len(orders) - 1):
                letters = itertools.permutations(orders[number])
                for order in itertools.islice(letters, _MAX_ORDERS):
                    tried = [*orders[:number], "".join(order), *orders[number + 1 :]]
                    found = cost(tried)
                    if found < best:
                        best, orders = found, tried
        return orders

    def _start(self, scratch: Mapping[str, int]) -> tuple[ContractionWriter, dict[str, Memref]]:
        """Return a writer, and the tensors that the caller passes."""
        names = [p if isinstance(p, str) else p.name for p in self.parameters]
        names += [statement.target.tensor for statement in self.statements]
        writer = ContractionWriter(self.type_, names, scratch)
        tensors = {
            parameter.name: writer.parameter(parameter)
            for parameter in self.parameters
            if isinstance(parameter, Parameter)
        }
        return writer, tensors

    def _target(
        self, writer: ContractionWriter, tensors: dict[str, Memref], statement: Statement
    ) -> Tensor:
        """Return what a statement writes; a temporary is made by the first one."""
        writer.sizes = statement.sizes
        target = statement.target
        if target.tensor not in tensors:
            tensor = writer.temporary(target.indices, target.tensor)
            tensors[target.tensor] = tensor.memref
            return tensor
        return writer.access(tensors[target.tensor], target)

    def _body(self, scratch: Mapping[str, int]) -> ContractionWriter:
        """Return the instructions; `scratch` is as in `text`."""
        writer, tensors = self._start(scratch)
        passed = set(tensors)
        for s, statement in enumerate(self.statements):
            if statement.comment:
                writer.comment(statement.comment)
            target = self._target(writer, tensors, statement)
            for t in range(len(statement.terms)):
                self._term(writer, tensors, (s, t), self._orders[s, t], target)
            later = {
                access.tensor
                for other in self.statements[s + 1 :]
                for access in (other.target, *(a for term in other.terms for a in term.accesses))
            }
            for name in [name for name in tensors if name not in passed | later]:
                writer.release(Tensor(tensors.pop(name), "", name))
        return writer

    def _term(
        self,
        writer: ContractionWriter,
        tensors: Mapping[str, Memref],
        place: tuple[int, int],
        orders: Sequence[str],
        target: Tensor,
    ) -> None:
        """Write a term.

        Args:
            writer: collects the instructions.
            tensors: all tensors.
            place: numbers of the statement and of the term.
            orders: indices of the result of each step.
            target: what the statement writes.
        """
        s, t = place
        statement, term = self.statements[s], self.statements[s].terms[t]
        beta = writer.factor(statement.beta) if t == 0 else writer.number(1)
        if any(statement.sizes[i] == 0 for access in term.accesses for i in access.indices):
            writer.scale(beta, target)
            return
        found = [writer.access(tensors[access.tensor], access) for access in term.accesses]
        factor = writer.factor(term.factor)
        for number, (step, order) in enumerate(zip(self.plans[s][t], orders, strict=True)):
            sources = [found[source] for source in step.sources]
            named = " ".join(f"{x.memref.value[1:]}[{x.indices}]" for x in sources)
            writer.comment(f"{named} -> [{order}]")
            is_last = number == len(orders) - 1
            result = target if is_last else writer.temporary(order)
            alpha, old = (factor, beta) if is_last else (writer.number(1), writer.number(0))
            if len(sources) == 1:
                writer.reduce(alpha, sources[0], old, result)
            else:
                writer.contract(alpha, sources[0], sources[1], old, result)
            found.append(result)
            for source in sources:
                writer.release(source)
