"""The Python and C++ of the pages runs."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from scripts import loaded

ROOT = pathlib.Path(__file__).parents[3]
EMBEDDING = ROOT / "examples" / "embedding"


def blocks(page, language):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def test_tutorial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (program,) = blocks("tutorial.md", "tinytc")
    (tmp_path / "product.ir").write_text(program)
    page = tmp_path / "page.py"  # functions find their source there
    page.write_text("\n".join(blocks("tutorial.md", "python")))
    exec(compile(page.read_text(), str(page), "exec"), {})
    out = capsys.readouterr().out
    assert "argument 'D': expected" in out
    assert "1 33 expected a defined local identifier" in out
    assert (tmp_path / "product.html").exists()


def test_coming_from_another_library(tmp_path):
    page = tmp_path / "page.py"
    page.write_text("\n".join(blocks("coming-from.md", "python")))
    exec(compile(page.read_text(), str(page), "exec"), {})


def test_commands_of_the_tutorial(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "product.ir").write_text(blocks("tutorial.md", "tinytc")[0])
    commands = [line for block in blocks("tutorial.md", "sh") for line in block.splitlines()]
    assert len(commands) == 2
    for command in commands:
        assert command.startswith("tinytc ")
        status, _, err = tinytc(*command.split()[1:])
        assert (status, err) == (0, "")


def test_building_ir(capsys):
    exec(compile("\n".join(blocks("building-ir.md", "python")), "building-ir.md", "exec"), {})
    assert "func @scale(" in capsys.readouterr().out


def test_derivatives(capsys):
    exec(compile("\n".join(blocks("derivatives.md", "python")), "derivatives.md", "exec"), {})
    out = capsys.readouterr().out
    assert "[[1. 1.]" in out
    assert "('alpha', 'x', 'e', 'x_adjoint', 'e_adjoint') ('x',) ('e',)" in out
    assert "func @energy_vjp(" in out


def test_frameworks(tmp_path):
    # A kernel is read from its file, and JAX's types hold for a whole process.
    path = tmp_path / "frameworks.py"
    path.write_text("\n".join(blocks("frameworks.md", "python")))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tensor([[2., 2., 2.]," in done.stdout
    assert "torch.Size([2, 4]) tensor(6., dtype=torch.float64" in done.stdout
    assert "(2, 4)\n(4, 5)" in done.stdout


def headers():
    """Return the folders of OpenCL's headers and library: the system's, or those of the driver."""
    folder = pathlib.Path(sys.prefix)
    if (folder / "include" / "CL" / "cl.h").exists():
        return [
            f"-I{folder / 'include'}",
            f"-L{folder / 'lib'}",
            f"-Wl,-rpath-link,{folder / 'lib'}",
        ]
    return []


def test_call_from_c(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("gemm.ir", "host.c"):
        shutil.copy(EMBEDDING / name, tmp_path)
    build, *commands = blocks("embedding.md", "sh")[0].splitlines()
    status, _, err = tinytc(*build.split()[1:])
    assert (status, err) == (0, "")
    *compilations, run = map(str.split, commands)
    for command in compilations:
        subprocess.run([*command, "-Wall", "-Werror"], check=True)
    result = subprocess.run(run, capture_output=True, text=True)
    assert re.fullmatch(r"x86-64-v[34]: 8 8\n", result.stdout), result


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.skipif(
    importlib.util.find_spec("dpctl") is None, reason="it brings the headers of OpenCL"
)
def test_launch_from_cpp(tinytc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(EMBEDDING / "gemm.ir", tmp_path)
    library, launch, *_ = blocks("embedding.md", "sh")[1:]
    for line in (library + launch).splitlines():
        status, _, err = tinytc(*line.split()[1:])
        assert (status, err) == (0, "")
    assert (tmp_path / "made" / "include" / "volume_sycl.hpp").exists()
    command = ["c++", "-std=c++17", "-Wall", "-Werror", EMBEDDING / "launch.cpp", *headers()]
    subprocess.run([*command, "-lOpenCL", "-o", "launch"], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(pathlib.Path(sys.prefix) / "lib"))
    result = subprocess.run(["./launch", "gemm.spv", "gemm.json"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "1000 groups, largest error 0\n"), result
    missing = subprocess.run(["./launch", "no.spv", "gemm.json"], capture_output=True, text=True)
    assert (missing.returncode, missing.stderr) == (1, "expected the file no.spv, got none\n")


def test_what_a_fresh_debian_runs():
    """The script for root and a network runs the commands of the page, with all packages."""
    fresh = loaded(ROOT / "test" / "fresh_debian.py")
    lines = fresh.commands(fresh.PAGE.read_text(encoding="utf-8"))
    installed = " ".join(line for line in lines if line.startswith("apt install"))
    for package in ("gcc", "g++", "libc6-dev", "python3-venv", "ocl-icd-opencl-dev"):
        assert package in installed.split()
    for block in blocks("embedding.md", "sh"):
        assert set(block.splitlines()) <= set(lines)
    assert "apt install" not in fresh.script(fresh.PAGE.read_text(encoding="utf-8"))
