"""The commands that compile: lower, compile and run."""

import json
import pathlib

import pytest

import tinytc_mlir as tt

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
SAMPLE = str(EXAMPLES / "fused_kernel.ir")


@pytest.mark.parametrize("stage", ["tinytc", "linalg", "gpu", "spirv"])
def test_lower(tinytc, tmp_path, stage):
    output = tmp_path / "out.mlir"
    assert tinytc("lower", "--to", stage, SAMPLE, "-o", output) == (0, "", "")
    assert ("tinytc.gemm" in output.read_text()) == (stage == "tinytc")
    assert ("spirv.module" in output.read_text()) == (stage == "spirv")


def test_compile(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert tinytc("compile", SAMPLE) == (0, "", "")
    assert tinytc("compile", "--emit", "spirv", SAMPLE) == (0, "", "")
    assert tinytc("compile", "--emit", "manifest", SAMPLE) == (0, "", "")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["fused_kernel.json", "fused_kernel.spv", "fused_kernel.tinytcb"]
    assert json.loads((tmp_path / "fused_kernel.json").read_text())["target"] == "cpu"


def test_the_switch_chooses_the_target(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TINYTC_TARGET", "native")
    tinytc("compile", SAMPLE)
    assert tt.load("fused_kernel.tinytcb").target == "native"
    for words in (["lower", "--to", "vector"], ["compile", "--emit", "asm"]):
        assert tinytc(*words, SAMPLE, "-o", "-")[0] == 0
    monkeypatch.setenv("TINYTC_TARGET", "gpu")
    for command in ("compile", "lower", "run", "explore"):
        assert "expected the target to be one of" in tinytc(command, SAMPLE)[2]


def test_run(tinytc):
    status, out, err = tinytc("run", SAMPLE, "--groups", 100)
    assert (status, err) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert lines["kernel"].startswith("fused_kernel(alpha: f32, A: group<memref<f32x16x8>x?>")
    assert list(lines) == ["kernel", "device", "groups", "error", "time", "speed", "roof"]
    assert "GFLOP/s, " in lines["speed"]
    assert " % of what the device can do (" in lines["roof"]


OUT_OF_BOUNDS = """func @f(%A: memref<f32x?>, %i: index) {
  %x = load %A[%i] : f32
}
"""


def test_run_debug(tinytc, tmp_path):
    path = tmp_path / "f.ir"
    path.write_text(OUT_OF_BOUNDS)
    options = ("--debug", "--no-check", "--groups", 2, "--size", "A.0=4", "--set", "i=4")
    status, _, err = tinytc("run", path, *options)
    message = "expected index 0 of 'A' to be at least 0 and less than 4, got 4"
    assert status == 1
    assert err.startswith(f"{path}:2:8: error: {message} (group ")
    assert err.endswith("  %x = load %A[%i] : f32\n       ^~~~~~~~~~~~~~~~~\n")
    status, out, err = tinytc("run", path, *options[:-1], "i=3")
    assert (status, err) == (0, "")
    assert "time" in out


def test_compile_debug(tinytc, tmp_path):
    path = tmp_path / "f.ir"
    path.write_text(OUT_OF_BOUNDS)
    status, manifest, _ = tinytc("compile", "--debug", "--emit", "manifest", path, "-o", "-")
    assert status == 0
    (check,) = json.loads(manifest)["kernels"][0]["checks"]
    assert (check["diagnostic"]["line"], check["types"]) == (2, ["i64", "i64"])
    output = tmp_path / "f.tinytcb"
    assert tinytc("compile", "--debug", path, "-o", output) == (0, "", "")
    status, _, err = tinytc("run", "--debug", output)
    assert status == 2
    assert f"expected a program to compile for --debug, got {output}" in err
    switches = [("--target", "cpu"), ("--tuned",), ("--vector-bytes", "32")]
    switches += [("--registers", "128"), ("--allow-tf32",)]
    for words in (*switches, ("-D", "M=3")):
        status, _, err = tinytc("run", *words, output)
        assert status == 2
        assert f"expected a program to compile for {words[0]}, got {output}" in err


def test_lowered_modules_keep_their_target(tinytc, tmp_path):
    path, lowered = tmp_path / "f.ir", tmp_path / "f.mlir"
    path.write_text(OUT_OF_BOUNDS)
    assert tinytc("lower", "--to", "gpu", "--target", "intel-gpu:pvc", path, "-o", lowered)[0] == 0
    assert tinytc("lower", "--to", "spirv", lowered)[0] == 0
    for words in (("lower", "--to", "spirv"), ("compile", "-o", "-")):
        status, _, err = tinytc(*words, "--target", "cpu", lowered)
        assert status == 1
        assert "expected a module that was lowered for the target 'cpu'" in err


def test_run_asks_which_kernel(tinytc):
    status, _, err = tinytc("run", EXAMPLES / "01_batched_gemm.ir")
    assert status == 2
    assert "expected --kernel to choose one of the kernels gemm_nn, gemm_nt, gemm_tn" in err


def test_run_of_too_many_groups(tinytc, tmp_path):
    path = tmp_path / "s.ir"
    path.write_text(
        "func @s(%x: f32, %A: memref<f32x10>) { %g = group_id : index store %x, %A[%g] }"
    )
    assert tinytc("run", path, "--groups", 10)[0] == 0
    status, _, err = tinytc("run", path, "--groups", 11)
    assert status == 1
    message = "s: expected at most 10 groups (mode 0 of 'A' has 10 elements), got 11"
    assert err == f"tinytc: error: {message}\n"
