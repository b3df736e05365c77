"""YATeTo's programs and calls, on libraries: NumPy says what they compute."""

import importlib
import pathlib
import random
import subprocess
import types

import numpy as np
import pytest

import pages
import profiles
import tinytc_mlir as tt
from cases.seissol.launching import compare
from clients.generated_code import Function, generated, programs, shared
from nearness import whole_numbers
from tinytc_mlir.clients.yateto import Kernels

STUB = str(pathlib.Path(__file__).parent / "stub")
ARCH = types.SimpleNamespace(typename="double", backend="cuda", host_name="hsw")
COUNT = 8 if profiles.IS_NIGHTLY else 1  # of chains and of random programs of a type


@pytest.fixture(autouse=True)
def yateto(monkeypatch):
    """The stub is YATeTo, and new in each test."""
    import sys

    monkeypatch.syspath_prepend(STUB)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "yateto"]:
        del sys.modules[name]


@pytest.mark.parametrize("type_", profiles.in_turns(("f32", "f64"), "batches of YATeTo"))
def test_batches(type_, tmp_path):
    """Generated functions for batches compute what NumPy does."""
    chains = programs(f"batches {type_}", type_, COUNT)
    kernels = Kernels(tmp_path, "waves", device="native")
    names = generated(chains, kernels.tools(ARCH), tmp_path / "generated.cpp")
    kernels.build()
    library = shared(tmp_path, ["generated.cpp", "lib/libwaves_batches.a"], "-lm")
    rng = random.Random(1)
    for name, program in zip(names, chains, strict=True):
        for groups in (1, 7):
            function = Function(library, name, program)
            message = compare(rng, program, function, groups, place=np.copy)
            assert not message, f"{message}\n{program.text()}"


MAIN = """
#include "waves_batch.hpp"
#include <cstdio>
#include <vector>
static std::vector<{type}> a({size}), b({size}), c({size});
static const {type} alpha = -0.75, beta = 0.5;
static bool read() {{
  for (auto *each : {{&a, &b, &c}})
    if (std::fread(each->data(), sizeof({type}), {size}, stdin) != {size})
      return false;
  return true;
}}
static void write() {{ std::fwrite(c.data(), sizeof({type}), {size}, stdout); }}
int main() {{
  {calls}
}}
"""
SIZE = 4000


def host_product(rng, dtype, factors, transposed):
    """Return the arguments of YATeTo's call of a product, the arrays and the expected result."""
    m, n, k = rng.integers(1, 30, 3)
    shapes = [(k, m) if transposed[0] else (m, k), (n, k) if transposed[1] else (k, n), (m, n)]
    strides = [shape[0] + rng.integers(0, 5) for shape in shapes]
    memory = [np.full(SIZE, np.nan, dtype) for _ in shapes]
    views = []
    for number, (shape, stride) in enumerate(zip(shapes, strides, strict=True)):
        steps = (dtype.itemsize, dtype.itemsize * int(stride))
        view = np.ndarray(shape, dtype, memory[number], 0, steps)
        if number < 2 or factors[1] != 0.0:
            view[...] = whole_numbers(rng, shape)
        views.append(view)
    values = [{"alpha": -0.75, "beta": 0.5}.get(factor, factor) for factor in factors]
    a, b = (x.T if is_t else x for x, is_t in zip(views, transposed, strict=False))
    expected = values[0] * (a @ b) + (values[1] * views[2] if values[1] else 0)
    pointers = [f"{name}.data()" for name in "abc"]
    (ld_a, ld_b, ld_c), (p_a, p_b, p_c) = strides, pointers
    alpha, beta = factors
    given = [*transposed, m, n, k, alpha, p_a, ld_a, p_b, ld_b, beta, p_c, ld_c]
    return given, memory, (shapes[2], strides[2], expected)


@pytest.mark.parametrize("dtype", profiles.in_turns(("f4", "f8"), "products"))
def test_products_on_the_host(dtype, tmp_path):
    """Calls in place of BLAS: transposed factors, strides, factors that the program computes."""
    rng, dtype = np.random.default_rng(5), np.dtype(dtype)
    type_ = {4: "float", 8: "double"}[dtype.itemsize]
    datatype = types.SimpleNamespace(ctype=lambda: type_)
    kernels = Kernels(tmp_path, "waves", host=["native"])
    (tool,) = kernels.tools(ARCH)
    assert tool.includes == ["waves_batch.hpp"]
    cases = []
    for factors, transposed in (
        ((1.0, 0.0), (False, False)),
        ((1.0, 1.0), (True, False)),
        (("alpha", 0.0), (False, True)),
        ((2.5, "beta"), (True, True)),
    ):
        given, memory, expected = host_product(rng, dtype, factors, transposed)
        cases.append((tool.call(*given, False, False, *[datatype] * 3, None), memory, expected))
    kernels.build()
    calls = "\n  ".join(f"if (read()) {{ {call} write(); }}" for call, _, _ in cases)
    (tmp_path / "main.cpp").write_text(MAIN.format(type=type_, size=SIZE, calls=calls))
    words = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Iinclude", "main.cpp"]
    subprocess.run([*words, "lib/libwaves.a", "-lm", "-o", "main"], check=True, cwd=tmp_path)
    given = b"".join(array.tobytes() for _, memory, _ in cases for array in memory)
    done = subprocess.run([tmp_path / "main"], input=given, capture_output=True, check=True)
    written = np.frombuffer(done.stdout, dtype).reshape(len(cases), SIZE)
    for result, (_, _, (shape, stride, expected)) in zip(written, cases, strict=True):
        steps = (dtype.itemsize, dtype.itemsize * int(stride))
        view = np.lib.stride_tricks.as_strided(result, shape, steps)
        np.testing.assert_array_equal(view, expected)
        assert np.isnan(result).sum() == SIZE - view.size


