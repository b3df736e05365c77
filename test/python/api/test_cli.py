"""The command line: what it prints, and its exit status."""

import io
import json
import os
import pathlib
import subprocess
import sys

import pytest

import handmade
import tinytc_mlir as tt
from tinytc_bench.runner import VERSION

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
SAMPLE = str(EXAMPLES / "fused_kernel.ir")
BROKEN = "func @f(%a: f32) {\n  %b = arith.add %a, %c : f32\n}\n"


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "broken.ir"
    path.write_text(BROKEN)
    return path


def test_check(tinytc):
    assert tinytc("check", *EXAMPLES.glob("*.ir")) == (0, "", "")


def test_check_names_the_place(tinytc, broken):
    status, out, err = tinytc("check", broken, SAMPLE)
    assert (status, out) == (1, "")
    assert err.startswith(f"{broken}:2:22: error: ")
    assert "  %b = arith.add %a, %c : f32\n                     ^" in err


def test_check_prints_diagnostics_as_json(tinytc, broken):
    status, output, error = tinytc("check", "--diagnostics=json", str(broken), SAMPLE)
    (diagnostic,) = json.loads(output)
    assert (status, error) == (1, "")
    assert diagnostic["severity"] == "error"
    assert diagnostic["filename"] == str(broken)
    assert diagnostic["line"] >= 1
    status, output, error = tinytc("check", "--diagnostics=json", SAMPLE)
    assert (status, json.loads(output), error) == (0, [], "")


def test_check_of_mlir(tinytc, tmp_path):
    path = tmp_path / "broken.mlir"
    path.write_text("module {\n  tinytc.nothing\n}\n")
    status, _, err = tinytc("check", path)
    assert status == 1
    assert err.startswith(f"{path}:2:3: error: ")
    assert "  tinytc.nothing\n  ^" in err


def test_check_of_a_lowered_file(tinytc, tmp_path):
    file = tmp_path / "e.gpu.mlir"
    file.write_text(str(tt.Context().parse_file(SAMPLE).lower("gpu", target="cpu")))
    status, _, err = tinytc("check", file)
    assert (status, err.count("\n")) == (1, 1)
    assert f"{file}: error: expected a module of stage 'tinytc', got 'gpu'" in err


def test_check_of_bytes_that_are_no_text(tinytc, tmp_path):
    for name in ("broken.ir", "broken.mlir"):
        path = tmp_path / name
        path.write_bytes(b"func \xff\xfe {")
        status, _, err = tinytc("check", path)
        assert status == 1
        assert "error:" in err


