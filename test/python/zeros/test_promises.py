"""What breaks a pattern of zeros is reported, and what front ends write of it."""

import re

import numpy as np
import pytest
from mlir import ir

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_mlir.dialects import tinytc
from tinytc_mlir.frontend.translation import translate
from tinytc_mlir.reference import interpret
from tinytc_mlir.zero_patterns import boxes_of, mask_of

GEMV = """
func @f(%A: memref<f64x4x4> {nonzero=[[0, 2, 0, 4]]}, %x: memref<f64x4>, %y: memref<f64x4>) {
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  gemv.n %one, %A, %x, %zero, %y
}"""
STORE = """
func @f(%i: index, %A: memref<f64x4x4x?> {nonzero=[[0, 2, 0, 4], [2, 4, 3, 4]]}) {
  %g = group_id.x : index
  %a = subview %A[:,:,%g] : memref<f64x4x4>
  %x = constant 3.0 : f64
  foreach (%j) = (1), (2) {
    store %x, %a[%i, %j]
  }
}"""


def test_inputs_are_checked():
    a = np.asfortranarray(np.ones((4, 4)))
    arguments = [a, np.ones(4), np.ones(4)]
    module = tt.Context().parse(GEMV, "f.tinytc")
    with pytest.raises(tt.InterpreterError) as error:
        interpret(module, "f", arguments)
    found = error.value.diagnostics[0]
    assert found.message == (
        "expected element 2 of argument 'A' to be zero, as 'nonzero' promises, got 1.0 "
        "(work-group 0)"
    )
    assert (found.line, found.column) == (5, 3)
    with pytest.raises(tt.CheckError) as failure:
        module.compile("native", debug=True)["f"](*arguments)
    assert (
        "5:3: error: expected an element of 'A' outside of 'nonzero' to be zero, got another "
        "number at [" in str(failure.value)
    )
    a[2:] = 0
    interpret(module, "f", arguments)
    module.compile("native", debug=True)["f"](*arguments)
    assert arguments[2].tolist() == [4, 4, 0, 0]


def test_stores_are_checked():
    module = tt.Context().parse(STORE, "f.tinytc")
    a = np.zeros((4, 4, 3), order="F")
    kernel = module.compile("native", debug=True)["f"]
    kernel(1, a, groups=3)
    interpret(module, "f", [1, a], 3)
    with pytest.raises(tt.InterpreterError, match="of argument 'A' to be zero, as 'nonzero'"):
        interpret(module, "f", [2, a.copy("F")], 3)
    with pytest.raises(tt.CheckError, match=r"'nonzero' to be zero, got another number at \[2, 1"):
        kernel(2, a, groups=3)
    assert (a[1, 1] == 3).all()
    assert np.count_nonzero(a) == 3


WRITES = {
    "atomic": "%0 = atomic_add %x, %A[%i, %i] : f64\n",
    "minimum": "%n = arith.neg %x : f64\n%0 = atomic_min %n, %A[%i, %i] : f64\n",
    "matrix": """
  parallel {
    %c = constant 3.0 : coopmatrix<f64x8x8,matrix_acc>
    cooperative_matrix_store.both_checked %c, %A[%i, %i]
  }
""",
    "atomic matrix": """
  parallel {
    %c = constant 3.0 : coopmatrix<f64x8x8,matrix_acc>
    %0 = cooperative_matrix_atomic_add.n %c, %A[%i, %i] : coopmatrix<f64x8x8,matrix_acc>
  }
""",
    "factors": "%a = subview %A[%i:8,%i:8] : memref<f64x8x8,strided<1,16>>\nlu %a\n",
}


@pytest.mark.parametrize("kind", WRITES)
def test_other_writes_are_checked(kind):
    text = f"""
func @f(%i: index, %A: memref<f64x16x16> {{nonzero=[[0, 8, 0, 8]]}})
    attributes {{subgroup_size=16, work_group_size=[16, 1]}} {{
  %x = constant 3.0 : f64
  {WRITES[kind]}
}}"""
    module = tt.Context().parse(text, "f.tinytc")
    kernel = module.compile("native", debug=True)["f"]
    a = np.zeros((16, 16), order="F")
    a[:8, :8] = whole_numbers(np.random.default_rng(0), (8, 8)) + 10 * np.eye(8)
    kernel(0, a.copy("F"))
    interpret(module, "f", [0, a.copy("F")])
    if kind == "factors":  # zeros become infinite
        a[:] = np.where(np.eye(16), 1, a)
    with pytest.raises(tt.InterpreterError, match="to be zero, as 'nonzero' promises"):
        interpret(module, "f", [8, a.copy("F")])
    with pytest.raises(tt.CheckError, match=r"of 'A' outside of 'nonzero' to be zero, got"):
        kernel(8, a.copy("F"))


