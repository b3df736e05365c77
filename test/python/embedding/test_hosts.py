"""Hosts in C, C++ and Fortran call kernels; NumPy has the last word on the results."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from embedding.host_kernels import TEXT, TYPES
from nearness import whole_numbers
from tinytc_mlir.embedding import build_library

HOSTS = pathlib.Path(__file__).parent / "hosts"
ROWS, LEADING, GROUPS, GUARD = 21, 24, 50, 16
DTYPES = {"c32": "c8", "c64": "c16", "bf16": "u2", "f16": "f2", "f32": "f4", "f64": "f8"}


def products(rng, beta):
    """Return the arrays of a product and the expected last one; what is not accessed is NaN."""
    a = whole_numbers(rng, (GROUPS, 9, ROWS)).astype(np.float32)
    b = whole_numbers(rng, (7, 9)).astype(np.float32)
    c = np.full(2 * GUARD + LEADING * 7 * GROUPS, np.nan, np.float32)
    expected = c.copy()
    inside = slice(GUARD, -GUARD)
    old = c[inside].reshape(GROUPS, 7, LEADING)[..., :ROWS]
    if beta:
        old[...] = whole_numbers(rng, old.shape)
    new = 2 * np.einsum("gkm,nk->gnm", a, b)
    expected[inside].reshape(GROUPS, 7, LEADING)[..., :ROWS] = new + beta * old if beta else new
    return [a, b, c], [expected]


def members(rng):
    given, expected = [], []
    for rows, columns in ((5, 4), (1, 3), (17, 2)):
        a = whole_numbers(rng, 2 + rows * columns)
        b = whole_numbers(rng, rows * columns)
        given += [a, b]
        expected.append(b + 3 * a[2:])
    return given, expected


def scaled(type_):
    dtype = np.dtype(DTYPES.get(type_, type_.replace("i", "int")))
    x = np.arange(37)
    if type_ == "bf16":
        bits = [
            (value * factor).astype(np.float32).view(np.uint32)
            for value in [x]
            for factor in (1.0, -3.0)
        ]
        return [(b >> 16).astype(dtype) for b in bits]
    factor = 2 - 3j if dtype.kind == "c" else -3
    return [x.astype(dtype), (x * factor).astype(dtype)]


def launches(some=slice(1, 14)):
    """Return what a host in C reads, and what it should write where some groups of a grid run."""
    rng = np.random.default_rng(1)
    cases = [products(rng, 0), products(rng, -1.5), members(rng)]
    grid = np.arange(60, dtype=np.int32).reshape(3, 5, 4)
    doubled = grid.reshape(15, 4).copy()
    doubled[some] *= 2
    cases.append(([grid], [doubled]))
    a = whole_numbers(rng, (128, 128)).astype(np.float32)
    cases.append(([a, np.full_like(a, np.nan)], [a.T.copy()]))
    for given, expected in map(scaled, TYPES):
        cases.append(([given], [expected]))
    return cases


STRICT = ["-std=c11", "-Wno-unknown-pragmas", f"-I{HOSTS}", '-DWHERE="processor.h"']


def check_results(run, *some):
    """Check what a host in C writes; `run` gives it what it reads."""
    cases = launches(*some)
    written = run(b"".join(array.tobytes() for arrays, _ in cases for array in arrays))
    place = 0
    for expected in (array for _, arrays in cases for array in arrays):
        actual = np.frombuffer(written, expected.dtype, expected.size, place)
        np.testing.assert_array_equal(actual, expected.ravel())
        place += expected.nbytes
    assert place == len(written)


#: As launches from Python say it.
NUMBER_OF_GROUPS = "expected an integer from 0 to 2147483647 as number of groups"


@pytest.mark.parametrize("flags", [["-fopenmp"], ["-fsanitize=address,undefined"]])
def test_results_in_c(run_host, flags):
    def run(given):
        return run_host("gcc", HOSTS / "host.c", flags=[*STRICT, *flags], given=given)

    check_results(run)


@pytest.mark.similar
@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="there is no emulator")
@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-gcc") is None, reason="there is no compiler")
@pytest.mark.parametrize(
    "processor, expected",
    [
        ("cortex-a76", "aarch64"),
        ("max,sve-max-vq=2", "aarch64-sve256"),
        ("max,sve-max-vq=1", "aarch64-mmla"),
    ],
)
def test_results_on_aarch64(processor, expected, tmp_path):
    """The library takes the code for the registers that the processor has."""
    targets = ["aarch64", "aarch64-mmla", "aarch64-sve256", "aarch64-sve512"]
    build_library(tt.Context().parse(TEXT), tmp_path, "kernels", targets=targets)
    words = ["aarch64-linux-gnu-gcc", *STRICT, "-static", "-O1", "-Iinclude", HOSTS / "host.c"]
    subprocess.run([*words, "lib/libkernels.a", "-lm", "-o", "host"], check=True, cwd=tmp_path)

    def run(given):
        words = ["qemu-aarch64", "-cpu", processor, tmp_path / "host"]
        return subprocess.run(words, input=given, capture_output=True, check=True).stdout

    check_results(run)
    printer = "#include <kernels.h>\n#include <stdio.h>\nint main(void) { puts(kernels_target()); }"
    (tmp_path / "target.c").write_text(printer)
    words = ["aarch64-linux-gnu-gcc", "-static", "-Iinclude", "target.c", "lib/libkernels.a"]
    subprocess.run([*words, "-lm", "-o", "target"], check=True, cwd=tmp_path)
    words = ["qemu-aarch64", "-cpu", processor, tmp_path / "target"]
    assert subprocess.run(words, capture_output=True, check=True).stdout.decode() == f"{expected}\n"


def test_views_in_cpp(run_host):
    printed = run_host("g++", HOSTS / "host.cpp", flags=["-std=c++20", "-pedantic"]).decode()
    assert printed.splitlines() == [
        "right",
        "12 12 12 12 3 ",
        "gemm: argument 'A': expected at most 2 groups (mode 2 of 'A' has 2), got 3",
        "gemm: argument 'A': expected the size of mode 1 to be 9, got 8",
        "gemm: expected a size of 4 for gemm in line 7, got 3",
        "gemm: argument 'A': expected an array, got a null pointer",
        "gemm: argument 'C': expected a stride of at least 4, got 3",
        *(f"gemm: groups: {NUMBER_OF_GROUPS}, got {number}" for number in (-1, 2**31)),
        "5 5 5",
        "members: argument 'B': expected 1 sizes of mode 0, got 2",
        "-2 2",
    ]


def test_fortran(run_host, library):
    sources = [library / "include" / "kernels.f90", HOSTS / "host.f90"]
    printed = run_host("gfortran", *sources, flags=["-std=f2018"]).decode()
    assert printed.splitlines() == [
        "12.0 12.0",
        "gemm: argument 'A': expected at most 2 groups (mode 2 of 'A' has 2), got 3",
        "-2.0 2.0",
    ]
