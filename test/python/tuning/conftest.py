"""What tests of searches share."""

import pytest

from tinytc_mlir.tuning import autotune, store

_FEW = {"rounds": 2, "block_s": 1e-4}


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """Short measurements, and results in a folder of their own, which is returned."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "schedules")
    for name in ("_QUICK", "_FINAL"):
        monkeypatch.setattr(autotune, name, _FEW)
    return tmp_path / "schedules"
