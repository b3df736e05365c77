"""The recipe for chains of contractions of small tensors, written like NumPy's `einsum`."""

from __future__ import annotations

import dataclasses
import itertools
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy.typing as npt

from ..errors import ArgumentError, describe
from ..frontend.spelling import memref_text
from ..runtime.arrays import view_of
from ..runtime.integers import checked_integer
from ..runtime.kernel import BoundKernel
from ..runtime.launch import Event
from ..runtime.memory import empty
from ..scalars import SCALAR_TYPES
from .contraction import ContractionWriter, Tensor
from .recipe import Checker, Recipe, ScalarLike, check_apart, is_zero

Shape: TypeAlias = "Sequence[int | None]"
# Orders of a temporary's modes that are tried, and how often each temporary has its turn.
_MAX_ORDERS, _ROUNDS = 120, 2


@dataclasses.dataclass(frozen=True)
class _Operand:
    """An operand as the subscripts and its shape describe it.

    Args:
        name: name of the kernel's parameter.
        indices: one letter for each mode without that of the batch.
        is_batched: whether each group has its own.
    """

    name: str
    indices: str
    is_batched: bool


@dataclasses.dataclass(frozen=True)
class _Step:
    """One contraction.

    Args:
        sources: numbers of one or two tensors; those after the operands are earlier results.
        indices: indices of the result.
    """

    sources: tuple[int, ...]
    indices: str


class Einsum(Recipe):
    """A chain of contractions; made by `einsum`.

    Args:
        text: program in the tensor language.
        operands: the operands.
        result: the result.
        sizes: size of each index.
        type_: scalar type of all tensors.
        target: name of a target, a dpctl device or queue, or None for the default device.
    """

    def __init__(
        self,
        text: str,
        operands: Sequence[_Operand],
        result: _Operand,
        sizes: Mapping[str, int],
        type_: str,
        target: object,
    ) -> None:
        super().__init__(text, "einsum", target)
        self._operands = tuple(operands)
        self._result = result
        self._sizes = sizes
        self._dtype = SCALAR_TYPES[type_].dtype

    def __call__(
        self,
        *operands: object,
        out: object = None,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
    ) -> Any:  # noqa: ANN401  out, an array of any library
        """Compute `out := alpha einsum(operands) + beta out` and wait until it is done.

        With a beta of zero, `out` is not read.

        Args:
            operands: packed column-major arrays, NumPy or USM; a batch mode is the last one.
            out: packed column-major array for the result, which must not overlap an operand; None
                for a new one in USM memory.
            alpha: factor of the contraction.
            beta: factor of `out`.
            queue: dpctl queue or device to launch on.

        Returns:
            `out`, or the new array.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
            LoweringError: the target rejects the program.
            DeviceError: there is no device, or it lacks a feature.
        """
        if out is None:
            if not is_zero(beta):
                factor = beta if isinstance(beta, (int, float, complex)) else describe(beta)
                raise _error("out", f"expected an array for beta = {factor}, got None")
            counts = [self._howmany(operands, None)] if self._result.is_batched else []
            shape = [*(self._sizes[i] for i in self._result.indices), *counts]
            place = self._target if queue is None else queue
            out = empty(shape, self._dtype, queue=place)
        groups = self._howmany(operands, out)
        self.kernel(beta)(alpha, *operands, beta, out, groups=groups, queue=queue)
        return out

    def submit(
        self,
        *operands: object,
        out: object,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
        depends: Iterable[object] = (),
    ) -> Event:
        """Launch the contraction and return its event at once.

        Args:
            operands: as for a call.
            out: array for the result, in USM memory.
            alpha: factor of the contraction.
            beta: factor of `out`.
            queue: dpctl queue or device to launch on.
            depends: events that must be over before the kernel starts.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
        """
        groups, kernel = self._howmany(operands, out), self.kernel(beta)
        return kernel.submit(
            alpha, *operands, beta, out, groups=groups, queue=queue, depends=depends
        )

    def bind(
        self,
        *operands: object,
        out: object,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
    ) -> BoundKernel:
        """Return the launch with its arguments checked, to repeat it at little cost.

        Args:
            operands: as for a call, in USM memory.
            out: array for the result, in USM memory.
            alpha: factor of the contraction.
            beta: factor of `out`.
            queue: dpctl queue or device to launch on.

        Raises:
            ArgumentError: an array or a factor does not fit.
        """
        groups, kernel = self._howmany(operands, out), self.kernel(beta)
        return kernel.bind(alpha, *operands, beta, out, groups=groups, queue=queue)

    def _howmany(self, operands: Sequence[object], out: object) -> int:
        """Return the number of groups, which all arrays with a batch mode must have."""
        if len(operands) != len(self._operands):
            raise ArgumentError(
                f"einsum: expected {len(self._operands)} operands, got {len(operands)}"
            )
        pairs = [*zip(self._operands, operands, strict=True)]
        if out is not None:
            pairs.append((self._result, out))
        counts: dict[str, int] = {}
        for operand, value in pairs:
            if operand.is_batched:
                try:
                    shape = view_of(value).shape
                except ValueError as error:
                    raise _error(operand.name, str(error)) from None
                if len(shape) != len(operand.indices) + 1:
                    raise _error(
                        operand.name,
                        f"expected an array of {len(operand.indices) + 1} modes, the last that of "
                        f"the batch, got one of shape {shape}",
                    )
                counts[operand.name] = shape[-1]
        for name, count in counts.items():
            first, expected = next(iter(counts.items()))
            if count != expected:
                raise _error(name, f"expected {expected} groups as in {first!r}, got {count}")
        names = [operand.name for operand in self._operands]
        check_apart(Checker("einsum"), "result", out, zip(names, operands, strict=True))
        return next(iter(counts.values()), 1)


