"""Adjoints of alpha, beta and of products in place, where only a launch knows the sizes."""

import pytest
from dot_products import Products, check_symmetry

import tinytc_mlir as tt

#: The orders of the arrays of each instruction.
INSTRUCTIONS = {
    "axpby.n %alpha, %a, %beta, %c": {"a": 2, "c": 2},
    "axpby.n %alpha, %b, %beta, %d": {"b": 0, "d": 0},
    "cumsum %alpha, %a, 1, %beta, %c": {"a": 3, "c": 3},
    "gemm.n.t %alpha, %a, %b, %beta, %c": {"a": 2, "b": 2, "c": 2},
    "gemv.n %alpha, %a, %b, %beta, %c": {"a": 2, "b": 1, "c": 1},
    "ger %alpha, %a, %b, %beta, %c": {"a": 1, "b": 1, "c": 2},
    "hadamard_product %alpha, %a, %b, %beta, %c": {"a": 1, "b": 1, "c": 1},
    "hadamard_product %alpha, %c, %b, %beta, %c": {"b": 2, "c": 2},
    "sum.t %alpha, %a, %beta, %c": {"a": 2, "c": 1},
}


@pytest.mark.similar
@pytest.mark.parametrize("scalar", ["f64", "c64"])
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_instruction(instruction, scalar):
    parameters, views = [f"%alpha: {scalar}", f"%beta: {scalar}"], []
    for name, order in INSTRUCTIONS[instruction].items():
        type_ = scalar + "x?" * order
        parameters.append(f"%{name}0: memref<{type_}x?>")
        views.append(f"%{name} = subview %{name}0[{':, ' * order}%g] : memref<{type_}>")
    lines = "\n".join(["%g = group_id.x : index", *views, instruction])
    module = tt.Context().parse(f"func @k({', '.join(parameters)}) {{\n{lines}\n}}")
    for atomic in (False, True):
        products = Products(module, atomic=atomic)
        products.check(epsilon=1e-15)
    assert bool(products.reverse.buffers) == any(INSTRUCTIONS[instruction].values())
    Products(products.reverse, atomic=True).check(epsilon=1e-14)
    check_symmetry(module)
