"""The table in docs/instructions.md says what the compiler does, cell by cell."""

import collections
import re

import pytest

from instruction_kernels import (
    INSTRUCTIONS,
    TYPES,
    compile_cells,
    parse,
    parse_counterpart,
    read_rows,
)
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


def ops(text):
    """Return how often the text names each op."""
    return collections.Counter(re.findall(r"\b[a-z_]+\.[A-Za-z_][\w.]*", text))


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_row(instruction):
    modules = {type_: parse(instruction, type_) for type_ in TYPES}
    linalg, gpu, spirv, *cells = ROWS[instruction]
    assert cells == compile_cells(modules.values())
    type_ = next(t for t in ("f32", "i32", "c32", "index") if modules[t])
    typical, counterpart = modules[type_], parse_counterpart(instruction, type_)
    for stage, cell in {"linalg": linalg, "gpu": gpu, "spirv": spirv}.items():
        text, other = str(typical.lower(stage)), str(counterpart.lower(stage))
        if cell == "—":
            assert ops(text) == ops(other), stage
        else:
            assert cell.strip("`") in text, stage
            assert cell.strip("`") not in other, stage
    # No instruction is left at the gpu stage; opaque indices are no instruction.
    left = r"(^|= )\s*\"?tinytc\.(?!opaque_index\b)"
    assert not re.search(left, str(typical.lower("gpu")), re.MULTILINE)