def test_stdin(tinytc, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(BROKEN.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    status, _, err = tinytc("check", "-")
    assert status == 1
    assert err.startswith("<stdin>:2:22: error: ")


def test_missing_file(tinytc):
    status, _, err = tinytc("check", "absent.ir")
    assert status == 1
    assert err == "tinytc: error: absent.ir: no such file or directory\n"


def test_defines(tinytc, tmp_path):
    path = tmp_path / "sized.ir"
    path.write_text("func @f(%A: memref<$T x $N>) { }\n")
    status, out, err = tinytc("lower", "--to", "tinytc", "-DT=f64", "-D", "N=7", path)
    assert (status, err) == (0, "")
    assert "memref<7xf64>" in out


USAGE = [
    (["check", "-DX", "f.ir"], "expected NAME=VALUE, got 'X'"),
    (["lower", "--to", "assembly", "f.ir"], "invalid choice: 'assembly'"),
    (["run", "--groups", "0", "f.ir"], "expected a positive integer, got '0'"),
    (["run", "--groups", "4,0", "f.ir"], "expected a positive integer, got '0'"),
    (["run", "--groups", "4,", "f.ir"], "expected a positive integer, got ''"),
    (["run", "--groups", "4,2,1,1", "f.ir"], "expected 1 to 3 numbers of groups, got '4,2,1,1'"),
    (["run", "--size", "A=3", "f.ir"], "expected NAME.MODE=N, got 'A=3'"),
    (["run", "--set", "x", "f.ir"], "expected NAME=VALUE, got 'x'"),
    (["run", "--set", "x=y", "f.ir"], "expected a number, got 'y'"),
    (["run", "--set", "x=1e400", "f.ir"], "expected a number in the range of f64, got '1e400'"),
    (["run", "--set", "x=1-1e400j", "f.ir"], "expected a number in the range of f64, got '1-1"),
    (["lower", "--to", "lnalg", "f.ir"], "; did you mean 'linalg'?"),
    (["chek", "f.ir"], "; did you mean 'check'?"),
]


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_wrong_usage(tinytc, capsys, words, message):
    with pytest.raises(SystemExit) as caught:
        tinytc(*words)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_no_words_print_help(tinytc):
    status, out, err = tinytc()
    assert (status, err) == (0, "")
    assert out.startswith("usage: tinytc")


def test_fmt(tinytc, tmp_path):
    path = tmp_path / "wide.ir"
    path.write_text("func   @f( %a : f32 )   { }\n")
    status, out, _ = tinytc("fmt", path)
    assert status == 0
    assert out != path.read_text()
    assert tinytc("fmt", "--check", path) == (1, f"{path}\n", "")
    assert tinytc("fmt", "-i", path) == (0, "", "")
    assert path.read_text() == out
    assert tinytc("fmt", "--check", path) == (0, "", "")


def test_fmt_leaves_broken_files_alone(tinytc, tmp_path):
    path = tmp_path / "broken.ir"
    path.write_text("func @f( {")
    status, _, err = tinytc("fmt", "-i", path)
    assert status == 1
    assert err.startswith(f"{path}:1:")
    assert path.read_text() == "func @f( {"


BOM = b"\xef\xbb\xbf"
ONE_LINE = b"func @f(%a: f32) {\n}\n"


def test_a_byte_order_mark_is_not_part_of_the_program(tinytc, tmp_path):
    path = tmp_path / "marked.ir"
    path.write_bytes(BOM + ONE_LINE)
    assert tinytc("check", path) == (0, "", "")
    assert tinytc("fmt", path) == (0, ONE_LINE.decode(), "")
    assert tinytc("fmt", "--check", path) == (1, f"{path}\n", "")
    assert tinytc("fmt", "-i", path) == (0, "", "")
    assert path.read_bytes() == ONE_LINE
    path.write_bytes(BOM + BOM + ONE_LINE)
    for command in ("check", "fmt"):
        status, _, err = tinytc(command, path)
        assert (status, err.splitlines()[0]) == (
            1,
            f"{path}:1:1: error: expected a token, got '\\u{{feff}}'",
        )


@pytest.mark.parametrize("mark", [b"", BOM])
def test_fmt_of_bytes_that_are_no_text(tinytc, tmp_path, mark):
    path = tmp_path / "latin.ir"
    data = mark + b"func @f(%a: f32) { } ; caf\xe9\n"
    path.write_bytes(data)
    message = f"{path}:1:27: error: expected UTF-8 text, got byte 0xe9\n"
    for words in (["fmt"], ["fmt", "-i"], ["fmt", "--check"], ["check"]):
        status, out, err = tinytc(*words, path)
        assert (status, out) == (1, "")
        assert err.startswith(message)
    assert path.read_bytes() == data


def test_names_that_are_no_text(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.ir"
    with open(path, "wb") as file:
        file.write(b"func   @f(%a: f32) { }\n")
    words = [sys.executable, "-m", "tinytc_mlir.cli", "fmt", "--check", path]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(words, capture_output=True, env=environment)
    assert (result.returncode, result.stdout, result.stderr) == (1, path + b"\n", b"")


def test_run_of_a_compiled_file(tinytc, tmp_path):
    path = tmp_path / "scale.tinytc"
    handmade.scale().save(path)
    status, out, _ = tinytc("run", path, "--set", "alpha=1", "--size", "X.0=2000")
    assert status == 0
    assert "error    not known: a compiled file has no reference\n" in out
    status, _, err = tinytc("run", path, "--set", "beta=1")
    assert status == 1
    assert err == "tinytc: error: scale: expected one of the parameters alpha, X, got 'beta'\n"
    status, _, err = tinytc("run", path, "--kernel", "scal")
    assert "got 'scal'; did you mean 'scale'?" in err


def test_devices(tinytc):
    status, out, _ = tinytc("devices")
    assert status == 0
    assert "[cpu]" in out


def test_doctor(tinytc):
    status, out, _ = tinytc("doctor")
    assert "ok       dpctl: " in out
    assert "ok       compiler: " in out
    assert "ok       device: " in out
    for line in ("mlir-opt", "plugin for mlir-opt"):
        assert f"{line}: " in out
    assert status == (1 if "failure" in out else 0)


LONG = "\n".join(f"func   @f{i}( %a : f32 )   {{ }}" for i in range(100))
LIMITED = (
    "import resource, sys; from tinytc_mlir import cli; "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); sys.exit(cli.main(sys.argv[1:]))"
)
WRITERS = [
    ["fmt", "-i", "{file}"],
    ["lower", "{file}", "-o", "{file}"],
    ["compile", "{file}", "-o", "{file}"],
    ["compile", "{file}", "--emit", "manifest", "-o", "{file}"],
    ["bench", "--from", "{report}", "--json", "{file}"],
    ["bench", "--from", "{report}", "--markdown", "{file}"],
]


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_full_disk_leaves_the_file(tmp_path, words):
    path, report = tmp_path / "long.ir", tmp_path / "report.json"
    path.write_text(LONG)
    machine = {"cpu": "c" * 2000, "cores": 1, "last_cache_bytes": 0}
    report.write_text(json.dumps({"version": VERSION, "machine": machine, "time": "now"}))
    words = [word.format(file=path, report=report) for word in words]
    result = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, *words], capture_output=True, text=True, timeout=600
    )
    assert (result.returncode, path.read_text()) == (1, LONG), result.stderr
    assert result.stderr == f"tinytc: error: {path}: file too large\n"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["long.ir", "report.json"]