def einsum(
    subscripts: str,
    *shapes: Shape,
    dtype: npt.DTypeLike,
    optimize: str | bool = "auto",
    target: object = None,
) -> Einsum:
    """Return kernels for a chain of contractions, one chain for each group of a batch.

    The subscripts say what a group computes. An operand that each group has its own of has one more
    mode, the last one, whose size is given as None; so has the result then. opt_einsum finds the
    order of the contractions. Intermediate results are in local memory.

    Args:
        subscripts: a letter for every mode of every operand and of the result, as for `np.einsum`:
            "ij,jk->ik". Without "->", the result has the letters that occur once, sorted.
        shapes: sizes of the modes of each operand; a None at the end is the batch mode.
        dtype: element type of all tensors: a name of the language, such as "bf16", or a NumPy
            dtype.
        optimize: how opt_einsum searches: "auto", "optimal", "greedy" and so on; False contracts
            from the left to the right.
        target: name of a target, a dpctl device or queue, or None for the default device.

    Returns:
        The recipe: call it with the operands.

    Raises:
        ArgumentError: the subscripts or the shapes are not valid.

    Source: NumPy's `einsum`; opt_einsum, doi 10.21105/joss.00753.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> chain = tt.recipes.einsum("ij,jk->ik", (4, 3, None), (3, 2), dtype="f64", target="cpu")
    >>> a = np.ones((4, 3, 10), order="F")
    >>> b = np.full((3, 2), 2.0, order="F")
    >>> c = chain(a, b)
    >>> c.shape, c[3, 1, 9]
    ((4, 2, 10), np.float64(6.0))
    >>> "gemm.n.n %alpha, %this_operand0, %operand1, %zero, %this_result" in chain.text
    True
    """
    type_ = Checker("einsum").type_name(dtype)
    terms, result_indices = _parse(subscripts)
    if len(terms) != len(shapes):
        raise _error(
            "shapes", f"expected {len(terms)} shapes for {subscripts!r}, got {len(shapes)}"
        )
    sizes: dict[str, int] = {}
    operands = [
        _operand(number, indices, shape, sizes)
        for number, (indices, shape) in enumerate(zip(terms, shapes, strict=True))
    ]
    is_batched = any(operand.is_batched for operand in operands)
    result = _Operand("result", result_indices, is_batched)
    steps = _steps(operands, result, sizes, optimize)
    chain = _Chain(type_, operands, result, sizes, steps)
    texts = [chain.kernel(reads) for reads in (True, False)]
    return Einsum("\n".join(texts), operands, result, sizes, type_, target)


