"""Random programs and examples, printed as functions of Python, make the same module."""

import pathlib
import random

import pytest
from python_printer import functions

import tinytc_mlir as tt
from programs import INSTRUCTION_NAMES, generate
from tinytc_mlir.frontend.instructions import INSTRUCTIONS
from tinytc_mlir.frontend.printer import to_text

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.ir"))


def assert_same(module, tmp_path):
    """Check that each function of a module is the same as what Python makes of it."""
    for op in module.operation.regions[0].blocks[0].operations:
        text = to_text(op)  # of one function: MLIR numbers values in the whole module
        ((name, definition),) = functions(text).items()
        path = tmp_path / f"{name}.py"
        source = f"import tinytc_mlir as tt\n\n{definition}"
        path.write_text(source)
        scope = {}
        exec(compile(source, str(path), "exec"), scope)
        assert generic(scope[name].module) == generic(tt.Context().parse(text)), source


def generic(module):
    return module.operation.get_asm(print_generic_op_form=True)


@pytest.mark.similar
@pytest.mark.parametrize("name", sorted(set(INSTRUCTION_NAMES)))
def test_random_programs(name, tmp_path):
    for seed in range(2):
        text = generate(random.Random(f"{name} {seed}"), must_use=name)
        assert_same(tt.Context().parse(text), tmp_path)


NEWEST = """
func @newest(%x: f32, %n: i32, %z: memref<c32x8x8>, %s: memref<i32x8>, %C: memref<f32x32x8>) {
  %2 = expandc2r %z : memref<f32x2x8x8>
  parallel {
    %0 = constant 0 : index
    %b = bitcast %x : i32
    %positive = greater_than %x, 0.0 : bool
    assert %positive, "x is 'positive'"
    print "x", %x, %b
    %p = atomic_add.work_group.acquire_release 1, %s[%0] : i32
    %q = atomic_load.device.acquire %s[%0] : i32
    atomic_store.device.release %b, %s[%0]
    %u = cooperative_matrix_load.n %C[%0, %0] : coopmatrix<f32x16x8,matrix_acc>
    %v = cooperative_matrix_load.n %C[%0, %0] : coopmatrix<f32x16x8,matrix_acc>
    %w = cooperative_matrix_apply (%i, %j, %a, %c)=%u, %v -> coopmatrix<i8x16x8,matrix_acc> {
      %d = arith.add %a, %c : f32
      %e = cast %d : i8
      yield (%e)
    }
  }
}
"""


def test_newest_instructions(tmp_path):
    """What random programs lack: assertions, prints, and several matrices of other types."""
    assert_same(tt.Context().parse(NEWEST), tmp_path)
    assert set(INSTRUCTIONS) - set(INSTRUCTION_NAMES) == {"assert", "print"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, tmp_path):
    assert_same(tt.Context().parse_file(path), tmp_path)
