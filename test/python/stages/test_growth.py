"""Each stage takes time in proportion to the length of a program, up to the gpu stage."""

import pytest

import growth
import instruction_kernels
import profiles
import tinytc_mlir as tt
from tinytc_mlir import frontend

LENGTH = 600 if profiles.IS_NIGHTLY else 60
HEAD = """func @f(%A: memref<f32x64x?>, %B: memref<f32x?x64>, %x0: f32, %i: index, %n: index,
  %c: bool) {
"""
CHAINS = {
    "numbers": "%x@ = add %x#, %x0 : f32\n",
    "expressions": "%x@ = (%x# + %x0) * 2.0 : f32\n",
    "conditionals": "%c# = less_than %x#, %x0 : bool\n"
    "%x@ = if %c# -> (f32) { yield (%x#) } else { yield (%x0) }\n",
    "equal conditionals": "%x@ = if %c -> (f32) { yield (%x0) } else { yield (%x#) }\n",
    "arrays of loops": "for %t# = %i,%n { %l# = alloca : memref<f32x8,local>\n"
    "%s# = subview %A[0:8,%t#] : memref<f32x8>\naxpby.n %x0, %s#, %x0, %l# }\n"
    "%x@ = add %x#, %x0 : f32\n",
    "elements": "%x@ = load %A[%i,#] : f32\nstore %x@, %B[#,%i]\n",
    "parts": "%s# = subview %B[0:8,0:8] : memref<f32x8x8,strided<1,?>>\n"
    "axpby.n %x0, %s#, %x0, %s#\n%x@ = load %s#[%i,%i] : f32\n",
    "definitions": "$a# = #\n%y# = constant $a# : f32\n%x@ = mul %y#, %x# : f32\n",
}


def chained(kind, n):
    """Return a program in which each of n steps uses the one before."""
    steps = (CHAINS[kind].replace("#", str(k)).replace("@", str(k + 1)) for k in range(n))
    return HEAD + "".join(steps) + f"store %x{n}, %A[%i,%i]\n}}\n"


def repeated(instruction, n):
    """Return a program with n loops, each with an instruction."""
    types = instruction_kernels.TYPES
    type_ = next(t for t in types if instruction_kernels.parse(instruction, t) is not None)
    body = f"for %turn = %n, %k {{{{\n{instruction_kernels.TEMPLATES[instruction]}\n}}}}\n"
    return instruction_kernels.kernel(body * n, type_)


def functions(_, n):
    """Return a program of n functions."""
    return "".join(f"func @f{k}(%a: memref<f32>, %x: f32) {{ store %x, %a[] }}\n" for k in range(n))


PROGRAMS = {
    **{kind: (chained, kind) for kind in CHAINS},
    **{name: (repeated, name) for name in profiles.some_of(instruction_kernels.INSTRUCTIONS, "n")},
    "functions": (functions, ""),
}


@pytest.mark.similar
@pytest.mark.parametrize("kind", PROGRAMS)
def test_calls(kind):
    """Of the parser, the emitter, the printer and the formatter."""
    make, name = PROGRAMS[kind]

    def work(n):
        text = make(name, n)

        def read():
            str(tt.Context().parse(text))
            frontend.format_source(text, "a.ir")

        return read

    growth.expect_linear(growth.calls_of, work, LENGTH, 1.1)


@pytest.mark.similar
@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("stage", ["prepared", "linalg", "gpu"])
def test_processor_time(kind, stage):
    make, name = PROGRAMS[kind]

    def work(n):
        module = tt.Context().parse(make(name, n))
        return lambda: module.lower(stage)

    growth.expect_linear(growth.processor_s, work, 2 * LENGTH, 2.5)
