"""PTX and SPIR-V of twenty kernels, changed by hand: verification finds each change."""

import gc
import random

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases.changed_code import BODIES, KINDS, program
from emulators.machines import machine
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification import machine_code
from tinytc_mlir.verification.data import different
from tinytc_mlir.verification.exactness import Subject

GROUPS = 2


def results(kernel, info):
    """Return what a kernel makes of random numbers."""
    values = sample_arguments(info, SampleOptions(GROUPS, seed=5))
    kernel(values, groups=GROUPS)
    return values


def outcome(module, program_, code):
    """Return "found", "missed", "refused" by the emulator, or "equivalent"."""
    info = program_["k"].info
    kernel = tt.Program(code, program_.manifest)["k"]
    try:
        subject = Subject(module, info, sample_arguments(info, SampleOptions(GROUPS)), (GROUPS,))
        claim = machine_code.claim(subject, kernel, 0, "code")
        assert claim.outcome is not Outcome.UNSHOWN, claim.text
        if claim.outcome is Outcome.WRONG:
            return "found"
        expected, actual = (results(each, info) for each in (program_["k"], kernel))
    except (tt.TinyTCError, LookupError, ArithmeticError):
        return "refused"
    return "missed" if different(expected, actual) else "equivalent"


@pytest.mark.parametrize("target", KINDS)
def test_changes_are_found(target):
    change, kinds = KINDS[target]
    rng = random.Random(f"{target} {profiles.turn()}")
    counts, missed = dict.fromkeys(("found", "equivalent"), 0), []
    bodies = BODIES if profiles.IS_NIGHTLY else rng.sample(BODIES, 2)
    with machine(target).installed(), np.errstate(all="ignore"):
        for body in bodies:
            module = tt.Context().parse(program(body))
            compiled = module.compile(target)
            for kind in kinds if profiles.IS_NIGHTLY else rng.sample(list(kinds), 3):
                code = change(compiled.code, kind, rng)
                found = "none" if code is None else outcome(module, compiled, code)
                counts[found] = counts.get(found, 0) + 1
                if found == "missed":
                    missed.append(f"{kind} in {body}")
        del compiled
        gc.collect()  # programs leave the machine while it is there
    assert not missed, "\n".join(missed)
    assert counts["found"] or not profiles.IS_NIGHTLY, counts


def test_there_are_twenty():
    assert len(set(BODIES)) == 20
    for body in BODIES:
        tt.Context().parse(program(body))
