"""The table in docs/instructions.md says what the compiler does, cell by cell."""

import re

import pytest

from instruction_kernels import INSTRUCTIONS
from instruction_page import (
    STAGES,
    is_own,
    modules_of,
    read_rows,
    stage_texts,
    tile_cell,
    types_cell,
)
from tinytc_mlir.frontend import instructions

ROWS = read_rows()
# Part of loops, conditionals and functions.
WITHOUT_ROW = {"yield"}


def test_every_instruction_has_a_row():
    assert list(ROWS) == list(INSTRUCTIONS)
    older = {later: name for name, later in instructions.WITH_DIMENSION.items()}
    names = {re.split(r"[, ]", name)[0] for name in ROWS}
    for modified in names - set(instructions.INSTRUCTIONS):
        names.remove(modified)
        name = modified.rsplit(".", 1)[0]
        names.add(older.get(name, name))
    assert names == set(instructions.INSTRUCTIONS) - WITHOUT_ROW


@pytest.mark.similar
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_row(instruction):
    modules = modules_of(instruction)
    row = ROWS[instruction]
    assert row[len(STAGES) :] == [types_cell(modules), tile_cell(modules)]
    texts = stage_texts(instruction, modules)
    for stage, cell in zip(STAGES, row, strict=False):
        assert is_own(cell, *texts[stage]), stage
    # No instruction is left at the gpu stage; what the lowering makes is none.
    left = r"(^|= )\s*\"?tinytc\.(?!(?:opaque_index|atomic|subgroup_\w+)\b)"
    assert not re.search(left, texts["gpu"][0], re.MULTILINE)
