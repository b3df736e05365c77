# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for sums of contractions of small tensors, written as assignments."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy.typing as npt

from ..errors import ArgumentError, ParseError, describe, got
from ..frontend.source import Span
from ..runtime.kernel import BoundKernel, Kernel
from ..runtime.launches.event import Event
from ..runtime.launches.integers import checked_integer
from ..scalars import SCALAR_TYPES
from .chain import Chain
from .expression import Assignment, Expression, Product, Reference, Sum
from .kernel_text import KernelText, plan
from .recipe import AsOperation, Checker
from .terms import Access, Factor, Mode, Parameter, Shape, Statement, Term

_CHECK = Checker("contract")


class Contraction(Chain):
    """Sums of contractions; made by `contract`."""

    def __call__(
        self,
        arguments: Mapping[str, object] | None = None,
        /,
        *,
        queue: object = None,
        scratch: object = None,
        **named: object,
    ) -> None:
        """Compute all assignments and wait until they are done.

        Args:
            arguments: arrays and factors by their names in the expression: packed column-major
                arrays, NumPy or USM, whose last mode is that of the batch, and numbers.
            queue: dpctl queue or device to launch on.
            scratch: (scratch_size, n) array, packed column-major, for temporaries that local memory
                has no room for: n groups run at a time. None for a new one.
            named: more arguments.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
            LoweringError: the target rejects the program.
            DeviceError: there is no device, or it lacks a feature.
        """
        groups, given = self._arguments(arguments, named, scratch, queue)
        self._kernel(given, groups=groups, queue=queue)

    def submit(
        self,
        arguments: Mapping[str, object] | None = None,
        /,
        *,
        queue: object = None,
        depends: Iterable[object] = (),
        scratch: object = None,
        **named: object,
    ) -> Event:
        """Launch all assignments and return their event at once.

        The arguments are those of a call; what is written is in USM memory. The kernel starts when
        the events in `depends` are over.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
        """
        groups, given = self._arguments(arguments, named, scratch, queue)
        return self._kernel.submit(given, groups=groups, queue=queue, depends=depends)

    def bind(
        self,
        arguments: Mapping[str, object] | None = None,
        /,
        *,
        queue: object = None,
        scratch: object = None,
        **named: object,
    ) -> BoundKernel:
        """Return the launch with its arguments checked, to repeat it at little cost.

        The arguments are those of a call; all arrays are in USM memory.

        Raises:
            ArgumentError: an array or a factor does not fit.
        """
        groups, given = self._arguments(arguments, named, scratch, queue)
        return self._kernel.bind(given, groups=groups, queue=queue)

    @property
    def _kernel(self) -> Kernel:
        return self.program[self._name]

    def _as_operation(self) -> AsOperation:
        return super()._as_operation()._replace(constants={})  # the expression names its factors

    def _kernel_name(self, beta: object) -> str:
        return self._name

    def _arguments(
        self,
        arguments: Mapping[str, object] | None,
        named: Mapping[str, object],
        scratch: object,
        queue: object,
    ) -> tuple[int, dict[str, object]]:
        """Return the number of groups and all arguments by name."""
        if arguments is not None and not isinstance(arguments, Mapping):
            raise ArgumentError(
                f"contract: expected a mapping of names to arguments, got {describe(arguments)}"
            )
        given = {**(arguments or {}), **named}
        known = {tensor.name for tensor in self._tensors}
        arrays = {name: value for name, value in given.items() if name in known}
        groups, more = self._with_scratch(arrays, scratch, queue)
        return groups, given | dict(zip([self._scratch_name], more, strict=False))


