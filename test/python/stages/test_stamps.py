"""Printed stages name their version, and those of another version are refused."""

import subprocess

import pytest

import tile_tools
import tinytc_mlir as tt
from tinytc_mlir.compiler import STAGES
from tinytc_mlir.version import __version__

TEXT = "func @f(%A: memref<f32x8>, %x: f32) { axpby.n %x, %A, %x, %A }"
LINE = f"// tinytc-mlir {__version__}\n"
OTHER = f"{int(__version__.partition('.')[0]) + 1}.0.0"


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.ir").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize("stage", [s for s in STAGES if s in ("tinytc", "linalg", "gpu", "spirv")])
def test_stages_name_the_version(program, tinytc, stage):
    status, out, err = tinytc("lower", "--to", stage, "--target", "cpu", "f.ir")
    assert (status, err) == (0, "")
    assert out.startswith(LINE + ("module" if stage == "tinytc" else ""))
    (program / "f.mlir").write_text(out)
    assert tinytc("compile", "f.mlir", "-o", "f.tinytcb")[0] == 0
    opt = tile_tools.find_tool("tinytc-opt")
    assert subprocess.run([opt, "f.mlir"], capture_output=True).returncode == 0


def test_emitted_stages_too(tinytc, program):
    assert tinytc("compile", "--emit", "gpu", "f.ir") == (0, "", "")
    assert (program / "f.gpu.mlir").read_text().startswith(LINE)


def test_another_version_is_refused(program, tinytc):
    text = tinytc("lower", "--to", "linalg", "f.ir")[1]
    (program / "old.mlir").write_text(text.replace(LINE, f"// tinytc-mlir {OTHER}\n"))
    status, _, err = tinytc("compile", "old.mlir")
    assert status == 1
    assert err.startswith("old.mlir:1:1: error: expected a stage that tinytc-mlir")
    assert f"got one of version {OTHER}: keep the program, and print the stage again" in err
    with pytest.raises(tt.VerificationError, match="expected a stage that tinytc-mlir"):
        tt.Context().parse_mlir((program / "old.mlir").read_bytes())


def test_patches_and_unstamped_texts_are_read(program):
    text = str(tt.Context().parse(TEXT).lower("linalg", target="cpu"))
    patch = ".".join([*__version__.split(".")[:2], "99"])
    for line in ("", LINE, f"// tinytc-mlir {patch}\n", f"// written by hand, not {OTHER}\n"):
        assert str(tt.Context().parse_mlir(line + text)) == text
