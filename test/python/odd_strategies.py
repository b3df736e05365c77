"""Instructions with random strategies: each is refused, or computes the right numbers."""

import random

import numpy as np
from mlir import ir

import tinytc_mlir as tt

KINDS = (
    *("work_items", "matrix_unit", "packed_factors", "tensor_cores", "scan", "line_walks"),
    *("shared_operand", "subgroup_reduction", "split_complex", "collapsed", "lane_transpose"),
    *("pair_gather", "vector_transpose", "tiles", "tile_products", "local_copies", "dot_products"),
    *("tile_registers", "staged_factors"),
)
ENTRIES = (
    *("rows", "columns", "unroll", "grid_rows", "grid_columns", "element_rows"),
    *("element_columns", "local_bytes", "stages", "tail_unroll", "adjacent", "operand", "row_mode"),
)
FLAGS = ("shares_columns", "columns_outside", "prefetch", "copies_a", "copies_b")
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 64, 100, 256, 1024, 4096, 8192, 2**31 - 1, -1, 2**40)
TARGETS = (
    *("native", "x86-64-v2", "cpu", "intel-gpu:pvc", "intel-gpu:dg2", "intel-gpu:bmg"),
    *("cuda:sm_80", "cuda:sm_90", "tile"),
)
#: Instructions, and the shapes of their arrays A, B and C.
INSTRUCTIONS = {
    "gemm.n.n %one, %A, %B, %zero, %C": ((32, 24), (24, 16), (32, 16)),
    "gemm.t.n %one, %A, %B, %zero, %C": ((24, 32), (24, 16), (32, 16)),
    "gemv.n %one, %A, %B, %zero, %C": ((17, 12), (12,), (17,)),
    "ger %one, %A, %B, %zero, %C": ((17,), (12,), (17, 12)),
    "sum.n %one, %A, %zero, %C": ((17, 12), (1,), (17,)),
    "sum.t %one, %A, %zero, %C": ((17, 12), (1,), (12,)),
    "axpby.t %one, %A, %zero, %C": ((16, 8), (1,), (8, 16)),
    "axpby.n %one, %A, %zero, %C": ((16, 8), (1,), (16, 8)),
    "hadamard_product %one, %A, %B, %zero, %C": ((40,), (40,), (40,)),
    "cumsum %one, %A, 0, %zero, %C": ((17, 12), (1,), (17, 12)),
    "cumsum %one, %A, 1, %zero, %C": ((17, 12), (1,), (17, 12)),
}
TYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "i8": np.int8,
    "f64": np.float64,
    "c32": np.complex64,
}


def random_strategy(rng):
    """Return an attribute with a few entries, most of them possible."""
    kind = "work_items" if rng.random() < 0.5 else rng.choice(KINDS)
    entries = [f"kind = {kind}"]
    numbers = NUMBERS if rng.random() < 0.3 else NUMBERS[1:5]
    present = rng.random()
    entries += [f"{name} = {rng.choice(numbers)}" for name in ENTRIES if rng.random() < present]
    entries += [f"{name} = true" for name in FLAGS if rng.random() < 0.2]
    if rng.random() < 0.4:
        sizes = ", ".join(str(rng.choice(numbers)) for _ in range(rng.randrange(1, 4)))
        entries.append(f"tile = [{sizes}]")
    return f"#tinytc.strategy<{', '.join(entries)}>"


def program(rng, type_):
    """Return the text of a kernel of one instruction, and the shapes of its arrays."""
    instruction, shapes = rng.choice(list(INSTRUCTIONS.items()))
    arrays = ", ".join(
        f"%{name}: memref<{type_}x{'x'.join(map(str, shape))}>"
        for name, shape in zip("ABC", shapes, strict=True)
    )
    one = {"c": "[1.0, 0.0]", "i": "1"}.get(type_[0], "1.0")
    zero = {"c": "[0.0, 0.0]", "i": "0"}.get(type_[0], "0.0")
    text = f"""func @f({arrays}) {{
      %one = constant {one} : {type_}
      %zero = constant {zero} : {type_}
      {instruction}
    }}"""
    return text, shapes


def mark(module, attribute):
    """Give the instructions, or the ops of the linalg stage, a strategy."""
    with module.operation.context:
        strategy = ir.Attribute.parse(attribute)

    def visit(op):
        name = op.name.removeprefix("tinytc.")
        known = any(text.startswith((name + " ", name + ".")) for text in INSTRUCTIONS)
        if known or op.name in ("linalg.generic", "scf.forall"):
            op.attributes["tinytc.strategy"] = strategy
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)


def outcome(seed):
    """Return what becomes of an instruction with a strategy: "refused", "made" or "right".

    Raises:
        AssertionError: the numbers are others than without the strategy.
    """
    rng = random.Random(seed)
    type_, target = rng.choice(list(TYPES)), rng.choice(TARGETS)
    if type_ == "f64" and target == "intel-gpu:dg2":
        type_ = "f32"
    text, shapes = program(rng, type_)
    attribute = random_strategy(rng)
    plain = tt.Context().parse(text)
    try:
        given = tt.Context().parse(text)
        if target != "tile" and rng.random() < 0.5:
            given = given.lower("linalg", target=target)
            mark(given, attribute)
            made = given.compile()
        else:
            mark(given, attribute)
            made = given.lower("tile") if target == "tile" else given.compile(target)
    except (tt.TinyTCError, ir.MLIRError, ValueError) as error:
        assert str(error)
        return "refused"
    if target not in ("native", "cpu"):
        return "made"
    numbers = np.random.default_rng(seed)
    dtype = TYPES[type_]
    arrays = [numbers.integers(-2, 3, shape).astype(dtype).copy("F") for shape in shapes]
    expected = [array.copy("F") for array in arrays]
    plain.compile(target)["f"](*expected, groups=1)
    made["f"](*arrays, groups=1)
    np.testing.assert_array_equal(arrays[2], expected[2], f"{text}\n{attribute}")
    return "right"
