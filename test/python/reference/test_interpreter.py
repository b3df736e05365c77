"""How kernels are found, laid out and run."""

import numpy as np
import pytest
from mlir import ir

import tinytc_mlir as tt
from interpreting import array, failure, result_of, run
from tinytc_mlir.dialects.tinytc import register_dialect

ASSEMBLY = """
module {
  tinytc.func @f(%x: f32, %out: !tinytc.memref<f32>) {
    tinytc.store %x, %out[] : f32, !tinytc.memref<f32>
  }
}"""


def test_module_of_the_mlir_package():
    with ir.Context() as context:
        register_dialect(context)
        module = ir.Module.parse(ASSEMBLY)
    out = array(0)
    tt.interpret(module, "f", [2.5, out])
    assert out == 2.5


def test_module_from_assembly():
    out = array(0)
    tt.interpret(tt.Context().parse_mlir(ASSEMBLY), "f", [2.5, out])
    assert out == 2.5


def test_arguments_have_the_names_of_the_assembly():
    module = tt.Context().parse_mlir(ASSEMBLY)
    with pytest.raises(tt.ArgumentError, match=r"got 1; missing: out"):
        tt.interpret(module, "f", [2.5])


def test_arguments_without_names_go_by_number():
    unnamed = ASSEMBLY.replace("%x", "%arg0").replace("%out", "%arg1")
    with pytest.raises(tt.ArgumentError, match=r"got 1; missing: arg1"):
        tt.interpret(tt.Context().parse_mlir(unnamed), "f", [2.5])


def test_ops_of_other_dialects():
    module = tt.Context().parse_mlir(
        """module {
          tinytc.func @f() {
            %0 = arith.constant 1 : i32
          }
        }"""
    )
    with pytest.raises(tt.InterpreterError, match="that the interpreter has, got 'arith.co"):
        tt.interpret(module, "f", [])


def test_every_kernel_of_a_module_has_its_own_attributes():
    text = """
    func @f(%out: memref<i32x2>) attributes {subgroup_size=8, work_group_size=[16,2]} {
        %a = builtin.subgroup_size : i32
        %b = builtin.num_subgroups : i32
        store %a, %out[0]
        store %b, %out[1]
    }
    func @g(%out: memref<i32x2>) attributes {work_group_size=[4,3]} {
        %a = builtin.subgroup_size : i32
        %b = builtin.num_subgroups : i32
        store %a, %out[0]
        store %b, %out[1]
    }
    func @h(%out: memref<i32x2>) {
        %a = builtin.subgroup_size : i32
        %b = builtin.num_subgroups : i32
        store %a, %out[0]
        store %b, %out[1]
    }"""
    assert result_of(text, "i32", shape=(2,)).tolist() == [8, 4]
    assert result_of(text, "i32", shape=(2,), kernel="g").tolist() == [4, 3]
    assert result_of(text, "i32", shape=(2,), kernel="h").tolist() == [16, 2]
    sizes = {"work_group_size": (6, 2), "subgroup_size": 2}
    assert result_of(text, "i32", shape=(2,), **sizes).tolist() == [2, 6]


def test_groups_of_three_modes():
    text = """
    func @f(%out: memref<indexx3>, %size: memref<index>) {
        %g = builtin.group_id : index
        %1 = constant 1 : index
        store.atomic_add %1, %out[%g]
        %n = builtin.group_size : index
        store.atomic %n, %size[]
    }"""
    out, size = array([0, 0, 0], "index"), array(0, "index")
    run(text, out, size, groups=(3, 2, 4), work_group_size=(1, 1))
    assert out.tolist() == [8, 8, 8]
    assert size == 3


def test_empty_tensors():
    text = """
    func @f(%A: memref<f32x2x?>, %b: memref<f32x2>) {
        %one = constant 1.0 : f32
        sum.n %one, %A, %one, %b
    }"""
    b = array([1, 2])
    run(text, np.zeros((2, 0), np.float32, order="F"), b)
    assert b.tolist() == [1, 2]