def _error(argument: str, message: str) -> ArgumentError:
    return Checker("einsum").error(argument, message)


def _parse(subscripts: object) -> tuple[list[str], str]:
    """Return the letters of the operands and of the result."""
    if not isinstance(subscripts, str):
        raise _error(
            "subscripts", f"expected a text such as 'ij,jk->ik', got {describe(subscripts)}"
        )
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    for letter in left + right:
        if letter not in string.ascii_letters + ",":
            raise _error(
                "subscripts", f"expected letters, ',' and '->', got {letter!r} in {subscripts!r}"
            )
    terms = left.split(",")
    for number, term in enumerate(terms):
        for letter in term:
            if term.count(letter) > 1:
                raise _error(
                    "subscripts",
                    f"expected every index of operand {number} once, got {letter!r} "
                    f"{term.count(letter)} times in {term!r}",
                )
    letters = left.replace(",", "")
    if not arrow:
        return terms, "".join(sorted(letter for letter in letters if letters.count(letter) == 1))
    for letter in right:
        if letter not in letters:
            raise _error(
                "subscripts",
                f"expected indices of operands in the result, got {letter!r} in {right!r}",
            )
        if right.count(letter) > 1:
            raise _error(
                "subscripts",
                f"expected every index of the result once, got {letter!r} "
                f"{right.count(letter)} times in {right!r}",
            )
    return terms, right


def _operand(number: int, indices: str, shape: object, sizes: dict[str, int]) -> _Operand:
    """Return an operand, and add the sizes of its indices to those of all."""
    name = f"operand{number}"
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        raise _error(
            "shapes", f"expected a tuple of sizes for operand {number}, got {describe(shape)}"
        )
    is_batched = len(shape) == len(indices) + 1 and shape[-1] is None
    if len(shape) - is_batched != len(indices):
        raise _error(
            "shapes",
            f"expected a size for each of the indices {indices!r} of operand {number}, and None "
            f"for a batch mode, got {tuple(shape)}",
        )
    for letter, size in zip(indices, shape, strict=False):
        try:
            found = checked_integer(size, f"as size of index {letter!r} of operand {number}", 1)
        except ValueError as error:
            raise _error("shapes", str(error)) from None
        expected = sizes.setdefault(letter, found)
        if found != expected:
            raise _error(
                "shapes",
                f"expected size {expected} for index {letter!r} of operand {number}, as in the "
                f"operands before, got {found}",
            )
    return _Operand(name, indices, is_batched)


def _steps(
    operands: Sequence[_Operand],
    result: _Operand,
    sizes: Mapping[str, int],
    optimize: str | bool,
) -> list[_Step]:
    """Return the contractions in the order that opt_einsum finds."""
    import opt_einsum

    if not isinstance(optimize, (str, bool)):
        raise _error(
            "optimize", f"expected a name such as 'auto', True or False, got {describe(optimize)}"
        )
    terms = [operand.indices for operand in operands]
    if len(terms) == 1:
        return [_Step((0,), result.indices)]
    if optimize is False:
        path = [(0, 1), *((0, n) for n in range(len(terms) - 2, 0, -1))]
    else:
        shapes = [tuple(sizes[i] for i in term) for term in terms]
        text = f"{','.join(terms)}->{result.indices}"
        try:
            # Without the batch: every group repeats what is contracted of operands that all share.
            path, _ = opt_einsum.contract_path(text, *shapes, shapes=True, optimize=optimize)
        except (KeyError, TypeError, ValueError) as error:
            raise _error(
                "optimize", f"expected what opt_einsum accepts, got an error: {error}"
            ) from None
    steps: list[_Step] = []
    numbers = list(range(len(terms)))
    for places in path:
        chosen = [numbers.pop(place) for place in sorted(places, reverse=True)][::-1]
        while len(chosen) > 1:
            first, second, *chosen = chosen
            rest = result.indices + "".join(terms[n] for n in [*numbers, *chosen])
            indices = dict.fromkeys(terms[first] + terms[second])
            is_last = not numbers and not chosen
            kept = result.indices if is_last else "".join(i for i in indices if i in rest)
            steps.append(_Step((first, second), kept))
            terms.append(kept)
            chosen.insert(0, len(terms) - 1)
        numbers.append(chosen[0])
    return steps


