"""The picture of errors in docs/recipes.md is that of its data, which can be measured again."""

import json
import pathlib
from xml.etree import ElementTree

import numpy as np
import pytest

import tinytc_mlir as tt
from scripts import loaded

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def errors():
    return loaded(ROOT / "bench" / "ozaki_errors.py")


@pytest.fixture(scope="module")
def data(errors):
    return json.loads(errors.DATA.read_text(encoding="utf-8"))


def test_picture_is_that_of_the_data(errors, data):
    drawn = errors.draw(data)
    assert drawn == errors.PICTURE.read_text(encoding="utf-8"), "run `bench/ozaki_errors.py --draw`"
    lines = [e for e in ElementTree.fromstring(drawn).iter() if e.get("points")]
    assert len(lines) == 1 + len(errors.ORDERS)
    assert "_static/ozaki-errors.svg" in (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")


def test_errors_are_below_the_bound_until_f64_rounds(errors, data):
    """With each slice they shrink by about 2^7."""
    for orders in errors.ORDERS:
        found = np.array(data[str(orders)])
        assert (found <= np.array(data["bound"]) + 2.0**-53).all()
        above = found[found > 1e-15]
        assert (above[1:] < above[:-1] / 32).all()


@pytest.mark.parametrize("splits", [1, 4])
def test_errors_can_be_measured_again(errors, data, splits):
    recipe = tt.recipes.ozaki_gemm(*errors.SIZES, splits=splits, target="cpu")
    for orders in errors.ORDERS:
        again = errors.error(recipe, orders)
        assert again == pytest.approx(data[str(orders)][splits - 1], rel=1e-6)
