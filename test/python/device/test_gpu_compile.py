"""Kernels for Intel's GPUs: ocloc compiles those of the examples without spills."""

import pathlib

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

EXAMPLES = sorted((pathlib.Path(__file__).parents[3] / "examples").glob("*.ir"))


def spilled_bytes(program, gpu):
    """Return what a driver's compiler spills, by kernel."""
    registers = program.manifest.registers or ocloc.REGISTERS[0]
    return ocloc_counts.spilled_bytes(ocloc.compile_binary(program.spirv, gpu, registers=registers))


@needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_fit_into_registers(example, gpu):
    text = example.read_text()
    if gpu not in ocloc_counts.gpus_for(text):
        text = text.replace("f64", "f32").replace("c64", "c32")
    module = tt.Context().parse(text, example.name)
    program = module.compile(ocloc.DEVICES[gpu].name)
    assert spilled_bytes(program, gpu) == dict.fromkeys(program.kernels, 0)


@needs_spirv_val
@pytest.mark.parametrize("gpu", [gpu for gpu in ocloc.DEVICES if gpu not in ocloc_counts.COUNTED])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_for_later_gpus(example, gpu):
    """An old ocloc does not know these: then the SPIR-V is all there is to check."""
    program = tt.Context().parse_file(example).compile(ocloc.DEVICES[gpu].name)
    validate(program.spirv)
    if ocloc.knows(gpu):
        assert spilled_bytes(program, gpu) == dict.fromkeys(program.kernels, 0)


@needs_ocloc
def test_which_gpus_ocloc_knows(monkeypatch):
    assert ocloc.knows("pvc")
    assert ocloc.knows("dg2")
    monkeypatch.setenv("PATH", "")
    assert not ocloc.knows("pvc")


@needs_ocloc
def test_spilling_is_noticed():
    """A matrix of 16 KiB is more than the registers of a subgroup."""
    text = """
    func @f(%A: memref<f32x64x64>, %B: memref<f32x64x64>) attributes {subgroup_size=16} {
        %zero = constant 0 : index
        parallel {
            %a = cooperative_matrix_load.n %A[%zero, %zero] : coopmatrix<f32x64x64,matrix_acc>
            barrier.global
            cooperative_matrix_store %a, %B[%zero, %zero]
        }
    }"""
    spirv = tt.Context().parse(text).compile("intel-gpu:pvc").spirv
    assert ocloc_counts.spilled_bytes(ocloc.compile_binary(spirv, "pvc"))["f"] > 0


@needs_ocloc
@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
def test_driver_ends_for_run_time_beta(type_):
    """IGC 1.0.12504 never finishes on `beta != 0 ? beta * c : 0` of i8 in a loop."""
    text = f"""
    func @f(%alpha: {type_}, %beta: {type_}, %A: memref<{type_}x7x7>, %B: memref<{type_}x?x?>) {{
        cumsum %alpha, %A, 1, %beta, %B
    }}"""
    ocloc.compile_binary(tt.Context().parse(text).compile("intel-gpu:pvc").spirv, "pvc")
