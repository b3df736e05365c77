"""Every code example of the language and preprocessor documents, exactly as printed there."""

import pathlib
import re

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import CompileError, ParseError, VerificationError
from tinytc_mlir.frontend.printer import to_text

DATA = pathlib.Path(__file__).parent / "data" / "document_examples.txt"
BLOCKS = [block.split("\n", 1) for block in DATA.read_text().split("== ")[1:]]

TYPING_ERRORS = {
    "subview %0[2:4, %2:%2, 6:7] : memref<f32x4x?x7,strided<1,16,672>": "expected '>', got",
    "subview %0[2:4, %2:%2, 6:7] : memref<f32x4x?x7,strided<1,?,?>": "expected '>', got",
    "fuse %0[0,1] : memref<f32x128,strided<1,?>>": "got 2 strides for 1 mode",
    "fuse %0[1,3] : memref<f32x32x?x42,strided<1,32,?>>": "= 1 * 32, got 16",
}
"""Examples that cannot be meant as printed, and the messages they get."""

ILLEGAL = "fuse %0[0,1] : memref<f32x128>"


def one_liners() -> list[tuple[str, str]]:
    """Return the instructions followed by a comment with the operand type."""
    lines = [line for _, text in BLOCKS for line in text.split("\n")]
    found = [re.fullmatch(r"(\w+ .*?)\s*; %0: (.*)", line) for line in lines]
    return [(match[1], match[2]) for match in found if match]


def program(instruction: str, type_: str) -> str:
    parameters = f"%0: {type_}, %1: index, %2: index"
    return f"func @f({parameters}) {{\n  %result = {instruction}\n}}"


def block(pattern: str) -> str:
    (found,) = (text for _, text in BLOCKS if re.search(pattern, text))
    return found


def test_all_examples_are_there() -> None:
    assert len(one_liners()) == 35
    assert len(BLOCKS) == 18


@pytest.mark.parametrize(("instruction", "type_"), one_liners())
def test_one_liner(instruction: str, type_: str) -> None:
    text = program(instruction, type_)
    if instruction in TYPING_ERRORS:
        with pytest.raises(ParseError, match=re.escape(TYPING_ERRORS[instruction])):
            frontend.parse(text)
    elif instruction != ILLEGAL:
        module = frontend.parse(text)
        assert str(frontend.parse(to_text(module))) == str(module)


def test_illegal_fuse() -> None:
    (type_,) = (type_ for instruction, type_ in one_liners() if instruction == ILLEGAL)
    with pytest.raises(VerificationError):
        frontend.parse(program(ILLEGAL, type_))


def test_for_example() -> None:
    frontend.parse(f"func @f() {{ {block('for %n:i32')} }}")


def test_if_example() -> None:
    frontend.parse(f"func @f(%0: i32) {{ {block('if %1 ->')} }}")


def test_sample_code() -> None:
    frontend.parse(block("fused_kernel"))


def test_preprocessor_example() -> None:
    text = block("chunk_size")
    first, second = text.split("; ... or ...")
    chunk = "\n".join(line for line in first.split("\n") if "$chunk_size =" in line)
    element = "\n".join(line for line in first.split("\n") if "$element_ty =" in line)
    for body in (first, f"{element}\n{chunk}\n{second}"):
        module = frontend.parse(f"func @f(%X: memref<f32x?>) {{ {body} }}")
        assert "0:64" in to_text(module)


def test_calculator_example_lacks_a_dollar() -> None:
    with pytest.raises(CompileError) as error:
        frontend.parse("$a = 5\n$b = 4\n" + block("!calc"))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.message == "expected an integer constant, an operator or ')', got 'b'"
    assert diagnostic.notes[0].message == "write '$b' for a variable"


@pytest.mark.parametrize(("a", "b"), [(0, 4), (1, 4), (4, 4), (5, 4), (7, 1)])
def test_calculator_example_rounds_up(a: int, b: int) -> None:
    text = f"$a = {a} $b = {b} $c = !calc($a 1 - $b / 1 +) func @f() {{ %x = constant $c : i64 }}"
    assert f"constant {-(-a // b)} : i64" in to_text(frontend.parse(text))
