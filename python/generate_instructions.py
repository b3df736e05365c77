# SPDX-License-Identifier: BSD-3-Clause
"""Writes what ODS says of the instructions, enums and scalars of the language as Python modules.

The build runs it: python generate_instructions.py TinyTC.json OUTPUT DOCUMENTATION SCALARS, where
TinyTC.json is what `llvm-tblgen --dump-json` writes for dialect/TinyTC.td. The second module that
it writes is for editors: what ODS says in words. The third has the table of scalar types.
"""

from __future__ import annotations

import json
import pathlib
import pprint
import re
import sys
import textwrap
from collections.abc import Iterator, Set
from typing import Any, NamedTuple

_HEAD = '''\
"""Tables of the language; generate_instructions.py writes them from dialect/TinyTC.td."""

'''

# Classes of ops that are functions of floating-point numbers.
_FUNCTIONS = {"TinyTC_MathOp", "TinyTC_MultiaryMathOp"}

# Arguments that are in no column of the table: the op's own rule of the grammar reads them.
READ_BY_SYNTAX = {
    "alloca": {"alignment", "nonzero"},
    "constant": {"value"},
    "cooperative_matrix_apply": {"matrices"},
    "expand": {"static_shape", "shape"},
    "for": {"from", "to", "step", "inits", "unroll"},
    "foreach": {"from", "to"},
    "foreach_tile": {"from", "to", "sizes"},
    "if": {"condition"},
    "subview": {"static_offsets", "static_sizes", "offsets", "sizes"},
    "yield": {"values"},
}


class Argument(NamedTuple):
    """An operand or attribute of an op.

    Args:
        name: its name.
        constraint: record of its type or attribute, without decoration.
        is_variadic: whether it stands for a list.
        is_optional: whether it may be absent.
        default: C++ expression of the default of an attribute, None if it has none.
    """

    name: str
    constraint: dict[str, Any]
    is_variadic: bool
    is_optional: bool
    default: str | None


class Definitions:
    """The records of TinyTC.td."""

    def __init__(self, records: dict[str, Any]) -> None:
        self._records = records

    def instances(self, class_name: str) -> list[dict[str, Any]]:
        """Return the records of a class of TableGen, file by file in the order of their text."""
        records = [self._records[name] for name in self._records["!instanceof"][class_name]]
        return sorted(records, key=_location)

    def get(self, reference: dict[str, Any]) -> dict[str, Any]:
        """Return the record that a reference names."""
        found: dict[str, Any] = self._records[reference["def"]]
        return found

    def arguments(self, op: dict[str, Any]) -> Iterator[Argument]:
        """Yield the arguments of an op."""
        for reference, name in op["arguments"]["args"]:
            record, default = self.get(reference), None
            is_variadic = is_optional = False
            while True:
                classes = record["!superclasses"]
                is_variadic |= "Variadic" in classes
                is_optional |= "OptionalAttr" in classes
                if "DefaultValuedAttr" in classes:
                    default = record["defaultValue"]
                if "OpVariable" in classes:
                    record = self.get(record["constraint"])
                elif {"Variadic", "Optional", "DefaultValuedAttr", "OptionalAttr"} & set(classes):
                    is_optional |= "Optional" in classes
                    record = self.get(record.get("baseAttr") or record["baseType"])
                else:
                    break
            yield Argument(name, record, is_variadic, is_optional, default)

    def words(self, enum_attribute: dict[str, Any]) -> dict[str, str]:
        """Return the words of an enum by the names that they have in C++."""
        enum = self.get(enum_attribute["enum"])
        cases = [self.get(case) for case in enum["enumerants"]]
        return {case["symbol"]: case["str"] for case in cases}

    def modifier(self, op: dict[str, Any], argument: Argument) -> dict[str, Any] | None:
        """Return the modifier that an attribute stands for, None if it stands for none.

        Raises:
            ValueError: the assembly has no word for an attribute without a value.
        """
        classes = argument.constraint["!superclasses"]
        if argument.constraint["!name"] == "UnitAttr":
            pattern = rf"\(`(\w+)` \${argument.name}\^\)\?"
            found = re.search(pattern, op["assemblyFormat"] or "")
            if found is None:
                raise ValueError(
                    f"{op['opName']}: expected the assembly to have a word for "
                    f"'{argument.name}', like (`word` ${argument.name}^)?, got none"
                )
            return {"attribute": argument.name, "choices": (found[1],)}
        if "EnumAttr" not in classes:
            return None
        words = self.words(argument.constraint)
        modifier = {
            "attribute": argument.name,
            "choices": tuple(words.values()),
            "enum": argument.constraint["mnemonic"],
        }
        if argument.is_optional:
            return modifier
        if argument.default is None:
            return {**modifier, "required": True}
        default = words[argument.default.rsplit("::", 1)[1]]
        choices = tuple(word for word in words.values() if word != default)
        return {**modifier, "choices": choices, "default": default}

    def instruction(self, op: dict[str, Any]) -> dict[str, Any]:
        """Return operands, indices and modifiers of an op, and of which kind it is.

        Raises:
            ValueError: an argument is in none of the three, and no rule of the grammar reads it.
        """
        arguments = {argument.name: argument for argument in self.arguments(op)}
        modifiers = [self.modifier(op, argument) for argument in arguments.values()]
        operands, indices, trailing = _operands(op["assemblyFormat"] or "")
        by_syntax = READ_BY_SYNTAX.get(op["opName"], set())
        optional = [
            name
            for name, argument in arguments.items()
            if argument.is_optional and _mark(argument) == "" and name not in by_syntax
        ]
        regions = {name for _, name in op["regions"]["args"]}

        def spell(names: list[str]) -> tuple[str, ...]:
            found = (arguments[name] for name in names if name not in regions)
            return tuple(mark + a.name for a in found if (mark := _mark(a)) is not None)

        row = {
            "operands": spell(operands + optional),
            "indices": spell(indices),
            "trailing": spell(trailing),
        }
        found = {name.lstrip('#"*') for names in row.values() for name in names}
        found |= {modifier["attribute"] for modifier in modifiers if modifier}
        if arguments.keys() - found != by_syntax:
            raise ValueError(
                f"{op['opName']}: expected all arguments to be operands, indices or modifiers, "
                f"except for {_names(by_syntax)}, got {_names(arguments.keys() - found)}"
            )
        return {
            **row,
            "optional": len(optional),
            "modifiers": tuple(modifier for modifier in modifiers if modifier),
            "is_function": not _FUNCTIONS.isdisjoint(op["!superclasses"]),
            "is_extension": "it is an extension" in op["description"],
        }

    def discardable_attributes(self) -> dict[str, str]:
        """Return the full names of the attributes that ops of other dialects may have."""
        (dialect,) = self.instances("Dialect")
        names = (name for _, name in dialect["discardableAttrs"]["args"])
        return {name: f"{dialect['name']}.{name}" for name in names}


