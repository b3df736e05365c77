"""Hosts and libraries of this version and of the one before go together.

`kernels-0.1.h` and `kernels-0.1.a.gz` are what `build_library` wrote for the kernels of
host_kernels.py, with the target x86-64-v3. A release replaces them by its own.
"""

import gzip
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

from embedding.conftest import HOSTS
from embedding.test_hosts import STRICT, check_results

STORED = pathlib.Path(__file__).parent
pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the stored library is for x86-64"
)


@pytest.fixture(scope="module")
def libraries(library, tmp_path_factory):
    """Return the folders of the library of the version before and of this one."""
    before = tmp_path_factory.mktemp("before")
    (before / "include").mkdir()
    (before / "lib").mkdir()
    shutil.copy(STORED / "kernels-0.1.h", before / "include" / "kernels.h")
    archive = gzip.decompress((STORED / "kernels-0.1.a.gz").read_bytes())
    (before / "lib" / "libkernels.a").write_bytes(archive)
    words = ["gcc", "-shared", "-Wl,--whole-archive", "lib/libkernels.a", "-Wl,--no-whole-archive"]
    name = ["-Wl,-soname,libkernels.so", "-o", "lib/libkernels.so"]
    subprocess.run([*words, *name], check=True, cwd=before)
    return {"before": before, "now": library}


def compiled(libraries, header, folder):
    """Return a host that is compiled with the header of a version."""
    include = f"-I{libraries[header] / 'include'}"
    command = ["gcc", *STRICT, include, "-O1", "-c", HOSTS / "host.c", "-o", "host.o"]
    subprocess.run(command, check=True, cwd=folder)
    return folder / "host.o"


def check_host(program, **variables):
    def run(given):
        environment = os.environ | variables
        return subprocess.run([program], input=given, capture_output=True, env=environment).stdout

    check_results(run)


@pytest.mark.parametrize("code", ["before", "now"])
@pytest.mark.parametrize("header", ["before", "now"])
def test_archives(libraries, header, code, tmp_path):
    host = compiled(libraries, header, tmp_path)
    archive = libraries[code] / "lib" / "libkernels.a"
    subprocess.run(["gcc", host, archive, "-o", tmp_path / "host"], check=True)
    check_host(tmp_path / "host")


@pytest.mark.parametrize("code, loaded", [("before", "now"), ("now", "before")])
def test_shared_libraries(libraries, code, loaded, tmp_path):
    """A host that is linked with one library runs with the other."""
    host = compiled(libraries, code, tmp_path)
    folder = libraries[code] / "lib"
    words = ["gcc", host, f"-L{folder}", "-lkernels", "-o", tmp_path / "host"]
    subprocess.run(words, check=True)
    check_host(tmp_path / "host", LD_LIBRARY_PATH=str(libraries[loaded] / "lib"))
