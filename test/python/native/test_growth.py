"""Code of many lanes takes time in proportion to the length of a program, in LLVM too."""

import functools
import time

import numpy as np
import pytest

import growth
import profiles
import tinytc_mlir as tt
from nearness import assert_near

COST = functools.partial(growth.processor_s, clock=time.process_time)
LENGTH = 12 if profiles.IS_NIGHTLY else 6
STEPS = {
    "quotients": ("c64", "@out = div @in, %a0 : c64"),
    "quotients of functions": ("c64", "%x@ = exp @in : c64\n@out = div %x@, %a0 : c64"),
    "roots": ("f16", "@out = sqrt @in : f16"),
    "loads": (
        "i64",
        "%c@ = less_than @in, %a0 : bool\n%j@ = cast @in : index\n"
        "@out = if %c@ -> (i64) { %x@ = load %A[%j@] : i64\nyield (%x@) } else { yield (%a0) }",
    ),
    "stores": (
        "i64",
        "%c@ = less_than @in, %a0 : bool\n%j@ = cast @in : index\n"
        "if %c@ { store @in, %B[%j@] }\n@out = mul @in, %a0 : i64",
    ),
}


def source(name, n):
    """Return a kernel of 64 lanes that takes a step n times."""
    type_, step = STEPS[name]
    body = "\n".join(
        step.replace("@in", f"%a{k}").replace("@out", f"%a{k + 1}").replace("@", str(k))
        for k in range(n)
    )
    return f"""func @k(%A: memref<{type_}x64>, %B: memref<{type_}x64>)
    attributes {{subgroup_size=64, work_group_size=[64,1]}} {{
  parallel {{
    %l = subgroup_local_id : i32
    %i = cast %l : index
    %a0 = load %A[%i] : {type_}
{body}
    store %a{n}, %B[%i]
  }}
}}"""


@pytest.mark.similar
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_native_code(name, debug):
    def work(n):
        module = tt.Context().parse(source(name, n))
        return lambda: module.lower("object", target="x86-64-v2", debug=debug)

    growth.expect_linear(COST, work, LENGTH, 2)


def test_quotients_are_calls_of_one_function():
    module = tt.Context().parse(source("quotients", 40))
    text = str(module.lower("vector", target="x86-64-v2"))
    assert text.count("func.func @__tinytc_numbers") < 4
    a = np.exp(1j * np.linspace(0, 6, 64))
    b = np.zeros_like(a)
    module.compile("x86-64-v2")["k"](a, b)
    assert_near(b, a**-39)


def test_quotients_between_functions_are_calls():
    """They share what depends on the divisor, conditions too."""
    module = tt.Context().parse(source("quotients of functions", 10))
    text = str(module.lower("vector", target="x86-64-v2"))
    assert text.count("call @__tinytc_numbers") == 9
    a = 1j * np.linspace(2, 6, 64)
    expected = a
    for _ in range(10):
        expected = np.exp(expected) / a
    b = np.zeros_like(a)
    module.compile("x86-64-v2")["k"](a, b)
    assert_near(b, expected)
