"""`tinytc compile --emit`: every form of a program."""

import json
import pathlib

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc
from tinytc_mlir.compiler.version_stamps import stamped

SAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "fused_kernel.ir"
SUFFIXES = {"asm": ".s", "llvm-ir": ".ll", "object": ".o"}
STAGES = {"prepared": "prepared", "linalg": "linalg", "gpu": "gpu", "spirv-mlir": "spirv"}


def emit(tinytc, form, *options):
    status, out, err = tinytc("compile", "--emit", form, SAMPLE, "-o", "-", *options)
    assert (status, err) == (0, "")
    return out


def test_text_and_dialect(tinytc):
    module = tt.Context().parse_file(SAMPLE)
    assert emit(tinytc, "text") == module.to_text()
    assert emit(tinytc, "mlir") == stamped(f"{module}".rstrip() + "\n")


@pytest.mark.parametrize("form", STAGES)
def test_stages_are_those_of_compiling(tinytc, form):
    text = emit(tinytc, form, "--target", "cpu")
    lowered = tt.Context().parse_mlir(text)
    assert lowered.stage == STAGES[form]
    program = tt.Context().parse_file(SAMPLE).compile("cpu")
    assert lowered.compile().spirv == program.spirv


def test_manifest(tinytc):
    manifest = json.loads(emit(tinytc, "manifest", "--target", "intel-gpu:bmg"))
    assert manifest["target"] == "intel-gpu:bmg"
    assert manifest["kernels"][0]["name"] == "fused_kernel"


@needs_ocloc
def test_machine_code(tinytc):
    text = emit(tinytc, "asm", "--target", "intel-gpu:pvc")
    assert "//.kernel fused_kernel" in text
    assert "mad (16|M0)" in text


def test_machine_code_of_other_targets(tinytc):
    status, _, err = tinytc("compile", "--emit", "asm", "--target", "cpu", SAMPLE, "-o", "-")
    assert status == 2
    assert "expected one of the targets intel-gpu:pvc, intel-gpu:dg2, intel-gpu:bmg, native" in err


def test_native_code_as_text(tinytc):
    assembly = emit(tinytc, "asm", "--target", "x86-64-v3")
    assert "fused_kernel:" in assembly
    assert "vfmadd231ps" in assembly
    text = emit(tinytc, "llvm-ir", "--target", "aarch64")
    assert "define void @fused_kernel(" in text
    assert emit(tinytc, "asm", "--target", "aarch64").count("\tfmla\t") > 0
    lowered = tt.Context().parse_file(SAMPLE).lower("gpu", target="native")
    with pytest.raises(tt.LoweringError, match="expected a module of stage 'llvm', got 'gpu'"):
        lowered.native_text()
    with pytest.raises(tt.LoweringError, match="the form to be one of asm, llvm-ir, got 'elf'"):
        lowered.lower("llvm").native_text("elf")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compile", "--emit", "ptx", "--target", "cpu"), "cuda:sm_100 for --emit ptx, got cpu"),
        (("compile", "--emit", "spirv", "--target", "cuda:sm_90"), "for --emit spirv, got cuda:sm"),
        (
            ("compile", "--emit", "llvm-ir", "--target", "cpu"),
            "aarch64-sve512 for --emit llvm-ir, got cpu",
        ),
        (("compile", "--emit", "nvvm"), "gpu, spirv for --emit nvvm, got nvvm"),
        (("compile", "--emit", "spirv-mlir", "--target", "cuda:sm_90"), "for --emit spirv-mlir"),
        (("lower", "--to", "ptx", "--target", "cpu"), "gpu, spirv for --to, got ptx"),
    ],
    ids=str,
)
def test_forms_that_a_target_has_not(tinytc, words, message):
    status, _, err = tinytc(*words, SAMPLE, "-o", "-")
    assert (status, message in err) == (2, True)


def test_default_names(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for form in ("text", "gpu", "spirv"):
        assert tinytc("compile", "--emit", form, SAMPLE) == (0, "", "")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["fused_kernel.gpu.mlir", "fused_kernel.out.ir", "fused_kernel.spv"]
    for form in ("asm", "llvm-ir", "object"):
        assert tinytc("compile", "--emit", form, "--target", "native", SAMPLE) == (0, "", "")
        assert (tmp_path / f"fused_kernel{SUFFIXES[form]}").exists()


def test_build_needs_a_compiled_program(tinytc):
    status, _, err = tinytc("compile", "--emit", "gpu", "--build", SAMPLE, "-o", "-")
    assert status == 2
    assert "expected --emit tinytc, spirv, ptx, object, manifest with --build, got gpu" in err
