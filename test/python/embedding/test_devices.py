"""Libraries whose kernels run on devices: by OpenCL and SYCL on a CPU, and with CUDA's calls."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import tinytc_mlir as tt
from embedding.host_kernels import TEXT
from embedding.test_hosts import HOSTS, check_results
from tinytc_mlir.embedding import build_library

PREFIX = pathlib.Path(sys.prefix)
SMALL = """
func @product(%alpha: f32, %A: memref<f32x16x8>, %B: memref<f32x8x4>, %C: memref<f32x16x4x?>) {
  %zero = constant 0.0 : f32
  %g = group_id.x : index
  %c = subview %C[:,:,%g] : memref<f32x16x4>
  gemm.n.n %alpha, %A, %B, %zero, %c
}
func @rows(%A: memref<f32x?>, %B: memref<f32x?>) {
  %y = group_id.y : index
  %n = size %A[0] : index
  foreach (%i)=(0),(%n) {
    %a = load %A[%i] : f32
    %b = load %B[%i] : f32
    %c = fma %a, %a, %b : f32
    store %c, %B[%i]
  }
}
"""
LARGE = """
func @large(%A: memref<f32x128x128>) {
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  %L = alloca : memref<f32x128x128,local>
  axpby.t %one, %A, %zero, %L
  axpby.n %one, %L, %zero, %A
}
"""


@pytest.fixture(autouse=True)
def driver(monkeypatch):
    """Programs find the loader and the driver that pip installed."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(PREFIX / "lib"))
    monkeypatch.setenv("OCL_ICD_FILENAMES", "libintelocl.so")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("device")
    build_library(tt.Context().parse(TEXT), folder, "kernels", targets=["cpu"])
    return folder


def compiled(compiler, *words, folder, needs=()):
    """Return a program that is compiled with the headers of SYCL's packages."""
    search = [f"-I{PREFIX}/include", f"-L{PREFIX}/lib"]
    program = folder / "host"
    command = [compiler, "-O1", "-Wall", "-Wextra", f"-I{HOSTS}", *words, *search, *needs]
    subprocess.run([*command, "-o", program], check=True, cwd=folder)
    return program


def test_results_by_opencl(library, tmp_path):
    words = ["-std=c11", "-Werror", '-DWHERE="opencl.h"', f"-I{library}/include"]
    words += [HOSTS / "host.c", library / "src" / "kernels_opencl.c"]
    needs = [library / "lib" / "libkernels.a", "-lOpenCL", f"-Wl,-rpath-link,{PREFIX}/lib"]
    host = compiled("gcc", *words, folder=tmp_path, needs=needs)

    def run(given):
        return subprocess.run([host], input=given, capture_output=True, check=True).stdout

    check_results(run, slice(None))