@dataclasses.dataclass(frozen=True)
class _Chain:
    """All that the text of the kernels depends on."""

    type_: str
    operands: Sequence[_Operand]
    result: _Operand
    sizes: Mapping[str, int]
    steps: Sequence[_Step]

    def kernel(self, reads: bool) -> str:
        """Return a kernel, with the order of temporaries' modes that needs the fewest instructions.

        Args:
            reads: whether the kernel reads what it writes.
        """
        body = self._best_body(reads)
        parameters = [f"%alpha: {self.type_}", *map(self._parameter, self.operands)]
        parameters += [f"%beta: {self.type_}", self._parameter(self.result)]
        what = ",".join(operand.indices for operand in self.operands)
        numbers = "".join(f", {letter} = {size}" for letter, size in self.sizes.items())
        added = " + beta result" if reads else ""
        lines = [
            f"; result := alpha {what}->{self.result.indices}{added}{numbers}",
            f"func @einsum{'' if reads else '_beta0'}({', '.join(parameters)}) {{",
            *body.lines(),
            "}",
            "",
        ]
        return "\n".join(lines)

    def _best_body(self, reads: bool) -> ContractionWriter:
        """Return the instructions with the best order found of the modes of temporaries."""
        orders = [step.indices for step in self.steps]
        best = self._body(orders, reads)
        for _ in range(_ROUNDS):
            for number in range(len(orders) - 1):
                letters = itertools.permutations(orders[number])
                for order in itertools.islice(letters, _MAX_ORDERS):
                    tried = [*orders[:number], "".join(order), *orders[number + 1 :]]
                    body = self._body(tried, reads)
                    if body.cost < best.cost:
                        best, orders = body, tried
        return best

    def _parameter(self, operand: _Operand) -> str:
        batch = (None,) if operand.is_batched else ()
        shape = [*(self.sizes[i] for i in operand.indices), *batch]
        return f"%{operand.name}: {memref_text(self.type_, shape)}"

    def _body(self, orders: Sequence[str], reads: bool) -> ContractionWriter:
        """Return the instructions.

        Args:
            orders: indices of the result of each step.
            reads: whether the kernel reads what it writes.
        """
        writer = ContractionWriter(self.type_, self.sizes)
        tensors: list[Tensor] = []
        for operand in (*self.operands, self.result):
            tensor = Tensor(f"%{operand.name}", operand.indices)
            tensors.append(writer.member(tensor) if operand.is_batched else tensor)
        result = tensors.pop()
        for number, (step, order) in enumerate(zip(self.steps, orders, strict=True)):
            is_last = number == len(self.steps) - 1
            sources = [tensors[source] for source in step.sources]
            writer.comment(
                f"{' '.join(f'{t.value[1:]}[{t.indices}]' for t in sources)} -> [{order}]"
            )
            target = result if is_last else writer.temporary(f"temporary{number}", order)
            alpha = "%alpha" if is_last else writer.number(1)
            beta = "%beta" if is_last and reads else writer.number(0)
            if len(sources) == 1:
                writer.reduce(alpha, sources[0], beta, target)
            else:
                writer.contract(alpha, sources[0], sources[1], beta, target)
            tensors.append(target)
        return writer
