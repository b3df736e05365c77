"""Text to IR to text is a fixed point, and the IR survives it."""

import random

import pytest
from hypothesis import given
from mlir import ir

from programs import INSTRUCTION_NAMES, generate, programs
from tinytc_mlir import frontend
from tinytc_mlir.frontend.instructions import INSTRUCTIONS
from tinytc_mlir.frontend.printer import to_text


def check_round_trip(text: str) -> None:
    first = frontend.parse(text, "first.ir")
    canonical = to_text(first)
    second = frontend.parse(canonical, "second.ir")
    assert str(second) == str(first)
    assert to_text(second) == canonical


def check_assembly(text: str) -> None:
    module = frontend.parse(text)
    all_options: list[dict[str, bool]] = [
        {},
        {"enable_debug_info": True},
        {"enable_debug_info": True, "print_generic_op_form": True},
    ]
    for options in all_options:
        again = ir.Module.parse(module.operation.get_asm(**options), module.context)
        assert str(again) == str(module)
    assert to_text(again) == to_text(module)  # names come back with the locations


def check_formatter(text: str) -> None:
    formatted = frontend.format_source(text, "a.ir")
    assert frontend.format_source(formatted, "a.ir") == formatted
    assert str(frontend.parse(formatted)) == str(frontend.parse(text))


@given(programs())
def test_text_of_ir_is_a_fixed_point(text: str) -> None:
    check_round_trip(text)


@given(programs())
def test_formatting_keeps_the_meaning(text: str) -> None:
    check_formatter(text)


def test_generator_knows_every_instruction() -> None:
    assert set(INSTRUCTION_NAMES) == set(INSTRUCTIONS) - {"assert", "print"}


@pytest.mark.similar
@pytest.mark.parametrize("name", INSTRUCTION_NAMES)
def test_each_instruction(name: str) -> None:
    for seed in range(4):
        text = generate(random.Random(f"{name} {seed}"), count=2, must_use=name)
        check_round_trip(text)
        check_formatter(text)
        check_assembly(text)