def test_results_by_sycl(library, tmp_path):
    words = ["-std=c++20", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", "-Wno-all", "-Wno-extra"]
    words += [f"-I{library}/include", f"-I{PREFIX}/include/sycl", HOSTS / "sycl.cpp"]
    (sycl,) = PREFIX.joinpath("lib").glob("libsycl.so.?")
    needs = [library / "lib" / "libkernels.a", sycl, f"-Wl,-rpath-link,{PREFIX}/lib"]
    host = compiled("g++", *words, folder=tmp_path, needs=needs)
    done = subprocess.run([host], capture_output=True, text=True, check=True)
    # 0.5 * 9 * 1 * 2 + 2 * 3 = 15, and 9 + 2 * 15 = 39.
    assert done.stdout.splitlines() == [
        "39 39",
        "5 -1",
        "7 -17",
        "gemm: argument 'A': expected at most 300 groups (mode 2 of 'A' has 300), got 301",
    ]


def test_errors_of_opencl(library, tmp_path):
    """What OpenCL says of a wrong context comes back, and nothing is left."""
    (tmp_path / "host.c").write_text(
        """
#include "kernels_opencl.h"
#include <stdio.h>
int main(void) {
  char message[9] = "unset";
  kernels_opencl *kernels = (kernels_opencl *)message;
  cl_int status = kernels_opencl_create(NULL, NULL, &kernels, message, sizeof message);
  printf("%d %d '%s'\\n", status == CL_INVALID_CONTEXT, kernels == NULL, message);
  kernels_opencl_release(kernels);
}
"""
    )
    words = ["-std=c11", "-Werror", f"-I{library}/include", "host.c"]
    words.append(library / "src" / "kernels_opencl.c")
    needs = [library / "lib" / "libkernels.a", "-lOpenCL", f"-Wl,-rpath-link,{PREFIX}/lib"]
    host = compiled("gcc", *words, folder=tmp_path, needs=needs)
    done = subprocess.run([host], capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 ''\n"


def test_launches_by_cuda(tmp_path):
    """Variants, blocks and shared memory are those of launches from Python."""
    build_library(tt.Context().parse(SMALL), tmp_path, "small", targets=["cuda:sm_90"])
    words = ["-std=c11", "-Werror", "-fsanitize=address,undefined", "-Iinclude", "-Isrc"]
    words += [HOSTS / "cuda.c"]
    host = compiled("gcc", *words, folder=tmp_path, needs=["lib/libsmall.a"])
    done = subprocess.run([host], capture_output=True, text=True, check=True)
    *launches, unload = done.stdout.splitlines()
    assert launches == [
        "product__aligned <13 1 1> <8 2 8> 0 aligned",
        "product <13 1 1> <8 2 8> 0 off by one",
        "rows__aligned <2 3 1> <32 1 1> 0 room",
        "rows <2 3 1> <32 1 1> 0 no room",
        "rows <2 3 1> <32 1 1> 0 overlap",
        "rows__aligned <2 3 1> <32 1 1> 0 empty",
    ]
    size = int(unload.removeprefix("unload "))
    program = tt.Context().parse(SMALL).compile("cuda:sm_90")
    assert size == len(program.code)


def test_dynamic_shared_memory(tmp_path):
    build_library(tt.Context().parse(LARGE), tmp_path, "large", targets=["cuda:sm_90"])
    source = (tmp_path / "src" / "large_cuda.c").read_text()
    assert "static const int local_bytes[] = {65536};" in source
    assert re.search(r"cuLaunchKernel\(.*65536, stream, parameters, NULL\);", source, re.DOTALL)


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no compiler")
@pytest.mark.parametrize("target", ["cpu", "intel-gpu:pvc", "cuda:sm_80"])
def test_headers(target, tmp_path):
    """All files compile, for C, C++ and Fortran."""
    build_library(tt.Context().parse(TEXT), tmp_path, "kernels", targets=[target])
    interface = "cuda" if target.startswith("cuda") else "opencl"
    (tmp_path / "all.c").write_text(f'#include "kernels_{interface}.h"\n')
    (tmp_path / "all.cpp").write_text(f'#include "kernels.hpp"\n#include "kernels_{interface}.h"\n')
    search = ["-Wall", "-Wextra", "-Werror", "-Iinclude", f"-I{HOSTS}", f"-I{PREFIX}/include"]
    unused = ["-Wno-unused-function", "-Wno-unused-variable"]
    for words in (
        ["gcc", "-std=c11", *unused, "all.c"],
        ["gcc", "-std=c11", *unused, f"src/kernels_{interface}.c"],
        ["g++", "-std=c++20", *unused, "all.cpp"],
        ["gfortran", "-std=f2018", "include/kernels.f90"],
    ):
        subprocess.run([*words, *search, "-c", "-o", "made.o"], check=True, cwd=tmp_path)


def test_more_registers(tmp_path):
    """Drivers are told as in launches from Python."""
    module = tt.Context().parse(SMALL)
    build_library(module, tmp_path, "small", targets=["intel-gpu:pvc"])
    header = (tmp_path / "include" / "small_sycl.hpp").read_text()
    registers = module.compile("intel-gpu:pvc").manifest.registers
    assert ('"-ze-opt-large-register-file"' in header) == (registers == 256)


def test_one_target(tmp_path):
    message = "expected targets of native code .* or one other target alone, got cpu"
    with pytest.raises(tt.TinyTCError, match=message):
        build_library(tt.Context().parse(SMALL), tmp_path, "small", targets=["cpu", "cuda:sm_90"])
    assert not list(tmp_path.iterdir())
