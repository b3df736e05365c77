"""The table of docs/instructions.md, which docs/instructions.json has.

Run as a program, it writes the rows of the table. What a row says of the stages stays as it is
while it is true.
"""

import collections
import json
import pathlib
import re

import tinytc_mlir as tt
from instruction_counterparts import without
from instruction_kernels import INSTRUCTIONS, TEMPLATES, TYPES, kernel, parse
from tile_interpreter import TileStage

TABLE = pathlib.Path(__file__).parents[2] / "docs" / "instructions.json"
STAGES = ("linalg", "gpu", "spirv")
NO_OP = "—"
GROUPS = {
    "all": TYPES[1:],
    "integers": TYPES[1:6],
    "floating": TYPES[6:10],
    "complex": TYPES[10:],
}


def read_rows():
    """Return the rows of the table: instruction -> one op for each stage, then the cells."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))["instructions"]
    return {name.strip("`"): cells for name, *cells in table["rows"]}


def modules_of(instruction):
    """Return the modules of the tiny kernel by type, as `parse` does."""
    return {type_: parse(instruction, type_) for type_ in TYPES}


def types_cell(modules):
    """Return the types that an instruction takes, each of which must compile to SPIR-V."""
    allowed = [type_ for type_, module in modules.items() if module is not None]
    for type_ in allowed:
        modules[type_].lower("spirv", target="cpu")
    return _named(allowed)


def tile_cell(modules):
    """Return for which types an instruction can be a part of a program on tiles.

    Args:
        modules: the modules of a row, by type.
    """
    allowed = {type_: module for type_, module in modules.items() if module is not None}
    refused = [type_ for type_, module in allowed.items() if not _becomes_tiles(module)]
    if len(refused) == len(allowed):
        return NO_OP
    return f"all but {_named(refused)}" if refused else "•"


def _named(types):
    """Return types, by the names of the groups that they are all of."""
    found = []
    for name, group in GROUPS.items():
        if set(group) <= set(types):
            found.append(name)
            types = [type_ for type_ in types if type_ not in group]
    return ", ".join([*types, *found])


def _becomes_tiles(module):
    try:
        TileStage(module)
    except tt.CompileError:
        return False
    return True


def stage_texts(instruction, modules):
    """Return what the tiny kernel is at each stage, with the instruction and without.

    Args:
        instruction: its name in the table.
        modules: what `modules_of` returns.
    """
    type_ = next(type_ for type_ in ("f32", "i32", "c32", "index") if modules[type_])
    other = tt.Context().parse(kernel(without(instruction, TEMPLATES), type_))
    options = {"target": "cpu", "abi": "plain", "vector_bytes": 0}  # the same on every machine
    pair = (modules[type_], other)
    return {stage: [str(m.lower(stage, **options)) for m in pair] for stage in STAGES}


def is_own(cell, text, other):
    """Return whether the cell of a stage is true: the instruction's own op, or that it has none."""
    if not cell:
        return False
    if cell == NO_OP:
        return collections.Counter(_ops(text)) == collections.Counter(_ops(other))
    return cell.strip("`") in text and cell.strip("`") not in other


def _ops(text):
    """Return all names of ops in a text, in their order."""
    return re.findall(r"\b[a-z_]+\.[A-Za-z_][\w.]*", text)


def _own(text, other):
    """Return the cell of a stage."""
    found = next((f"`{op}`" for op in _ops(text) if op not in other), NO_OP)
    if not is_own(found, text, other):
        raise SystemExit(f"expected an op of the instruction alone, got none:\n{text}")
    return found


def _row(instruction, cells):
    """Return a row; of its present cells, those of the stages are kept while they are true."""
    modules = modules_of(instruction)
    texts = stage_texts(instruction, modules).values()
    kept = [
        cell if is_own(cell, *pair) else _own(*pair)
        for cell, pair in zip(cells[: len(STAGES)], texts, strict=True)
    ]
    return [f"`{instruction}`", *kept, types_cell(modules), tile_cell(modules)]


def _update():
    present = read_rows()
    rows = [_row(name, present.get(name, [""] * len(STAGES))) for name in INSTRUCTIONS]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    columns = json.dumps(["instruction", *STAGES, "types", "tiles"])
    text = f'{{"instructions": {{"columns": {columns}, "rows": [\n{lines}\n]}}}}\n'
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _update()
