"""IR that is built from Python by the dialect's op classes."""

import subprocess
import sys

import numpy as np
import pytest
from mlir import ir

import tinytc_mlir as tt
from tinytc_mlir.dialects import tinytc


@pytest.fixture
def context():
    context = tt.Context()
    with context.mlir_context, ir.Location.unknown():
        yield context


def kernel(types, name="f", **options):
    """Return the types' module and kernel, with an entry block."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = tinytc.FuncOp(name, types, **options)
    return module, function, ir.InsertionPoint(function.add_entry_block())


def test_kernel_runs(context):
    f32, batch = ir.F32Type.get(), tinytc.MemrefType.get([16, 8, None], ir.F32Type.get())
    module, function, body = kernel([f32, batch], "scale")
    with body:
        alpha, array = function.arguments
        matrix = tinytc.subview(array, [(0, 16), (0, 8), tinytc.builtin_group_id()])
        tinytc.axpby("n", alpha, matrix, tinytc.constant(f32, 0.0), matrix)
        tinytc.YieldOp([])
    program = context.adopt(module).compile("cpu")
    a = np.ones((16, 8, 5), np.float32, order="F")
    program["scale"](3.0, a)
    assert (a == 3).all()


def test_function_type(context):
    module, function, body = kernel(ir.FunctionType.get([ir.F32Type.get()], []))
    with body:
        tinytc.YieldOp([])
    assert context.adopt(module).to_text() == "func @f(%0: f32) {\n}\n"
    with pytest.raises(ValueError, match="expected a kernel without a block, got one with"):
        function.add_entry_block()


def test_attributes_of_a_kernel(context):
    module, _, body = kernel(
        [], subgroup_size=16, work_group_size=[16, 1], schedule={"columns": 4, "groups": 2}
    )
    with body:
        tinytc.YieldOp([])
    text = str(context.adopt(module))
    assert "schedule = #tinytc.schedule<columns = 4, groups = 2>" in text
    assert "subgroup_size = 16 : i32, work_group_size = array<i32: 16, 1>" in text
    with pytest.raises(ValueError, match=r"expected entries of rows, .*, got \['lines'\]"):
        kernel([], schedule={"lines": 4})


def test_loops_and_conditions(context):
    f32, index = ir.F32Type.get(), ir.IndexType.get()
    module, function, body = kernel([f32, tinytc.MemrefType.get([8], f32)])
    with body:
        x, array = function.arguments
        low, high = tinytc.constant(index, 0), tinytc.constant(index, 8)
        loop = tinytc.for_(low, high, [x], unroll=4)
        with ir.InsertionPoint(loop.block):
            tinytc.YieldOp([tinytc.arith_mul(loop.inner_iter_args[0], x)])
        each = tinytc.foreach([low], [high])
        with ir.InsertionPoint(each.block):
            (i,) = each.block.arguments
            chosen = tinytc.if_(tinytc.cmp_lt(i, tinytc.constant(index, 4)), [f32])
            with ir.InsertionPoint(chosen.then_block):
                tinytc.YieldOp([x])
            with ir.InsertionPoint(chosen.else_block):
                tinytc.YieldOp([loop.results[0]])
            tinytc.store(chosen.results[0], array, [i])
            tinytc.YieldOp([])
        tinytc.YieldOp([])
    program = context.adopt(module).compile("cpu")
    a = np.zeros(8, np.float32)
    program["f"](2.0, a, groups=1)
    assert a.tolist() == [2.0] * 4 + [2.0**9] * 4


def test_constants(context):
    i8, c64 = ir.IntegerType.get_signless(8), ir.ComplexType.get(ir.F64Type.get())
    matrix = tinytc.CoopMatrixType.get(8, 8, ir.F32Type.get(), "matrix_acc")
    module, _, body = kernel([])
    with body:
        tinytc.constant(i8, -3)
        tinytc.constant(ir.IntegerType.get_signless(1), True)
        tinytc.constant(c64, 1 - 2j)
        block = tinytc.parallel()
        with ir.InsertionPoint(block.block):
            tinytc.constant(matrix, 0.5)
            tinytc.YieldOp([])
        with pytest.raises(ValueError, match="expected an integer for a constant of i8, got 1.5"):
            tinytc.constant(i8, 1.5)
        with pytest.raises(ValueError, match="expected a real number for a constant of f32"):
            tinytc.constant(ir.F32Type.get(), 1j)
        tinytc.YieldOp([])
    text = context.adopt(module).to_text()
    for part in ("-3 : i8", "true : bool", "[1.0, -2.0] : c64", "0.5 : coopmatrix<f32x8x8"):
        assert f"constant {part}" in text


def test_enums_by_word_or_member(context):
    f32 = ir.F32Type.get()
    square = tinytc.MemrefType.get([8, 8], f32)
    module, function, body = kernel([f32, square, square])
    with body:
        x, a, b = function.arguments
        tinytc.gemm("t", tinytc.Transpose.N, x, a, a, x, b, atomic=False)
        with pytest.raises(ValueError, match="expected an enum .*got 'tensor_form' and 'h'"):
            tinytc.axpby("h", x, a, x, a)
        tinytc.YieldOp([])
    assert "gemm.t.n %0, %1, %1, %0, %2" in context.adopt(module).to_text()


def test_what_adopt_refuses(context):
    module, function, body = kernel(
        [ir.F32Type.get(), tinytc.MemrefType.get([4], ir.F32Type.get())]
    )
    with body:
        x, a = function.arguments
        tinytc.hadamard_product(x, a, a, x, a)
        tinytc.YieldOp([])
    with pytest.raises(tt.VerificationError, match="expected a module of this context"):
        tt.Context().adopt(module)
    with ir.InsertionPoint.at_block_begin(function.body.blocks[0]):
        tinytc.store(x, a, [])
    with pytest.raises(tt.VerificationError, match="expected"):
        context.adopt(module)


def test_one_import_is_enough():
    code = """
import tinytc_mlir as tt
from tinytc_mlir.dialects import tinytc
from tinytc_mlir import ir
with tt.Context().mlir_context, ir.Location.unknown():
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        tinytc.FuncOp("f", [ir.F32Type.get()])
    print(module)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "tinytc.func" in result.stdout, result.stderr
