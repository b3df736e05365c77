# SPDX-License-Identifier: BSD-3-Clause
"""How each version of the language calls an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.instructions import (
    ALIASES,
    EARLIER,
    FAMILIES,
    INSTRUCTIONS,
    LATER_SPELLINGS,
    WITH_DIMENSION,
    Instruction,
    LaterSpelling,
)

EARLIER_VERSION, LATER_VERSION, NEWEST_VERSION = ("0.3", "0.4", "0.5")
"""Versions of the language that programs can be translated into."""


_ONLY_LATER = ("dimension", "memory_scope", "memory_semantics")
"""Enums of modifiers that version 0.3 lacks."""

_MODIFIER = re.compile(r"\s*\.")
_WORD = re.compile(r"\w+")


def _later_names() -> dict[str, dict[str | None, str]]:
    """Return the names of version 0.4 by instruction and by the modifier that is part of them."""
    names: dict[str, dict[str | None, str]] = {"hadamard_product": {None: "hadamard"}}
    for name, (instruction, modifiers) in LATER_SPELLINGS.items():
        names.setdefault(instruction, {})[modifiers[0] if modifiers else None] = name
    for name in EARLIER:
        if name.startswith("builtin."):
            names.setdefault(name, {None: name.removeprefix("builtin.")})
    return names


_LATER = _later_names()


def statements_of(program: ast.Program) -> Iterator[ast.Statement]:
    """Yield all instructions and definitions of a program in source order."""
    pending: list[ast.Function | ast.Statement] = list(reversed(program.items))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Function):
            pending += reversed(node.body.statements)
            continue
        yield node
        if isinstance(node, ast.Instruction):
            for region in reversed(node.regions()):
                pending += reversed(region.statements)


def instructions_of(program: ast.Program) -> Iterator[ast.Instruction]:
    """Yield all instructions of a program in source order."""
    return (node for node in statements_of(program) if isinstance(node, ast.Instruction))


def calculations_of(program: ast.Program) -> Iterator[ast.Calculation]:
    """Yield what `!calc` computes in the definitions of a program in source order."""
    for node in statements_of(program):
        if isinstance(node, ast.Definition) and isinstance(node.value, ast.Calculation):
            yield node.value


def version_of(program: ast.Program, text: str) -> str | None:
    """Return the version that the first instruction belongs to whose versions differ, if any.

    Args:
        program: syntax tree of the text.
        text: the program.
    """
    for node in instructions_of(program):
        if isinstance(node, ast.Assignment):
            continue
        word = _WORD.match(text, node.span.start)
        assert word is not None
        name = word.group()
        has_dot = _MODIFIER.match(text, word.end()) is not None
        if name in FAMILIES and has_dot:
            return EARLIER_VERSION
        if name in WITH_DIMENSION.values():
            if has_dot:
                return LATER_VERSION
            continue  # without a dimension, it is in neither version
        later = _LATER.get(node.spec.name, {}).values()
        if name in later or node.spec.name not in EARLIER:
            return LATER_VERSION
        if name == "hadamard_product":
            return EARLIER_VERSION
    return None


def written_names(text: str, offset: int = 0) -> Mapping[str, str]:
    """Return how a text spells instructions where that is not their canonical name.

    What the text does not have is spelled as in its version.

    Args:
        text: the program.
        offset: place of an instruction whose spelling counts if there are several.

    >>> names = written_names("%c = less_than %x, %y : bool  ; not arith.add")
    >>> names["cmp.lt"], names["arith.add"], names.get("gemm")
    ('less_than', 'add', None)
    """
    found: dict[str, str] = {}
    at_offset: dict[str, str] = {}
    for match in _NAMES.finditer(text):
        instruction, name = _instruction_named(match["word"], match["dotted"])
        if name:
            found.setdefault(instruction, name)
            if match.start() == offset:
                at_offset = {instruction: name}
    if any(name in LATER_SPELLINGS for name in found.values()):
        later = {name: names[None] for name, names in _LATER.items() if None in names}
        found = later | found
    return found | at_offset


def _instruction_named(word: str | None, dotted: str | None) -> tuple[str, str]:
    """Return the instruction that a word may begin, and its name; empty if there is none."""
    if word is None:
        return "", ""
    if dotted and (dotted in INSTRUCTIONS or word in WITH_DIMENSION.values()):
        word = dotted
    plain = ALIASES.get(word.partition(".")[0] if word == dotted else word, word)
    instruction = LATER_SPELLINGS.get(word, LaterSpelling(plain)).instruction
    return (instruction, word) if instruction in INSTRUCTIONS else ("", "")


_NAMES = re.compile(
    r""";[^\n]*|"[^"\n]*"|[%@$]\w*|\.\w*|(?P<dotted>(?P<word>[A-Za-z_]\w*)(?:\.\w+)?)"""
)


