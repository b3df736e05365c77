"""Products with the strategy `staged_factors`, whatever the cost model says of them."""

import random
import re

from mlir import ir

TYPES = {("f32", "f32"): 1, ("f64", "f64"): 1}
#: Rows and columns of the part of a subgroup.
PARTS = {"f32": (64, 32), "f64": (32, 32)}
_PAD_BYTES = 16
_TRANSPOSES = re.compile(r"tinytc\.gemm (?:atomic )?([nt]) ([nt]) ")


def _line_elements(type_, size, steps, *, is_along_size):
    """Return the elements of a factor in a stage: lines with what keeps them on other banks."""
    width = int(type_[1:]) // 8
    length, lines = (size, steps) if is_along_size else (steps, size)
    is_padded = is_along_size == (type_ == "f64")
    return lines * (length + is_padded * _PAD_BYTES // width)


def strategy(type_, transposes, grid, steps, stages):
    """Return the attribute.

    Args:
        type_: "f32" or "f64".
        transposes: of A and B, such as "nt".
        grid: subgroups along the rows and the columns of a tile.
        steps: of a stage.
        stages: their number.
    """
    rows, columns = (part * count for part, count in zip(PARTS[type_], grid, strict=True))
    elements = _line_elements(type_, rows, steps, is_along_size=transposes[0] == "n")
    elements += _line_elements(type_, columns, steps, is_along_size=transposes[1] == "t")
    entries = {
        "kind": "staged_factors",
        "rows": rows,
        "columns": columns,
        "unroll": steps,
        "grid_rows": grid[0],
        "grid_columns": grid[1],
        "local_bytes": elements * stages * int(type_[1:]) // 8,
        "stages": stages,
    }
    return f"#tinytc.strategy<{', '.join(f'{name} = {value}' for name, value in entries.items())}>"


def stage(module, rng=None, grid=None, steps=None, stages=None):
    """Give all products of a module such a strategy, random where it is left open."""
    rng = rng or random.Random(1)

    def choose(func):
        products = [op for block in func.regions[0] for op in _products(block)]
        if not products:
            return
        shape = grid or (rng.choice((1, 1, 2)), rng.choice((1, 1, 2)))
        lanes = 32 * shape[0] * shape[1]
        func.attributes["subgroup_size"] = ir.Attribute.parse("32 : i32")
        func.attributes["work_group_size"] = ir.Attribute.parse(f"array<i32: {lanes}, 1>")
        for op in products:
            transposes = "".join(_TRANSPOSES.search(str(op)).groups())
            numbers = steps or rng.choice((8, 16, 32)), stages or rng.choice((2, 3, 4))
            text = strategy(str(op.operands[0].type), transposes, shape, *numbers)
            op.attributes["tinytc.strategy"] = ir.Attribute.parse(text)

    with module.operation.context, ir.Location.unknown():
        for op in module.operation.regions[0].blocks[0].operations:
            if op.operation.name == "tinytc.func":
                choose(op.operation)
    return module


def _products(block):
    """Yield the products in a block and in what is in it."""
    for op in block.operations:
        if op.operation.name == "tinytc.gemm":
            yield op.operation
        for region in op.operation.regions:
            for inner in region:
                yield from _products(inner)
