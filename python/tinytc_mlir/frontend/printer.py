# SPDX-License-Identifier: BSD-3-Clause
"""Prints IR of the tinytc dialect as canonical tensor-language text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mlir import ir

from tinytc_mlir._tinytc import enum_word
from tinytc_mlir.dialects.tinytc import MemrefType
from tinytc_mlir.frontend import spelling
from tinytc_mlir.frontend.attributes import PARAMETER_PREFIX
from tinytc_mlir.frontend.instructions import (
    INSTRUCTIONS,
    WITH_DIMENSION,
    Instruction,
    Syntax,
    Typing,
)
from tinytc_mlir.frontend.printed_attributes import (
    attribute_text,
    attributes_in_syntax,
    constant_text,
    dictionary_text,
    elements_text,
    error,
    refuse_attributes,
)
from tinytc_mlir.frontend.tokens import NAME
from tinytc_mlir.shapes import DYNAMIC

_INDENT = "  "
_MAX_LINE = 90
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")
_WITH_DICTIONARY = (Syntax.ALLOCA, Syntax.FOR)


def to_text(module: ir.Module | ir.Operation) -> str:
    """Return the canonical text of a module; it parses back to the same IR.

    Args:
        module: module of the tinytc dialect, or one of its functions.

    Raises:
        CompileError: if an op, a name or an attribute has no spelling in the language.

    Source: tensor language reference.

    >>> from tinytc_mlir import frontend
    >>> print(to_text(frontend.parse("func@f(%x:f32){%y=arith.add %x,%x:f32}", "f.ir")))
    func @f(%x: f32) {
      %y = arith.add %x, %x : f32
    }
    <BLANKLINE>
    """
    operation = module.operation
    functions = [operation]
    if operation.name == "builtin.module":
        refuse_attributes(operation)
        functions = [op.operation for op in operation.regions[0].blocks[0].operations]
    return "\n".join(_Printer().function(function) for function in functions)


class _Names:
    """Names of values; a name is free again when its region ends."""

    def __init__(self) -> None:
        self._texts: dict[ir.Value, str] = {}
        self._visible: set[str] = set()
        self._regions: list[list[str]] = []
        self._next_number = 0

    def enter(self) -> None:
        self._regions.append([])

    def leave(self) -> None:
        self._visible.difference_update(self._regions.pop())

    def define(self, value: ir.Value, hint: str) -> str:
        """Return the name of a new value: the hint made unique, or the next number."""
        name = _NOT_IN_NAMES.sub("_", hint)
        if _IDENTIFIER.fullmatch(name):
            stem, count = name, 0
            while name in self._visible:
                count += 1
                name = f"{stem}_{count}"
        elif not _NUMBER.fullmatch(name) or name in self._visible:
            name = self._free_number()
        self._visible.add(name)
        self._regions[-1].append(name)
        self._texts[value] = "%" + name
        return "%" + name

    def _free_number(self) -> str:
        while str(self._next_number) in self._visible:
            self._next_number += 1
        self._next_number += 1
        return str(self._next_number - 1)

    def use(self, value: ir.Value) -> str:
        return self._texts[value]


class _Printer:
    """Prints one function."""

    def __init__(self) -> None:
        self._names = _Names()
        self._lines: list[str] = []
        self._depth = 0
        self._rules: dict[Syntax, Callable[[ir.Operation, Instruction], None]] = {
            Syntax.OPERANDS: self._operand_instruction,
            Syntax.INDEXED: self._operand_instruction,
            Syntax.ALLOCA: self._alloca,
            Syntax.CONSTANT: self._constant,
            Syntax.EXPAND: self._expand,
            Syntax.SUBVIEW: self._subview,
            Syntax.YIELD: self._yield,
            Syntax.FOR: self._for,
            Syntax.FOREACH: self._foreach,
            Syntax.FOREACH_TILE: self._foreach_tile,
            Syntax.IF: self._if,
            Syntax.PARALLEL: self._parallel,
            Syntax.APPLY: self._apply,
            Syntax.PRINT: self._print,
        }

    def function(self, op: ir.Operation) -> str:
        """Return the text of a function."""
        if op.name != "tinytc.func":
            raise error(op, f"expected a function of the tinytc dialect, got '{op.name}'")
        name = op.attributes["sym_name"].value
        if not NAME.fullmatch(name):
            raise error(op, f"expected an identifier as name of a function, got '{name}'")
        block = op.regions[0].blocks[0]
        self._names.enter()
        head = f"func @{name}("
        parameters = list(self._parameters(op, block))
        tail = ")" + self._function_attributes(op) + " {"
        line = head + ", ".join(parameters) + tail
        if len(line) > _MAX_LINE:
            line = head + (",\n" + " " * len(head)).join(parameters) + tail
        self._lines.append(line)
        self._body(block)
        self._names.leave()
        self._lines.append("}\n")
        return "\n".join(self._lines)

    def _parameters(self, op: ir.Operation, block: ir.Block) -> Iterator[str]:
        attributes = op.attributes.get("arg_attrs")
        for position, argument in enumerate(block.arguments):
            name = self._names.define(argument, _hint(argument.location))
            dictionary = ""
            if attributes is not None:
                pairs = [(entry.name, entry.attr) for entry in attributes[position]]
                dictionary = dictionary_text(op, pairs, PARAMETER_PREFIX)
            yield f"{name}: {spelling.type_text(argument.type)}{dictionary}"

    def _function_attributes(self, op: ir.Operation) -> str:
        dictionary = dictionary_text(op, op.attributes.items())
        return f" attributes{dictionary}" if dictionary else ""

    def _body(self, block: ir.Block) -> None:
        """Print the ops of a block, without a yield that yields nothing."""
        self._depth += 1
        for view in block.operations:
            op = view.operation
            spec = INSTRUCTIONS.get(op.name.removeprefix("tinytc."))
            if spec is None or not op.name.startswith("tinytc."):
                raise error(op, f"expected an instruction of the language, got '{op.name}'")
            if spec.syntax not in _WITH_DICTIONARY:
                refuse_attributes(op, attributes_in_syntax(spec))
            if spec.syntax is not Syntax.YIELD or len(op.operands):
                self._rules[spec.syntax](op, spec)
        self._depth -= 1

    def _region(self, region: ir.Region, head: str, tail: str = "}") -> None:
        """Print a region between its head and its tail."""
        self._put(head + " {")
        self._names.enter()
        self._body(region.blocks[0])
        self._names.leave()
        self._put(tail)

    def _put(self, text: str) -> None:
        self._lines.append(_INDENT * self._depth + text)

    def _assign(self, op: ir.Operation, text: str) -> None:
        """Print an instruction with the names of its results in front."""
        self._put(self._results(op) + text)

    def _results(self, op: ir.Operation) -> str:
        if not len(op.results):
            return ""
        hints = names_of(op.location, len(op.results))
        names = [
            self._names.define(value, hint) for value, hint in zip(op.results, hints, strict=True)
        ]
        return ", ".join(names) + " = "

    def _operand_instruction(self, op: ir.Operation, spec: Instruction) -> None:
        values = iter(op.operands)
        names = spec.operands
        if spec.optional:  # no other operands follow
            names = names[: len(op.operands)]
        operands = ", ".join(self._named(op, name, values) for name in names)
        modifiers = "".join(_modifiers(op, spec))
        name = WITH_DIMENSION.get(spec.name, spec.name) if modifiers else spec.name
        text = name + modifiers
        if operands:
            text += " " + operands
        if spec.syntax is Syntax.INDEXED:
            text += f"[{', '.join(self._indices(op, spec, values))}]"
            text += "".join(f", {self._named(op, name, values)}" for name in spec.trailing)
        if spec.typing is not Typing.NONE:
            text += " : " + spelling.type_text(op.results[0].type)
        self._assign(op, text)

    def _indices(
        self, op: ir.Operation, spec: Instruction, values: Iterator[ir.Value]
    ) -> Iterable[str]:
        if spec.indices[0].startswith("*"):
            return map(self._names.use, values)
        return [self._named(op, name, values) for name in spec.indices]

    def _named(self, op: ir.Operation, name: str, values: Iterator[ir.Value]) -> str:
        if name[0] in '#"':
            return attribute_text(op, op.attributes[name[1:]])
        return self._names.use(next(values))

    def _print(self, op: ir.Operation, spec: Instruction) -> None:
        words = [attribute_text(op, op.attributes["text"]), *map(self._names.use, op.operands)]
        self._assign(op, f"print {', '.join(words)}")

    def _alloca(self, op: ir.Operation, spec: Instruction) -> None:
        dictionary = dictionary_text(op, op.attributes.items())
        self._assign(op, f"alloca{dictionary} : {spelling.type_text(op.results[0].type)}")

    def _constant(self, op: ir.Operation, spec: Instruction) -> None:
        is_memref = isinstance(op.results[0].type, MemrefType)
        value = elements_text(op) if is_memref else constant_text(op, op.attributes["value"])
        self._assign(op, f"constant {value} : {spelling.type_text(op.results[0].type)}")

    def _expand(self, op: ir.Operation, spec: Instruction) -> None:
        source, *dynamic = op.operands
        shape = " x ".join(self._mixed(op.attributes["static_shape"], iter(dynamic)))
        mode, type_ = op.attributes["mode"].value, spelling.type_text(op.results[0].type)
        self._assign(op, f"expand {self._names.use(source)}[{mode} -> {shape}] : {type_}")

    def _subview(self, op: ir.Operation, spec: Instruction) -> None:
        source, *dynamic = op.operands
        values = iter(dynamic)
        offsets = list(self._mixed(op.attributes["static_offsets"], values))
        sizes = self._mixed(op.attributes["static_sizes"], values)
        # The constant size 0 removes a mode, unless the mode has no elements.
        slices = ", ".join(
            offset if size == "0" and mode != 0 else f"{offset}:{size}"
            for offset, size, mode in zip(offsets, sizes, source.type.shape, strict=True)
        )
        type_ = spelling.type_text(op.results[0].type)
        self._assign(op, f"subview {self._names.use(source)}[{slices}] : {type_}")

    def _mixed(self, static: Iterable[int], values: Iterator[ir.Value]) -> Iterator[str]:
        """Yield constants, and the next value where a constant is only a mark."""
        for constant in static:
            yield self._names.use(next(values)) if constant == DYNAMIC else str(constant)

    def _yield(self, op: ir.Operation, spec: Instruction) -> None:
        self._put(f"yield ({self._uses(op.operands)})")

    def _for(self, op: ir.Operation, spec: Instruction) -> None:
        count = len(op.results)
        bounds, inits = op.operands[: len(op.operands) - count], op.operands[-count:]
        block = op.regions[0].blocks[0]
        range_ = self._uses(bounds)
        init_values = [self._names.use(value) for value in inits] if count else []
        self._names.enter()
        variable, *carried = (self._names.define(a, _hint(a.location)) for a in block.arguments)
        head = f"for {variable}{_loop_type(block.arguments[0])} = {range_}"
        if count:
            pairs = zip(carried, init_values, strict=True)
            head += f" init({', '.join(f'{name} = {init}' for name, init in pairs)})"
            head += " -> " + _type_list(op)
        self._assigned_region(op, head, "}" + dictionary_text(op, op.attributes.items()))

    def _assigned_region(self, op: ir.Operation, head: str, tail: str) -> None:
        """Print the only region, whose names must go out of scope before the results are named."""
        start = len(self._lines)
        self._region(op.regions[0], head, tail=tail)
        self._names.leave()
        self._prefix(start, op)

    def _prefix(self, line: int, op: ir.Operation) -> None:
        indent = _INDENT * self._depth
        self._lines[line] = indent + self._results(op) + self._lines[line][len(indent) :]

    def _foreach(self, op: ir.Operation, spec: Instruction) -> None:
        arguments = op.regions[0].blocks[0].arguments
        bounds = self._bounds(op)
        self._names.enter()
        # Without a type, each variable has that of its bounds.
        is_common = len({argument.type for argument in arguments}) == 1
        loop_type = _loop_type(arguments[0]) if is_common else ""
        self._region(op.regions[0], f"foreach {self._defined(arguments)}{loop_type} = {bounds}")
        self._names.leave()

    def _foreach_tile(self, op: ir.Operation, spec: Instruction) -> None:
        arguments = list(op.regions[0].blocks[0].arguments)
        count = len(arguments) // 2
        bounds = self._bounds(op)
        sizes = ", ".join(map(str, op.attributes["sizes"]))
        self._names.enter()
        starts, extents = self._defined(arguments[:count]), self._defined(arguments[count:])
        head = f"foreach_tile {starts} = {bounds} as {extents} <= ({sizes})"
        self._region(op.regions[0], head)
        self._names.leave()

    def _bounds(self, op: ir.Operation) -> str:
        count = len(op.operands) // 2
        return f"({self._uses(op.operands[:count])}), ({self._uses(op.operands[count:])})"

    def _defined(self, arguments: Iterable[ir.Value]) -> str:
        names = [self._names.define(a, _hint(a.location)) for a in arguments]
        return f"({', '.join(names)})"

    def _if(self, op: ir.Operation, spec: Instruction) -> None:
        start = len(self._lines)
        head = "if " + self._names.use(op.operands[0])
        if len(op.results):
            head += " -> " + _type_list(op)
        has_else = len(op.regions[1].blocks) > 0
        self._region(op.regions[0], head)
        if has_else:
            closing = self._lines.pop().strip()
            self._region(op.regions[1], f"{closing} else")
        self._prefix(start, op)

    def _parallel(self, op: ir.Operation, spec: Instruction) -> None:
        self._region(op.regions[0], "parallel")

    def _apply(self, op: ir.Operation, spec: Instruction) -> None:
        matrices, block = self._uses(op.operands), op.regions[0].blocks[0]
        self._names.enter()
        variables = [self._names.define(a, _hint(a.location)) for a in block.arguments]
        type_ = spelling.type_text(op.results[0].type)
        head = f"{spec.name} ({', '.join(variables)}) = {matrices} -> {type_}"
        self._assigned_region(op, head, "}")

    def _uses(self, values: Iterable[ir.Value]) -> str:
        return ", ".join(map(self._names.use, values))


def _modifiers(op: ir.Operation, spec: Instruction) -> Iterator[str]:
    """Yield the modifiers of an instruction, with their dots."""
    for modifier in spec.modifiers:
        if modifier.attribute not in op.attributes:
            continue
        if modifier.enum is None:
            yield "." + modifier.choices[0]
            continue
        word = enum_word(op.attributes[modifier.attribute])
        is_silent = word == modifier.default and not modifier.prints_default
        if word in modifier.choices and not is_silent:
            yield "." + word


def _loop_type(argument: ir.Value) -> str:
    text = spelling.type_text(argument.type)
    return "" if text == "index" else f": {text}"


def _type_list(op: ir.Operation) -> str:
    return f"({', '.join(spelling.type_text(result.type) for result in op.results)})"


def _hint(location: ir.Location) -> str:
    return names_of(location, 1)[0]


def names_of(location: ir.Location, count: int) -> list[str]:
    """Return the names that a location gives to this many values, empty where it has none."""
    names: list[str] = []
    while location.is_a_name() and len(names) < count:
        names.append(location.name_str)
        location = location.child_loc
    return names + [""] * (count - len(names))