REPORTS = [
    "",
    "[]",
    "{}",
    '{"version": 2}',
    '{"version": 1}',
    '{"version": 1, "machine": 3}',
    '{"version": 1, "machine": {"cpu": "c", "cores": 1, "last_cache_bytes": "x"}, "time": ""}',
]


@pytest.mark.parametrize("text", REPORTS)
def test_bench_of_a_damaged_report(tinytc, tmp_path, text):
    path = tmp_path / "report.json"
    path.write_text(text)
    status, _, err = tinytc("bench", "--from", path)
    assert status == 1
    assert err.startswith(f"tinytc: error: {path}: expected ")


def test_fmt_translates(tinytc, tmp_path):
    path = tmp_path / "a.ir"
    earlier = "func @f(%x: $T) {\n  %y = arith.add %x, %x : $T  ; twice\n}\n"
    later = earlier.replace("arith.add", "add")
    path.write_text(earlier)
    assert tinytc("fmt", "--language", "0.4", "-D", "T=f32", path) == (0, later, "")
    assert tinytc("fmt", "--check", "--language=0.4", "-D", "T=f32", path)[0] == 1
    assert tinytc("fmt", "-i", "--language", "0.4", "-D", "T=f32", path) == (0, "", "")
    assert path.read_text() == later
    assert tinytc("fmt", "-i", "--language", "0.3", "-D", "T=f32", path) == (0, "", "")
    assert path.read_text() == earlier


def test_fmt_says_what_has_no_counterpart(tinytc, tmp_path):
    path = tmp_path / "a.ir"
    text = "func @f(%x: f32) {\n  %y=cos %x : f32\n}\n"
    path.write_text(text)
    status, out, err = tinytc("fmt", "-i", "--language", "0.3", path)
    assert (status, out, path.read_text()) == (1, "", text)
    assert err == (
        f"{path}:2:6: error: expected what version 0.3 of the language has, got 'cos'\n"
        "  %y=cos %x : f32\n"
        "     ^~~~~~~~~~~~\n"
    )
