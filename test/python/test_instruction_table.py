"""The table in docs/instructions.md says what the compiler does, cell by cell."""

import re

import pytest

from instruction_kernels import INSTRUCTIONS, TYPES, compile_cells, parse, read_rows
from tinytc_mlir.frontend import instructions

ROWS = read_rows()
# Part of loops, conditionals and functions.
WITHOUT_ROW = {"yield"}


def test_every_instruction_has_a_row():
    assert list(ROWS) == list(INSTRUCTIONS)
    names = {re.split(r"[, ]", name)[0] for name in ROWS}
    for modified in names - set(instructions.INSTRUCTIONS):
        names.remove(modified)
        names.add(modified.rsplit(".", 1)[0])
    assert names == set(instructions.INSTRUCTIONS) - WITHOUT_ROW


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_row(instruction):
    modules = {type_: parse(instruction, type_) for type_ in TYPES}
    linalg, gpu, spirv, *cells = ROWS[instruction]
    assert cells == compile_cells(modules.values())
    typical = next(modules[t] for t in ("f32", "i32", "c32", "index") if modules[t])
    for stage, word in {"linalg": linalg, "gpu": gpu, "spirv": spirv}.items():
        assert word.strip("`") in str(typical.lower(stage)), stage
    # No instruction is left at the gpu stage; opaque indices are no instruction.
    left = r"(^|= )\s*\"?tinytc\.(?!opaque_index\b)"
    assert not re.search(left, str(typical.lower("gpu")), re.MULTILINE)
