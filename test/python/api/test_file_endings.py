"""Programs in text and compiled ones are told apart by their contents, whatever their names."""

import hashlib
import json
import pathlib
import struct

import pytest

import handmade
import tinytc_mlir as tt
from tinytc_mlir.files import is_compiled, is_text
from tinytc_mlir.frontend.highlight import TensorLanguageLexer

TEXT = "func @f(%alpha: f32, %X: memref<f32x?>) {\n  axpby %alpha, %X, %alpha, %X\n}\n"
SCALE = "func @g(%X: memref<f32x16>) {\n  %a = constant 2.0 : f32\n  %b = constant 0.0 : f32\n"
SCALE += "  axpby %b, %X, %a, %X\n}\n"
ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("ending", ["ir", "tinytc", "txt"])
def test_source_files_of_any_ending(tinytc, tmp_path, ending):
    path = tmp_path / f"p.{ending}"
    path.write_text(TEXT)
    assert tinytc("check", path) == (0, "", "")
    assert tinytc("fmt", path) == (0, TEXT, "")
    assert tinytc("lower", "--to", "linalg", path)[0] == 0
    assert "func" in str(tt.Context().parse_file(path))


def test_a_source_is_not_replaced_by_what_is_compiled(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("p.tinytc").write_text(TEXT)
    assert tinytc("compile", "p.tinytc") == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.tinytc", "p.tinytcb"]
    assert list(tt.load("p.tinytcb")) == ["f"]
    assert pathlib.Path("p.tinytc").read_text() == TEXT


def test_a_text_is_not_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("gemm.tinytc").write_text(TEXT)
    with pytest.raises(tt.TinyTCError) as caught:
        tt.load("gemm.tinytc")
    assert str(caught.value) == "gemm.tinytc is a program in text, compile it first"


def test_other_contents_are_not_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.tinytcb").write_bytes(b"\x7fELF\x00")
    rule = r"a.tinytcb: expected a compiled program \(.tinytcb\), got other contents"
    with pytest.raises(tt.TinyTCError, match=rule):
        tt.load("a.tinytcb")


COMMANDS = [["check"], ["fmt"], ["lower", "--to", "linalg"], ["compile"], ["explore", "-o", "a"]]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_compiled_program_is_no_text(tinytc, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    handmade.scale().save("scale.ir")
    status, out, err = tinytc(*words, "scale.ir")
    assert (status, out) == (1, "")
    rule = "expected a program in text, got a compiled one, which `tinytc_mlir.load` reads"
    assert f"scale.ir: error: {rule}" in err


@pytest.mark.parametrize("ending", ["tinytc", "tinytcb", "bin"])
def test_compiled_files_of_any_ending(tinytc, tmp_path, ending):
    path = tmp_path / f"scale.{ending}"
    handmade.scale().save(path)
    assert list(tt.load(path)) == ["scale"]
    status, out, _ = tinytc("run", path, "--set", "alpha=1", "--size", "X.0=2000")
    assert status == 0
    assert "a compiled file has no reference" in out


def test_a_file_of_the_first_format_is_read(tmp_path):
    """Its manifest does not name the format of its code, which is SPIR-V."""
    program = handmade.scale()
    manifest = json.loads(program.manifest.to_json())
    del manifest["format"]
    text = json.dumps(manifest).encode()
    payload = struct.pack("<QQ", len(text), len(program.spirv)) + text + program.spirv
    head = struct.pack("<8sI32s", b"\x89TTC\r\n\x1a\n", 1, hashlib.sha256(payload).digest())
    path = tmp_path / "scale.tinytc"
    path.write_bytes(head + payload)
    loaded = tt.load(path)
    assert list(loaded) == ["scale"]
    assert (loaded.manifest, loaded.spirv) == (program.manifest, program.spirv)


def test_a_text_that_ends_in_tinytc_is_run(tinytc, tmp_path):
    path = tmp_path / "g.tinytc"
    path.write_text(SCALE)
    status, out, err = tinytc("run", path, "--groups", "1")
    assert (status, err) == (0, "")
    assert "error" in out


def test_contents():
    assert not is_text(b"")
    assert is_text(TEXT.encode()) and is_text("; ä\n".encode())
    assert not is_text(b"a\0b") and not is_text(b"\x89TTC")
    assert is_compiled(b"\x89TTC\r\n\x1a\n...")
    assert not is_compiled(b"\x89TTC") and not is_compiled(TEXT.encode())


def test_editors_know_both_endings():
    package = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text())
    (language,) = (each for each in package["contributes"]["languages"] if each["id"] == "tinytc")
    assert language["extensions"] == [".ir", ".tinytc"]
    assert TensorLanguageLexer.filenames == ["*.ir", "*.tinytc"]


DIVISORS = "func @f(%A: memref<f32x?> {stride_gcd=[1,16]}) { }\n"


@pytest.mark.parametrize("words", [["check"], ["lower", "--to", "linalg", "-o", "a.mlir"]])
def test_warnings_name_their_place(tinytc, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("f.tinytc").write_text(DIVISORS)
    status, out, err = tinytc(*words, "f.tinytc")
    assert (status, out) == (0, "")
    assert err.startswith("f.tinytc:1:39: warning: expected at most 1 number in stride_gcd")


def test_warnings_in_json(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("f.tinytc").write_text(DIVISORS)
    status, out, err = tinytc("check", "--diagnostics", "json", "f.tinytc")
    assert (status, err) == (0, "")
    (found,) = json.loads(out)
    assert (found["severity"], found["line"], found["column"]) == ("warning", 1, 39)