def contract(
    expression: str,
    shapes: Mapping[str, Shape],
    *,
    dtype: npt.DTypeLike,
    optimize: str | bool = "auto",
    target: object = None,
) -> Contraction:
    """Return a kernel for sums of contractions, one for each group of a batch.

    The expression says what a group computes, as assignments in Python's syntax, one in a line:
    `C[ik] = beta * C[ik] + alpha * A[ij] * B[jk]`, or with `+=` or `-=`. Brackets hold a letter for
    each mode of a tensor. Each term is summed over the letters that the target lacks, and is the
    same along those that only the target has; a sum in parentheses is computed before, likewise. A
    letter twice in a tensor is a diagonal, a number one element of a mode (`S[qp, 0]`), `q[3:9]`
    part of a mode (`Q[k, q[3:9]]`), and a mode of size 1 is repeated as often as others need. Other
    names are factors, which launches take as numbers. What is assigned and has no shape is a
    temporary, for later assignments.

    Args:
        expression: the assignments.
        shapes: sizes of the modes of each tensor; a None at the end is the batch mode, which each
            tensor that is written has if one has it.
        dtype: element type of all tensors and factors: a name of the language, such as "c32", or a
            NumPy dtype.
        optimize: how opt_einsum searches for the order of a product: "auto", "optimal", "greedy"
            and so on; False contracts from the left to the right.
        target: name of a target, a dpctl device or queue, or None for the default device.

    Returns:
        The recipe: call it with arrays and factors by name.

    Raises:
        ParseError: the expression is not valid, or does not fit the shapes.
        ArgumentError: another argument is not valid.
        LoweringError: there is no target of that name; only if temporaries are large.
        DeviceError: the target is an object that is no device or queue; likewise.

    Source: the expressions of YATeTo, doi 10.1145/3406835.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> update = tt.recipes.contract(
    ...     "Q[kp] += dt * (K[kl] * I[lq] * A[qp] - 0.5 * I[kq] * E[qp])",
    ...     {"Q": (4, 3, None), "I": (4, 3, None), "K": (4, 4), "A": (3, 3, None), "E": (3, 3)},
    ...     dtype="f64",
    ...     target="cpu",
    ... )
    >>> arrays = {name: np.ones((4, 3, 10), order="F") for name in "QI"}
    >>> arrays |= {"K": np.ones((4, 4), order="F"), "E": np.ones((3, 3), order="F")}
    >>> update(arrays, A=np.ones((3, 3, 10), order="F"), dt=0.1)
    >>> arrays["Q"][0, 0, 9].round(6)
    np.float64(2.05)
    """
    type_ = _CHECK.type_name(dtype)
    if not isinstance(expression, str):
        message = f"expected a text such as 'C[ik] = A[ij] * B[jk]', got {describe(expression)}"
        raise _CHECK.error("expression", message)
    if not isinstance(shapes, Mapping):
        message = f"expected a mapping of names to sizes, got {describe(shapes)}"
        raise _CHECK.error("shapes", message)
    reader = _Reader(Expression(textwrap.dedent(expression)), shapes, type_)
    statements = reader.statements()
    plans = [
        [
            plan(_CHECK, term, statement.target.indices, statement.sizes, optimize)
            for term in statement.terms
        ]
        for statement in statements
    ]
    tensors = [*reader.parameters.values()]
    kernel = KernelText(
        "contract",
        "; ".join(" ".join(line.split()) for line in expression.strip().splitlines()),
        type_,
        [*reader.factors, *tensors],
        statements,
        plans,
    )
    written = [name for name in reader.parameters if name in reader.written]
    return Contraction([kernel], "contract", written, target)


