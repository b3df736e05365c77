"""Faults in IR of the gpu stage are found; test/mutation_check.py tries as many as one likes."""

import random

import pytest

import profiles
from cases.case import Case, buffer
from cases.mutants import KINDS, Suspect

PER_KIND = 20 if profiles.IS_NIGHTLY else 1


BODIES = {
    "product": "gemm.n.t %alpha, %A, %B, %beta, %C",
    "chain": """%T = alloca : memref<f32x5x6>
                %zero = constant 0.0 : f32
                gemm.n.t %alpha, %A, %B, %zero, %T
                hadamard_product %alpha, %T, %C, %beta, %C""",
    "solve": "trsm.l.n %alpha, %L, %C",
}
SHAPES = {"A": (5, 7), "B": (6, 7), "C": (5, 6), "L": (5, 5)}


def suspects(target):
    """Yield kernels with faults of all kinds."""
    rng = random.Random(1)
    scalars = {"alpha": ("f32", 2.0), "beta": ("f32", 3.0)}
    arrays = {
        name: (f"memref<f32x{rows}x{columns}>", buffer(rng, "f32", (rows, columns)))
        for name, (rows, columns) in SHAPES.items()
    }
    for name, body in BODIES.items():
        size = "subgroup_size=16, work_group_size=[32,1]"
        yield Suspect(Case(name, body, scalars | arrays, attributes=size), target)


@pytest.mark.parametrize("target", profiles.in_turns(["cpu", "cuda:sm_90"], "faults"))
def test_faults_are_found(target):
    rng, missed, found = random.Random(3), [], set()
    for suspect in suspects(target):
        for kind in KINDS:
            lines = [number for each, number in suspect.faults if each == kind]
            for number in rng.sample(lines, min(PER_KIND, len(lines))):
                outcome = suspect.outcome(kind, number)
                found.update([kind] if outcome == "found" else [])
                if outcome == "missed":
                    missed.append(f"{kind}: {suspect.text.splitlines()[number]}")
    assert not missed, "\n".join(missed)
    assert len(found) >= 8


def test_an_unchanged_stage_is_not_wrong():
    case = Case("copy", "", {"A": ("f32", 1.0)})
    assert Suspect(case, "cpu").faults == []
