"""What all Python tests share: the helpers of this folder can be imported by name."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def tinytc(capsys):
    """Return a function that runs a command line and returns status, stdout and stderr."""
    from tinytc_mlir import cli

    def run(*words):
        status = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
