"""Compares what the checks of launches say with what kernels access, for random launches."""

import collections
import dataclasses
import random
import warnings

import brute_force
from random_arguments import grown, random_launch, values_of
from random_kernels import random_kernel

import tinytc_mlir as tt
from tinytc_mlir.reference.arguments import kernel_info
from tinytc_mlir.reference.interpreter import _geometry
from tinytc_mlir.runtime.launches.arguments import Signature

LAUNCHES_PER_KERNEL = 6


@dataclasses.dataclass
class Counts:
    """How many launches were what.

    Args:
        seen: launches by verdict and by whether they leave memory.
        wrong: what is wrong: accepted launches that leave memory, and refused ones that are
            defined.
    """

    seen: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    wrong: list = dataclasses.field(default_factory=list)

    @property
    def launches(self):
        """Number of launches that are not undefined in another way."""
        return sum(self.seen.values())

    def __str__(self):
        return ", ".join(f"{key}: {count}" for key, count in sorted(self.seen.items()))


def verdict_of(info, values, groups):
    """Return "refused", "warned" or "accepted", and why."""
    signature = Signature(info)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            signature.ranges(groups, signature.parts(values, {}))
        except tt.ArgumentError as error:
            return "refused", str(error)
    texts = [str(each.message) for each in caught if each.category is tt.UncheckedWarning]
    return ("warned", texts[0]) if texts else ("accepted", "")


def check_kernel(seed, counts):
    """Compare the launches of one kernel; return how many there were."""
    maker = random_kernel(seed)
    try:
        module = tt.Context().parse(maker.text)
    except tt.TinyTCError:  # an index that is certainly outside, for example
        return 0
    func = brute_force._kernel(module)
    info = kernel_info(func, _geometry(func, None, None))
    names = [argument.name for argument in info.arguments]
    optional = {argument.name for argument in info.arguments if getattr(argument, "optional", 0)}
    rng = random.Random(seed)
    launch = random_launch(rng, maker.parameters, optional)
    before = counts.launches
    for _ in range(LAUNCHES_PER_KERNEL):
        values, groups = values_of(maker.parameters, launch)
        verdict, reason = verdict_of(info, values, groups)
        leaves = brute_force.leaves_memory(module, values, groups, names)
        if leaves is not None:
            counts.seen[f"{verdict} {'outside' if leaves else 'inside'}"] += 1
            is_missed = leaves and verdict == "accepted"
            is_false = not leaves and verdict == "refused"
            if is_missed or (is_false and brute_force.is_defined(module, values, groups)):
                counts.seen["missed" if is_missed else "refused though defined"] += 0
                counts.wrong.append((seed, launch, verdict, reason, maker.text))
        # Closer to the limit: larger arrays, or another launch if these were large enough.
        launch = (
            grown(launch, rng)
            if verdict == "refused"
            else random_launch(rng, maker.parameters, optional)
        )
    return counts.launches - before