def _names(names: Set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _location(record: dict[str, Any]) -> tuple[str, int]:
    """Return file and line of a definition."""
    file, line = record["!locs"][0].rsplit(":", 1)
    return file, int(line)


def _mark(argument: Argument) -> str | None:
    """Return what precedes the name of an operand; None if it is a modifier."""
    constants = {"I64Attr": "#", "StrAttr": '"'}
    if argument.constraint["!name"] in constants:
        return constants[argument.constraint["!name"]]
    if "Attr" in argument.constraint["!superclasses"]:
        return None
    return "*" if argument.is_variadic else ""


def _operands(assembly: str) -> tuple[list[str], ...]:
    """Return the names before, within and after the square brackets of an op's assembly."""
    head = assembly.partition("attr-dict")[0]
    plain = re.sub(r"custom<\w+>\([^)]*\)|\([^()]*\)\?", "", head)
    before, _, rest = plain.partition("`[`")
    within, _, after = rest.partition("`]`")
    found = (re.findall(r"\$(\w+)", part) for part in (before, within, after))
    return tuple(list(dict.fromkeys(names)) for names in found)


def documentation(op: dict[str, Any]) -> tuple[str, str]:
    """Return the summary of an op and its description, without what is in MLIR's syntax."""
    text = textwrap.dedent(op["description"]).replace("`tinytc.", "`")
    text = re.sub(r"^```mlir\n.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    paragraphs = (part.strip("\n ") for part in re.split(r"\n\s*\n", text))
    kept = (part for part in paragraphs if part and not part.startswith("Syntax:"))
    return op["summary"], "\n\n".join(kept)


def scalar(record: dict[str, Any]) -> tuple[object, ...]:
    """Return the arguments of `tinytc_mlir.scalars.ScalarType` for a record."""
    names = ("Name", "Kind", "Bits", "Mlir", "Numpy", "Extension", "ExtensionCode", "Precision")
    types = ("Storage", "Parameter", "Compute")
    values = [record[name] for name in (*names, *types)]
    numbers = [
        sum(bit << place for place, bit in enumerate(value)) if isinstance(value, list) else value
        for value in values
    ]
    return (*numbers, tuple(record["PromotableTo"].split()))


def main(source: str, target: str, documentation_target: str, scalars_target: str) -> None:
    """Write the modules."""
    definitions = Definitions(json.loads(pathlib.Path(source).read_text()))
    instructions = {
        op["opName"]: definitions.instruction(op)
        for op in definitions.instances("TinyTC_Op")
        if op["opName"] != "func"
    }
    enums = {
        attribute["mnemonic"]: tuple(definitions.words(attribute).values())
        for attribute in definitions.instances("TinyTC_EnumAttr")
    }
    tables = {
        "INSTRUCTIONS": instructions,
        "ENUMS": enums,
        "DISCARDABLE_ATTRIBUTES": definitions.discardable_attributes(),
    }
    text = _HEAD
    for name, value in tables.items():
        text += f"{name} = {pprint.pformat(value, width=98, sort_dicts=False)}\n"
    pathlib.Path(target).write_text(text)
    words = {
        op["opName"]: documentation(op)
        for op in definitions.instances("TinyTC_Op")
        if op["opName"] in instructions
    }
    shown = pprint.pformat(words, width=98, sort_dicts=False)
    pathlib.Path(documentation_target).write_text(f"{_HEAD}DOCUMENTATION = {shown}\n")
    scalars = tuple(scalar(record) for record in definitions.instances("TinyTC_ScalarRecord"))
    shown = pprint.pformat(scalars, width=98)
    pathlib.Path(scalars_target).write_text(f"{_HEAD}SCALARS = {shown}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