def later_name(spec: Instruction, chosen: Sequence[str | None]) -> str:
    """Return the name of an instruction with its modifiers in version 0.4.

    Args:
        spec: the instruction.
        chosen: a word for each of its modifiers, None where there is none.
    """
    words = dict(zip((m.attribute for m in spec.modifiers), chosen, strict=True))
    names = _LATER.get(spec.name, {None: spec.name})
    dimension = words.pop("dimension", None)
    if spec.name in ("builtin.group_id", "builtin.group_size"):
        dimension = dimension or "x"
    name = names.get(None, spec.name)
    if dimension:
        name = f"{WITH_DIMENSION[spec.name]}.{dimension}"
    for attribute, word in words.items():
        if word is not None and word in names:
            name = names[word]
            words[attribute] = None
            break
    first = [word for word in words.values() if word == "atomic"]
    rest = [word for word in words.values() if word and word != "atomic"]
    return ".".join([name, *first, *rest])


def earlier_name(spec: Instruction, chosen: Sequence[str | None]) -> str | None:
    """Return the name of an instruction with its modifiers in version 0.3, None if it has none.

    Args:
        spec: the instruction.
        chosen: a word for each of its modifiers, None where there is none.
    """
    words = []
    for modifier, word in zip(spec.modifiers, chosen, strict=True):
        if modifier.enum == "dimension" and word == "x" and spec.name in _FIRST_DIMENSION:
            continue
        is_transposed_store = modifier.enum == "transpose" and spec.name in _WITHOUT_TRANSPOSE
        if modifier.enum in _ONLY_LATER or is_transposed_store:
            if word is not None and word != modifier.default:
                return None
        elif word is not None:
            words.append(word)
        elif modifier.enum in ("transpose", "tensor_form") and modifier.default is not None:
            words.append(modifier.default)
    return ".".join([spec.name, *words])


_FIRST_DIMENSION = ("builtin.group_id", "builtin.group_size")
_WITHOUT_TRANSPOSE = ("cooperative_matrix_store",)


OF_FLAG = {
    ("store", "atomic"): "atomic_store",
    ("store", "atomic_add"): "atomic_add",
    ("cooperative_matrix_store", "atomic"): "cooperative_matrix_atomic_store",
    ("cooperative_matrix_store", "atomic_add"): "cooperative_matrix_atomic_add",
}
"""The words of version 0.4 for the flags of stores."""


def spellings() -> Iterator[tuple[str, str]]:
    """Yield the names of every instruction in versions 0.3 and 0.4, empty where it has none.

    Modifiers are only in names that the versions spell differently because of them.
    """
    for spec in INSTRUCTIONS.values():
        nothing: list[str | None] = [None] * len(spec.modifiers)
        names = _LATER.get(spec.name, {None: spec.name})
        if spec.name not in EARLIER:
            if spec.name not in OF_FLAG.values():
                yield "", later_name(spec, nothing)
        elif spec.name == "builtin.num_subgroups":
            yield spec.name, "num_subgroups.x, num_subgroups.y"
        elif None in names:
            yield spec.name, later_name(spec, nothing)
        else:
            yield from ((f"{spec.name}.{word}", name) for word, name in names.items())
        if spec.name == "builtin.subgroup_id":
            yield "", "subgroup_id.x"
        flags = ((key, name) for key, name in OF_FLAG.items() if key[0] == spec.name)
        yield from ((".".join(key), name) for key, name in flags)
