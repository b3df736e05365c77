"""Hosts and libraries of this version and of the one before go together.

`kernels-0.1.tar.gz` has what `build_library` wrote for the kernels of host_kernels.py, with the
target x86-64-v3: `include/kernels.h` and `lib/libkernels.a`. A release replaces it by its own.
"""

import os
import pathlib
import platform
import re
import subprocess
import tarfile

import pytest

from embedding.conftest import HOSTS
from embedding.test_hosts import STRICT, check_results

STORED = pathlib.Path(__file__).parent / "kernels-0.1.tar.gz"
pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the stored library is for x86-64"
)


@pytest.fixture(scope="module")
def libraries(library, tmp_path_factory):
    """Return the folders of the library of the version before and of this one."""
    before = tmp_path_factory.mktemp("before")
    with tarfile.open(STORED) as stored:
        for member in stored.getmembers():
            if member.isfile():
                path = before / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(stored.extractfile(member).read())
    words = ["gcc", "-shared", "-Wl,--whole-archive", "lib/libkernels.a", "-Wl,--no-whole-archive"]
    name = ["-Wl,-soname,libkernels.so", "-o", "lib/libkernels.so"]
    subprocess.run([*words, *name], check=True, cwd=before)
    return {"before": before, "now": library}


def declarations(library):
    text = (library / "include" / "kernels.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_the_header_is_that_of_the_version_before(libraries):
    assert declarations(libraries["now"]) == declarations(libraries["before"])


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
