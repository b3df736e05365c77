"""Kernels that are named like functions of the C library, or of the compiler."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.embedding import build_library
from tinytc_mlir.runtime.native.elf import ObjectFile

REAL = "cos exp exp2 exp10 fdim floor fma fmax fmin fmod ldexp log pow rint round sin sincos sqrt"
MEMORY = "bcmp memcmp memcpy memmove memset strlen bzero malloc free abort"
RUNTIME = "__divti3 __udivti3 __multi3 __powisf2 __truncdfhf2 __extendhfsf2 __muldc3 __divsc3"
NAMES = (*REAL.split(), *(f"{name}f" for name in REAL.split()), *MEMORY.split(), *RUNTIME.split())
OURS = ("__tinytc_kernel_sin", "__tinytc_tanh_f64_2_0", "__tinytc_two_over_pi")
SCALE = """
func @{name}(%A: memref<f64x64>) {{
  foreach (%i) = (0), (64) {{
    %a = load %A[%i] : f64
    %b = mul %a, {factor}.0 : f64
    store %b, %A[%i]
  }}
}}
"""
CALLS = """
func @calls(%A: memref<f64x64>, %B: memref<f64x64>, %x: f64)
    attributes{{subgroup_size=64, work_group_size=[64,1]}} {{
  foreach (%i) = (0), (64) {{
    %v = load %A[%i] : f64
    %s = sin %v : f64
    %r = rem %s, %x : f64
    %f0 = fma %r, %v, %x : f64
    {many}
    store %f{last}, %B[%i]
  }}
}}
"""


def text(names, uses=1):
    many = "\n".join(f"%f{i + 1} = tanh %f{i} : f64" for i in range(uses))
    scales = (SCALE.format(name=name, factor=i + 2) for i, name in enumerate(names))
    return "".join(scales) + CALLS.format(many=many, last=uses)


@pytest.mark.parametrize("target", ["x86-64-v2", "native"])
@pytest.mark.parametrize("uses", [1, 40], ids=["inline", "outlined"])
def test_kernels_and_functions(target, uses):
    # The language has no names that begin with '_'; other entrances have.
    module = str(tt.Context().parse(text(NAMES + OURS, uses).replace("@_", "@x_")))
    module = module.replace('"x_', '"_').replace("@x_", "@_")
    program = tt.Context().parse_mlir(module).compile(target)
    defined = ObjectFile(program.code, "program").exported()
    assert not set(NAMES) & set(defined)
    a, b = np.random.default_rng(0).standard_normal(64), np.zeros(64)
    program["calls"](a, b, 0.5, groups=1)
    expected = np.fmod(np.sin(a), 0.5) * a + 0.5
    for _ in range(uses):
        expected = np.tanh(expected)
    assert_near(b, expected)
    for i, name in enumerate(NAMES + OURS):
        scaled = a.copy()
        program[name](scaled, groups=1)
        np.testing.assert_array_equal(scaled, a * (i + 2))


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v4", "aarch64"])
def test_objects_export_kernels_alone(target):
    code = tt.Context().parse(text(["scale", "sin"], uses=40)).compile(target).code
    names = ["__tinytc_kernel_sin", "calls", "scale"]
    assert sorted(ObjectFile(code, "program").exported()) == names


def test_two_objects_in_one_program(tmp_path):
    """Both have functions of the same names, and the program has one named as a kernel is."""
    for number in (1, 2):
        some = text(["sin"] if number == 1 else [], uses=40).replace("@calls", f"@calls{number}")
        (tmp_path / f"{number}.ir").write_text(some)
        words = ["compile", "--target", "x86-64-v2", "--emit", "object", f"{number}.ir"]
        words = [sys.executable, "-m", "tinytc_mlir", *words, "-o", f"{number}.o"]
        subprocess.run(words, cwd=tmp_path, check=True)
    (tmp_path / "own.c").write_text("double scale(double x) { return -x; }")
    words = ["cc", "-shared", "-fPIC", "1.o", "2.o", "own.c", "-lm", "-o", "all.so"]
    subprocess.run(words, cwd=tmp_path, check=True)
    found = exported(tmp_path / "all.so", "-D")
    assert sorted(found) == ["__tinytc_kernel_sin", "calls1", "calls2", "scale"]


def exported(path, *options):
    words = ("nm", "-g", "--defined-only", *options, str(path))
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [line.split()[2] for line in lines.splitlines() if len(line.split()) == 3]


def test_saved_programs(tmp_path):
    tt.Context().parse(text(["sin"])).compile("native").save(tmp_path / "a.tinytcb")
    a = np.ones(64)
    tt.load(tmp_path / "a.tinytcb")["sin"](a, groups=1)
    assert (a == 2).all()


def test_libraries(tmp_path):
    names = ("sin", "fma", "memcpy")
    build_library(tt.Context().parse(text(names)), tmp_path, "some", targets=["x86-64-v2"])
    for file, options in (("libsome.so", ["-D"]), ("libsome.a", [])):
        found = exported(tmp_path / "lib" / file, *options)
        assert found and all(name.startswith("some_") for name in found), found
    library = ctypes.CDLL(str(tmp_path / "lib" / "libsome.so"))
    a = np.ones(64)
    arguments = (ctypes.c_int64 * 8)(a.ctypes.data, 1)
    library.some_sin(arguments, ctypes.c_int64(0), ctypes.c_int64(1))
    assert (a == 2).all()
