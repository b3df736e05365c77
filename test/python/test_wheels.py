"""Wheels run where there is no compiler, on each Python that there is one for."""

import os
import pathlib
import platform
import re
import subprocess
import sys

import packaging.requirements
import pytest

from scripts import loaded

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "wheels.py"
WHEELS = sorted((ROOT / "dist").glob("tinytc_mlir-*.whl"))


@pytest.fixture(scope="module")
def script():
    return loaded(SCRIPT)


@pytest.mark.skipif("TINYTC_WHEELS" not in os.environ, reason="only test/run.sh builds wheels")
def test_there_are_wheels(script):
    tags = {path.name.split("-")[2] for path in WHEELS}
    assert tags >= {python.tag for python in script.chosen(os.environ["TINYTC_WHEELS"])}


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda path: path.name.split("-")[2])
def test_wheel_runs_without_a_compiler(wheel):
    assert wheel.name.endswith(f"-manylinux_2_34_{platform.machine()}.whl")
    words = [sys.executable, SCRIPT, "check", wheel]
    result = subprocess.run(words, capture_output=True, text=True, timeout=1200)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "ok       compiler: " in result.stdout
    assert "fused_kernel is right on 3." in result.stdout


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda path: path.name.split("-")[2])
def test_wheel_finds_the_libraries_of_mlir(wheel, tmp_path):
    words = [sys.executable, "-m", "zipfile", "-e", wheel, tmp_path]
    subprocess.run(words, check=True)
    binaries = [*tmp_path.rglob("*.so"), *(tmp_path / "tinytc_mlir" / "bin").iterdir()]
    assert len(set(binaries)) == 5
    for path in set(binaries):
        elf = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
        if path.name.startswith("_arrays."):  # which loads without MLIR
            assert not re.search("PATH|MLIR|LLVM", elf.stdout)
            continue
        (folders,) = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", elf.stdout)
        assert all(folder.startswith("$ORIGIN/../") for folder in folders.split(":"))
    assert not list(tmp_path.rglob("libMLIR*")) + list(tmp_path.rglob("libLLVM*"))


@pytest.fixture
def on(monkeypatch):
    """Return a function that makes this another machine."""

    def pretend(system, machine):
        monkeypatch.setattr(platform, "system", lambda: system)
        monkeypatch.setattr(platform, "machine", lambda: machine)

    return pretend


@pytest.mark.parametrize(
    "system, machine, tool, tag",
    [
        ("Linux", "x86_64", "auditwheel", "manylinux_2_34_x86_64"),
        ("Linux", "aarch64", "auditwheel", "manylinux_2_34_aarch64"),
        ("Darwin", "arm64", "delocate.cmd.delocate_wheel", "macosx_14_0_arm64"),
    ],
)
def test_wheels_of_other_machines(script, on, system, machine, tool, tag):
    on(system, machine)
    assert script.platform_tag() == tag
    words = script.repair_words("a.whl", "out")
    assert words[0] == tool
    assert words[-3:] == ["-w", "out", "a.whl"]
    assert len([word for word in words if word == "--exclude"]) == len(script.FOREIGN)


def test_machines_without_wheels(script, on):
    on("Linux", "riscv64")
    with pytest.raises(SystemExit, match="Darwin on arm64, got Linux on riscv64"):
        script.platform_tag()


@pytest.mark.parametrize(
    "sys_platform, platform_machine, has_driver",
    [("linux", "x86_64", True), ("linux", "aarch64", False), ("darwin", "arm64", False)],
)
def test_requirements_of_other_machines(sys_platform, platform_machine, has_driver):
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    machine = {"sys_platform": sys_platform, "platform_machine": platform_machine}
    required = {
        each.name
        for each in map(packaging.requirements.Requirement, project["dependencies"])
        if each.marker is None or each.marker.evaluate(machine)
    }
    sycl = {"dpctl", "intel-opencl-rt"}
    assert required & sycl == (sycl if has_driver else set())
    assert {"numpy", "xtc-mlir-python-bindings"} <= required


def test_this_python_is_found(script):
    found = {python.minor: python for python in script.pythons()}
    assert sys.version_info[:2] in found
    assert script.chosen("ends")[0].minor == sys.version_info[:2]
    assert {python.tag for python in script.chosen("all")} == {p.tag for p in found.values()}
    assert script.ask("/absent/python3") is None
    assert [python.minor for python in script.chosen(sys.executable)] == [sys.version_info[:2]]


def test_one_wheel_for_the_stable_abi(script):
    found = [script.Python(f"/{minor}", (3, minor, 1), True) for minor in range(10, 15)]
    assert [python.tag for python in found] == ["cp310", "cp311", "cp312", "cp312", "cp312"]
    assert script.of_different_wheels(found) == found[:3]
    assert script.of_different_wheels(found[::-1])[0].minor == (3, 14)
    text = (ROOT / "pyproject.toml").read_text()
    assert 'wheel.py-api = "cp{}{}"'.format(*script.STABLE) in text


@pytest.fixture
def without_uv(tmp_path):
    """Variables with a PATH on which this Python is all that there is."""
    (tmp_path / "python3").symlink_to(sys.executable)
    return os.environ | {"PATH": str(tmp_path), "PYENV_ROOT": str(tmp_path)}


def test_list_without_uv(without_uv):
    words = [sys.executable, SCRIPT, "list"]
    result = subprocess.run(words, capture_output=True, text=True, env=without_uv)
    assert (result.returncode, result.stderr) == (0, "")
    assert sys.executable in result.stdout


@pytest.mark.parametrize(
    ("script", "words"),
    [("wheels.py", ["build"]), ("wheels.py", ["check", "a.whl"]), ("constraints.py", [])],
)
def test_what_needs_uv_says_so(without_uv, script, words):
    words = [sys.executable, SCRIPT.with_name(script), *words]
    result = subprocess.run(words, capture_output=True, text=True, env=without_uv)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "expected the command uv on the PATH, got none: pip install uv\n"


def test_constraints_name_every_package():
    tomllib = pytest.importorskip("tomllib")
    constraints = (ROOT / "test" / "constraints.txt").read_text()
    names = set(re.findall(r"^([\w.-]+)==", constraints, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = sum(project["optional-dependencies"].values(), project["dependencies"])
    required = {re.match(r"[\w.-]+", each)[0].lower().replace("_", "-") for each in requirements}
    assert required - names == {"tinytc-mlir", "tinytc-mlir-bench"}
