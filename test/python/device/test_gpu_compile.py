"""Kernels for Intel's GPUs: ocloc compiles those of the examples without spills."""

import pathlib

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc
from tinytc_mlir.bench import ocloc

pytestmark = needs_ocloc

EXAMPLES = sorted((pathlib.Path(__file__).parents[3] / "examples").glob("*.ir"))


@pytest.mark.parametrize("gpu", ocloc.DEVICES)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_fit_into_registers(example, gpu):
    text = example.read_text()
    if gpu not in ocloc.gpus_for(text):
        text = text.replace("f64", "f32")
    module = tt.Context().parse(text, example.name)
    program = module.compile(ocloc.DEVICES[gpu].name)
    spilled = ocloc.spilled_bytes(ocloc.compile_binary(program.spirv, gpu))
    assert spilled == dict.fromkeys(program.kernels, 0)


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
    assert ocloc.spilled_bytes(ocloc.compile_binary(spirv, "pvc"))["f"] > 0


@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
def test_driver_ends_for_run_time_beta(type_):
    """IGC 1.0.12504 never finishes on `beta != 0 ? beta * c : 0` of i8 in a loop."""
    text = f"""
    func @f(%alpha: {type_}, %beta: {type_}, %A: memref<{type_}x7x7>, %B: memref<{type_}x?x?>) {{
        cumsum %alpha, %A, 1, %beta, %B
    }}"""
    ocloc.compile_binary(tt.Context().parse(text).compile("intel-gpu:pvc").spirv, "pvc")
