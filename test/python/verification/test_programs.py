"""Whole programs: all at night, others in each commit."""

import pytest

import profiles
from cases.verified_programs import SOURCES, claims_of_program
from tinytc_mlir.certificates import Outcome

TARGETS = ("native", "cpu", "cuda:sm_90", "intel-gpu:pvc")
RANDOM = 20


@pytest.mark.parametrize("kind", SOURCES)
def test_programs(kind):
    turn = 0 if "random" in kind else profiles.turn()  # some random programs take minutes
    for target in profiles.in_turns(TARGETS, kind):
        chosen = list(SOURCES[kind]())[: RANDOM if "random" in kind else None]
        for name, text in profiles.in_turns(chosen, f"program {turn} of {kind}"):
            for kernel, claims in claims_of_program(text, target, machine=True):
                wrong = [str(each) for each in claims if each.outcome is Outcome.WRONG]
                assert not wrong, f"{name}, {kernel} for {target}\n" + "\n".join(wrong)