def test_a_product_that_breaks_it_is_refused():
    text = GEMV.replace("gemv.n %one, %A, %x, %zero, %y", "ger %one, %x, %y, %zero, %A")
    with pytest.raises(tt.LoweringError) as error:
        tt.Context().parse(text, "f.tinytc").compile("native")
    found = error.value.diagnostics[0]
    assert found.message == (
        "expected a product that is zero where 'nonzero' of 'A' says so, got one with elements "
        "[2:4, 0:4]: add their box to 'nonzero', or write a view of the boxes"
    )
    assert (found.line, found.column) == (5, 3)


def test_a_text_keeps_it():
    text = "func @f(%A: memref<f64x4x4> {nonzero=[[0, 2, 0, 4]]}) {\n"
    text += "  %0 = alloca {nonzero=[[0, 1]]} : memref<f64x4,local>\n}\n"
    module = tt.Context().parse(text)
    assert module.to_text() == text
    assert tt.Context().parse_mlir(str(module)).to_text() == text


def test_builders():
    context = tt.Context()
    with context.mlir_context, ir.Location.unknown():
        boxes = ir.ArrayAttr.get([ir.DenseI64ArrayAttr.get([0, 2, 0, 4])])
        memref = tinytc.MemrefType.get([4, 4], ir.F64Type.get())
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            func = tinytc.FuncOp("f", [memref], arg_attrs=[{"tinytc.nonzero": boxes}])
            with ir.InsertionPoint(func.add_entry_block()):
                tinytc.alloca(ir.Type.parse("!tinytc.memref<4x4xf64, local>"), nonzero=boxes)
                tinytc.YieldOp([])
    text = context.adopt(module).to_text()
    assert text.count("{nonzero=[[0, 2, 0, 4]]}") == 2


def test_other_versions_lack_it():
    text = "func @f(%A: memref<f64x4> {nonzero=[[0, 2]]}) {\n"
    text += "  %0 = alloca {nonzero=[[0, 1]]} : memref<f64x4,local>\n}\n"
    with pytest.raises(tt.ParseError) as error:
        translate(text, "0.5")
    found = [(each.line, each.message) for each in error.value.diagnostics]
    assert [line for line, _ in found] == [1, 2]
    assert all("the attribute 'nonzero'" in message for _, message in found)


@pytest.mark.parametrize(
    ("boxes", "column", "message"),
    [
        ("3", 36, "expected an array of boxes for 'nonzero', got 3"),
        ("[0, 4]", 37, "expected boxes such as [0, 8, 4, 12] for 'nonzero', got 0"),
        ("[[0, true]]", 41, "expected an integer for 'nonzero', got true"),
    ],
)
def test_wrong_texts(boxes, column, message):
    with pytest.raises(tt.ParseError) as error:
        tt.Context().parse(f"func @f(%A: memref<f64x4> {{nonzero={boxes}}}) {{}}")
    found = error.value.diagnostics[0]
    assert (found.message, found.column) == (message, column)


def test_masks_become_boxes():
    rng = np.random.default_rng(0)
    for shape in ((5,), (6, 4), (3, 4, 5)):
        mask = whole_numbers(rng, shape) < 0.5
        boxes = boxes_of(mask, 3)
        assert (mask_of(boxes, shape) == mask).all()
        assert sum(np.count_nonzero(mask_of([box], shape)) for box in boxes) == mask.sum()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (3, "expected boxes or an array of bool, got 3 (int)"),
        ([(0, 1, 2)], "expected two integers for each of at most 2 modes, got 3 integers"),
        ([(0.0, 1)], "expected a box such as"),
        (np.ones(3), "expected an array of bool with at most 2 modes, got dtype float64"),
    ],
)
def test_wrong_patterns(pattern, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        tt.f64[4, 4].nonzero(pattern)


def test_einsum():
    mask = np.tri(20, dtype=bool)
    shapes = (20, 20), (20, 9, None)
    chain = tt.recipes.einsum("ij,jk->ik", *shapes, dtype="f64", target="cpu", nonzero={0: mask})
    assert "%operand0: memref<f64x20x20> {nonzero=[[0, 20, 0, 1], [1, 20, 1, 2]" in chain.text
    rng = np.random.default_rng(0)
    a, b = np.asfortranarray(np.tri(20)), np.asfortranarray(whole_numbers(rng, (20, 9, 3)))
    np.testing.assert_array_equal(chain(a, b), np.einsum("ij,jkg->ikg", a, b))
    for pattern, message in (
        ({2: mask}, "expected the number of one of 2 operands, got 2"),
        ({0: [(0, 21)]}, "expected a range within mode 0 of size 20 of operand 0, got 0 to 21"),
        ({0: 3}, "expected boxes or an array of bool, got 3 (int) for operand 0"),
    ):
        with pytest.raises(tt.ArgumentError, match=re.escape(message)):
            tt.recipes.einsum("ij,jk->ik", *shapes, dtype="f64", nonzero=pattern)
