"""Products by the matrix instructions of AArch64, run by an emulator; NumPy is the judge."""

import dataclasses
import shutil
import subprocess

import numpy as np
import pytest

import profiles
from cases.tile_products import GROUPS, TileProduct, parsed, random_product, wide
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.scalars import SCALAR_TYPES

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
needs_emulator = pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which(EMULATOR)),
    reason=f"needs {COMPILER} and {EMULATOR}: apt install gcc-aarch64-linux-gnu qemu-user",
)
#: The processors that the emulator is, by target.
PROCESSORS = {"aarch64-mmla": "max", "aarch64-sve256": "max,sve-max-vq=2"}
TILES = ((4,), (2, 4), (2,))
COUNT = 400 if profiles.IS_NIGHTLY else 24
C_TYPES = {"bf16": "uint16_t", "f32": "float", "i8": "int8_t", "i32": "int32_t"}
ALPHA, BETA = 3, -2
# Reads the bytes of three arrays for each kernel, twice, runs it on arrays between guard pages,
# which are after the arrays the second time, and writes the arrays.
MAIN = """
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
enum {{ kPage = 65536, kScratch = 8 << 20 }};
static _Alignas(128) char scratch[kScratch];
{wrappers}
typedef void wrapper(char **);
static const struct {{ wrapper *run; long bytes[3]; }} kernels[] = {{ {table} }};
int main(void) {{
  for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); ++i)
    for (int at_end = 0; at_end < 2; ++at_end) {{
      char *arrays[3];
      for (int j = 0; j < 3; ++j) {{
        long bytes = kernels[i].bytes[j], pages = (bytes + kPage - 1) / kPage * kPage;
        char *memory = mmap(0, pages + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mprotect(memory + kPage, pages, PROT_READ | PROT_WRITE))
          return 1;
        arrays[j] = memory + kPage + (at_end ? pages - bytes : 0);
        if (fread(arrays[j], 1, bytes, stdin) != (size_t)bytes)
          return 2;
      }}
      kernels[i].run(arrays);
      for (int j = 0; j < 3; ++j)
        fwrite(arrays[j], 1, kernels[i].bytes[j], stdout);
    }}
  return 0;
}}
"""
WRAPPER = """
void {name}({pairs}, {alpha} alpha, {beta} beta, int64_t first, int64_t last, int64_t y, int64_t z,
            int64_t nx, int64_t ny, int64_t nz, void *local);
static void run_{name}(char **x) {{
  {name}(x[0], {groups}, x[1], {groups}, x[2], {groups}, ({alpha}){alpha_value},
         ({beta}){beta_value}, 0, {groups}, 0, 0, {groups}, 1, 1, scratch);
}}
"""


def scalar(type_, value):
    """Return a number as C passes it."""
    kind = SCALAR_TYPES[type_]
    return int(kind.to_memory(np.float32(value))) if type_ == "bf16" else value


def given(product):
    """Return alpha and beta of a launch."""
    pairs = ((product.alpha, ALPHA), (product.beta, BETA))
    return [value if each is None else each for each, value in pairs]


def run(products, arrays, target, folder):
    """Run products on arrays before and after guard pages, as often as there are arrays."""
    names = [f"f{number}" for number in range(len(products))]
    (folder / "kernels.o").write_bytes(parsed(products, names).compile(target).code)
    wrappers, table = [], []
    for name, product, ((first, _)) in zip(names, products, arrays, strict=True):
        alpha, beta = given(product)
        wrappers.append(
            WRAPPER.format(
                name=name,
                groups=first[0].shape[2],
                pairs=", ".join(f"void *{each}, int64_t {each}_shape" for each in "abc"),
                alpha=C_TYPES[product.type_],
                beta=C_TYPES[product.result],
                alpha_value=scalar(product.type_, alpha),
                beta_value=f"({scalar(product.result, beta)})",
            )
        )
        sizes = ", ".join(str(array.copied[0].nbytes) for array in first)
        table.append(f"{{run_{name}, {{{sizes}}}}}")
    main = MAIN.format(wrappers="".join(wrappers), table=", ".join(table))
    (folder / "main.c").write_text(main)
    command = [COMPILER, "-static", "main.c", "kernels.o", "-lm", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True)
    memories = [array.copied[0] for both in arrays for each in both for array in each]
    command = [EMULATOR, "-cpu", PROCESSORS[target], folder / "run"]
    data = b"".join(memory.tobytes() for memory in memories)
    found = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
    assert len(found) == len(data)
    for memory in memories:
        memory[...] = np.frombuffer(found[: memory.nbytes], memory.dtype)
        found = found[memory.nbytes :]


