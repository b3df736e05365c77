"""One launch for the flux between neighbours, natively and on emulated GPUs."""

import pathlib

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import TARGETS, machine
from scripts import loaded
from tinytc_mlir.emulators.findings import FINDINGS

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "22_neighbour_flux.py"
WITH_F64 = [target for target in TARGETS if target != "intel-gpu:dg2"]
CELLS = 7


@pytest.fixture(scope="module")
def example():
    return loaded(EXAMPLE)


def launched(example, target, **options):
    """Return the error of a launch, once an index is at each end of its range."""
    given = example.arguments(np.random.default_rng(3), CELLS)
    faces = given["faces"]
    faces[:, :, 0] = np.array([[CELLS - 1] * 4, [3] * 4, [2] * 4])
    faces[:, :, 1] = -1
    right = example.expected(given)
    kernel = tt.Context().parse(example.FLUX).compile(target, **options)["neighbour_flux"]
    with np.errstate(all="ignore"):
        kernel(given, groups=CELLS)
    np.testing.assert_array_equal(example.cell_matrix(given["result"], 1), right[1])
    return example.largest_error(given, right)


@pytest.mark.filterwarnings("ignore:neighbour_flux:tinytc_mlir.UncheckedWarning")
@pytest.mark.parametrize("target", ["native", "cpu"])
def test_on_processors(example, target):
    assert launched(example, target) < 1e-14


@pytest.mark.filterwarnings("ignore:neighbour_flux:tinytc_mlir.UncheckedWarning")
@pytest.mark.parametrize("target", profiles.in_turns(WITH_F64, "neighbour flux"))
def test_on_emulated_gpus(example, target):
    with machine(target).installed() as gpu:
        FINDINGS.start()
        assert launched(example, gpu.target) < 1e-14
        assert not FINDINGS.serious()


def test_a_wrong_neighbour(example):
    """A debug build checks the numbers, which a launch does not look at."""
    given = example.arguments(np.random.default_rng(3), CELLS)
    given["faces"][0, 2, 5] = CELLS
    kernel = tt.Context().parse(example.FLUX).compile("native", debug=True)["neighbour_flux"]
    with pytest.raises(tt.TinyTCError, match=f"expected .* got {CELLS}"):
        kernel(given, groups=CELLS)
