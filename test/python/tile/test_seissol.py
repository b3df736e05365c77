"""Programs as in SeisSol as programs on tiles, run in NumPy and assembled."""

import random

import pytest

import tinytc_mlir as tt
from cases.seissol.chain_programs import chain_program, random_program
from cases.seissol.launching import compare
from tile_interpreter import TileStage
from tile_tools import architectures, check_assembles
from tinytc_bench.chains import CHAINS

RANDOM_PROGRAMS = 10
GROUPS = 3


class TileKernel:
    """A kernel of a module that launches its program on tiles, in NumPy."""

    def __init__(self, stage, name):
        self._stage, self._name = stage, name

    def __call__(self, arguments, *, groups):
        self._stage.run(self._name, arguments, groups)


def programs_of(type_):
    rng = random.Random(type_)
    chains = [chain_program(rng, chain, type_) for chain in CHAINS]
    return chains + [random_program(rng, type_) for _ in range(RANDOM_PROGRAMS)]


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_numbers(type_):
    rng = random.Random(2)
    for program in programs_of(type_):
        stage = TileStage(tt.Context().parse(program.text()))
        message = compare(rng, program, TileKernel(stage, program.name), GROUPS)
        assert not message, f"{message}\n{program.text()}"


@pytest.mark.parametrize("architecture", architectures("SeisSol"))
def test_assembler_takes_them(architecture, tmp_path):
    text = "\n".join(program.text() for program in programs_of("f32")[: len(CHAINS)])
    check_assembles(tt.Context().parse(text).export_tile(), architecture, tmp_path)
