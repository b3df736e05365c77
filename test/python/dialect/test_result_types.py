"""Result types that the dialect infers from operands and attributes."""

import pytest
from mlir import ir

import ods
import tinytc_mlir as tt
from tinytc_mlir.dialects import _tinytc_ops_gen as generated
from tinytc_mlir.dialects import tinytc

DYNAMIC = ir.ShapedType.get_dynamic_size()


@pytest.fixture
def context():
    context = tt.Context()
    with context.mlir_context, ir.Location.unknown():
        yield context


@pytest.fixture
def values(context):
    """Return a function that gives a kernel's parameter of a type, where ops may follow."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        kernel = tinytc.FuncOp("f", [])
    block = kernel.add_entry_block()
    with ir.InsertionPoint(block):
        yield lambda type_: block.add_argument(type_, ir.Location.unknown())


def memref(shape, stride=None, space="global"):
    return tinytc.MemrefType.get(shape, ir.F32Type.get(), stride, space)


VIEWS = [
    ([32, 8], lambda a, n: tinytc.expand(a, 0, [4, 8], []), "4x8x8xf32"),
    ([32, 8], lambda a, n: tinytc.expand(a, 0, [4, DYNAMIC], [n]), "4x?x8xf32, strided<1,4,32>"),
    ([8, 4, 2], lambda a, n: tinytc.fuse(a, 0, 1), "32x2xf32"),
    ([8, None, 2], lambda a, n: tinytc.fuse(a, 1, 2), "8x?xf32"),
    ([16, 8], lambda a, n: tinytc.subview(a, [(2, 4), (n, n)]), "4x?xf32, strided<1,16>"),
    ([16, 8, 3], lambda a, n: tinytc.subview(a, [(0, 16), n, (0, 3)]), "16x3xf32, strided<1,128>"),
    ([16, 8], lambda a, n: tinytc.subview(a, [3, n]), "f32"),
    ([0, 8], lambda a, n: tinytc.subview(a, [(0, 0), (0, 8)]), "0x8xf32"),
]


@pytest.mark.parametrize(("shape", "view", "expected"), VIEWS)
def test_views(values, shape, view, expected):
    made = view(values(memref(shape)), values(ir.IndexType.get()))
    assert str(made.type) == f"!tinytc.memref<{expected}>"
    assert made.owner.verify()


def test_views_keep_type_and_space(values):
    source = values(memref([4, 4], [1, 8], "local"))
    assert tinytc.subview(source, [(0, 4), (0, 2)]).type == memref([4, 2], [1, 8], "local")


def test_strides_that_sizes_contradict_are_left_to_run_time(values):
    source = values(memref([None, 4], [1, 8]))
    made = tinytc.subview(source, [(0, 16), (0, 4)])
    assert made.type == memref([16, 4], [None, None])
    assert made.owner.verify()


def test_more_strides_may_be_left_to_run_time(values):
    loose = memref([4, 8], [1, None])
    made = tinytc.subview(values(memref([16, 8])), [(0, 4), (0, 8)], results=[loose])
    assert made.type == loose
    assert made.owner.verify()


def test_loads(values):
    index, pair = values(ir.IndexType.get()), memref([4, 2])
    assert tinytc.load(values(pair), [index, index]).type == ir.F32Type.get()
    assert tinytc.atomic_load(values(pair), [index, index]).type == ir.F32Type.get()
    assert tinytc.load(values(tinytc.GroupType.get(pair, 3)), [index]).type == pair


def test_parts_of_coopmatrices(values):
    f32 = ir.F32Type.get()
    matrix = values(tinytc.CoopMatrixType.get(16, 8, f32, "matrix_acc"))
    assert tinytc.cooperative_matrix_extract(matrix, 0).type == f32
    rows = tinytc.cooperative_matrix_reduce_add("row", matrix)
    assert rows.type == tinytc.CoopMatrixType.get(16, 1, f32, "matrix_acc")
    columns = tinytc.cooperative_matrix_reduce_max("column", matrix)
    assert columns.type == tinytc.CoopMatrixType.get(1, 8, f32, "matrix_acc")


def test_results_of_the_types_of_operands(values):
    f32, f64, index = ir.F32Type.get(), ir.F64Type.get(), ir.IndexType.get()
    first, last = values(index), values(index)
    assert tinytc.for_(first, last, [values(f64), first]).results.types == [f64, index]
    x, y, pair = values(f32), values(f64), values(ir.VectorType.get([2], f32))
    product = tinytc.SubgroupMatrixMulAddOp([x] * 8, [x] * 2, [pair])
    assert product.results.types == [pair.type]
    product = tinytc.WarpMatrixMulAddOp([y] * 4, [y] * 2, [y] * 4)
    assert product.results.types == [f64] * 4
    assert product.verify()


GIVEN = {
    *("alloca", "bitcast", "cast", "constant", "cooperative_matrix_construct"),
    *("cooperative_matrix_atomic_load", "cooperative_matrix_load", "cooperative_matrix_mul_add"),
    # What regions yield, which are empty when a builder makes the op.
    *("cooperative_matrix_apply", "if"),
    # The number of elements, and bf16 where memory has i16.
    *("atomic", "subgroup_block_load"),
}
"""Ops whose result types operands and attributes do not tell."""


def is_inferred(context, op_class):
    """Whether the dialect infers the result types of an op."""
    try:
        ir.InferTypeOpInterface(op_class, context)
    except ValueError:
        return False
    return True


def test_other_results_are_inferred(context):
    ops = [ods.records()[name] for name in ods.records()["!instanceof"]["Op"]]
    with_results = {
        op["opName"]
        for op in ops
        if op["opDialect"]["def"] == "TinyTC_Dialect" and op["results"]["args"]
    }
    inferred = {
        each.OPERATION_NAME.removeprefix("tinytc.")
        for each in vars(generated).values()
        if hasattr(each, "OPERATION_NAME") and is_inferred(context.mlir_context, each)
    }
    assert with_results - inferred == GIVEN


WRONG = [
    (lambda a: tinytc.expand(a, 2, [4, 8], []), "expected the mode to be at least 0 and less"),
    (lambda a: tinytc.expand(a, 0, [], []), "expected an expand shape of at least 2 modes"),
    (lambda a: tinytc.expand(a, 0, [-4, -8], []), "expected the expand shape to be positive"),
    (lambda a: tinytc.fuse(a, 1, 0), "expected 0 <= from < to < order = 2"),
    (lambda a: tinytc.subview(a, [0]), "expected one offset and one size for each of the 2"),
    (lambda a: tinytc.subview(a, [(0, -1), 0]), "expected the size of mode 0 to be non-neg"),
]


@pytest.mark.parametrize(("view", "message"), WRONG)
def test_the_verifier_says_what_is_wrong_with_attributes(values, view, message):
    made = view(values(memref([32, 8])))
    with pytest.raises(ir.MLIRError, match=message):
        made.owner.verify()


@pytest.mark.parametrize("name", ["expand", "fuse", "subview", "load", "atomic_load"])
def test_operands_without_a_result_type(values, context, name):
    message = "expected a memref( or a group)?, got "
    with pytest.raises(ir.MLIRError, match=f"{message}'f32'"):
        ir.Operation.create(f"tinytc.{name}", operands=[values(ir.F32Type.get())], infer_type=True)
    with pytest.raises(ir.MLIRError, match=f"{message}nothing"):
        ir.Operation.create(f"tinytc.{name}", infer_type=True)
    source = values(memref([8, 8]))
    made = ir.Operation.create(f"tinytc.{name}", operands=[source], infer_type=True)
    assert len(made.results) == 1  # attributes are for the verifier


def test_memory_that_cannot_be(values):
    source = values(memref([None, None]))
    with pytest.raises(ir.MLIRError, match="expected a memref of less than 2\\^63 bytes"):
        tinytc.subview(source, [(0, 2**61), (0, 2**61)])
