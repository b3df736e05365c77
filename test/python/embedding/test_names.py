"""Names that mean something else in C, C++ or Fortran are escaped in all files of a library."""

import itertools
import subprocess

import pytest

import profiles
import tinytc_mlir as tt
from embedding.test_devices import PREFIX
from embedding.test_hosts import HOSTS
from embedding.test_library import INCLUDED
from tinytc_mlir.embedding import build_library
from tinytc_mlir.embedding.table import KEYWORDS

#: Macros, types, and names of functions, namespaces and modules that the files have.
WORDS = """
I NULL EOF linux unix errno stdin INT_MAX HUGE_VAL complex assert va_end major int64_t uint16_t
size_t std tinytc tinytc_c32 sycl elements stream flags values message queue own first last
check_status current_kernels kernels_of args groups scratch offset data size view members span
string integer real logical end type import use c_ptr c_int64_t c_null_ptr iso_c_binding module
implicit none call function subroutine interface intent target pointer odd odd_args odd_check
"""
WORDS = WORDS.split()
KINDS = ("f64", "memref<f32x?x?>", "group<memref<f64x4x?>x?, offset: ?>")
STANDARD = ("algorithm", "cmath", "cstdio", "map", "mutex", "span", "string", "vector")
CPP = "".join(f"#include <{name}>\n" for name in STANDARD)


def program():
    """Return kernels with all names as parameters of all kinds, and as names of kernels."""
    kernels = []
    for start in range(len(KINDS)):
        kinds = itertools.cycle(KINDS[start:] + KINDS[:start])
        parameters = ", ".join(f"%{name}: {kind}" for name, kind in zip(WORDS, kinds, strict=False))
        kernels.append(f"func @odd{start}({parameters}) {{ }}")
    kernels.append(
        f"func @keywords({', '.join(f'%{name}: i8' for name in sorted(KEYWORDS))}) {{ }}"
    )
    parameters = "%odd_args: f32, %odd: memref<f32x4>, %odd_check: i32, %I: group<memref<f32x4>x3>"
    kernels.append(f"func @odd({parameters}) {{ }}")
    own = {"target", "odd", "odd_args", "odd_check"}  # names that a library has are refused
    names = [name for name in [*WORDS, "double", "while"] if name not in own]
    kernels += [f"func @{name}(%{name}: f32) {{ }}" for name in names]
    return "\n".join(kernels)


@pytest.mark.parametrize("target", profiles.in_turns(("native", "cuda:sm_90", "cpu"), "names"))
def test_names(target, tmp_path):
    build_library(tt.Context().parse(program()), tmp_path, "odd", targets=[target], masks=True)
    include = tmp_path / "include"
    head = CPP if target == "cpu" else f"#include <complex.h>\n{CPP}"  # which SYCL does not bear
    (tmp_path / "all.c").write_text(f'{INCLUDED}#include "odd.h"\n')
    (tmp_path / "all.cpp").write_text(f'{head}#include "odd.hpp"\n#include "odd_batch.hpp"\n')
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{include}", f"-I{HOSTS}", f"-I{PREFIX}/include"]
    flags += ["-Wno-unused-function", "-Wno-unused-variable"]
    commands = [["gcc", "-std=gnu11", "all.c"], ["gfortran", "-std=f2018", include / "odd.f90"]]
    if target == "cpu":
        options = ["-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", f"-isystem{PREFIX}/include/sycl"]
        if profiles.IS_NIGHTLY:  # the headers of SYCL take long
            commands.append(["g++", "-std=gnu++20", *options, "-fsyntax-only", "all.cpp"])
        commands.append(["gcc", "-std=gnu11", "src/odd_opencl.c"])
    else:
        commands.append(["g++", "-std=gnu++20", "all.cpp"])
    if target.startswith("cuda"):
        commands.append(["gcc", "-std=gnu11", "src/odd_cuda.c"])
    for words in commands:
        last = [] if "-fsyntax-only" in words else ["-o", "made.o"]
        done = subprocess.run([*words, *flags, "-c", *last], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, f"{words[0]}\n{done.stderr.decode()[:3000]}"


@pytest.mark.parametrize("name", ["I", "std", "int64_t", "iso_c_binding", "tinytc"])
def test_libraries_have_none_of_them(name, tmp_path):
    with pytest.raises(tt.TinyTCError, match="expected a name for the library that C, C"):
        build_library(tt.Context().parse("func @f() { }"), tmp_path, name)
