"""Functions that take a batch by position, with flags for its elements."""

import ctypes
import subprocess

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from embedding.host_kernels import TEXT
from embedding.test_hosts import HOSTS
from emulators.machines import TARGETS, machine
from nearness import whole_numbers
from tinytc_mlir.cli import main
from tinytc_mlir.embedding import build_library
from tinytc_mlir.embedding.masks import with_masks
from tinytc_mlir.emulators.findings import FINDINGS

COUNT = 37
WITH_F64 = [target for target in TARGETS if target != "intel-gpu:dg2"]
# One parameter of each kind, two products with a temporary, and names that functions have, too.
CHAIN = """
func @chain(%alpha: f64, %K: memref<f64x9x9>, %elements: memref<f64x9x5x?>,
            %values: group<memref<f64x9x5,strided<1,10>>x?, offset: ?>) {
  %g = group_id : index
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  %a = subview %elements[0:?,0:?,%g] : memref<f64x9x5>
  %q = load %values[%g] : memref<f64x9x5,strided<1,10>>
  %t = alloca : memref<f64x9x5,local>
  gemm.n.n %alpha, %K, %a, %zero, %t
  gemm.n.n %one, %K, %t, %one, %q
}
"""


def arrays(rng):
    """Return the matrices, the elements and the memory of members, and their numbers in it."""
    matrix = whole_numbers(rng, (9, 9))
    elements = whole_numbers(rng, (COUNT, 5, 9))
    memory = whole_numbers(rng, COUNT * 64)
    places = 64 * rng.permutation(COUNT) + 3
    return matrix, elements, memory, places


def expected(matrix, elements, memory, places, flags):
    """Return the memory after a run with alpha = 2 and the offset 4."""
    result = memory.copy()
    for place, element, flag in zip(places, elements, flags, strict=True):
        view = np.lib.stride_tricks.as_strided(result[place + 4 :], (5, 9), (80, 8))
        view += (0 if not flag else 1) * (2 * element @ matrix @ matrix)
    return result


def thunks(folder, text, *words):
    """Return the shared library of C functions that call those of a header."""
    (folder / "thunks.cpp").write_text('#include "made_batch.hpp"\n' + text)
    command = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fPIC"]
    command += ["-shared", f"-I{folder}/include", "thunks.cpp", "lib/libmade.a", "-lm", *words]
    subprocess.run([*command, "-o", "thunks.so"], check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "thunks.so"))


def pointer(array):
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


@pytest.mark.parametrize("words", [(), ("-fopenmp",)], ids=["one thread", "OpenMP"])
def test_elements_by_their_flags(words, tmp_path):
    rng = np.random.default_rng(3)
    build_library(tt.Context().parse(CHAIN), tmp_path, "made", targets=["native"])
    library = thunks(
        tmp_path,
        """
extern "C" void run(long n, double alpha, const double *k, const double *e, double **q, long offset,
                    const unsigned *flags) {
  made::batch::chain(n, nullptr, alpha, k, e, q, offset, flags);
}
extern "C" int refused(double *k) {
  try {
    made::batch::chain(1, nullptr, 1, k, nullptr, nullptr, 0);
  } catch (const std::invalid_argument &) {
    return 1;
  }
  return 0;
}
""",
        *words,
    )
    random_flags = rng.integers(0, 2, COUNT)
    for flags in (None, random_flags, 1 - random_flags, np.zeros(COUNT), np.ones(COUNT)):
        matrix, elements, memory, places = arrays(rng)
        chosen = np.ones(COUNT) if flags is None else flags
        result = expected(matrix, elements, memory, places, chosen)
        members = (ctypes.c_void_p * COUNT)(*(memory.ctypes.data + 8 * places).tolist())
        given = None if flags is None else np.where(flags, 5, 0).astype(np.uint32)
        sizes = (ctypes.c_long(COUNT), ctypes.c_double(2))
        matrices = (pointer(matrix.T.copy("F")), pointer(elements))
        library.run(*sizes, *matrices, members, ctypes.c_long(4), pointer(given))
        np.testing.assert_array_equal(memory, result)
    assert library.refused(pointer(matrix)) == 1


def test_grids_and_scratch_memory(tmp_path):
    """Numbers of groups in y follow the arrays; threads have memory of their own."""
    build_library(tt.Context().parse(TEXT), tmp_path, "made", targets=["native"])
    library = thunks(
        tmp_path,
        """
extern "C" void twice(int *a, long x, long y) { made::batch::twice(x, nullptr, a, x, y, 4 * x, y); }
extern "C" void transpose(const float *a, float *b) { made::batch::large(1, nullptr, a, b); }
""",
        "-fopenmp",
    )
    grid = np.arange(60, dtype=np.int32)
    library.twice(pointer(grid), ctypes.c_long(5), ctypes.c_long(3))
    assert (grid == 2 * np.arange(60)).all()
    a = np.random.default_rng(1).standard_normal((128, 128)).astype(np.float32)
    b = np.empty_like(a)
    library.transpose(pointer(a), pointer(b))
    assert (b == a.T).all()


def test_launches_by_cuda(tmp_path, capsys):
    """Without flags, the kernel without flags is launched."""
    (tmp_path / "made.ir").write_text(CHAIN)
    words = ["--masks", "--target", "cuda:sm_90", "-o", str(tmp_path)]
    assert main(["build", str(tmp_path / "made.ir"), *words]) == 0
    capsys.readouterr()
    (tmp_path / "main.cpp").write_text(
        """
#include "made_batch.hpp"
int main() {
  double *q[3] = {};
  double k[81];
  unsigned flags[3] = {};
  char stream[] = "stream";
  made::batch::chain(3, stream, 1, k, k, q, 0);
  made::batch::chain(3, stream, 1, k, k, q, 0, flags);
}
"""
    )
    words = ["-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Iinclude", f"-I{HOSTS}"]
    subprocess.run(["gcc", "-c", *words[-2:], "src/made_cuda.c"], check=True, cwd=tmp_path)
    words += ["main.cpp", "made_cuda.o", "lib/libmade.a", "-o", "main"]
    subprocess.run(["g++", *words], check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert [line.split()[0].removesuffix("__aligned") for line in done.stdout.splitlines()] == [
        "chain",
        "chain_masked",
    ]


@pytest.mark.parametrize("target", profiles.in_turns(WITH_F64, "masks"))
def test_masked_kernels_on_emulated_devices(target):
    rng = np.random.default_rng(7)
    matrix, elements, memory, places = arrays(rng)
    flags = rng.integers(0, 2, COUNT).astype(np.int32)
    result = expected(matrix, elements, memory, places, flags)
    with machine(target).installed() as gpu:
        module = with_masks(tt.Context().parse(CHAIN))
        kernel = module.compile(gpu.target)["chain_masked"]
        FINDINGS.start()
        members = [memory[place : place + 64] for place in places]
        group = tt.Group(members, 4, shape=(9, 5))
        kernel(2.0, matrix.T.copy("F"), elements.T, group, flags)
        assert not FINDINGS.serious()
    np.testing.assert_array_equal(memory, result)


def test_a_name_that_is_taken():
    text = "func @f() { }\nfunc @f_masked() { }"
    with pytest.raises(tt.TinyTCError, match="expected no kernel f_masked, as f with flags is"):
        with_masks(tt.Context().parse(text))
