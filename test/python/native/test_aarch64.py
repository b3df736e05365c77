"""Kernels for AArch64, linked into a C program and run by an emulator; NumPy is the judge."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_values

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
pytestmark = pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which(EMULATOR)),
    reason=f"needs {COMPILER} and {EMULATOR}: apt install gcc-aarch64-linux-gnu qemu-user",
)
#: The processors that the emulator is, by target.
PROCESSORS = {
    "aarch64": "cortex-a76",
    "aarch64-sve256": "max,sve-max-vq=2",
    "aarch64-sve512": "max,sve-max-vq=4",
}
M, K, N, GROUPS = 19, 9, 5, 12
TYPES = ("bf16", "f16", "f32", "f64", "c32", "c64", "i8", "i32", "i64")
PRODUCT = """
func @product_{type}(%A: memref<{type}x{m}x{k}x{g}>, %B: memref<{type}x{k}x{n}>,
                     %C: memref<{type}x{m}x{n}x{g}>) {{
  %one = constant {one} : {type}
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<{type}x{m}x{k}>
  %c = subview %C[:,:,%group] : memref<{type}x{m}x{n}>
  gemm.n.n %one, %a, %B, %one, %c
}}
"""
# Each group has a column of A and of C.
OTHERS = """
func @exponential(%A: memref<f64x{m}x{g}>, %B: memref<f64x{m}>, %C: memref<f64x{m}x{g}>) {{
  %group = builtin.group_id : index
  foreach (%i)=(0),({m}) {{
    %a = load %A[%i,%group] : f64
    %b = math.exp %a : f64
    store %b, %C[%i,%group]
  }}
}}
func @sine(%A: memref<f64x{m}x{g}>, %B: memref<f64x{m}>, %C: memref<f64x{m}x{g}>) {{
  %group = builtin.group_id : index
  foreach (%i)=(0),({m}) {{
    %a = load %A[%i,%group] : f64
    %b = sin %a : f64
    store %b, %C[%i,%group]
  }}
}}
func @running_sum(%A: memref<f64x{m}x{g}>, %B: memref<f64x{m}>, %C: memref<f64x{m}x{g}>) {{
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  %group = builtin.group_id : index
  %a = subview %A[:,%group] : memref<f64x{m}>
  %c = subview %C[:,%group] : memref<f64x{m}>
  cumsum %one, %a, 0, %zero, %c
}}
func @conditions(%A: memref<f64x{m}x{g}>, %B: memref<f64x{m}>, %C: memref<f64x{m}x{g}>) {{
  %group = builtin.group_id : index
  %zero = constant 0.0 : f64
  foreach (%i)=(0),({m}) {{
    %a = load %A[%i,%group] : f64
    %b = load %B[%i] : f64
    %less = cmp.lt %a, %zero : bool
    if %less {{
      store %b, %C[%i,%group]
    }} else {{
      %r = arith.rem %a, %b : f64
      store %r, %C[%i,%group]
    }}
  }}
}}
"""
NAMES = (*(f"product_{name}" for name in TYPES), "exponential", "sine", "running_sum", "conditions")
# Reads the sizes of three arrays and their bytes, runs a kernel, writes the last array.
MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void kernel(void *, void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                    int64_t);
{declarations}
static const struct {{ const char *name; kernel *run; }} kernels[] = {{ {table} }};
int main(int argc, char **argv) {{
  int64_t groups = {groups}, bytes[3];
  void *arrays[3];
  if (fread(bytes, 8, 3, stdin) != 3)
    return 1;
  for (int i = 0; i < 3; ++i) {{
    arrays[i] = malloc(bytes[i]);
    if (fread(arrays[i], 1, bytes[i], stdin) != (size_t)bytes[i])
      return 2;
  }}
  for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); ++i)
    if (strcmp(kernels[i].name, argv[1]) == 0) {{
      kernels[i].run(arrays[0], arrays[1], arrays[2], 0, groups / 2, 0, 0, groups, 1, 1);
      kernels[i].run(arrays[0], arrays[1], arrays[2], groups / 2, groups, 0, 0, groups, 1, 1);
      return fwrite(arrays[2], 1, bytes[2], stdout) == (size_t)bytes[2] ? 0 : 3;
    }}
  return 4;
}}
"""


