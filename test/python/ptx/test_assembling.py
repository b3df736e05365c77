"""Everything that the compiler makes for NVIDIA's GPUs through ptxas: no stack, no spills."""

import itertools
import pathlib
import re

import pytest

import profiles
import tinytc_mlir as tt
from instruction_kernels import INSTRUCTIONS, TEMPLATES, TYPES, kernel
from ptx.assembling import check_assembles
from ptx.merging import merged
from tinytc_bench import ptxas
from tinytc_bench.cases import all_cases

pytestmark = pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def word(text):
    return re.sub(r"\W+", "_", text)


def compile_merged(texts, target):
    return tt.Context().parse(merged(texts)).compile(target)


def of_chip(texts, chip):
    """Return the programs of a chip: all at night, in a commit those whose turn it is."""
    return {
        name: text for name, text in texts.items() if chip in profiles.in_turns(ptxas.CHIPS, name)
    }


def cells():
    """Return the tiny kernels of docs/instructions.md, by instruction and type."""
    found = {}
    for instruction, type_ in profiles.some_of(itertools.product(INSTRUCTIONS, TYPES), "cells"):
        text = kernel(TEMPLATES[instruction], type_)
        try:
            tt.Context().parse(text).check("cuda")
        except tt.CompileError:
            continue
        found[word(f"{instruction}_{type_}")] = text
    return found


@pytest.fixture(scope="module")
def all_cells():
    return cells()


@pytest.mark.parametrize("chip", ptxas.CHIPS)
def test_instructions(all_cells, chip):
    assert len(all_cells) > (700 if profiles.IS_NIGHTLY else 70)
    check_assembles(compile_merged(of_chip(all_cells, chip), ptxas.CHIPS[chip]), chip)


@pytest.mark.parametrize("chip", ptxas.CHIPS)
def test_the_bench_suite(chip):
    cases = profiles.some_of(all_cases().items(), "the bench suite")
    texts = {word(name): case.ours.text for name, case in cases}
    check_assembles(compile_merged(of_chip(texts, chip), ptxas.CHIPS[chip]), chip)


@pytest.mark.similar
@pytest.mark.parametrize("chip", ptxas.CHIPS)
@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.ir")), ids=lambda path: path.stem)
def test_examples(example, chip):
    check_assembles(tt.Context().parse_file(example).compile(ptxas.CHIPS[chip]), chip)
