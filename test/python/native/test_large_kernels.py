"""Kernels whose functions are calls, or whose subgroups run one after the other."""

import numpy as np
import pytest

import tinytc_mlir as tt
from function_errors import DTYPES
from native.work_item_number import NUMBER
from nearness import assert_near

COUNT = 85
FUNCTIONS = """
func @f(%A: memref<{type}x1000>, %B: memref<{type}x1000>, %one: {type}) {{
  foreach (%i)=(0),(1000) {{
    %v0 = load %A[%i] : {type}
{steps}
    store %v{count}, %B[%i]
  }}
}}
"""
SUBGROUPS = """
func @f(%A: memref<c64x1024>, %B: memref<c64x1024>)
    attributes {{subgroup_size=16, work_group_size=[64,16]}} {{
  parallel {{
{number}
    %v0 = load %A[%i] : c64
{steps}
    store %v{count}, %B[%i]
  }}
}}
"""


def chain(step, count=COUNT):
    """Return a step, repeated, in which `@in` is the result before it and `@out` its own."""
    steps = (step.replace("@in", f"%v{n}").replace("@out", f"%v{n + 1}") for n in range(count))
    return "\n".join(steps)


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "x86-64-v3", "x86-64-v2"])
@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("word", ["cos @in", "pow @in, %one", "rem @in, %one"])
def test_calls_of_functions(word, type_, target):
    text = FUNCTIONS.format(type=type_, steps=chain(f"@out = {word} : {type_}"), count=COUNT)
    module = tt.Context().parse(text)
    name = {"cos": "cos", "pow": "powf", "rem": "remf"}[word.split()[0]]
    assert f"call @__tinytc_{name}" in str(module.lower("vector", target=target))
    dtype = DTYPES[type_]
    a = np.linspace(-0.9, 0.9, 1000).astype(dtype)
    b, one = np.zeros_like(a), 2.0 if name == "remf" else 1.0
    module.compile(target)["f"](a, b, one)
    expected = a.astype(np.float64)
    for _ in range(COUNT if name == "cos" else 0):
        expected = np.cos(expected).astype(dtype).astype(np.float64)
    assert_near(b, expected.astype(dtype))


def test_subgroups_one_after_the_other():
    text = SUBGROUPS.format(number=NUMBER, steps=chain("@out = mul @in, %v0 : c64"), count=COUNT)
    module = tt.Context().parse(text)
    assert "vector<1024xf64>" not in str(module.lower("vector", target="native"))
    a = np.exp(1j * np.linspace(0, 6, 1024))
    b = np.zeros_like(a)
    module.compile("native")["f"](a, b)
    assert_near(b, a ** (COUNT + 1))


@pytest.mark.parametrize("type_", ["f16", "f32"])
def test_fewer_functions_without_fused_multiply_adds(type_):
    """Where each multiply-add is a call for each lane, 14 functions of 64 lanes are many."""
    steps = chain(f"@out = tanh @in : {type_}", 14)
    text = f"""func @f(%A: memref<{type_}x64>)
    attributes {{subgroup_size=64, work_group_size=[64,1]}} {{
  parallel {{
    %l = subgroup_local_id : i32
    %i = cast %l : index
    %v0 = load %A[%i] : {type_}
{steps}
    store %v14, %A[%i]
  }}
}}"""
    module = tt.Context().parse(text)
    assert "call @__tinytc_tanh" in str(module.lower("vector", target="x86-64-v2"))
    assert "call @__tinytc_tanh" not in str(module.lower("vector", target="x86-64-v3"))
