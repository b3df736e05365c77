"""The emulator of AMX against what Intel's manual says, in NumPy."""

import ctypes
import platform
import subprocess

import numpy as np
import pytest

from emulators import amx

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="AMX is of x86-64")
ROWS, COLUMNS, WORDS = 5, 7, 2
PRODUCTS = ("bf16ps", "bssd", "bsud", "busd", "buud")
# Rows of tiles in memory are 64 bytes apart; those of C lie in columns.
CODE = """
#include <immintrin.h>
void copy_shapes(const void *shapes, void *copy) {
  _tile_loadconfig(shapes);
  _tile_storeconfig(copy);
  _tile_release();
}
#define PRODUCT(name) \\
void multiply_##name(const void *shapes, const char *a, const char *b, char *c, long far) { \\
  _tile_loadconfig(shapes); \\
  _tile_loadd(7, c, far); \\
  _tile_zero(6); \\
  _tile_loadd(3, a, 64); \\
  _tile_stream_loadd(4, b + 64, -64); \\
  _tile_dp##name(7, 3, 4); \\
  _tile_stored(7, c, far); \\
  _tile_stored(6, c + 64 * far, far); \\
  _tile_release(); \\
}
"""


def shapes():
    """Return the configuration of tiles A (3), B (4), and C (6 and 7)."""
    memory = np.zeros(64, np.uint8)
    memory[0] = 1
    row_bytes, rows = memory[16:48].view(np.uint16), memory[48:]
    row_bytes[[3, 4, 6, 7]] = 4 * WORDS, 4 * COLUMNS, 4 * COLUMNS, 4 * COLUMNS
    rows[[3, 4, 6, 7]] = ROWS, WORDS, ROWS, ROWS
    return memory


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    """The instructions, which the emulator executes, or a processor that has them."""
    folder = tmp_path_factory.mktemp("amx")
    source = folder / "code.c"
    source.write_text(CODE + "\n".join(f"PRODUCT({name})" for name in PRODUCTS), "utf-8")
    amx.load()
    flags = ("-O1", "-mamx-tile", "-mamx-int8", "-mamx-bf16", "-shared", "-fPIC")
    words = ["cc", *flags, source, "-o", folder / "code.so"]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("the C compiler does not know AMX")
    return ctypes.CDLL(str(folder / "code.so"))


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def test_shapes(code):
    given, copy = shapes(), np.full(64, 9, np.uint8)
    code.copy_shapes(pointer(given), pointer(copy))
    np.testing.assert_array_equal(copy, given)
    before = amx.count(amx.load(), "amx_configurations")
    code.copy_shapes(pointer(given), pointer(copy))
    assert amx.count(amx.load(), "amx_configurations") in (before, before + 1)


def flushed(numbers):
    """Return numbers of f32 with 0 for subnormal ones."""
    numbers = np.float32(numbers)
    return np.where(np.abs(numbers) < np.finfo(np.float32).tiny, np.float32(0) * numbers, numbers)


def bf16_product(a, b, c):
    """Return c + a b in the manual's order; sums of f64 round once if exponents are close."""
    a, b = (flushed((bits.astype(np.uint32) << 16).view(np.float32)) for bits in (a, b))
    sums = np.zeros((2, ROWS, COLUMNS), np.float32)
    for k in range(a.shape[1] // 2):
        for half in (0, 1):
            product = np.multiply.outer(
                a[:, 2 * k + half].astype(np.float64), b[k, half::2].astype(np.float64)
            )
            sums[half] = flushed(sums[half] + product)
    return flushed(flushed(c) + flushed(sums[0] + sums[1]))


def byte_product(name, a, b, c):
    """Return c + a b modulo 2^32."""
    kinds = {"s": np.int8, "u": np.uint8}
    a, b = a.view(kinds[name[1]]).astype(np.int64), b.view(kinds[name[2]]).astype(np.int64)
    b = b.reshape(len(b), COLUMNS, 4).swapaxes(1, 2).reshape(4 * len(b), COLUMNS)
    return (c + a @ b).astype(np.int32)


def factors(rng, name):
    """Return factors and sums, of bf16 with all that is special."""
    if name != "bf16ps":
        a = rng.integers(0, 256, (ROWS, 4 * WORDS), np.uint8)
        b = rng.integers(0, 256, (WORDS, 4 * COLUMNS), np.uint8)
        return a, b, rng.integers(-(2**31), 2**31, (ROWS, COLUMNS), np.int32)
    numbers = rng.standard_normal((ROWS, 2 * WORDS)), rng.standard_normal((WORDS, 2 * COLUMNS))
    a, b = (np.float32(each).view(np.uint32) >> 16 for each in numbers)
    a[0, :2] = 0x0001, 0x807F  # subnormal
    a[1, 0], b[0, 3], a[2, 1], a[3, 2] = 0x7F80, 0xFF80, 0x7FC1, 0
    b[0, 8], a[4, 0], b[1, 8] = 0x0080, 0x3F00, 0  # the product is subnormal
    c = np.float32(rng.standard_normal((ROWS, COLUMNS)))
    c[4, 5], c[0, 0] = 1e-40, -0.0
    return a.astype(np.uint16), b.astype(np.uint16), c


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(code, name):
    """Nothing but the tiles is written."""
    rng = np.random.default_rng(3)
    a, b, c = factors(rng, name)
    memory = np.full((70, 8), 7, c.dtype)
    memory[:ROWS, :COLUMNS] = c
    tile_a, tile_b = np.zeros((ROWS, 64), np.uint8), np.zeros((WORDS, 64), np.uint8)
    tile_a[:, : 4 * WORDS] = a.view(np.uint8)
    tile_b[::-1, : 4 * COLUMNS] = b.view(np.uint8)
    given = shapes()
    with np.errstate(all="ignore"):
        product = bf16_product(a, b, c) if name == "bf16ps" else byte_product(name, a, b, c)
    expected = memory.copy()
    expected[:ROWS, :COLUMNS] = product
    expected[64 : 64 + ROWS, :COLUMNS] = 0
    arrays = [pointer(each) for each in (given, tile_a, tile_b, memory)]
    getattr(code, f"multiply_{name}")(*arrays, ctypes.c_long(memory.strides[0]))
    np.testing.assert_array_equal(memory, expected)
