"""What projects of others use: the installed CMake package with its C API, and the plugin."""

import json
import pathlib
import subprocess
import sysconfig

import mlir
import pytest

import tinytc_mlir as tt

ROOT = pathlib.Path(__file__).parents[2]
# Made by hand in build/, or by pip in a folder of its own.
BUILDS = [cache.parent for cache in sorted((ROOT / "build").glob("**/CMakeCache.txt"))]
BUILD = min(BUILDS, key=lambda folder: len(folder.parts), default=ROOT / "build")
MLIR = pathlib.Path(mlir.__path__[0])
LLVM = pathlib.Path(sysconfig.get_path("purelib")) / "llvm"
TEXT = """
tinytc.func @scale(%alpha: f32, %A: !tinytc.memref<16x8xf32>) {
  %zero = tinytc.constant 0.0 : f32
  tinytc.axpby n %alpha, %A, %zero, %A
    : f32, !tinytc.memref<16x8xf32>, f32, !tinytc.memref<16x8xf32>
}
"""


def run(*command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture
def expected():
    module = tt.Context().parse_mlir(TEXT)
    return module.lower("spirv", target="intel-gpu:pvc", abi="plain").compile()


def test_cmake_package_and_c_api(expected, tmp_path):
    prefix, example = tmp_path / "prefix", tmp_path / "example"
    run("cmake", "--install", BUILD, "--component", "TinyTCDevelopment", "--prefix", prefix)
    paths = ";".join(map(str, (prefix, MLIR, LLVM)))
    source = ROOT / "examples" / "out-of-tree"
    run("cmake", "-S", source, "-B", example, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={paths}")
    run("cmake", "--build", example)
    file, spirv = tmp_path / "kernel.mlir", tmp_path / "kernel.spv"
    file.write_text(TEXT)
    output = run(example / "compile-kernel", file, spirv, "intel-gpu:pvc")
    manifest = json.loads(output)
    assert spirv.read_bytes() == expected.spirv
    assert [kernel["name"] for kernel in manifest["kernels"]] == ["scale"]
    assert [each["name"] for each in manifest["kernels"][0]["arguments"]] == ["alpha", "A"]
    file.write_text("module { }")
    failed = subprocess.run([example / "compile-kernel", file, spirv], capture_output=True)
    assert failed.returncode == 1


def test_plugin_for_mlir_opt(expected):
    plugin = BUILD / "bin" / "TinyTCPlugin.so"
    flags = [f"--load-{kind}-plugin={plugin}" for kind in ("dialect", "pass")]
    passes = "--pass-pipeline=builtin.module(lower-to-spirv{target=intel-gpu:pvc})"
    output = run(MLIR / "bin" / "mlir-opt", *flags, passes, "-", input=TEXT)
    assert tt.Context().parse_mlir(output).compile().spirv == expected.spirv
