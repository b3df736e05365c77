"""Compares random kernels as functions of Python with the functions themselves."""

import dataclasses
import re
import traceback
import warnings

import numpy as np
from kernel_files import imported
from random_functions import LEAVING, module

import tinytc_mlir as tt

GROUPS = 3
PLACE = re.compile(r"\.py:\d+:\d+: error: .*\n.*\n *\^", re.MULTILINE)


@dataclasses.dataclass
class Count:
    """What has been found."""

    equal: int = 0
    refused: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)

    def __iadd__(self, other):
        self.equal += other.equal
        self.refused += other.refused
        self.failures += other.failures
        return self

    @property
    def refuses_many(self):
        """Whether more than 3 of 10 functions, and more than 2, were refused."""
        return self.refused > max(2, 0.3 * (self.equal + self.refused))

    def __str__(self):
        return f"{self.equal} equal, {self.refused} refused, {len(self.failures)} wrong"


def arguments(seed):
    """Return the arguments of a function, whole numbers all of them, by name."""
    rng = np.random.default_rng(seed)

    def numbers(dtype, *shape):
        return np.asfortranarray(rng.integers(-9, 10, (*shape, GROUPS)).astype(dtype))

    scalars = rng.integers(-12, 13, 4).tolist()
    made = dict(zip("abcd", [*scalars[:2], *map(float, scalars[2:])], strict=True))
    made |= {"n": int(rng.integers(0, 5)), "m": int(rng.integers(0, 5))}
    dtypes = {"p": np.int64, "q": np.int32, "r": np.float64, "s": np.float32}
    made |= {name: numbers(dtype, 6) for name, dtype in dtypes.items()}
    return made | {"A": numbers(np.float64, 6, 6), "B": numbers(np.float64, 6, 6)}


def results(function, seed, **options):
    """Return the arrays after a launch."""
    given = arguments(seed)
    function(**given, **options)
    return {name: value for name, value in given.items() if isinstance(value, np.ndarray)}


def launches(kernel, is_on_device):
    """Return the ways to launch a kernel, by name."""
    found = {"native": lambda **given: kernel(**given, queue=tt.native_queue(threads=1))}
    return found | ({"the device": kernel} if is_on_device else {})


def failure(kernel, seed, is_on_device):
    """Return what is wrong with a kernel, None if nothing is, and whether it was refused."""
    try:
        kernel.module  # noqa: B018
    except tt.CompileError as error:
        return (None if PLACE.search(str(error)) else f"no place: {error}"), True
    for data in (seed, seed + 1):
        expected = results(kernel.python, data, groups=GROUPS)
        for where, launch in launches(kernel, is_on_device).items():
            # The groups of a function that returns early do not follow from its arrays.
            options = {"groups": GROUPS} if seed >= LEAVING else {}
            try:
                found = results(launch, data, **options)
            except tt.DeviceError as error:  # the driver would compile it wrong
                if "for the first lane alone" not in str(error):
                    raise
                return None, True
            for name, value in expected.items():
                if not np.array_equal(found[name], value, equal_nan=True):
                    return f"{where}, {name}, data {data}: {found[name].T} is not {value.T}", False
    return None, False


def check(seeds, path, device_every=1):
    """Return the count for functions, which are written to a file.

    Args:
        seeds: a seed for each function.
        path: the file.
        device_every: which part of them also runs on the device.
    """
    scope, count = imported(path, module(seeds)), Count()
    for seed in seeds:
        kernel = scope[f"f{seed}"][seed % 5, seed % 3 == 0]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                wrong, is_refused = failure(kernel, seed, seed % device_every == 0)
        except Exception:  # what a user would see
            wrong, is_refused = traceback.format_exc(), False
        if wrong is not None:
            count.failures.append(f"seed {seed}: {wrong}")
        elif is_refused:
            count.refused += 1
        else:
            count.equal += 1
    return count
