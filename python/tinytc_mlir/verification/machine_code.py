# SPDX-License-Identifier: BSD-3-Clause
"""The code that a machine runs computes the right polynomials: runs on small integers.

With integers so small that all sums are exact, whatever their order, results must be those of the
reference, but for signs of zeros. Two polynomials of degree d that differ have equal values at a
random point of {-n ... n} with a probability of at most d / (2 n + 1) (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ..certificates import Claim, Outcome
from ..errors import DeviceError, UncheckedWarning
from .data import different, integers, number_types
from .exactness import Subject
from .stages import runs_for
from .unshown import Unshown

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel

_MOST_BITS = 20
_FEWEST_RUNS, _MOST_RUNS = 4, 200


def claim(subject: Subject, kernel: Kernel, seed: int, device: str) -> Claim:
    """Run the compiled kernel, and say what holds of it.

    Args:
        subject: the kernel as written and arguments.
        kernel: the compiled kernel.
        seed: of the arguments.
        device: what a report calls the machine.
    """
    try:
        largest = _largest_exact(subject)
    except Unshown as unshown:
        return Claim("machine", device, Outcome.UNSHOWN, unshown.reason)
    if largest == 0:
        return Claim("machine", device, Outcome.UNSHOWN, "no integers have exact results")
    try:
        count = runs_for(subject.degree() / (2 * largest + 1))
    except Unshown:
        count = _MOST_RUNS + 1
    is_proof = count <= _MOST_RUNS and not subject.integers
    runs = max(count, _FEWEST_RUNS) if count <= _MOST_RUNS else _FEWEST_RUNS
    for number in range(runs):
        arguments = [
            integers(subject.info, subject.values, seed + number, largest) for _ in range(2)
        ]
        expected = subject.run(arguments[0])
        try:
            with warnings.catch_warnings():  # the interpreter checks what the launch does not
                warnings.simplefilter("ignore", UncheckedWarning)
                kernel(arguments[1], groups=tuple(subject.groups))
        except DeviceError as error:
            return Claim("machine", device, Outcome.UNSHOWN, str(error))
        texts = different(expected, arguments[1], subject.info)
        if texts:
            text = (
                f"{' and '.join(texts)} differ for integers up to {largest}, seed {seed + number}"
            )
            return Claim("machine", device, Outcome.WRONG, text)
    text = f"equal in {runs} runs on integers up to {largest}, which are exact"
    if subject.integers:
        text += f", for one value of {', '.join(subject.integers)}"
    return Claim("machine", device, Outcome.SHOWN if is_proof else Outcome.TESTED, text)


def _largest_exact(subject: Subject) -> int:
    """Return the largest 2^k - 1 that is computed exactly, 0 if 1 is not."""
    types = number_types(subject.info)
    low, high = 0, min([_MOST_BITS, *(each.precision for each in types)])
    while low < high:
        middle = (low + high + 1) // 2
        if subject.is_exact(2**middle - 1):
            low = middle
        else:
            high = middle - 1
    return (1 << low) - 1
