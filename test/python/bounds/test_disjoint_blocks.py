"""Blocks that must not overlap, in the manifest."""

import json

import pytest

import tinytc_mlir as tt
from bounding import info_of
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
    data = json.loads(Manifest("cpu", (INFO,)).to_json())
    *parents, last = path
    place = data["kernels"][0]
    for parent in parents:
        place = place[parent]
    place[last] = value
    with pytest.raises(tt.TinyTCError) as caught:
        Manifest.from_json(json.dumps(data))
    assert f"manifest: kernels[0]: {message}" in str(caught.value)
