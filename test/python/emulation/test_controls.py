"""The emulators find mistakes that are put into right programs."""

import random
import re
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import Case, buffer, parse
from cases.memory import Memory, difference
from emulators.comparison import DeviceArguments
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS
from tinytc_mlir.reference import interpret

REVERSED = """
%t = alloca : memref<f32x128>
%n = constant 128 : index
foreach (%i) = (0), (%n) {
  %x = load %A[%i] : f32
  store %x, %t[%i]
}
foreach (%i) = (0), (%n) {
  %j = arith.sub 127, %i : index
  %x = load %t[%j] : f32
  store %x, %B[%i]
}"""


def reversal(length=128):
    rng = random.Random(1)
    parameters = {
        "A": ("memref<f32x128>", buffer(rng, "f32", (length,))),
        "B": ("memref<f32x128>", buffer(rng, "f32", (length,))),
    }
    return Case(
        "reversal", REVERSED, parameters, attributes="subgroup_size=32, work_group_size=[64,1]"
    )


def product(type_):
    rng, sizes = random.Random(2), {"A": (16, 16), "B": (16, 16), "C": (16, 16)}
    body = "%one = constant 1.0 : f16\n%zero = constant 0.0 : f32\ngemm.n.n %one, %A, %B, %zero, %C"
    types = {"A": "f16", "B": "f16", "C": type_}
    parameters = {
        name: (f"memref<{types[name]}x16x16>", buffer(rng, types[name], shape))
        for name, shape in sizes.items()
    }
    return Case("product", body, parameters)


def launch(case, target, change):
    """Return the difference to the reference of a program that was changed, and the findings."""
    module = parse([case])
    with machine(target).installed() as gpu:
        program = module.compile(target)
        program = tt.Program(change(program.code), program.manifest)
        expected, actual = (Memory(case.parameters, np.copy) for _ in range(2))
        interpret(module, "k0", expected.arguments)
        arguments = DeviceArguments(actual, case.parameters, 0, gpu)
        FINDINGS.start()
        program["k0"](arguments.values, groups=1)
        arguments.finish()
    return difference(expected, actual, 0), FINDINGS.by_kind


def edit(pattern, replacement, count=0):
    """Return a function that changes the text of PTX, which must have something to change."""

    def change(code):
        text, changes = re.subn(pattern, replacement, code.decode(), count=count)
        assert changes
        return text.encode()

    return change


def edit_spirv(pattern, replacement):
    """Return a function that changes the listing of a binary."""

    def change(binary):
        listing = subprocess.run(["spirv-dis", "-"], input=binary, capture_output=True, check=True)
        text = edit(pattern, replacement)(listing.stdout)
        command = ["spirv-as", "--target-env", "spv1.4", "-o", "-", "-"]
        return subprocess.run(command, input=text, capture_output=True, check=True).stdout

    return change


def same(code):
    return code


@pytest.mark.parametrize("target", ["cuda:sm_80", "intel-gpu:pvc"])
def test_right_programs_are_right(target):
    assert launch(reversal(), target, same) == ("", {})
    assert launch(product("f32"), target, same) == ("", {})


@pytest.mark.parametrize(
    ("target", "change"),
    [
        ("cuda:sm_90", edit(r"bar\.sync\s+0;", "")),
        ("intel-gpu:pvc", edit_spirv(r"OpControlBarrier[^\n]*", "")),
    ],
)
def test_a_missing_barrier_is_a_race(target, change):
    _, found = launch(reversal(), target, change)
    assert "race" in found


@pytest.mark.parametrize("order", ["warps", "lanes"])
def test_a_missing_barrier_gives_wrong_numbers_in_another_order(order, monkeypatch):
    monkeypatch.setattr(SETTINGS, "order", order)
    assert launch(reversal(), "cuda:sm_90", same) == ("", {})
    message, _ = launch(reversal(), "cuda:sm_90", edit(r"bar\.sync\s+0;", ""))
    assert "elements differ" in message


def test_exchanged_registers_of_a_fragment_give_wrong_numbers():
    exchange = edit(r"(mma\.sync\S+\s+\{[^}]*\},\s*\{\s*)(%\w+), (%\w+)", r"\1\3, \2")
    message, _ = launch(product("f32"), "cuda:sm_80", exchange)
    assert "elements differ" in message


def test_wrong_rows_of_a_factor_give_wrong_numbers():
    call = r"OpFunctionCall %v8float %\w+matrix_mad\w+ "
    repeat = edit_spirv(rf"(?s)({call})(%\w+)(.*?{call})%\w+", r"\1\2\3\2")
    message, _ = launch(product("f32"), "intel-gpu:pvc", repeat)
    assert "elements differ" in message


@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:dg2"])
def test_accesses_outside_of_arrays_are_found(target):
    case = reversal(length=127)
    with machine(target).installed() as gpu:
        program = parse([case]).compile(target)
        arguments = DeviceArguments(Memory(case.parameters, np.copy), case.parameters, 0, gpu)
        for array in arguments.values.values():
            array.shape = (128,)  # the launch believes it
        FINDINGS.start()
        program["k0"](arguments.values, groups=1)
    assert "out of bounds" in FINDINGS.by_kind
