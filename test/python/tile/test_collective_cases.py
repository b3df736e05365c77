"""Kernels of the device tests as programs on tiles, run in NumPy against the meaning."""

import collections
import dataclasses
import functools

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases.compiled_cases import device_cases
from cases.memory import Memory
from cases.rounding_bounds import disagreement
from tile_interpreter import TileStage
from tinytc_mlir.reference import interpret

PARTS = 8
STEP = 1 if profiles.IS_NIGHTLY else 64
REFUSED = "expected an instruction that Tile IR has"


def failure_of(case, counted):
    """Return what is wrong with a case, empty if nothing is; count what became of it."""
    module = tt.Context().parse(case.text("k"), "case.ir")
    try:
        stage = TileStage(module)
    except tt.LoweringError as error:
        assert REFUSED in str(error), f"{case.name}: {error}"
        counted["refused"] += 1
        return ""
    expected, actual = Memory(case.parameters, np.copy), Memory(case.parameters, np.copy)
    run = functools.partial(interpret, module, "k", groups=case.groups)
    run(args=expected.arguments)
    try:
        stage.run("k", actual.arguments, case.groups)
    except tt.InterpreterError as error:
        return str(error)
    counted["run"] += 1
    return disagreement(case, expected, actual, run)


def is_collective(case):
    words = ("parallel", "subgroup", "cooperative", "foreach", "%item")
    return not any(word in case.body for word in words)


@pytest.mark.parametrize("part", range(PARTS))
def test_collective_cases(part):
    cases = [case for case in device_cases() if is_collective(case)][part :: STEP * PARTS]
    counted = collections.Counter()
    failures = []
    for case in cases:
        message = failure_of(dataclasses.replace(case, attributes=""), counted)
        if message:
            failures.append(f"{case.name}: {message}\n{case.text('f')}")
    print(dict(counted))
    assert not failures, f"{len(failures)} of {len(cases)} cases\n" + "\n".join(failures[:4])
    assert counted["run"] > 0.8 * len(cases)
