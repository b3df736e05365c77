"""Writes what ODS says of the instructions and enums of the language as a Python module.

The build runs it: python generate_instructions.py TinyTC.json OUTPUT, where TinyTC.json is what
`llvm-tblgen --dump-json` makes of dialect/TinyTC.td.
"""

from __future__ import annotations

import json
import pathlib
import pprint
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

_HEAD = '''\
"""What ODS says of the language. Made of dialect/TinyTC.td by generate_instructions.py."""

'''


class Argument(NamedTuple):
    """An operand or attribute of an op.

    Args:
        name: its name.
        constraint: record of its type or attribute, without decoration.
        is_variadic: whether it stands for a list.
        default: C++ expression of the default of an attribute, None if it has none.
    """

    name: str
    constraint: dict[str, Any]
    is_variadic: bool
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
            record, is_variadic, default = self.get(reference), False, None
            while True:
                classes = record["!superclasses"]
                is_variadic |= "Variadic" in classes
                if "DefaultValuedAttr" in classes:
                    default = record["defaultValue"]
                if "OpVariable" in classes:
                    record = self.get(record["constraint"])
                elif {"Variadic", "Optional", "DefaultValuedAttr", "OptionalAttr"} & set(classes):
                    record = self.get(record.get("baseAttr") or record["baseType"])
                else:
                    break
            yield Argument(name, record, is_variadic, default)

    def words(self, enum_attribute: dict[str, Any]) -> dict[str, str]:
        """Return the words of an enum by the names that they have in C++."""
        enum = self.get(enum_attribute["enum"])
        cases = [self.get(case) for case in enum["enumerants"]]
        return {case["symbol"]: case["str"] for case in cases}

    def modifier(self, op: dict[str, Any], argument: Argument) -> dict[str, Any] | None:
        """Return the modifier that an attribute stands for, None if it stands for none."""
        classes = argument.constraint["!superclasses"]
        if argument.constraint["!name"] == "UnitAttr":
            # The word that the assembly of the op has for it.
            found = re.search(rf"\(`(\w+)` \${argument.name}\^\)\?", op["assemblyFormat"])
            if found is None:
                return None
            return {"attribute": argument.name, "choices": (found[1],)}
        if "EnumAttr" not in classes:
            return None
        words = self.words(argument.constraint)
        modifier = {
            "attribute": argument.name,
            "choices": tuple(words.values()),
            "enum": argument.constraint["mnemonic"],
        }
        if argument.default is None:
            return {**modifier, "required": True}
        default = words[argument.default.rsplit("::", 1)[1]]
        choices = tuple(word for word in words.values() if word != default)
        return {**modifier, "choices": choices, "default": default}

    def instruction(self, op: dict[str, Any]) -> dict[str, Any]:
        """Return operands, indices and modifiers of an op."""
        arguments = {argument.name: argument for argument in self.arguments(op)}
        modifiers = [self.modifier(op, argument) for argument in arguments.values()]
        operands, indices = _operands(op["assemblyFormat"] or "")

        def spell(names: list[str]) -> tuple[str, ...]:
            found = (arguments[name] for name in names if name in arguments)
            return tuple(mark + a.name for a in found if (mark := _mark(a)) is not None)

        return {
            "operands": spell(operands),
            "indices": spell(indices),
            "modifiers": tuple(modifier for modifier in modifiers if modifier),
        }


def _location(record: dict[str, Any]) -> tuple[str, int]:
    """Return file and line of a definition."""
    file, line = record["!locs"][0].rsplit(":", 1)
    return file, int(line)


def _mark(argument: Argument) -> str | None:
    """Return what precedes the name of an operand; None if it is a modifier."""
    if argument.constraint["!name"] == "I64Attr":
        return "#"
    if "Attr" in argument.constraint["!superclasses"]:
        return None
    return "*" if argument.is_variadic else ""


def _operands(assembly: str) -> tuple[list[str], list[str]]:
    """Return the names before and within the square brackets of an op's assembly."""
    head = assembly.partition("attr-dict")[0]
    plain = re.sub(r"custom<\w+>\([^)]*\)|\([^()]*\)\?", "", head)
    before, _, within = plain.partition("`[`")
    return re.findall(r"\$(\w+)", before), re.findall(r"\$(\w+)", within)


def main(source: str, target: str) -> None:
    """Write the module."""
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
    text = _HEAD
    for name, value in (("INSTRUCTIONS", instructions), ("ENUMS", enums)):
        text += f"{name} = {pprint.pformat(value, width=98, sort_dicts=False)}\n"
    pathlib.Path(target).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