def test_bfloat16_in_a_collective_instruction():
    text = """
    func @f(%A: memref<bf16x1x3>, %b: memref<bf16x3>, %c: memref<bf16x1>) {
        %one = constant 1.0 : bf16
        %two = constant 2.0 : bf16
        gemv.n %two, %A, %b, %one, %c
    }"""
    a = np.array([[0x4380, 0x3F80, 0x3F80]], np.uint16, order="F")  # 256, 1, 1
    c = np.array([0x3F80], np.uint16)
    run(text, a, np.array([0x3F80] * 3, np.uint16), c)
    assert hex(c[0]) == "0x4401"  # 2 * 258 + 1 = 517 rounds to 516


def test_results_are_the_same_in_every_run():
    text = """
    func @f(%A: memref<f32x1000>, %out: memref<f32>) {
        %0 = constant 0 : index
        %n = constant 1000 : index
        foreach (%i)=(%0),(%n) {
            %x = load %A[%i] : f32
            store.atomic_add %x, %out[]
        }
    }"""
    a = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    results = {float(result_of(text, "f32", a)) for _ in range(3)}
    assert results == {float(np.cumsum(a)[-1])}


COOPMATRIX = "coopmatrix<i32x2x2,matrix_acc>"


def test_division_by_zero_in_a_component():
    text = f"""
    func @f(%A: memref<i32x2x2>) attributes {{subgroup_size=4, work_group_size=[4,1]}} {{
        %0 = constant 0 : index
        parallel {{
            %a = cooperative_matrix_load.n %A[%0,%0] : {COOPMATRIX}
            %b = arith.div %a, %a : {COOPMATRIX}
            cooperative_matrix_store %b, %A[%0,%0]
        }}
    }}"""
    a = array([[1, 2], [3, 4]], "i32")
    run(text, a)
    assert a.tolist() == [[1, 1], [1, 1]]
    diagnostic = failure(text, array([[1, 2], [0, 4]], "i32"))
    assert "expected divisor 'b' to differ from 0, got 0" in diagnostic.message
    assert diagnostic.line == 6


def test_matrices_from_different_members_of_a_group():
    text = f"""
    func @f(%A: group<memref<i32x2x2>x2>) attributes {{subgroup_size=4, work_group_size=[8,1]}} {{
        %0 = constant 0 : index
        parallel {{
            %s = builtin.subgroup_id : i32
            %i = cast %s : index
            %member = load %A[%i] : memref<i32x2x2>
            %m = cooperative_matrix_load.t %member[%0,%0] : {COOPMATRIX}
            cooperative_matrix_store %m, %member[%0,%0]
        }}
    }}"""
    one = {"work_group_size": (2, 1), "subgroup_size": 1}
    members = [array([[1, 2], [3, 4]], "i32"), array([[5, 6], [7, 8]], "i32")]
    run(text, members, **one)
    assert [member.tolist() for member in members] == [[[1, 3], [2, 4]], [[5, 7], [6, 8]]]
    # Which work-items transpose through memory is not defined for larger subgroups.
    assert "race" in failure(text, members).message


def test_matrices_in_a_collective_region():
    text = f"""
    func @f(%n: index, %A: memref<i32x2x4>) attributes {{subgroup_size=4, work_group_size=[8,1]}} {{
        %0 = constant 0 : index
        %ones = constant 1 : {COOPMATRIX}
        %m = for %i=%0,%n init(%sum=%ones) -> ({COOPMATRIX}) {{
            %more = arith.add %sum, %ones : {COOPMATRIX}
            yield (%more)
        }}
        parallel {{
            %s = builtin.subgroup_id : i32
            %i = cast %s : index
            %y = arith.add %i, %i : index
            cooperative_matrix_store %m, %A[%0,%y]
        }}
    }}"""
    assert (result_of(text, "i32", 3, shape=(2, 4)) == 4).all()


def test_a_life_ends_only_once():
    text = """
    func @f() {
        %0 = constant 0 : index
        %2 = constant 2 : index
        %x = constant 1.0 : f32
        %tmp = alloca : memref<f32>
        for %i=%0,%2 {
            store %x, %tmp[]
            lifetime_stop %tmp
        }
    }"""
    with pytest.raises(tt.VerificationError, match="between the alloca and the end of its life"):
        failure(text)
