"""Tables of the language; the build generates the module."""

from typing import TypedDict

class _Word(TypedDict):
    attribute: str
    choices: tuple[str, ...]

class _Modifier(_Word, total=False):
    required: bool
    enum: str
    default: str

class _Instruction(TypedDict):
    operands: tuple[str, ...]
    indices: tuple[str, ...]
    trailing: tuple[str, ...]
    optional: int
    modifiers: tuple[_Modifier, ...]
    is_function: bool
    is_extension: bool

INSTRUCTIONS: dict[str, _Instruction]
"""What the table of instructions takes from ODS, by the instruction's name."""

ENUMS: dict[str, tuple[str, ...]]
"""Words of an enum by its mnemonic."""

DISCARDABLE_ATTRIBUTES: dict[str, str]
"""Full names of the attributes that the compiler puts on ops of other dialects."""
