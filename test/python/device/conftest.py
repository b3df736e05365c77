"""Helpers of this folder, which can be imported by name, and how its kernels are built."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(autouse=True)
def builds_apart(monkeypatch):
    """Let a driver that ends the process fail the test, and not end all of them."""
    monkeypatch.setenv("TINYTC_BUILD_APART", "1")
