"""With TINYTC_DEBUG_DIR, kernels are shared libraries with the lines of their text."""

import pathlib
import re
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.embedding import build_library

TEXT = """
func @scaled(%alpha: f32, %A: memref<f32x16x?>) {
  %g = group_id.x : index
  foreach (%i) = (0), (16) {
    %x = load %A[%i, %g] : f32
    %y = mul %x, %alpha : f32
    store %y, %A[%i, %g]
  }
}
"""
DECODED = re.compile(r"^(\S+) +(\d+) +0x\w+ ", re.MULTILINE)


@tt.kernel
def doubled(a: tt.f32[16, None]):
    for i in tt.foreach(16):
        a[i, tt.group_id.x] = 2 * a[i, tt.group_id.x]


def lines_in(path):
    """Return files and lines that have code in a library."""
    words = ("objdump", "--dwarf=decodedline", path)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {(name, int(line)) for name, line in DECODED.findall(done.stdout)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_DEBUG_DIR", str(tmp_path / "libraries"))
    return tmp_path / "libraries"


def parse(tmp_path):
    (tmp_path / "scaled.ir").write_text(TEXT)
    return tt.Context().parse_file(tmp_path / "scaled.ir")


def test_lines_of_a_text(folder, tmp_path):
    kernel = parse(tmp_path).compile("native")["scaled"]
    a = np.ones((16, 3), np.float32, order="F")
    for _ in range(2):
        kernel(2.0, a, groups=3)
    assert (a == 4).all()
    (library,) = folder.iterdir()
    assert re.fullmatch(r"scaled-[0-9a-f]{16}\.so", library.name)
    assert lines_in(library) >= {("scaled.ir", 6), ("scaled.ir", 7)}


def test_lines_of_a_function(folder):
    a = np.ones((16, 3), np.float32, order="F")
    doubled.compile("native")["doubled"](a, groups=3)
    assert (a == 2).all()
    (library,) = folder.iterdir()
    lines = pathlib.Path(__file__).read_text().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.startswith("        a[i, "))
    assert ("test_debug_folder.py", number) in lines_in(library)


def test_lines_in_libraries_for_other_languages(folder, tmp_path):
    build_library(parse(tmp_path), tmp_path, "lines", targets=["native"])
    assert ("scaled.ir", 7) in lines_in(tmp_path / "lib" / "liblines.so")


def test_usual_code_has_no_lines(tmp_path):
    build_library(parse(tmp_path), tmp_path, "lines", targets=["native"])
    assert lines_in(tmp_path / "lib" / "liblines.so") == set()


@pytest.mark.parametrize(
    ("compiler", "message"),
    [
        ("no-compiler", r"expected the program no-compiler \(Debian's package gcc\) to link"),
        ("false", "expected false to link a library, got"),
    ],
)
def test_no_linker(folder, tmp_path, monkeypatch, compiler, message):
    monkeypatch.setenv("CC", compiler)
    kernel = parse(tmp_path).compile("native")["scaled"]
    with pytest.raises(tt.TinyTCError, match=message):
        kernel(2.0, np.ones((16, 3), np.float32, order="F"), groups=3)
    assert not list(folder.glob("*"))
