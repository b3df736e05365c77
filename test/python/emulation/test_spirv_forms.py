"""What emulated SPIR-V does not model is unknown, not ignored."""

import struct

import pytest

import tinytc_mlir as tt
from binaries import changed_words, with_instruction
from tinytc_mlir.emulators.findings import Unsupported
from tinytc_mlir.emulators.spirv.compiler import Compiled
from tinytc_mlir.emulators.spirv.module import Module

TEXT = """
func @f(%A: memref<f32x64>, %n: i32) attributes {subgroup_size=16, work_group_size=[32,1]} {
  %t = alloca : memref<f32x64>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %one, %A, %zero, %t
  parallel {
    %i = subgroup_local_id : i32
    %k = cast %i : index
    %x = load %t[%k] : f32
    %y = subgroup_add.reduce %x : f32
    %z = math.exp %y : f32
    store %z, %A[%k]
  }
}
"""
DECORATE, MODE, FLOAT = 71, 16, 22
UNKNOWN = {
    "OpDecorate %1 40 16": (DECORATE, 1, 40, 16),  # FPFastMathMode
    "OpDecorate %1 39 1": (DECORATE, 1, 39, 1),  # FPRoundingMode
    "OpDecorate %1 28": (DECORATE, 1, 28),  # SaturatedConversion
    "OpDecorate %1 BuiltIn 4000": (DECORATE, 1, 11, 4000),
    "Op72 1 0 40 16": (72, 1, 0, 40, 16),  # MemberDecorate
    "OpExecutionMode %1 4460 32": (MODE, 1, 4460, 32),  # DenormFlushToZero
    "Op331 1 38 2": (331, 1, 38, 2),  # ExecutionModeId
    "OpTypeFloat 16 0": (FLOAT, 900, 16, 0),  # bfloat16
    "OpTypeFloat 8": (FLOAT, 900, 8),
    "OpTypeInt 24 0": (21, 900, 24, 0),
    "Op30 900": (30, 900),  # TypeStruct
    "OpTypePointer 8 %1": (32, 900, 8, 1),  # Generic
    "Op52 1 900 128 1 1": (52, 1, 900, 128, 1, 1),  # SpecConstantOp
    "OpMemoryModel 1 2": (14, 1, 2),  # Physical32
    "OpExtInstImport OpenCL.DebugInfo.100": (
        *(11, 900),
        *(struct.unpack("<6I", b"OpenCL.DebugInfo.100".ljust(24, b"\0"))),
    ),
}
KNOWN = {
    "NoContraction": (DECORATE, 1, 42),
    "ContractionOff": (MODE, 1, 31),
    "Name": (5, 1, 0),
}
CHANGES = {
    "OpGroupFAdd": (265, 4, 3),  # ClusteredReduce
    "OpControlBarrier": (224, 1, 1),  # the scope is not constant
    "OpLoad": (61, 4, 0x20),  # NonPrivatePointer
    "OpExtInst": (12, 3, None),  # of another set
}
"""A word of the first instruction of some, and what it becomes."""


@pytest.fixture(scope="module")
def code():
    return tt.Context().parse(TEXT).compile("intel-gpu:pvc").code


def compiled(code):
    module = Module(code)
    return [Compiled(module, function) for function in module.kernels.values()]


@pytest.mark.parametrize("text", UNKNOWN)
def test_outside_of_functions(code, text):
    with pytest.raises(Unsupported) as error:
        compiled(with_instruction(code, *UNKNOWN[text]))
    assert str(error.value) == f"'{text}'"


@pytest.mark.parametrize("name", KNOWN)
def test_what_changes_no_number(code, name):
    assert compiled(with_instruction(code, *KNOWN[name]))


@pytest.mark.parametrize("name", CHANGES)
def test_operands(code, name):
    number, at, value = CHANGES[name]
    is_done = []

    def changed(words):
        if is_done:
            return words
        is_done.append(words)
        words = [*words[:at], words[2] if value is None else value, *words[at + 1 :]]
        return [len(words) << 16 | number, *words[1:]]

    other = changed_words(code, changed, number)
    assert is_done
    with pytest.raises(Unsupported, match=f"'{name} "):
        compiled(other)
