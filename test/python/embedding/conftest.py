"""A library of kernels, and how hosts are compiled and run."""

import pathlib
import subprocess

import pytest

import tinytc_mlir as tt
from embedding.host_kernels import TEXT
from tinytc_mlir.embedding import build_library

HOSTS = pathlib.Path(__file__).parent / "hosts"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    build_library(tt.Context().parse(TEXT), folder, "kernels")
    return folder


@pytest.fixture
def run_host(library, tmp_path):
    """Return a function that compiles a host with a compiler and returns what it prints."""

    def run(compiler, *sources, flags=(), given=b"", status=0):
        program = tmp_path / "host"
        words = [compiler, *flags, "-O1", "-Wall", "-Wextra", "-Werror"]
        words += [f"-I{library}/include", *sources, f"{library}/lib/libkernels.a", "-o", program]
        subprocess.run(words, check=True, cwd=tmp_path)
        done = subprocess.run([program], input=given, capture_output=True)
        assert done.returncode == status, done.stderr.decode()
        return done.stdout

    return run