@pytest.fixture(scope="module", params=PROCESSORS)
def executable(request, tmp_path_factory):
    """Return how to start a program that has all kernels."""
    folder = tmp_path_factory.mktemp(request.param)
    ones = {"c": "[1.0, 0.0]", "i": "1"}
    sizes = {"m": M, "k": K, "n": N, "g": GROUPS}
    texts = [PRODUCT.format(type=t, one=ones.get(t[0], "1.0"), **sizes) for t in TYPES]
    text = "".join([*texts, OTHERS.format(**sizes)])
    program = tt.Context().parse(text).compile(request.param)
    (folder / "kernels.o").write_bytes(program.code)
    declarations = "\n".join(f"kernel {name};" for name in NAMES)
    table = ", ".join(f'{{"{name}", {name}}}' for name in NAMES)
    main = MAIN.format(declarations=declarations, table=table, groups=GROUPS)
    (folder / "main.c").write_text(main)
    command = [COMPILER, "-static", "main.c", "kernels.o", "-lm", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True)
    return EMULATOR, "-cpu", PROCESSORS[request.param], folder / "run"


def run(executable, name, arrays):
    """Return the last of three arrays after a kernel has run."""
    sizes = np.array([array.nbytes for array in arrays], np.int64)
    given = b"".join([sizes.tobytes(), *(array.tobytes("F") for array in arrays)])
    done = subprocess.run([*executable, name], input=given, stdout=subprocess.PIPE, check=True)
    last = arrays[-1]
    return np.frombuffer(done.stdout, last.dtype).reshape(last.shape, order="F")


@pytest.mark.parametrize("name", TYPES)
def test_products(executable, name):
    kind = SCALAR_TYPES[name]
    rng = np.random.default_rng(1)

    def numbers(*shape):
        real = rng.integers(-3, 4, shape)
        values = real + 1j * rng.integers(-3, 4, shape) if kind.kind == "complex" else real
        return kind.to_memory(np.asfortranarray(values).astype(kind.value_dtype))

    # Sums of small integers: exact in every type.
    a, b, c = numbers(M, K, GROUPS), numbers(K, N), numbers(M, N, GROUPS)
    exact = [bfloat16_values(x) if name == "bf16" else x for x in (a, b, c)]
    product = np.einsum("mkg,kn->mng", *(x.astype(complex) for x in exact[:2]))
    expected = kind.to_memory((product + exact[2]).astype(complex).real.astype(kind.value_dtype))
    if kind.kind == "complex":
        expected = (product + exact[2]).astype(kind.dtype)
    np.testing.assert_array_equal(run(executable, f"product_{name}", (a, b, c)), expected)


def test_other_instructions(executable):
    rng = np.random.default_rng(2)
    a, b = 9 * rng.standard_normal((M, GROUPS)), 1 + rng.random(M)
    arrays = [np.asfortranarray(each) for each in (a, b, np.full((M, GROUPS), np.nan))]
    found = run(executable, "exponential", arrays)
    np.testing.assert_allclose(found, np.exp(a), rtol=4 * 2.0**-52)
    wide = np.asfortranarray(a * 10.0 ** rng.integers(-9, 300, (M, GROUPS)))
    found = run(executable, "sine", [wide, *arrays[1:]])
    np.testing.assert_allclose(found, np.sin(wide), rtol=4 * 2.0**-52)
    found = run(executable, "running_sum", arrays)
    np.testing.assert_allclose(found, a.cumsum(axis=0), rtol=M * 2.0**-52, atol=1e-13)
    expected = np.where(a < 0, b[:, None], np.fmod(a, b[:, None]))
    np.testing.assert_array_equal(run(executable, "conditions", arrays), expected)


def test_registers_of_sve():
    """Vectors are in registers of the length that the target says."""
    text = PRODUCT.format(type="f64", one="1.0", m=32, k=K, n=N, g=GROUPS)
    module = tt.Context().parse(text)
    texts = {name: module.lower("llvm", target=name).native_text("asm") for name in PROCESSORS}
    uses_sve = {name: re.search(r"fmla\s+z\d+", text) is not None for name, text in texts.items()}
    assert uses_sve == {name: name != "aarch64" for name in PROCESSORS}
