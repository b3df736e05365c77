"""The compiler puts a barrier where the table of races says that work-items of a group race."""

import itertools

import pytest

import tinytc_mlir as tt
from tinytc_mlir.reference.shadow import CONFLICTS, AccessKind, Apart

WORDS = {
    AccessKind.READ: "%{} = tinytc.load %a[%i] : !vector",
    AccessKind.WRITE: "tinytc.store %x, %a[%i] : i32, !vector",
    AccessKind.ATOMIC: "%{} = tinytc.atomic_add device %x, %a[%i] : i32, !vector",
    AccessKind.ATOMIC_IN_GROUP: "%{} = tinytc.atomic_add work_group %x, %a[%i] : i32, !vector",
    AccessKind.ATOMIC_IN_SUBGROUP: "%{} = tinytc.atomic_add subgroup %x, %a[%i] : i32, !vector",
}
PAIRS = list(itertools.product(WORDS, repeat=2))


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda kind: kind.name)
def test_barriers(first, second):
    module = tt.Context().parse_mlir(f"""
!vector = !tinytc.memref<16xi32>
tinytc.func @f(%x: i32, %i: index, %a: !vector) {{
  {WORDS[first].format(0)}
  {WORDS[second].format(1)}
}}""")
    operation = module.operation
    module._lowering.run("tinytc.func(tinytc-insert-barriers)", operation)
    races = CONFLICTS[first].get(second) in (Apart.AGENTS, Apart.SUBGROUPS)
    assert ("tinytc.barrier" in str(operation)) == races