def test_what_the_host_tool_takes(tmp_path):
    (tool,) = Kernels(tmp_path).tools(ARCH)
    real, integer = (types.SimpleNamespace(ctype=lambda t=t: t) for t in ("double", "int"))
    size = (9, 9, 9)
    for sparse, datatypes, target, taken in (
        ((False, False), (), "cpu", True),
        ((False, False), (real, real, real), "cpu", True),
        ((False, False), (real, real, real), "gpu", False),
        ((True, False), (real, real, real), "cpu", False),
        ((False, False), (integer, integer, integer), "cpu", False),
    ):
        rest = (False, False, 1.0, 0.0, True, True)
        assert tool.supported(*size, *sparse, *rest, *datatypes, target) == taken
    assert tool.preference(*size) > tool.preference(500, 500, 500)


@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc", "cpu", "x86-64-v3"])
def test_programs_as_they_are_on_all_targets(target, tmp_path):
    chains = programs(target, "f32", 1)
    kernels = Kernels(tmp_path, "waves", device=target)
    generated(chains, kernels.tools(ARCH), tmp_path / "generated.cpp")
    kernels.build()
    header = (tmp_path / "include" / "waves_batches_batch.hpp").read_text()
    assert all(f"inline void {program.name}(" in header for program in chains)
    module = (tmp_path / "include" / "waves_batches.f90").read_text()
    subprocess.run(
        ["gfortran", "-std=f2018", "-c", "include/waves_batches.f90"], check=True, cwd=tmp_path
    )
    assert f'bind(c, name="waves_batches_{chains[0].name}_check")' in module


def test_without_yateto(monkeypatch, tmp_path):
    monkeypatch.undo()
    with pytest.raises(tt.TinyTCError, match="expected YATeTo's module yateto.gemm_configuration"):
        Kernels(tmp_path).tools(ARCH)


def test_another_yateto(monkeypatch, tmp_path):
    import yateto.gemm_configuration

    monkeypatch.delattr(yateto.gemm_configuration, "tinytc")
    with pytest.raises(tt.TinyTCError, match="expected YATeTo with the tool tinytc in yateto.gem"):
        Kernels(tmp_path, device="cpu").tools(ARCH)


def test_a_product_of_integers(tmp_path):
    (tool,) = Kernels(tmp_path).tools(types.SimpleNamespace(typename="int"))
    with pytest.raises(tt.TinyTCError, match="expected a product of float or double, got one of"):
        tool.call(False, False, 4, 4, 4, 1.0, "A", 4, "B", 4, 0.0, "C", 4)


def test_a_wrong_program_of_yateto(tmp_path):
    kernels = Kernels(tmp_path, host=["native"])
    kernels.add("kernels", "f", "func @f(%A: memref<f64x4>) {\n  store %B, %A[0]\n}")
    with pytest.raises(tt.CompileError, match="kernels.ir:2"):
        kernels.build()


def test_the_page(tmp_path, monkeypatch):
    """The program of the page runs, where YATeTo asks for a product and a chain."""
    from yateto.codegen.cache import RoutineCache

    (program,) = [block.text for block in pages.blocks("yateto.md", "python")]
    (chain, *_) = programs("page", "f64", 1)

    class Generator:
        def generate(self, _, collection):
            size = (9, 9, 9, False, False, False, False, 1.0, 0.0, True, True, "cpu")
            given = (False, False, 9, 9, 9, 1.0, "A", 9, "B", 9, 0.0, "C", 9, True, True, None)
            collection.getGemmTool(*size).call(*given)
            tinytc = importlib.import_module("yateto.codegen.fused_gemms.tinytc")
            tinytc.FusedGemmsTinytc(None, chain).generate(lambda line: None, RoutineCache())

    monkeypatch.chdir(tmp_path)
    names = {"arch": ARCH, "generator": Generator()}
    exec(program, names)
    assert {f"{path.parent.name}/{path.name}" for path in names["files"]} >= {
        *("lib/libwaves.a", "include/waves_batch.hpp"),
        *("lib/libwaves_batches.a", "src/waves_batches_cuda.c"),
    }
