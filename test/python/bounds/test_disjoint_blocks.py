"""Blocks that must not overlap, in the manifest."""

import itertools
import random

import pytest

import profiles
from bounding import damaged_refusal, info_of
from tinytc_mlir._arrays import Overlaps
from tinytc_mlir.runtime.bounds.disjoint_blocks import DisjointBlocks
from tinytc_mlir.runtime.manifest import Manifest

INFO = info_of("""func @f(%A: group<memref<f32x4x5>x?>, %n: index, %C: memref<f32x?x4x?>) {
  %one = constant 1.0 : f32
  %g = group_id : index
  %zero = constant 0 : index
  %rows = size %C[0] : index
  %a = load %A[%g] : memref<f32x4x5>
  %part = subview %a[:, 1] : memref<f32x4>
  %c = subview %C[0:%rows, %n, %g] : memref<f32x?>
  axpby %one, %part, %one, %c
  %whole = subview %C[0:%n, 0:2, %g] : memref<f32x?x2>
  %columns = subview %a[:, 0:2] : memref<f32x4x2>
  axpby %one, %columns, %one, %whole
}""")
BLOCKS = ("disjoint_blocks", 0)
REFUSED = [
    (("disjoint_blocks",), {}, "expected 'disjoint_blocks' to be a list, got {}"),
    (BLOCKS, 1, "expected disjoint blocks to be an object, got 1 (int)"),
    ((*BLOCKS, "written"), "n", "expected the name of an array, got 'n' (str)"),
    ((*BLOCKS, "read"), [], "expected the name of an array, got [] (list)"),
    ((*BLOCKS, "written_sizes"), [1], "expected 3 sizes of a block, got 1"),
    ((*BLOCKS, "written_sizes"), None, "expected a list of sizes, got None"),
    ((*BLOCKS, "read_sizes"), [-1, 2], "expected a size, got -1 (int)"),
    ((*BLOCKS, "moved"), [2], "expected a mode, got 2 (int)"),
    ((*BLOCKS, "in_place"), 1, "expected true or false for 'in_place', got 1 (int)"),
    ((*BLOCKS, "instruction"), 1, "expected the name of an instruction, got 1 (int)"),
    ((*BLOCKS, "line"), -1, "expected a line, got -1 (int)"),
    ((*BLOCKS, "member_mode"), 3, "expected a mode, got 3 (int)"),
    (
        (*BLOCKS, "read"),
        "C",
        "expected a group and an array for a mode that counts members, got 'C' and 'C'",
    ),
]


def test_blocks():
    (blocks,) = INFO.disjoint_blocks
    expected = DisjointBlocks("C", "A", (1, 2, 1), (4, 2), (), True, "axpby", 12, 2)
    assert blocks == expected
    assert Manifest.from_json(Manifest("cpu", (INFO,)).to_json()).kernels == (INFO,)


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_refused(path, value, message):
    assert f"manifest: kernels[0]: {message}" in damaged_refusal(INFO, path, value)


def random_block(rng):
    """Return an address, bytes of an element, sizes and strides in bytes."""
    modes, item_bytes = rng.randint(0, 3), rng.choice((1, 4, 8))
    sizes = [rng.choice((0, 1, 2, 3, 3, 4, 5)) for _ in range(modes)]
    strides = [item_bytes * rng.choice((-7, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9)) for _ in range(modes)]
    return 10**6 + rng.randint(-40, 40), item_bytes, sizes, strides


def bytes_of(address, item_bytes, sizes, strides):
    """Return the addresses of all bytes of a block."""
    indices = itertools.product(*map(range, sizes))
    starts = (
        address + sum(i * s for i, s in zip(index, strides, strict=True)) for index in indices
    )
    return {start + byte for start in starts for byte in range(item_bytes)}


def test_random_blocks():
    """Blocks overlap where they have a common byte, whatever their strides are."""
    rng = random.Random(7)
    for _ in range(20_000 if profiles.IS_NIGHTLY else 1_000):
        blocks = [random_block(rng), random_block(rng)]
        places = [
            (0, item_bytes, [[size] for size in sizes], [[stride] for stride in strides], 0)
            for _, item_bytes, sizes, strides in blocks
        ]
        own = ([-1] * len(places[0][2]), [-1] * len(places[1][2]))
        overlaps = Overlaps([(0, 1, *own, [], False, -1, -1, -1)], places)
        found = overlaps.fault([blocks[0][0], blocks[1][0]], 1)
        expected = bytes_of(*blocks[0]) & bytes_of(*blocks[1])
        assert found == ((0, 0) if expected else None), blocks
