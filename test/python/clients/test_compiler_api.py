"""Generated C++ that calls the Tiny Tensor Compiler runs on libraries that were built before."""

import os
import pathlib
import subprocess
import sys

import pytest

from clients.generated_code import generated, programs, shared
from clients.queued import CHAINS
from tinytc_mlir.cli import main
from tinytc_mlir.embedding.compiler_api import embedded_programs

TESTS = pathlib.Path(__file__).parents[1]
STUB = str(TESTS / "clients" / "stub")
PREFIX = pathlib.Path(sys.prefix)
#: A C++ file with a program.
FILE = 'auto a = R"tinytc(\nfunc @f(%A: memref<f64x4>) {{\n{}}}\n)tinytc"; // {}\n'
# Waits for a kernel, and says what the compiler's interface does.
QUEUE = """
extern "C" void *new_queue() { return new sycl::queue{sycl::cpu_selector_v}; }
extern "C" void wait_for(void *queue) { static_cast<sycl::queue *>(queue)->wait(); }
extern "C" const char *reason() {
  static std::string words;
  auto context = tinytc::create_compiler_context();
  const auto report = [](const char *what, const tinytc_location_t *, void *) { words = what; };
  tinytc::set_error_reporter(context.get(), report);
  try {
    tinytc::parse_string("func @other() { }", context.get());
  } catch (tinytc::status const &status) {
    words += std::string(" / ") + tinytc::to_string(status);
  }
  return words.c_str();
}
"""


@pytest.fixture(scope="module")
def chains():
    return programs(*CHAINS)


@pytest.fixture(scope="module")
def library(chains, tmp_path_factory):
    """What YATeTo's own classes generate, compiled unchanged."""
    from yateto.gemm_configuration import tinytc

    folder = tmp_path_factory.mktemp("compiler")
    file = folder / "gpulike.cpp"
    names = generated(chains, [tinytc(type("Arch", (), {"backend": "oneapi"}))], file)
    assert main(["build", str(file), "--target", "cpu", "--name", "waves", "-o", str(folder)]) == 0
    (folder / "all.cpp").write_text(f'#include "{file}"\n{QUEUE}')
    (sycl,) = PREFIX.joinpath("lib").glob("libsycl.so.?")
    words = ["-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", "-w", f"-I{PREFIX}/include"]
    words += [f"-I{PREFIX}/include/sycl", "-x", "none", "lib/libwaves.a", sycl]
    words += [f"-Wl,-rpath,{PREFIX}/lib", f"-Wl,-rpath-link,{PREFIX}/lib"]
    return shared(folder, ["all.cpp", "src/waves_programs.cpp"], *words), names


@pytest.fixture(autouse=True, scope="module")
def environment():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STUB)
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "yateto"]:
        del sys.modules[name]


def test_results(library, chains):
    """Launches on a queue compute what NumPy does; their programs are written with `0:?`."""
    path, names = library
    folders = [STUB, str(TESTS), *sys.path]
    variables = {"PYTHONPATH": os.pathsep.join(folders), "OCL_ICD_FILENAMES": "libintelocl.so"}
    environment = os.environ | variables | {"LD_LIBRARY_PATH": f"{PREFIX}/lib"}
    # The loader of OpenCL reads these when the process starts.
    words = [sys.executable, TESTS / "clients" / "queued.py", path, *names]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *messages, reason = done.stdout.splitlines()
    assert messages == ["right"] * len(chains)
    assert reason == (
        "expected a program that tinytc build compiled, got func @other; run tinytc build on the "
        "generated file again / expected a program that tinytc build compiled, got another one"
    )


def test_places_in_cpp_files(tmp_path, capsys):
    """Errors name the line and column of the C++ file."""
    file = tmp_path / "made.cpp"
    file.write_text("int a;\n" + FILE.format("  store %B, %A[0]\n", "%C"))
    assert main(["build", str(file), "--target", "cpu", "-o", str(tmp_path)]) == 1
    assert f"{file}:4:9: error: " in capsys.readouterr().err


def test_programs_that_occur_twice():
    text = FILE.format("", "") + FILE.format("", "") + FILE.format("", "").replace("@f", "@g")
    whole, each = embedded_programs(text)
    assert [program.split("(")[0].strip() for program in each] == ["func @f", "func @g"]
    assert len(whole) == len(text)
    assert [kernel.strip() for kernel in whole.split("}")[:2]] == [
        "func @f(%A: memref<f64x4>) {",
        "func @g(%A: memref<f64x4>) {",
    ]
    assert "//" not in whole


def test_without_a_program(tmp_path, capsys):
    file = tmp_path / "empty.hpp"
    file.write_text("int a;\n")
    assert main(["build", str(file), "-o", str(tmp_path)]) == 1
    expected = f'{file}: expected a program in R"tinytc(...)tinytc", got none'
    assert expected in capsys.readouterr().err


def test_other_targets_have_no_such_interface(tmp_path):
    """Programs in C++ files are built for all targets, the interface is SYCL's."""
    file = tmp_path / "made.cpp"
    file.write_text(FILE.format("", ""))
    for target in ("cuda:sm_90", "native"):
        folder = tmp_path / target.replace(":", "_")
        assert main(["build", str(file), "--target", target, "-o", str(folder)]) == 0
        assert (folder / "include" / "made_batch.hpp").is_file()
        assert not (folder / "include" / "tinytc").exists()
