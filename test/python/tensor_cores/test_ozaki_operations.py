"""Products from slices on tensor cores: the table of docs/nvidia.md, counted by emulation."""

import collections
import json
import pathlib

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS
from tinytc_mlir.recipes.gemm_recipe import Product

TABLES = json.loads(
    (pathlib.Path(__file__).parents[3] / "docs/measurements/nvidia.json").read_text()
)
ROWS = TABLES["slices"]["rows"]
ROWS_OF_C, COLUMNS = 64, 32


def counts(type_, chip, k, monkeypatch):
    """Return the instructions of a tile with one slice, and those on tensor cores."""
    target, shape = f"cuda:{chip}", (ROWS_OF_C, COLUMNS)
    recipe = tt.recipes.ozaki_gemm(*shape, k, type_, splits=1, target=target)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-8, 9, size).astype(type_.replace("f", "float"))[..., np.newaxis]
            for size in ((ROWS_OF_C, k), (k, COLUMNS)))  # fmt: skip
    c = np.empty((*shape, 1), a.dtype, order="F")
    found = []
    product = Product(1.0, np.asfortranarray(a), np.asfortranarray(b), 0.0, c, None, None)
    with machine(target).installed():
        FINDINGS.start()
        for kernel, arguments, groups in type(recipe)._launches(recipe, product):
            monkeypatch.setattr(SETTINGS, "profile", collections.Counter())
            kernel(*arguments, groups=groups)
            found.append(SETTINGS.profile)
    assert not FINDINGS.serious()
    np.testing.assert_array_equal(c[:, :, 0], a[:, :, 0] @ b[:, :, 0])
    last = {key[1]: n for key, n in found[-1].items() if key[0] == "instructions"}
    return sum(last.values()) - last["mov"], last["mma"]


def test_the_table():
    assert [row[:2] for row in ROWS] == [["f64", "sm_80"], ["f64", "sm_90"], ["f32", "sm_90"]]


@pytest.mark.parametrize(
    ("type_", "chip", "slices", "operations", "others"), profiles.in_turns(ROWS, "counts")
)
def test_counts(type_, chip, slices, operations, others, monkeypatch):
    splits = tt.recipes.ozaki_gemm(1, 1, 1, type_, target=f"cuda:{chip}").splits
    assert splits == slices
    short, long = (counts(type_, chip, k, monkeypatch) for k in (512, 1024))
    instructions, on_unit = (second - first for first, second in zip(short, long, strict=True))
    each = 1000 * splits * (splits + 1) / 2 / (ROWS_OF_C * COLUMNS * 512)
    assert round(each * on_unit, 1) == operations
    assert each * (instructions - on_unit) <= 1.02 * others + 0.05
