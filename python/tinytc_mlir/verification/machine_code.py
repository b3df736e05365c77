# SPDX-License-Identifier: BSD-3-Clause
"""The code that a machine runs computes the right polynomials: runs on small integers.

With integers so small that all sums are exact, whatever their order, results must be those of the
reference, but for signs of zeros. Two polynomials of degree d that differ have equal values at a
random point of {-n ... n} with a probability of at most d / (2 n + 1) (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .. import emulators, switches
from .._tinytc import families
from ..certificates import Claim, Outcome
from ..errors import ArgumentError, CheckError, DeviceError, LaunchError, UncheckedWarning
from ..measure.comparison import copied, members_of
from ..runtime import devices
from ..runtime.kernel_info import CUBIN
from ..runtime.launches.arguments import Group
from .data import Arguments, different, integers, number_types, written_gaps
from .exactness import Subject
from .stages import runs_for
from .unshown import Unshown

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel

_CODE = ("object", "ptx")  # stages that hold the code itself
Launch: TypeAlias = Callable[[Arguments, Sequence[int]], None]
_MOST_BITS = 20
_FEWEST_RUNS, _MOST_RUNS = 4, 200


def claim_for(subject: Subject, kernel: Kernel, target: str, seed: int) -> Claim:
    """Run the compiled kernel on a device for a target, or emulated where there is none.

    Args:
        subject: the kernel as written and arguments.
        kernel: the compiled kernel.
        target: what it is compiled for.
        seed: of the arguments.
    """
    form = kernel.program.manifest.format
    stages = [] if form == CUBIN else _stages_of_code(target)
    by = f", by the stage{'s' if len(stages) > 1 else ''} {' and '.join(stages)}" if stages else ""
    if switches.INTERPRET.is_on():
        text = f"it did not run, since {switches.INTERPRET.name} is set"
        return Claim("machine", f"code for {target}", Outcome.UNSHOWN, text)
    try:
        device = devices.queue_of(target).device.name
    except DeviceError as error:
        if target in emulators.TARGETS and form in emulators.FORMATS:
            return _claim_emulated(subject, kernel, target, seed, by)
        text = f"it did not run: {str(error).splitlines()[0]}"
        return Claim("machine", f"code for {target}", Outcome.UNSHOWN, text)
    return claim(subject, kernel, seed, f"code on {device}{by}")


def _claim_emulated(subject: Subject, kernel: Kernel, target: str, seed: int, by: str) -> Claim:
    """Run code on arrays that begin at multiples of vectors, and on others: it may tell them."""
    with emulators.emulated(target) as queue:
        launches = [
            functools.partial(launch_emulated, kernel, queue, is_shifted=is_shifted)
            for is_shifted in (False, True)
        ]
        return claim(subject, kernel, seed, f"code for {target}, emulated{by}", launches)


def launch_emulated(
    kernel: Kernel,
    queue: emulators.EmulatedQueue,
    values: Arguments,
    groups: Sequence[int],
    *,
    is_shifted: bool,
) -> None:
    """Launch a kernel on arrays in memory of their own.

    Args:
        kernel: the kernel.
        queue: that of an emulated device.
        values: arguments by name, which change.
        groups: number of groups.
        is_shifted: whether arrays begin an element after an aligned address, or as far after it
            as their alignment is promised.
    """
    arrays: list[emulators.EmulatedArray] = []
    promised = {e.name: getattr(e, "alignment", None) for e in kernel.info.arguments}

    def placed(name: str, member: object) -> object:
        if not isinstance(member, np.ndarray):
            return member
        shift = (promised.get(name) or member.itemsize) * is_shifted
        arrays.append(emulators.EmulatedArray(member, shift))
        return arrays[-1]

    moved: Arguments = {}
    for name, value in values.items():
        members = [placed(name, each) for each in members_of(value)]
        if isinstance(value, Group):
            moved[name] = value._replace(members=members)
        else:
            moved[name] = members if isinstance(value, (list, tuple)) else members[0]
    _launch(kernel, moved, groups, queue)
    for array in arrays:
        array.fetch()


def _stages_of_code(target: str) -> list[str]:
    """Return the stages that have no interpreter: the code is made of them, and runs instead.

    >>> _stages_of_code("native"), _stages_of_code("a target of a later version")
    (['vector', 'llvm'], [])
    """
    for family in json.loads(families()):
        if target in family["targets"]:
            names = [stage["name"] for stage in family["stages"]]
            return [name for name in names[names.index("gpu") + 1 :] if name not in _CODE]
    return []


def claim(
    subject: Subject, kernel: Kernel, seed: int, device: str, launches: Sequence[Launch] = ()
) -> Claim:
    """Run the compiled kernel, and say what holds of it.

    Args:
        subject: the kernel as written and arguments.
        kernel: the compiled kernel.
        seed: of the arguments.
        device: what a report calls the machine.
        launches: launch the kernel in place of calls of it, on arguments that change.
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
        values = integers(subject.info, subject.values, seed + number, largest)
        expected = subject.run(integers(subject.info, subject.values, seed + number, largest))
        for launch in launches or (functools.partial(_launch, kernel),):
            actual = {name: copied(value) for name, value in values.items()}
            try:
                launch(actual, subject.groups)
            except (ArgumentError, DeviceError) as error:
                return Claim("machine", device, Outcome.UNSHOWN, str(error))
            except (CheckError, LaunchError) as error:
                return Claim("machine", device, Outcome.WRONG, str(error))
            wrong = _what_is_wrong(expected, actual, subject)
            if wrong:
                text = f"{wrong} for integers up to {largest}, seed {seed + number}"
                return Claim("machine", device, Outcome.WRONG, text)
    text = f"equal in {runs} runs on integers up to {largest}, which are exact"
    if subject.integers:
        text += f", for one value of {', '.join(subject.integers)}"
    return Claim("machine", device, Outcome.SHOWN if is_proof else Outcome.TESTED, text)


def _what_is_wrong(expected: Arguments, actual: Arguments, subject: Subject) -> str:
    """Return what a launch has done wrong, empty if nothing."""
    gaps = written_gaps(actual)
    if gaps:
        return f"out of bounds: something is stored between elements of {' and '.join(gaps)}"
    texts = different(expected, actual, subject.info)
    return f"{' and '.join(texts)} differ" if texts else ""


def _launch(kernel: Kernel, values: Arguments, groups: Sequence[int], queue: object = None) -> None:
    with warnings.catch_warnings():  # the interpreter checks what the launch does not
        warnings.simplefilter("ignore", UncheckedWarning)
        kernel(values, groups=tuple(groups), queue=queue)


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