def instructions(product, target="aarch64-mmla"):
    """Return the assembly of a product."""
    return product.parse().lower("llvm", target=target).native_text("asm")


@needs_emulator
@pytest.mark.similar
@pytest.mark.parametrize("target", PROCESSORS)
def test_random_products(target, tmp_path):
    """Half of them have a tile, for others the compiler chooses."""
    products = [random_product(seed, TILES) for seed in range(COUNT)]
    products[::2] = (dataclasses.replace(product, tile=()) for product in products[::2])
    rng = np.random.default_rng(0)
    arrays = [[product.arrays(rng, at_end) for at_end in (0, 1)] for product in products]
    expected = []
    for product, both in zip(products, arrays, strict=True):
        alpha, beta = given(product)
        expected.append([product.expected(alpha, a, b, beta, c) for a, b, c in both])
    run(products, arrays, target, tmp_path)
    for product, both, results in zip(products, arrays, expected, strict=True):
        for (a, b, c), result in zip(both, results, strict=True):
            found = c.copy()
            product.check_memory((a, b, c))
            product.compare(wide(product.result, found), result)


@needs_emulator
def test_special_numbers(tmp_path):
    """Zeros that fill words up meet zeros only, and subnormal numbers are 0."""
    small = TileProduct("bf16", "f32", (3, 5, 3))
    products = [small, dataclasses.replace(small, shape=(17, 5, 3), tile=(4, 4, 2))]
    kind, rng = SCALAR_TYPES["bf16"], np.random.default_rng(0)
    arrays, expected = [], []
    for product in products:
        rows = product.shape[0]
        a, b = np.ones((rows, 3), np.float32), np.ones((3, 5), np.float32)
        a[2, 2], b[2, 1], b[0, 2] = np.inf, np.nan, -np.inf
        a[1], b[:, 4] = 2.0**-130, 2.0**100
        both = [product.arrays(rng, at_end) for at_end in (0, 1)]
        for first, second, c in both:
            first[...], second[...] = (kind.to_memory(x)[..., None] for x in (a, b))
            c[...] = np.nan
        a[1] = 0
        with np.errstate(invalid="ignore"):
            expected.append(a @ b)
        arrays.append(both)
    run(products, arrays, "aarch64-mmla", tmp_path)
    for both, result in zip(arrays, expected, strict=True):
        for _, _, c in both:
            for group in range(GROUPS):
                np.testing.assert_array_equal(c[..., group], result)


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(40 if profiles.IS_NIGHTLY else 4))
def test_stage_has_no_race(seed):
    """Work-items wait for words that others pack, and read none that nobody wrote."""
    product = random_product(seed, TILES)
    rng = np.random.default_rng(seed)
    a, b, c = (np.asfortranarray(array) for array in product.arrays(rng))
    alpha, beta = given(product)
    expected = product.expected(alpha, a, b, beta, c)
    stage = GpuStage(product.parse(), target="aarch64-mmla")
    assert stage.check("f", [a, b, c, alpha, beta], GROUPS, seed=1) == []
    product.compare(wide(product.result, c), expected)


@pytest.mark.parametrize("type_, result", [("bf16", "f32"), ("i8", "i32")])
def test_instructions_of_a_step(type_, result):
    """The loop has 16 instructions for 4 x 4 tiles, and at most 24 others."""
    product = TileProduct(type_, result, (64, 64, 64))
    name = "bfmmla" if type_ == "bf16" else "smmla"
    loops = []
    for block in instructions(product).split("\n.L"):
        loop = block.partition("\tb.")[0]
        if (count := loop.count(f"\t{name}\t")) > 0:
            loops.append((count, loop.count("\n\t")))
    assert [count for count, _ in loops] == [16]
    assert loops[0][1] <= 2.5 * 16
