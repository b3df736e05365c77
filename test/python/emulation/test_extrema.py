"""Minima and maxima in the code for each GPU, in programs on tiles and in the interpreter."""

import pytest

import tinytc_mlir as tt
from cases import extrema
from emulators.machines import TARGETS, machine
from tile_interpreter import TileStage
from tinytc_mlir.emulators.findings import FINDINGS


@pytest.fixture(scope="module", params=TARGETS)
def gpu(request):
    with machine(request.param).installed() as installed:
        yield installed


@pytest.mark.similar
@pytest.mark.parametrize("type_", extrema.TYPES)
def test_gpus(gpu, type_):
    if type_ == "f64" and gpu.target == "intel-gpu:dg2":
        return  # it has none
    FINDINGS.start()
    for text, check in (
        (extrema.pairs_text(type_), extrema.check_pairs),
        (extrema.lanes_text(type_), extrema.check_lanes),
    ):
        check(type_, tt.Context().parse(text).compile(gpu.target)["f"])
    assert not FINDINGS.serious()


@pytest.mark.parametrize("type_", extrema.TYPES)
def test_interpreter(type_):
    pairs, lanes = (
        tt.Context().parse(text) for text in (extrema.pairs_text(type_), extrema.lanes_text(type_))
    )
    extrema.check_pairs(type_, lambda *arrays: tt.interpret(pairs, "f", list(arrays)))
    extrema.check_lanes(
        type_, lambda a, s, d: tt.interpret(lanes, "f", [a, s, d], groups=a.shape[1])
    )


@pytest.mark.parametrize("type_", extrema.TYPES)
def test_tiles(type_):
    stage = TileStage(tt.Context().parse(extrema.pairs_text(type_)))
    extrema.check_pairs(type_, lambda *arrays: stage.run("f", list(arrays)))
