# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for contractions of small tensors, written like NumPy's `einsum`."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from ..errors import ArgumentError, describe
from ..runtime.arrays.memory import empty
from ..runtime.kernel import BoundKernel
from ..runtime.launches.event import Event
from ..runtime.launches.integers import checked_integer
from ..zero_patterns import boxes_of
from .chain import Chain
from .kernel_text import KernelText, plan
from .recipe import Checker, ScalarLike, is_zero
from .terms import Access, Factor, Mode, Parameter, Shape, Statement, Term

_CHECK = Checker("einsum")
_ELLIPSIS = "..."


class Einsum(Chain):
    """A chain of contractions; made by `einsum`."""

    def __call__(
        self,
        *operands: object,
        out: object = None,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
        scratch: object = None,
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
            scratch: (scratch_size, n) array, packed column-major, for temporaries that local memory
                has no room for: n groups run at a time. None for a new one.

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
                raise _CHECK.error("out", f"expected an array for beta = {factor}, got None")
            result = self._tensors[-1]
            counts = [self._howmany(self._named(operands))] if result.is_batched else []
            place = self._target if queue is None else queue
            out = empty([*result.shape, *counts], self._dtype, queue=place)
        groups, more = self._with_scratch(self._named(operands, out), scratch, queue)
        self.kernel(beta)(alpha, *operands, beta, out, *more, groups=groups, queue=queue)
        return out

    def submit(
        self,
        *operands: object,
        out: object,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
        scratch: object = None,
        depends: Iterable[object] = (),
    ) -> Event:
        """Launch the contraction and return its event at once.

        The arguments are those of a call; `out` is in USM memory. The kernel starts when the events
        in `depends` are over.

        Raises:
            ArgumentError: an array or a factor does not fit; nothing was launched.
        """
        groups, more = self._with_scratch(self._named(operands, out), scratch, queue)
        arguments = (alpha, *operands, beta, out, *more)
        return self.kernel(beta).submit(*arguments, groups=groups, queue=queue, depends=depends)

    def bind(
        self,
        *operands: object,
        out: object,
        alpha: ScalarLike = 1,
        beta: ScalarLike = 0,
        queue: object = None,
        scratch: object = None,
    ) -> BoundKernel:
        """Return the launch with its arguments checked, to repeat it at little cost.

        The arguments are those of a call; all arrays are in USM memory.

        Raises:
            ArgumentError: an array or a factor does not fit.
        """
        groups, more = self._with_scratch(self._named(operands, out), scratch, queue)
        return self.kernel(beta).bind(
            alpha, *operands, beta, out, *more, groups=groups, queue=queue
        )

    def _named(self, operands: Sequence[object], out: object = None) -> dict[str, object]:
        """Return operands and result by the names of their parameters."""
        names = [tensor.name for tensor in self._tensors]
        if len(operands) != len(names) - 1:
            raise ArgumentError(f"einsum: expected {len(names) - 1} operands, got {len(operands)}")
        arrays = dict(zip(names, operands, strict=False))
        return arrays if out is None else {**arrays, names[-1]: out}


def einsum(
    subscripts: str,
    *shapes: Shape,
    dtype: npt.DTypeLike,
    optimize: str | bool = "auto",
    target: object = None,
    nonzero: Mapping[int, object] | None = None,
) -> Einsum:
    """Return kernels for a chain of contractions, one chain for each group of a batch.

    The subscripts say what a group computes. An operand that each group has its own of has one more
    mode, the last one, whose size is given as None; so has the result then. opt_einsum finds the
    order of the contractions. Intermediate results are in local memory; those that the target has
    no room for are in global memory, and `text` depends on the target then.

    Args:
        subscripts: a letter for every mode of every operand and of the result, as for `np.einsum`:
            "ij,jk->ik". A letter twice in an operand is a diagonal, "..." stands for the modes
            without a letter, and a mode of size 1 is repeated as often as others need. Without
            "->", the result has the letters that occur once, sorted, after "...".
        shapes: sizes of the modes of each operand; a None at the end is the batch mode.
        dtype: element type of all tensors: a name of the language, such as "c32", or a NumPy
            dtype.
        optimize: how opt_einsum searches: "auto", "optimal", "greedy" and so on; False contracts
            from the left to the right.
        target: name of a target, a dpctl device or queue, or None for the default device.
        nonzero: patterns of zeros by the number of the operand: boxes `(begin, end, begin, end)`
            for its first modes, or arrays of bool. Elements outside are zero, and are skipped.

    Returns:
        The recipe: call it with the operands.

    Raises:
        ArgumentError: the subscripts, the shapes or the patterns are not valid.
        LoweringError: there is no target of that name; only if temporaries are large.
        DeviceError: the target is an object that is no device or queue; likewise.

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
    type_ = _CHECK.type_name(dtype)
    terms, result = _parse(subscripts)
    if len(terms) != len(shapes):
        message = f"expected {len(terms)} shapes for {subscripts!r}, got {len(shapes)}"
        raise _CHECK.error("shapes", message)
    operands = [
        _operand(number, term, shape)
        for number, (term, shape) in enumerate(zip(terms, shapes, strict=True))
    ]
    operands = _with_patterns(operands, nonzero or {})
    lettered, indices = _letters(subscripts, terms, result, operands)
    sizes: dict[str, int] = {}
    for number, operand in enumerate(operands):
        _add_sizes(number, terms[number], lettered[number], operand.shape, sizes)
    accesses = [
        _access(operand, letters).broadcast(sizes)
        for operand, letters in zip(operands, lettered, strict=True)
    ]
    is_batched = any(operand.is_batched for operand in operands)
    out = Parameter("result", tuple(sizes[i] for i in indices), is_batched)
    term = Term(Factor(names=("alpha",)), tuple(accesses))
    steps = plan(_CHECK, term, indices, sizes, optimize)
    numbers = "".join(f", {letter} = {size}" for letter, size in sizes.items())
    kernels = [
        KernelText(
            name,
            f"result := alpha {','.join(lettered)}->{indices}{added}{numbers}",
            type_,
            ["alpha", *operands, "beta", out],
            [Statement(_access(out, indices), beta, (term,), sizes)],
            [[steps]],
        )
        for name, beta, added in (
            ("einsum", Factor(names=("beta",)), " + beta result"),
            ("einsum_beta0", Factor(0), ""),
        )
    ]
    return Einsum(kernels, "einsum", ["result"], target)


def _parse(subscripts: object) -> tuple[list[str], str | None]:
    """Return the subscripts of the operands and of the result, None if they do not say it."""
    if not isinstance(subscripts, str):
        message = f"expected a text such as 'ij,jk->ik', got {describe(subscripts)}"
        raise _CHECK.error("subscripts", message)
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    for text in (*terms, right):
        for letter in text.replace(_ELLIPSIS, "", 1):
            if letter not in string.ascii_letters:
                raise _CHECK.error(
                    "subscripts",
                    f"expected letters, ',', '->' and one '...' for an operand, got {letter!r} in "
                    f"{subscripts!r}",
                )
    if not arrow:
        return terms, None
    letters = right.replace(_ELLIPSIS, "")
    for letter in letters:
        if letter not in left:
            raise _CHECK.error(
                "subscripts",
                f"expected indices of operands in the result, got {letter!r} in {right!r}",
            )
        if letters.count(letter) > 1:
            raise _CHECK.error(
                "subscripts",
                f"expected every index of the result once, got {letter!r} "
                f"{letters.count(letter)} times in {right!r}",
            )
    return terms, right


def _operand(number: int, term: str, shape: object) -> Parameter:
    """Return the parameter of an operand."""
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        message = f"expected a tuple of sizes for operand {number}, got {describe(shape)}"
        raise _CHECK.error("shapes", message)
    letters = term.replace(_ELLIPSIS, "")
    is_batched = len(shape) > len(letters) and shape[-1] is None
    modes = len(shape) - is_batched
    if modes < len(letters) or (modes > len(letters) and letters == term):
        raise _CHECK.error(
            "shapes",
            f"expected a size for each of the indices {term!r} of operand {number}, and None "
            f"for a batch mode, got {tuple(shape)}",
        )
    sizes = []
    for mode in range(modes):
        where = f"as size of {_described(term, mode, modes)} of operand {number}"
        try:
            sizes.append(checked_integer(shape[mode], where))
        except ValueError as error:
            raise _CHECK.error("shapes", str(error)) from None
    return Parameter(f"operand{number}", tuple(sizes), is_batched)


def _with_patterns(operands: Sequence[Parameter], nonzero: Mapping[int, object]) -> list[Parameter]:
    """Return the parameters with the patterns of zeros of some of them."""
    found = list(operands)
    for number, pattern in nonzero.items():
        if number not in range(len(operands)):
            message = f"expected the number of one of {len(operands)} operands, got {number!r}"
            raise _CHECK.error("nonzero", message)
        operand = operands[number]
        try:
            boxes = boxes_of(pattern, len(operand.shape))
        except TypeError as error:
            raise _CHECK.error("nonzero", f"{error} for operand {number}") from None
        for box in boxes:
            for mode, size in enumerate(operand.shape[: len(box) // 2]):
                begin, end = box[2 * mode : 2 * mode + 2]
                if not 0 <= begin < end <= size:
                    message = f"expected a range within mode {mode} of size {size}"
                    message += f" of operand {number}, got {begin} to {end}"
                    raise _CHECK.error("nonzero", message)
        found[number] = dataclasses.replace(operand, boxes=boxes)
    return found


def _described(term: str, mode: int, modes: int) -> str:
    """Return how messages call a mode of an operand with so many modes."""
    before, dots, after = term.partition(_ELLIPSIS)
    if mode < len(before):
        return f"index {before[mode]!r}"
    if dots and mode < modes - len(after):
        return f"mode {mode} (in '...')"
    return f"index {after[mode - modes]!r}"


def _letters(
    subscripts: str, terms: Sequence[str], result: str | None, operands: Sequence[Parameter]
) -> tuple[list[str], str]:
    """Return the subscripts of operands and result with letters in place of "..."."""
    counts = [
        len(operand.shape) - len(term.replace(_ELLIPSIS, ""))
        for term, operand in zip(terms, operands, strict=True)
    ]
    most = max(counts)
    free = [letter for letter in string.ascii_letters if letter not in subscripts]
    if most > len(free):
        raise _CHECK.error(
            "shapes",
            f"expected at most {len(free)} modes in place of '...', got {most} of operand "
            f"{counts.index(most)}",
        )
    dots = "".join(free[:most])
    lettered = [
        term.replace(_ELLIPSIS, dots[most - count :])
        for term, count in zip(terms, counts, strict=True)
    ]
    if result is None:
        letters = "".join(terms)
        once = sorted(i for i in letters.replace(".", "") if letters.count(i) == 1)
        return lettered, dots + "".join(once)
    if most and _ELLIPSIS not in result:
        raise _CHECK.error(
            "subscripts",
            f"expected '...' in the result, as operand {counts.index(most)} has modes there, got "
            f"{result!r}",
        )
    return lettered, result.replace(_ELLIPSIS, dots)


def _add_sizes(
    number: int, term: str, letters: str, shape: Sequence[int], sizes: dict[str, int]
) -> None:
    """Add the sizes of an operand's indices to those of all."""
    own: dict[str, int] = {}
    for mode, (letter, size) in enumerate(zip(letters, shape, strict=True)):
        name = f"{_described(term, mode, len(shape))} of operand {number}"
        if own.setdefault(letter, size) != size:
            message = f"expected one size for {name}, got {own[letter]} and {size}"
            raise _CHECK.error("shapes", message)
        expected = sizes.get(letter, 1)
        if size not in (1, expected) and expected != 1:
            raise _CHECK.error(
                "shapes",
                f"expected size {expected} or 1 for {name}, as in the operands before, got {size}",
            )
        sizes[letter] = size if expected == 1 else expected


def _access(tensor: Parameter, letters: str) -> Access:
    modes = (Mode(i, size, 0, size) for i, size in zip(letters, tensor.shape, strict=True))
    return Access(tensor.name, tuple(modes))
