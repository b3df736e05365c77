"""The kernels of the device tests: all at night, each for one target; others in each commit."""

import pytest

import profiles
from cases.compiled_cases import OF_SOME_LANES, device_cases, fitting
from cases.verified_cases import claims_of
from tinytc_mlir.certificates import Outcome

TARGETS = ("cpu", "native", "cuda:sm_90", "intel-gpu:pvc")
STEP = 4 if profiles.IS_NIGHTLY else 960


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("part", range(4 if profiles.IS_NIGHTLY else 2))
def test_stages_and_code(target, part):
    first = (profiles.turn() + part + 4 * TARGETS.index(target)) % (4 * STEP)
    shown = 0
    for case in device_cases()[first :: 4 * STEP]:
        fit = fitting(case, target)
        if fit is None:
            continue
        claims = claims_of(fit, target, machine=True)
        wrong = [str(claim) for claim in claims if claim.outcome is Outcome.WRONG]
        assert not wrong, f"{case.name}\n" + "\n".join(wrong)
        shown += any(claim.outcome is Outcome.SHOWN for claim in claims)
    assert shown or not profiles.IS_NIGHTLY


@pytest.mark.parametrize("target", ["cpu", "native", "cuda:sm_90"])
def test_sums_over_the_lanes_that_run(target):
    cases = [case for case in device_cases() if case.name.startswith(OF_SOME_LANES)]
    fits = [fit for fit in (fitting(case, target) for case in cases) if fit is not None]
    for fit in fits[:: 1 if profiles.IS_NIGHTLY else 20]:
        outcomes = {claim.outcome for claim in claims_of(fit, target)}
        assert outcomes <= {Outcome.SHOWN, Outcome.TESTED}, fit.name
    assert fits