class _Reader:
    """Turns assignments into statements.

    Args:
        expression: the assignments.
        shapes: as for `contract`.
        type_: scalar type of the tensors.
    """

    def __init__(self, expression: Expression, shapes: Mapping[str, object], type_: str) -> None:
        self.parameters = {name: _parameter(name, shape) for name, shape in shapes.items()}
        self.factors: dict[str, None] = {}
        self.written: set[str] = set()
        self._expression = expression
        self._type = SCALAR_TYPES[type_]
        self._shapes = {name: tensor.shape for name, tensor in self.parameters.items()}
        self._sizes: dict[str, int] = {}
        self._statements: list[Statement] = []
        self._used: set[str] = set()
        self._names: set[str] = {*self.parameters}

    def statements(self) -> list[Statement]:
        """Return the statements, those of sums in parentheses included.

        Raises:
            ParseError: the expression does not fit the shapes.
            ArgumentError: a shape is not used.
        """
        assignments = self._expression.assignments()
        for assignment in assignments:
            self._names |= {assignment.target.name, *_names(assignment.products)}
        for assignment in assignments:
            self._read(assignment)
        for name in self.parameters:
            if name not in self._used:
                message = (
                    f"expected shapes of tensors of the expression, {got(name, sorted(self._used))}"
                )
                raise _CHECK.error("shapes", message)
        for assignment in assignments:
            target = self.parameters.get(assignment.target.name)
            batch = [name for name, tensor in self.parameters.items() if tensor.is_batched]
            if target is not None and batch and not target.is_batched:
                raise self._expression.error(
                    f"expected a batch mode of {target.name!r}, which is written, as "
                    f"{batch[0]!r} has one, got shape {target.shape}",
                    assignment.target.span,
                )
        return self._statements

    def _read(self, assignment: Assignment) -> None:
        target = assignment.target
        self._sizes = {}
        beta, products = self._split(assignment)
        for reference in _references(assignment.products):
            self._add_sizes(reference)
        if target.name not in self._shapes:
            self._declare(assignment)
        self._add_sizes(target, is_target=True)
        access = self._access(target)
        terms = self._terms(products, target.indices)
        comment = self._expression.text(assignment.span)
        self._statements.append(Statement(access, beta, terms, self._sizes, comment))
        self._used.add(target.name)
        self.written.add(target.name)

    def _split(self, assignment: Assignment) -> tuple[Factor, Sum]:
        """Return the factor of the target's old values, and the other terms."""
        target = assignment.target
        beta, rest = Factor(1 if assignment.adds else 0), []
        for product in assignment.products:
            if not any(reference.name == target.name for reference in product.references):
                rest.append(product)
            elif (
                beta == Factor(0)
                and not product.sums
                and [_parts(each) for each in product.references] == [_parts(target)]
            ):
                beta = self._factor(product)
            else:
                raise self._expression.error(
                    f"expected {target.name!r}, which is written, only as one term of '=' with a "
                    f"factor and the target's indices, got {self._expression.text(product.span)!r}",
                    product.span,
                )
        if not rest:
            raise self._expression.error(
                "expected a term with another tensor than the target, got none", assignment.span
            )
        return beta, tuple(rest)

    def _declare(self, assignment: Assignment) -> None:
        """Make a temporary."""
        target = assignment.target
        if assignment.adds:
            raise self._unknown(target)
        if target.name in self.factors:
            message = f"expected no indices after the factor {target.name!r}, got some"
            raise self._expression.error(message, target.span)
        for letter, part, span in target.modes:
            if letter not in self._sizes or part != slice(None):
                raise self._expression.error(
                    f"expected indices of the terms for {target.name!r}, which has no shape, got "
                    f"{self._expression.text(span)!r}",
                    span,
                )
        self._shapes[target.name] = tuple(self._sizes[letter] for letter in target.indices)

    def _terms(self, products: Sum, needed: str) -> tuple[Term, ...]:
        """Return the terms of a sum; the sums in parentheses become statements before.

        Args:
            products: the terms.
            needed: indices of what is written.
        """
        terms = []
        for product in products:
            accesses = [self._access(each).broadcast(self._sizes) for each in product.references]
            letters = [each.indices for each in product.references]
            letters += [_indices(each) for each in product.sums]
            for number, inner in enumerate(product.sums, len(product.references)):
                others = needed + "".join(letters[:number] + letters[number + 1 :])
                accesses.append(
                    self._sum(inner, "".join(i for i in letters[number] if i in others))
                )
            terms.append(Term(self._factor(product), tuple(accesses)))
        return tuple(terms)

    def _sum(self, products: Sum, indices: str) -> Access:
        """Return the temporary that holds a sum in parentheses."""
        name = next(name for n in itertools.count() if (name := f"sum{n}") not in self._names)
        self._names.add(name)
        self._shapes[name] = shape = tuple(self._sizes[i] for i in indices)
        modes = (Mode(i, size, 0, size) for i, size in zip(indices, shape, strict=True))
        access = Access(name, tuple(modes))
        terms = self._terms(products, indices)
        self._statements.append(Statement(access, Factor(0), terms, self._sizes))
        return access

    def _factor(self, product: Product) -> Factor:
        """Return the factor of a term, which the type must hold."""
        number, type_ = product.number, self._type
        if type_.kind == "integer":
            limit = 1 << (type_.bits - 1)
            is_held = number == int(number.real) and -limit <= number.real < limit
        else:
            parts = [type_.real.round(part) for part in (number.real, number.imag)]
            is_held = all(map(math.isfinite, parts)) and (type_.kind == "complex" or not parts[1])
        if not is_held:
            message = f"expected a factor that {self._type.name} holds, got {number}"
            raise self._expression.error(message, product.span)
        for name in product.names:
            if name in self._shapes:
                message = f"expected indices after the tensor {name!r}, got none"
                raise self._expression.error(message, product.span)
            self.factors[name] = None
        return Factor(number, product.names)

    def _access(self, reference: Reference) -> Access:
        shape = self._shapes[reference.name]
        modes = []
        for (letter, part, _), whole in zip(reference.modes, shape, strict=True):
            if isinstance(part, slice):
                start, stop, _ = part.indices(whole)
                modes.append(Mode(letter, stop - start, start, whole))
            else:
                modes.append(Mode("", 1, part, whole))
        return Access(reference.name, tuple(modes))

    def _add_sizes(self, reference: Reference, *, is_target: bool = False) -> None:
        """Check the modes of a tensor, and add the sizes of its indices to those of all."""
        name = reference.name
        if name not in self._shapes:
            raise self._unknown(reference)
        self._used.add(name)
        shape = self._shapes[name]
        if len(reference.modes) != len(shape):
            raise self._expression.error(
                f"expected an index for each of the {len(shape)} modes of {name!r}, got "
                f"{len(reference.modes)}",
                reference.span,
            )
        own: dict[str, int] = {}
        for (letter, part, span), whole in zip(reference.modes, shape, strict=True):
            size = self._part_size(part, whole, span)
            if not letter:
                continue
            expected = self._sizes.get(letter, 1)
            if own.setdefault(letter, size) != size:
                rule = f"one size for index {letter!r} of {name!r}, got {own[letter]} and"
            elif expected in (size, 1) or (size == 1 and not is_target):
                self._sizes[letter] = max(size, expected)
                continue
            else:
                choice = str(expected) if is_target else f"{expected} or 1"
                rule = f"size {choice} for index {letter!r} of {name!r}, as in other tensors, got"
            raise self._expression.error(f"expected {rule} {size}", span)

    def _part_size(self, part: slice | int, whole: int, span: Span) -> int:
        """Return the number of elements of a part of a mode."""
        if isinstance(part, int):
            if part >= whole:
                raise self._expression.error(
                    f"expected an element of a mode of size {whole}, got "
                    f"{self._expression.text(span)}",
                    span,
                )
            return 1
        start, stop = part.start or 0, whole if part.stop is None else part.stop
        if not start < stop <= whole:
            raise self._expression.error(
                f"expected at least one element of a mode of size {whole}, and none after it, got "
                f"{self._expression.text(span)!r}",
                span,
            )
        return stop - start

    def _unknown(self, reference: Reference) -> ParseError:
        known = sorted(self._shapes)
        return self._expression.error(
            f"expected a tensor with a shape, or assigned before, {got(reference.name, known)}",
            reference.span,
        )


