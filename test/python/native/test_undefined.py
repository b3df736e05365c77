"""Functions that object files take from elsewhere: those that docs/native.md names."""

import pathlib
import re

import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.native.elf import ObjectFile

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "native.md"
REALS = ("bf16", "f16", "f32", "f64")
TYPES = (*REALS, "c32", "c64", "i8", "i16", "i32", "i64")
# Instructions by the types that have them.
INSTRUCTIONS = {
    "arith.add %a, %b": TYPES,
    "arith.mul %a, %b": TYPES,
    "arith.div %a, %b": TYPES,
    "arith.rem %a, %b": (*REALS, "i8", "i16", "i32", "i64"),
    "arith.min %a, %b": REALS,
    "arith.max %a, %b": REALS,
    "math.exp %a": (*REALS, "c32", "c64"),
    "math.native_exp %a": (*REALS, "c32", "c64"),
    "sin %a": REALS,
    "cos %a": REALS,
    "native_sin %a": REALS,
    "log %a": REALS,
    "exp2 %a": (*REALS, "c32", "c64"),
    "cast %a": TYPES,
}
MACHINES = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "aarch64-sve256")
PRODUCT = """
func @product(%A: memref<{0}x19x9>, %B: memref<{0}x9x5>, %C: memref<{0}x19x5>) {{
  %one = constant {1} : {0}
  gemm.n.n %one, %A, %B, %one, %C
}}
"""


def functions():
    """Yield a program for each type that has all its instructions, on arrays of that type."""
    for type_ in TYPES:
        lines = [f"  %x = load %A[%i] : {type_}".replace("%x", f"%{name}") for name in "ab"]
        for number, (instruction, types) in enumerate(INSTRUCTIONS.items()):
            if type_ in types:
                lines += [
                    f"  %r{number} = {instruction} : {type_}",
                    f"  store %r{number}, %A[%i]",
                ]
        others = TYPES if type_[0] != "c" else ("c32", "c64")
        parameters = ", ".join(f"%{other}: memref<{other}x19>" for other in others)
        for other in others:
            lines += [f"  %c{other} = cast %a : {other}", f"  store %c{other}, %{other}[%i]"]
        body = "\n  ".join(lines)
        yield (
            f"func @f(%A: memref<{type_}x19>, {parameters}) {{\n"
            f"  foreach (%i)=(0),(19) {{\n  {body}\n  }}\n}}"
        )
        one = "[1.0, 0.0]" if type_[0] == "c" else "1" if type_[0] == "i" else "1.0"
        yield PRODUCT.format(type_, one)


def named_functions():
    """Return what the page says that objects may call."""
    (text,) = re.findall(r"<!-- functions -->(.*?)<!-- end -->", PAGE.read_text(), re.S)
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("target", MACHINES)
def test_objects_call_what_the_page_names(target):
    found = set()
    for text in functions():
        code = tt.Context().parse(text).compile(target).code
        found.update(ObjectFile(code, "program").undefined())
    assert found <= named_functions()


@pytest.mark.parametrize("target", MACHINES)
def test_products_call_nothing(target):
    for type_ in ("bf16", "f16", "f32", "f64"):
        code = tt.Context().parse(PRODUCT.format(type_, "1.0")).compile(target).code
        assert ObjectFile(code, "program").undefined() == []
