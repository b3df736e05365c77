"""The numbered examples run, and say that their results are right."""

import pathlib
import subprocess
import sys

import pytest

import profiles
import tinytc_mlir

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
# The examples of clusters are run by the tests of tinytc_mlir.distributed.
ELSEWHERE = ("07_dask_blocks", "08_mpi_ranks")
OUTPUTS = {
    "fused_kernel": "GFLOP/s",
    "01_batched_gemm": "error/(eps K)",
    "02_ader_step": "elements 1000",
    "03_attention": "heads  200",
    "04_atomic_reduction": "histogram",
    "05_complex": "epsilon times the number of rows",
    "06_group_sizes": "sizes  1 to 59",
    "09_ahead_of_time": "launched gemm for cpu",
    "11_cuda": "bytes of PTX",
    "12_ozaki": "NumPy in f64",
    "13_python_kernels": "largest difference from NumPy",
    "14_chain_generator": "libwaves.a",
    "15_shallow_water": "cell and depth: 0, ",
    "16_wave_inversion": "from finite differences",
    "17_equivariant_product": "loss of forces: ",
    "18_riccati": "second derivative: ",
    "19_small_solves": "regression: largest coefficient ",
    "21_contractions": "NumPy agrees",
    "22_neighbour_flux": "797 faces of 200 cells in one launch",
}

# Each takes many builds of derivatives: one in turn in a commit.
DERIVATIVES = ("16_wave_inversion", "17_equivariant_product", "18_riccati")
RUN = [*(n for n in OUTPUTS if n not in DERIVATIVES), *profiles.in_turns(DERIVATIVES, "examples")]


def test_every_example_is_run_and_listed():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {*OUTPUTS, *ELSEWHERE}
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]:
        assert f"]({path.name})" in listed


@pytest.mark.parametrize("name", RUN)
def test_example(name):
    command = [sys.executable, EXAMPLES / f"{name}.py"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (result.returncode, result.stderr) == (0, "")
    assert OUTPUTS[name] in result.stdout


@pytest.mark.parametrize("name", ["10_notebook", "20_batched"])
def test_notebook(name, monkeypatch):
    pytest.importorskip("nbmake")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # pytest-lsp and it do not get along
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(tinytc_mlir.__file__).parents[1]))
    command = [sys.executable, "-m", "pytest", "-p", "nbmake.pytest_plugin", "--nbmake", "-q"]
    command += ["-p", "no:cacheprovider", "-W", "ignore", EXAMPLES / f"{name}.ipynb"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 passed" in result.stdout
