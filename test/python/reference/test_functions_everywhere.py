"""A function of the language has a meaning on every target, or a message says that it has none."""

import importlib.util

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_units
from tinytc_mlir.frontend.instructions import INSTRUCTIONS, MATH
from tinytc_mlir.reference import arithmetic, interpreter, scalar_ops
from tinytc_mlir.scalars import SCALAR_TYPES

COUNT = 8
TEXT = """
import tinytc_mlir as tt

@tt.kernel
def f({parameters}):
    for i in tt.foreach({count}):
        out[i] = tt.{name}({operands})
"""


@pytest.fixture(params=MATH)
def function(request, tmp_path):
    """Return the kernel of a function of numbers, and how many operands it has."""
    name = request.param
    number = len(INSTRUCTIONS[name].operands)
    types = [f"{word}: tt.f32[{COUNT}]" for word in (*"abc"[:number], "out")]
    operands = ", ".join(f"{word}[i]" for word in "abc"[:number])
    text = TEXT.format(parameters=", ".join(types), count=COUNT, name=name, operands=operands)
    path = tmp_path / "kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"kernel_{name.replace('.', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return name.removeprefix("math."), module.f, number


def test_meaning(function):
    name, kernel, number = function
    arrays = [np.linspace(0.25 + n, 1.5, COUNT, dtype=np.float32) for n in range(number)]
    scalar = SCALAR_TYPES["f32"]
    found = arithmetic.of_several if name in arithmetic.OF_SEVERAL else arithmetic.unary
    expected = found(name, scalar)(*arrays)
    for run in (kernel.python, kernel, lambda *a: tt.interpret(kernel.module, "f", list(a))):
        result = np.zeros(COUNT, np.float32)
        run(*arrays, result)
        # The least precise are right to 8192 units (OpenCL C, "Relative Error as ULPs": half_exp).
        assert_units(result, expected, 8192)


def test_stages(function):
    """Kernels for GPUs, programs on tiles and derivatives: made, or refused by name."""
    name, kernel, _ = function
    for target in ("intel-gpu:pvc", "cuda:sm_90", "x86-64-v2"):
        kernel.compile(target)
    short = name.removeprefix("native_")
    for made in (lambda: kernel.lower("tile"), lambda: str(kernel.vjp(wrt=["a"]).module)):
        try:
            made()
        except tt.TinyTCError as error:
            assert short in str(error)


def test_a_function_that_is_not_taught(monkeypatch):
    """A new instruction that NumPy's table lacks is an error at its place."""
    monkeypatch.delitem(arithmetic._FUNCTIONS, "tanh")
    taught = scalar_ops._known(("sqrt", "tanh"), scalar_ops._math)
    assert list(taught) == ["tinytc.sqrt"]
    monkeypatch.delitem(interpreter._HANDLERS, "tinytc.tanh")
    text = "func @f(%x: memref<f32>) {\n %v = load %x[] : f32\n %w = tanh %v : f32\n}"
    message = "expected an instruction that the interpreter has, got 'tinytc.tanh'"
    with pytest.raises(tt.InterpreterError, match=message):
        tt.interpret(tt.Context().parse(text), "f", [np.zeros((), np.float32)])
