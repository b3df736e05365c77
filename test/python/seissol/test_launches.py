"""SeisSol's chains and random ones like them compute on the device what they do in NumPy."""

import random

import pytest

import profiles
import tinytc_mlir as tt
from cases.running import counted
from cases.seissol.chain_programs import chain_program, random_program
from cases.seissol.launching import compare
from target_under_test import TARGET
from tinytc_bench.chains import CHAINS

BATCHES = (1, 3, 7, 37)
LAYOUTS = 2 if profiles.IS_NIGHTLY else 1  # of each chain and type
RANDOM_PROGRAMS = 40 if profiles.IS_NIGHTLY else 8  # of each type


def check(programs, abi, seed):
    """Compile all programs as one module and compare the launches of each."""
    rng = random.Random(seed)
    text = "\n".join(program.text() for program in programs)
    compiled = tt.Context().parse(text, "chains.ir").compile(TARGET, abi=abi)
    failures = []
    for program in programs:
        counted["SeisSol programs"] += 1
        for groups in rng.sample(BATCHES, 2):
            counted["SeisSol launches"] += 1
            message = compare(rng, program, compiled[program.name], groups)
            if message:
                failures.append(f"{groups} groups, {message}\n{program.text()}")
    assert not failures, f"{len(failures)} launches\n" + "\n".join(failures[:4])


@pytest.mark.similar
@pytest.mark.parametrize("abi", ["packed", "plain"])
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_chains(type_, abi):
    rng = random.Random(f"{type_} {abi}")
    programs = [chain_program(rng, chain, type_) for chain in CHAINS for _ in range(LAYOUTS)]
    check(programs, abi, seed=1)


@pytest.mark.parametrize("type_, abi", [("f32", "packed"), ("f64", "packed"), ("f32", "plain")])
def test_random_chains(type_, abi):
    rng = random.Random(f"{abi} {type_}")
    check([random_program(rng, type_) for _ in range(RANDOM_PROGRAMS)], abi, seed=2)
