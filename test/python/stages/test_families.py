"""The registry of families says which stages lead to the code of a target."""

import pytest

from tinytc_mlir._tinytc import targets
from tinytc_mlir.compiler import STAGES, stages_of
from tinytc_mlir.compiler.stages import continuation, families, leads_to
from tinytc_mlir.runtime import loaders


def test_each_target_is_in_one_family():
    listed = [name for family in families() for name in family.targets]
    assert listed == [target.name for target in targets()]


@pytest.mark.parametrize(
    ("target", "last"),
    [
        ("intel-gpu:pvc", ["spirv"]),
        ("cuda:sm_80", ["nvvm", "ptx"]),
        ("x86-64-v3", ["vector", "llvm", "object"]),
    ],
)
def test_stages_of_a_target(target, last):
    assert stages_of(target) == ("tinytc", "prepared", "linalg", "gpu", *last)
    assert all(leads_to("gpu", stage) for stage in last)


def test_all_stages():
    """Those of all families, each once, and a pipeline to each but the first."""
    assert list(STAGES)[:5] == ["tinytc", "prepared", "linalg", "gpu", "spirv"]
    assert STAGES["tile"] == "lower-to-tile"
    assert STAGES["tinytc"] is None
    assert continuation("prepared", "llvm") == "prepared-to-llvm-dialect"


def test_programs_on_tiles_are_no_target():
    tiles = families()[-1]
    assert (tiles.stages, tiles.targets) == (("tinytc", "tile"), ())
    assert not leads_to("gpu", "tile")


def test_a_loader_takes_each_format():
    formats = {name for loader in loaders.loaders() for name in loader.formats}
    assert {family.format for family in families() if family.targets} <= formats
