"""One table says what the scalar types are; all parts of the package agree with it."""

import re
import subprocess
import sys

import numpy as np
import pytest
from mlir import ir

import tinytc_mlir as tt
from program_types import PROMOTABLE
from tinytc_mlir.reference.rounding import round_to
from tinytc_mlir.runtime.launches.packing import packer
from tinytc_mlir.scalars import SCALAR_TYPES, names_of, scalar_type_named
from tinytc_mlir.shapes import DYNAMIC, packed_stride

TYPES = SCALAR_TYPES.values()


@pytest.mark.parametrize("scalar_type", TYPES, ids=str)
def test_widths_and_names(scalar_type):
    assert scalar_type.dtype.itemsize == scalar_type.size_bytes
    assert scalar_type_named(scalar_type.mlir) is scalar_type_named(scalar_type.name)
    module = tt.Context().parse(f"func @f(%x: {scalar_type.name}) {{}}")
    assert f"%x: {scalar_type.mlir})" in str(module)
    assert module.compile("cpu").kernels["f"].arguments[0].type == scalar_type.name


@pytest.mark.parametrize("name", PROMOTABLE)
def test_promotions_are_those_of_the_language(name):
    assert (name, *SCALAR_TYPES[name].promotable) == tuple(PROMOTABLE[name].split())


@pytest.mark.parametrize("name", names_of("floating"))
def test_types_that_stand_for_others(name):
    scalar_type = SCALAR_TYPES[name]
    text = f"func @f(%A: memref<{name}x8>, %x: {name}) {{ axpby.n %x, %A, %x, %A }}"
    lowered = str(tt.Context().parse(text).lower("gpu", target="cpu"))
    stored, passed = (
        SCALAR_TYPES[each].mlir for each in (scalar_type.storage, scalar_type.parameter)
    )
    assert f": memref<?x{stored}" in lowered
    assert f": {passed}" in lowered
    (computed,) = set(re.findall(r"arith.mulf .* : (\w+)", lowered))
    assert computed == SCALAR_TYPES[scalar_type.compute].mlir


@pytest.mark.parametrize("name", [*names_of("floating"), *names_of("complex")])
def test_precision(name):
    scalar_type = SCALAR_TYPES[name]
    assert scalar_type.real.round(1 + scalar_type.epsilon) == 1 + scalar_type.epsilon
    assert scalar_type.real.round(1 + scalar_type.epsilon / 2) == 1  # ties to even
    if not scalar_type.is_bits:
        assert np.finfo(scalar_type.dtype).eps == scalar_type.epsilon


@pytest.mark.parametrize("name", names_of("floating"))
def test_rounding_is_that_of_the_reference(name):
    scalar_type = SCALAR_TYPES[name]
    random = np.random.default_rng(0)
    values = np.ldexp(random.standard_normal(2000), random.integers(-160, 160, 2000))
    near_ties = 1 + scalar_type.epsilon * (random.integers(0, 9, 200) / 2) * (1 + 2.0**-40)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, 1e-300, 65520.0, 3.4e38, 3.39e38]
    values = np.concatenate([values, near_ties, special])
    with np.errstate(over="ignore"):
        expected = round_to(scalar_type, values)
    actual = np.array([scalar_type.round(value) for value in values.tolist()], expected.dtype)
    np.testing.assert_array_equal(actual, expected)
    assert (np.signbit(actual) == np.signbit(expected)).all()


def test_negative_zero_keeps_its_sign():
    text = tt.Context().parse("func @f() { %x = constant -0.0 : bf16 }").to_text()
    assert "constant -0.0 : bf16" in text


def test_bfloat16_arguments_are_rounded_once():
    assert packer("bf16")(1 + 2.0**-8 + 2.0**-40).value == 0x3F81
    assert packer("bf16")(1 + 2.0**-8).value == 0x3F80
    assert packer("bf16")(float("nan")).value & 0x7FFF > 0x7F80


def test_dynamic_is_that_of_mlir():
    assert ir.ShapedType.get_dynamic_size() == DYNAMIC


def test_packed_strides_beyond_64_bits_are_dynamic():
    shape = (2**40, 2**40, 2)
    assert packed_stride(shape) == (1, 2**40, None)
    argument = tt.MemrefArgument("A", "f32", shape, (1, 2**40, None))
    assert str(argument) == "A: memref<f32x1099511627776x1099511627776x2>"


def test_the_front_end_does_without_numpy():
    code = "import sys, tinytc_mlir.frontend.highlight; print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
