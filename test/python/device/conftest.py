"""How the kernels of this folder are built."""

import pytest


@pytest.fixture(autouse=True)
def builds_apart(monkeypatch):
    """Let a driver that ends the process fail the test, and not end all of them."""
    monkeypatch.setenv("TINYTC_BUILD_APART", "1")
