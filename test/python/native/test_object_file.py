"""Object files of kernels: what is in them, and what damaged ones are answered."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.native.elf import ObjectFile
from tinytc_mlir.runtime.native.image import Image, LoadedObject

TEXT = """
func @scale(%alpha: f32, %A: memref<f32x16x8>) {
  %zero = constant 0.0 : f32
  foreach (%i,%j)=(0,0),(16,8) {
    %a = load %A[%i,%j] : f32
    %b = arith.mul %alpha, %a : f32
    store %b, %A[%i,%j]
  }
}
"""


@pytest.fixture(scope="module")
def code():
    return tt.Context().parse(TEXT).compile("native").code


def test_functions_of_a_file(code):
    file = ObjectFile(code, "program")
    assert file.machine == "x86-64"
    assert "scale" in file.functions()
    assert file.undefined() == []


def test_addresses_of_a_loaded_file(code):
    loaded = LoadedObject(ObjectFile(code, "program"))
    assert loaded.addresses["scale"] != 0


@pytest.mark.parametrize(
    "target, machine",
    [
        ("x86-64-v2", "x86-64"),
        ("x86-64-v3", "x86-64"),
        ("x86-64-v4", "x86-64"),
        ("aarch64", "aarch64"),
        ("aarch64-sve256", "aarch64"),
    ],
)
def test_machines(target, machine):
    program = tt.Context().parse(TEXT).compile(target)
    assert program.manifest.format == "elf"
    assert ObjectFile(program.code, "program").machine == machine


def test_other_contents():
    with pytest.raises(tt.TinyTCError, match="a.o: expected an object file, got other contents"):
        ObjectFile(b"text", "a.o")


def test_other_types(code):
    changed = code[:16] + b"\x03" + code[17:]
    with pytest.raises(tt.TinyTCError, match="a relocatable object file, got type 3"):
        ObjectFile(changed, "a.o")


@pytest.mark.parametrize("size", [64, 65, 200])
def test_parts_of_a_file(code, size):
    with pytest.raises(tt.TinyTCError, match="a.o: expected a whole object file, got"):
        ObjectFile(code[:size], "a.o")


def test_a_saved_program_needs_its_kernels(code, tmp_path):
    program = tt.Context().parse(TEXT).compile("native")
    other = tt.Context().parse(TEXT.replace("scale", "other")).compile("native")
    changed = tt.Program(other.code, program.manifest)
    changed.save(tmp_path / "a.tinytc")
    with pytest.raises(tt.TinyTCError, match="expected the kernel scale in the object file"):
        tt.load(tmp_path / "a.tinytc")["scale"]


@pytest.mark.parametrize("target", ["x86-64-v3", "aarch64"])
def test_other_relocations(target):
    file = ObjectFile(tt.Context().parse(TEXT).compile(target).code, "program")
    section = next(number for number, each in enumerate(file.sections) if each.is_loaded)
    file.relocations = lambda: iter([(section, 0, 1000, file.symbols[0], 0)])
    with pytest.raises(tt.TinyTCError, match="of position-independent code, got 1000"):
        Image(file, lambda name: 0).at(4096)


def test_unknown_machines(code):
    changed = code[:18] + b"\x08" + code[19:]
    with pytest.raises(tt.TinyTCError, match="expected code for x86-64 or aarch64, got machine 8"):
        LoadedObject(ObjectFile(changed, "program"))


def test_code_of_another_machine():
    program = tt.Context().parse(TEXT).compile("aarch64")
    changed = tt.Program(program.code, tt.Context().parse(TEXT).compile("native").manifest)
    with pytest.raises(tt.DeviceError, match="expected code for x86-64, got code for aarch64"):
        changed["scale"](1.0, tt.zeros((16, 8), np.float32, order="F", queue="native"))
