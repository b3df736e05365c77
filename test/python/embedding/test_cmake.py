"""tinytc_add_library: libraries that a CMake project builds of programs."""

import pathlib
import shutil
import subprocess
import sys
import time

import pytest

from embedding.test_hosts import HOSTS
from tinytc_mlir.cli import main
from tinytc_mlir.runtime.native import host

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples" / "embedding"
LANGUAGES = "C CXX Fortran" if shutil.which("gfortran") else "C CXX"
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(host {languages})
set(CMAKE_CXX_STANDARD 20)
find_package(TinyTC REQUIRED COMPONENTS Libraries)
{rest}
"""
SCALE = """
func @scale(%a: f64, %X: memref<f64x{}x?>) {{
  %zero = constant 0.0 : f64
  %g = group_id : index
  %x = subview %X[:, %g] : memref<f64x{}>
  axpby.n %zero, %x, %a, %x
}}
"""
MAIN = {
    "c": """
#include <scale.h>
#include <stdio.h>
int main(void) {
  double x[12];
  for (int i = 0; i < 12; ++i)
    x[i] = i;
  const scale_scale_args args = {.a = 2, .X = x, .X_shape1 = 3, .groups = 3};
  scale_scale(&args, 0, 3);
  printf("%g\\n", x[11]);
}
""",
    "cpp": """
#include <cstdio>
#include <scale.hpp>
#include <scale_batch.hpp>
#include <waves.hpp>
int main() {
  double x[12];
  for (int i = 0; i < 12; ++i)
    x[i] = i;
  scale::batch::scale(3, nullptr, 3, x);
  waves::star_args chain;
  chain.groups = 0;
  chain.K = x;
  waves::check(chain);
  std::printf("%g\\n", x[11]);
}
""",
    "f90": """
program main
  use scale
  real(c_double), target :: x(12)
  type(scale_scale_args) :: args
  x = 1
  args = scale_scale_args(a=4d0, x=c_loc(x), x_shape1=3_c_int64_t, groups=3_c_int64_t)
  call scale_scale(args, 0_c_int64_t, 3_c_int64_t)
  print "(f0.0)", x(12)
end program
""",
}


def cmake(*words, status=0):
    done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True)
    assert (done.returncode == 0) == (status == 0), done.stdout + done.stderr
    return done.stdout + done.stderr


def configure(folder, rest, languages=LANGUAGES, **options):
    (folder / "CMakeLists.txt").write_text(PROJECT.format(languages=languages, rest=rest))
    command = f"{sys.executable};-m;tinytc_mlir"
    package = options.pop("package", package_folder())
    words = [f"-DTINYTC_COMMAND={command}", f"-DTinyTC_DIR={package}", "-G", "Ninja"]
    return cmake("-S", folder, "-B", folder / "made", *words, **options)


def package_folder():
    import tinytc_mlir.embedding

    return pathlib.Path(tinytc_mlir.embedding.__file__).parent / "cmake"


def test_the_folder_of_the_package(capsys):
    with pytest.raises(SystemExit) as end:
        main(["build", "--cmake-dir"])
    assert end.value.code == 0
    assert pathlib.Path(capsys.readouterr().out.strip()) == package_folder()


def test_hosts_in_all_languages(tmp_path):
    """Programs and chains become libraries, again when the program changes."""
    (tmp_path / "scale.ir").write_text(SCALE.format(4, 4))
    languages = [each for each in MAIN if each != "f90" or "Fortran" in LANGUAGES]
    for suffix in languages:
        (tmp_path / f"main.{suffix}").write_text(MAIN[suffix])
    shutil.copy(EXAMPLES / "chains.json", tmp_path)
    rest = "tinytc_add_library(scale scale.ir TARGETS native)\n"
    rest += "tinytc_add_library(waves chains.json TARGETS native)\n"
    for suffix in languages:
        rest += f"add_executable(host_{suffix} main.{suffix})\n"
    rest += "target_link_libraries(host_c PRIVATE scale::shared)\n"
    rest += "target_link_libraries(host_cpp PRIVATE scale::scale waves::waves)\n"
    if "f90" in languages:
        rest += "target_link_libraries(host_f90 PRIVATE scale::fortran)\n"
    configure(tmp_path, rest)

    def results():
        cmake("--build", tmp_path / "made")
        hosts = [tmp_path / "made" / f"host_{suffix}" for suffix in languages]
        printed = (subprocess.run([each], capture_output=True, text=True).stdout for each in hosts)
        return [each.strip().rstrip(".") for each in printed]

    assert results() == ["22", "33", "4"][: len(languages)]
    assert "no work to do" in cmake("--build", tmp_path / "made")
    time.sleep(0.01)
    (tmp_path / "scale.ir").write_text(SCALE.format(4, 4).replace("%zero, %x, %a", "%a, %x, %a"))
    assert results() == ["44", "66", "8"][: len(languages)]


def test_a_library_for_a_gpu(tmp_path):
    (tmp_path / "scale.ir").write_text(SCALE.format(4, 4))
    (tmp_path / "use.c").write_text("#include <scale_cuda.h>\n")
    rest = f"""
