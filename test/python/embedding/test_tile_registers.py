"""Libraries with code for tile registers (AMX), which they choose at run time."""

import subprocess

import pytest

import tinytc_mlir as tt
from emulators import amx
from tinytc_mlir.embedding import build_library
from tinytc_mlir.runtime.native import host

pytestmark = [
    pytest.mark.skipif(
        not {"x86-64-v4", "avx512_vnni"}
        <= {*host.targets(), *host._cpu_info().get("flags", "").split()},
        reason="needs AVX-512",
    ),
]
TEXT = """
func @square(%A: memref<i8x40x40x?>, %C: memref<i32x40x40x?>) {
  %g = builtin.group_id : index
  %one = constant 1 : i8
  %zero = constant 0 : i32
  %a = subview %A[:, :, %g] : memref<i8x40x40>
  %c = subview %C[:, :, %g] : memref<i32x40x40>
  gemm.n.t %one, %a, %a, %zero, %c
}
"""
MAIN = """
#include "made.h"
#include <stdio.h>
#include <string.h>
static int8_t a[3 * 1600];
static int32_t c[3 * 1600];
int main(void) {
  memset(a, -3, sizeof a);
  made_square_args args = {.A = a, .A_shape2 = 3, .C = c, .C_shape2 = 3, .groups = 3};
  made_square(&args, 0, 3);
  printf("%s %d\\n", made_target(), c[0] == 360 && c[4799] == 360);
}
"""
# The processor has AMX, as far as it says.
CPUID = """
#include_next <cpuid.h>
#define __get_cpuid_count(leaf, part, a, b, c, d) \\
  (__get_cpuid_count(leaf, part, a, b, c, d) && ((leaf) != 7 || (*(d) |= 0x03400000)))
"""


def built(folder, targets):
    """Return a program with a library for targets."""
    (folder / "main.c").write_text(MAIN)
    build_library(tt.Context().parse(TEXT), folder, "made", targets=targets)
    paths = ["-Iinclude", "main.c", "lib/libmade.a", "-lm", "-o", "main"]
    subprocess.run(["cc", *paths], cwd=folder, check=True)
    return folder / "main"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A program with a library for a processor that says it has AMX."""
    folder = tmp_path_factory.mktemp("tiles")
    (folder / "cpuid.h").write_text(CPUID)
    compiler = folder / "compiler"
    compiler.write_text(f'#!/bin/sh\nexec cc -I "{folder}" "$@"\n')
    compiler.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(compiler))
        built(folder, ["x86-64-v4-amx", "x86-64-v4", "x86-64-v3"])
    amx.build(folder)
    return folder


@pytest.mark.parametrize(
    "refused, target", [({}, "x86-64-v4-amx"), ({"AMX_REFUSED": "1"}, "x86-64-v4")]
)
def test_choice(program, refused, target):
    """Vectors are used where the system refuses tile registers."""
    environment = {"LD_PRELOAD": str(program / "libamx.so"), **refused}
    words = [program / "main"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (f"{target} 1\n", 0)


def test_choice_of_vectors(tmp_path):
    """A library asks for the instructions that sum up products of neighbouring numbers."""
    targets = ["x86-64-v4-bf16", "x86-64-v4"]
    found = subprocess.run([built(tmp_path, targets)], capture_output=True, text=True, check=True)
    expected = next(target for target in host.targets() if target in targets)
    assert found.stdout == f"{expected} 1\n"
