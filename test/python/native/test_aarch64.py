"""Kernels for AArch64, run by an emulator; NumPy is the judge.

They are in a C program, linked or as the image that the Python package makes of an object file.
"""

import re
import shutil
import subprocess

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near, assert_units
from tinytc_mlir.runtime.native.elf import ObjectFile
from tinytc_mlir.runtime.native.image import Image
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
WAYS = ("linked", "image")
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
# Factors are packed for sums of i32.
BYTES = """
func @product_of_bytes(%A: memref<i8x{m}x{k}x{g}>, %B: memref<i8x{k}x{n}>,
                       %C: memref<i32x{m}x{n}x{g}>) {{
  %one = constant 1 : i8
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<i8x{m}x{k}>
  %c = subview %C[:,:,%group] : memref<i32x{m}x{n}>
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
OTHER_NAMES = ("product_of_bytes", "exponential", "sine", "running_sum", "conditions")
NAMES = (*(f"product_{name}" for name in TYPES), *OTHER_NAMES)
# Where images are, out of reach of branches from the program.
BASE = 0x40_0000_0000
# Maps an image if there is one, reads the sizes of three arrays and their bytes, runs a kernel, and
# writes the last array. Without arguments, it prints addresses of functions.
MAIN = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
typedef void kernel(void *, void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                    int64_t);
{declarations}
static const struct {{ const char *name; kernel *run; }} kernels[] = {{ {table} }};
int main(int argc, char **argv) {{
  int64_t groups = {groups}, bytes[3];
  void *arrays[3];
  if (argc == 1)
    return printf("memcpy %ld memset %ld\\n", (long)&memcpy, (long)&memset) < 0;
  if (argc == 4) {{
    int file = open(argv[2], O_RDONLY);
    void *image = mmap((void *){base}, atol(argv[3]), PROT_READ | PROT_EXEC,
                       MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
    if (file < 0 || image != (void *){base})
      return 5;
  }}
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
# What kernels for this target do not have, but others may: calls of the C library, functions in
# another section, variables and a table of them, loads and stores of all sizes.
HANDMADE = """
#include <stdint.h>
#include <string.h>
static volatile int8_t one = 1;
static volatile int16_t two = 2;
static volatile int32_t four = 4;
static volatile int64_t eight = 8;
static const volatile void *const table[] = {&one, &two, &four, &eight};
__attribute__((noinline, section(".text.other"))) int64_t add(int64_t a, int64_t b) {
  return a + b + one + two + four + eight;
}
__attribute__((noinline)) const volatile void *const *variables(void) { return table; }
void *(*address(void))(void *, int, size_t) { return memset; }
void calls(int64_t *a, int64_t *b, int64_t *c, int64_t first, int64_t last, int64_t y, int64_t z) {
  int64_t bytes = (last - first) * 8;
  memcpy(c + first, a + first, bytes);
  address()(b, 0, 8);
  for (int64_t i = first; i < last; ++i)
    c[i] = add(c[i], b[0]) + *(const volatile int64_t *)variables()[3];
}
"""


def image_of(code, folder, host):
    """Write an image of an object file, and return the addresses of what is in it."""
    printed = subprocess.run(host, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    known = dict(zip(printed[::2], map(int, printed[1::2]), strict=True))
    image = Image(ObjectFile(code, "kernels.o"), known.__getitem__)
    (folder / "image").write_bytes(image.at(BASE))
    return image.size, image.addresses(BASE)


def built(folder, names, linked, addresses):
    """Return how to start a program that has the kernels, linked or at addresses."""
    declarations = "\n".join(f"kernel {name};" for name in names if linked)
    table = ", ".join(f'{{"{name}", (kernel *){addresses.get(name, name)}}}' for name in names)
    main = MAIN.format(declarations=declarations, table=table, groups=GROUPS, base=BASE)
    (folder / "main.c").write_text(main)
    command = [COMPILER, "-static", "-no-pie", "-fno-builtin", "main.c", *linked, "-o", "run"]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    return folder / "run"


def started(code, names, folder, is_image, emulator):
    """Return how to start the functions of an object file."""
    (folder / "kernels.o").write_bytes(code)
    if not is_image:
        return [*emulator, built(folder, names, ["kernels.o"], {})]
    # The functions of the C library have the same addresses whatever is in the table.
    zeros = dict.fromkeys(names, 0)
    _, offsets = image_of(code, folder, [*emulator, built(folder, names, [], zeros)])
    program = built(folder, names, [], {name: hex(offsets[name]) for name in names})
    size, _ = image_of(code, folder, [*emulator, program])
    return [*emulator, program, folder / "image", str(size)]


@pytest.fixture(scope="module", params=[(target, way) for target in PROCESSORS for way in WAYS])
def executable(request, tmp_path_factory):
    """Return how to start a program that has all kernels."""
    target, way = request.param
    folder = tmp_path_factory.mktemp(target)
    ones = {"c": "[1.0, 0.0]", "i": "1"}
    sizes = {"m": M, "k": K, "n": N, "g": GROUPS}
    texts = [PRODUCT.format(type=t, one=ones.get(t[0], "1.0"), **sizes) for t in TYPES]
    text = "".join([*texts, BYTES.format(**sizes), OTHERS.format(**sizes)])
    code = tt.Context().parse(text).compile(target).code
    return started(code, NAMES, folder, way == "image", (EMULATOR, "-cpu", PROCESSORS[target]))


def run(executable, name, arrays):
    """Return the last of three arrays after a kernel has run."""
    sizes = np.array([array.nbytes for array in arrays], np.int64)
    given = b"".join([sizes.tobytes(), *(array.tobytes("F") for array in arrays)])
    emulator, option, processor, program, *image = executable
    command = [emulator, option, processor, program, name, *image]
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True)
    last = arrays[-1]
    return np.frombuffer(done.stdout, last.dtype).reshape(last.shape, order="F")


@pytest.mark.similar
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


def test_sums_of_bytes_wrap_around(executable):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, shape, np.int8) for shape in ((M, K, GROUPS), (K, N)))
    c = rng.integers(-(2**31), 2**31, (M, N, GROUPS))
    expected = (c + np.einsum("mkg,kn->mng", a.astype(np.int64), b)).astype(np.int32)
    arrays = [np.asfortranarray(each) for each in (a, b, c.astype(np.int32))]
    np.testing.assert_array_equal(run(executable, "product_of_bytes", arrays), expected)


def test_other_instructions(executable):
    rng = np.random.default_rng(2)
    a, b = 9 * rng.standard_normal((M, GROUPS)), 1 + rng.random(M)
    arrays = [np.asfortranarray(each) for each in (a, b, np.full((M, GROUPS), np.nan))]
    found = run(executable, "exponential", arrays)
    assert_units(found, np.exp(a), 4)
    wide = np.asfortranarray(a * 10.0 ** rng.integers(-9, 300, (M, GROUPS)))
    found = run(executable, "sine", [wide, *arrays[1:]])
    assert_units(found, np.sin(wide), 4)
    found = run(executable, "running_sum", arrays)
    assert_near(found, a.cumsum(axis=0))
    expected = np.where(a < 0, b[:, None], np.fmod(a, b[:, None]))
    np.testing.assert_array_equal(run(executable, "conditions", arrays), expected)


def test_calls_and_variables(tmp_path):
    (tmp_path / "handmade.c").write_text(HANDMADE)
    options = ["-c", "-O2", "-fPIC", "-fno-section-anchors"]
    subprocess.run([COMPILER, *options, "handmade.c"], cwd=tmp_path, check=True)
    code = (tmp_path / "handmade.o").read_bytes()
    kinds = {kind for _, _, kind, _, _ in ObjectFile(code, "handmade.o").relocations()}
    assert {257, 275, 277, 278, 283, 284, 285, 286, 311, 312} <= kinds
    processor = (EMULATOR, "-cpu", PROCESSORS["aarch64"])
    start = started(code, ["calls"], tmp_path, True, processor)
    a = np.arange(GROUPS, dtype=np.int64)
    arrays = [a, np.full(GROUPS, 7, np.int64), np.zeros(GROUPS, np.int64)]
    np.testing.assert_array_equal(run(start, "calls", arrays), a + 1 + 2 + 4 + 8 + 8)


def test_registers_of_sve():
    """Vectors are in registers of the length that the target says."""
    text = PRODUCT.format(type="f64", one="1.0", m=32, k=K, n=N, g=GROUPS)
    module = tt.Context().parse(text)
    texts = {name: module.lower("llvm", target=name).native_text("asm") for name in PROCESSORS}
    uses_sve = {name: re.search(r"fmla\s+z\d+", text) is not None for name, text in texts.items()}
    assert uses_sve == {name: name != "aarch64" for name in PROCESSORS}