add_library(CUDA::cuda_driver INTERFACE IMPORTED)
target_include_directories(CUDA::cuda_driver INTERFACE {HOSTS})
tinytc_add_library(scale scale.ir TARGETS cuda:sm_90 MASKS)
add_library(use OBJECT use.c)
target_link_libraries(use PRIVATE scale::cuda)
add_custom_target(launches ALL DEPENDS scale_cuda)
"""
    configure(tmp_path, rest, languages="C")
    cmake("--build", tmp_path / "made")
    assert "scale_masked" in (tmp_path / "made" / "scale" / "include" / "scale.h").read_text()
    assert (tmp_path / "made" / "libscale_cuda.a").is_file()


@pytest.mark.parametrize(
    "call, message",
    [
        (
            "scale scale.ir TARGET native",
            "expected TARGETS, DEFINES or MASKS with their values, got TARGET",
        ),
        ("scale nothing.ir", "expected a program, got no file .*nothing.ir"),
    ],
)
def test_wrong_calls(call, message, tmp_path):
    import re

    (tmp_path / "scale.ir").write_text(SCALE.format(4, 4))
    text = configure(tmp_path, f"tinytc_add_library({call})", languages="C", status=1)
    assert re.search(message.replace(" ", r"\s+"), text), text


def test_another_component(tmp_path):
    rest = "find_package(TinyTC REQUIRED COMPONENTS Compiler)"
    text = configure(tmp_path, rest, languages="C", status=1)
    assert "expected the component Libraries" in text


def test_an_error_of_a_program(tmp_path):
    (tmp_path / "scale.ir").write_text(SCALE.format(4, 5))
    rest = "tinytc_add_library(scale scale.ir)\nadd_custom_target(every ALL DEPENDS scale_kernels)"
    configure(tmp_path, rest, languages="C")
    text = cmake("--build", tmp_path / "made", status=1)
    assert "scale.ir:5:" in text


def test_a_library_that_was_built_before_has_the_module(tmp_path):
    """find_package has the same target for Fortran."""
    if "Fortran" not in LANGUAGES:
        pytest.skip("there is no compiler")
    (tmp_path / "scale.ir").write_text(SCALE.format(4, 4))
    words = ["--target", host.targets()[0], "-o", str(tmp_path / "prefix")]
    assert main(["build", str(tmp_path / "scale.ir"), *words]) == 0
    (tmp_path / "main.f90").write_text(MAIN["f90"])
    rest = f"find_package(scale REQUIRED PATHS {tmp_path}/prefix)\nadd_executable(host main.f90)\n"
    configure(tmp_path, f"{rest}target_link_libraries(host PRIVATE scale::fortran)")
    cmake("--build", tmp_path / "made")
    done = subprocess.run([tmp_path / "made" / "host"], capture_output=True, text=True)
    assert done.stdout.strip() == "4."