def _parameter(name: object, shape: object) -> Parameter:
    """Return the parameter of a tensor."""
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        message = f"expected a tuple of sizes for {name!r}, got {describe(shape)}"
        raise _CHECK.error("shapes", message)
    is_batched = bool(shape) and shape[-1] is None
    sizes = []
    for mode, size in enumerate(shape[:-1] if is_batched else shape):
        try:
            sizes.append(checked_integer(size, f"as size of mode {mode} of {name!r}", 1))
        except ValueError as error:
            raise _CHECK.error("shapes", str(error)) from None
    return Parameter(str(name), tuple(sizes), is_batched)


def _references(products: Sum) -> Iterator[Reference]:
    """Yield all tensors of a sum."""
    for product in products:
        yield from product.references
        for inner in product.sums:
            yield from _references(inner)


def _names(products: Sum) -> Iterator[str]:
    """Yield the names of all tensors and factors of a sum."""
    for product in products:
        yield from product.names
        yield from (reference.name for reference in product.references)
        for inner in product.sums:
            yield from _names(inner)


def _indices(products: Sum) -> str:
    """Return the indices of a sum, each once."""
    return "".join(dict.fromkeys("".join(each.indices for each in _references(products))))


def _parts(reference: Reference) -> tuple[object, ...]:
    """Return the elements that a reference is about, to compare it with others."""
    return reference.name, *((letter, str(part)) for letter, part, _ in reference.modes)
