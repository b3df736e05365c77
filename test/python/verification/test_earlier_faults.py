"""Faults that the compiler had once, put back into what it makes of kernels, are found."""

import copy
import dataclasses
import re

import pytest
from mlir import ir

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.compiler import Module
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification.exactness import Subject
from tinytc_mlir.verification.stages import Comparison

SIZE = "attributes {subgroup_size=16, work_group_size=[32,1]}"
NEGATION = """
func @f(%A: memref<f32x16>, %B: memref<f32x16>)
    attributes {subgroup_size=16, work_group_size=[16,1]} {
  %T = alloca : memref<f32x16>
  foreach (%i)=(0),(16) {
    %x = load %A[%i] : f32
    %y = arith.neg %x : f32
    store %y, %T[%i]
  }
  foreach (%i)=(0),(16) {
    %last = constant 15 : index
    %j = arith.sub %last, %i : index
    %x = load %A[%i] : f32
    %n = arith.neg %x : f32
    %y = load %T[%j] : f32
    %z = arith.mul %n, %y : f32
    store %z, %B[%i]
  }
}"""
CUMSUM = f"""
func @f(%alpha: f32, %A: memref<f32x40x3>, %B: memref<f32x40x3>) {SIZE} {{
  %one = constant 1.0 : f32
  cumsum %alpha, %A, 0, %one, %B
}}"""
HADAMARD = """
func @f(%alpha: f32, %A: memref<f32x5x6>, %C: memref<f32x5x6>) {
  %zero = constant 0.0 : f32
  hadamard_product %alpha, %A, %C, %zero, %C
}"""
TOGETHER = f"""
func @f(%A: memref<f32x8x8>, %B: memref<f32x8x8>, %C: memref<f32x8x8>) {SIZE} {{
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %S = alloca : memref<f32x8x8>
  %T = alloca : memref<f32x8x8>
  gemm.n.n %one, %A, %B, %zero, %S
  gemm.n.n %one, %B, %A, %zero, %T
  gemm.n.n %one, %S, %T, %one, %C
}}"""
IN_TURN = f"""
func @f(%A: memref<f32x8x8>, %B: memref<f32x8x8>, %C: memref<f32x8x8>) {SIZE} {{
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %S = alloca : memref<f32x8x8>
  gemm.n.n %one, %A, %B, %zero, %S
  gemm.n.t %one, %S, %S, %one, %C
  lifetime_stop %S
  %T = alloca : memref<f32x8x8>
  gemm.n.n %one, %B, %A, %zero, %T
  gemm.n.t %one, %T, %T, %one, %C
}}"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault in the gpu stage of a program.

    Args:
        program: the program.
        pattern: of what the compiler makes.
        replacement: what it becomes.
        place: which of the places where the pattern is.
    """

    program: str
    pattern: str
    replacement: str
    place: int = 0

    def put(self, text):
        """Return the stage with the fault."""
        place = list(re.finditer(self.pattern, text))[self.place]
        return text[: place.start()] + place.expand(self.replacement) + text[place.end() :]


FAULTS = {
    "a negation is lost across a barrier": Fault(
        NEGATION,
        r"(%\d+) = arith\.negf (%\d+) : f32\n(.*\n.* = arith\.mulf )\1, ",
        r"\1 = arith.negf \2 : f32\n\3\2, ",
    ),
    "a load moves across a barrier": Fault(
        NEGATION, r"( *gpu\.barrier.*\n)((?:.*\n){3}.*memref\.load %view\[.*\n)", r"\2\1"
    ),
    "a running sum loses what the block before adds": Fault(
        CUMSUM,
        r"gpu\.subgroup_broadcast (%\d+),  specific_lane %c15",
        r"gpu.subgroup_broadcast \1,  specific_lane %c8",
    ),
    "a line of a running sum is read where it is not written": Fault(
        CUMSUM, r"arith\.cmpi slt, ", "arith.cmpi sle, "
    ),
    "a product in place reads what it has written": Fault(
        HADAMARD,
        r"(%\d+) = (memref\.load %arg1\[(.*)\].*\n)",
        r"\1 = \2memref.store \1, %arg2[\3] : memref<?xf32>\n",
    ),
    "arrays that live together share memory": Fault(
        TOGETHER, r"memref\.view %alloc\[%c256\]", "memref.view %alloc[%c0]"
    ),
    "memory is written again before all have read it": Fault(IN_TURN, r"gpu\.barrier.*", "", 1),
}


def outcomes(program, change):
    """Return what verification says of the gpu stage, of which a function changes the text."""
    module = tt.Context().parse(program)
    stage = GpuStage(module, target="cpu")
    info = module.compile("cpu", abi="plain")["f"].info
    subject = Subject(module, info, sample_arguments(info, SampleOptions(1)), (1,))
    text = change(str(stage.lowered))
    stage = stage.changed(ir.Module.parse(text, stage.lowered.context).operation)
    return {claim.outcome for claim in Comparison(subject, stage, 0).claims()}


@pytest.mark.parametrize("program", [NEGATION, CUMSUM, HADAMARD, TOGETHER, IN_TURN])
def test_what_the_compiler_makes_is_right(program):
    assert outcomes(program, lambda text: text) == {Outcome.SHOWN}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name):
    fault = FAULTS[name]
    assert Outcome.WRONG in outcomes(fault.program, fault.put)


def test_memory_is_reused():
    text = str(GpuStage(tt.Context().parse(IN_TURN), target="cpu").lowered)
    assert re.findall(r"memref\.alloc\(\).*memref<(\d+)xi8", text) == [str(8 * 8 * 4)]


def test_a_derivative_that_reads_what_the_product_in_place_has_written(monkeypatch):
    jvp = Module.jvp

    def changed(self, *arguments, **options):
        found = jvp(self, *arguments, **options)
        lines = found.module.to_text().splitlines()
        (update,) = (line for line in lines if line.endswith(", %C") and "%zero, %C" in line)
        lines.remove(update)
        first = next(n for n, line in enumerate(lines) if "hadamard_product" in line)
        lines.insert(first, update)
        wrong = copy.copy(found)
        wrong.module = tt.Context().parse("\n".join(lines))
        return wrong

    module = tt.Context().parse(HADAMARD)
    assert module.verify(target="native", parts=["derivatives"]).holds
    monkeypatch.setattr(Module, "jvp", changed)
    certificate = module.verify(target="native", parts=["derivatives"])
    assert all(claim.outcome is Outcome.WRONG for claim in certificate.claims), str(certificate)
