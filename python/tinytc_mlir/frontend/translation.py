# SPDX-License-Identifier: BSD-3-Clause
"""Translates programs between versions of the language; comments and layout stay.

The text is changed only where the versions differ, and formatted. What depends on types, such as
those of loop variables, is recorded while a module is made from the text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import LOCAL, MODIFIER
from tinytc_mlir.frontend.emit_expressions import literal
from tinytc_mlir.frontend.formatter import format_source
from tinytc_mlir.frontend.instructions import (
    CALCULATOR_SINCE_0_5,
    EARLIER,
    EXTENSION_MODIFIERS,
    EXTENSIONS,
    NEWEST,
    Syntax,
    Typing,
)
from tinytc_mlir.frontend.lexer import Token, tokenize
from tinytc_mlir.frontend.names import (
    EARLIER_VERSION,
    NEWEST_VERSION,
    OF_FLAG,
    calculations_of,
    earlier_name,
    instructions_of,
    later_name,
)
from tinytc_mlir.frontend.parser import parse_program
from tinytc_mlir.frontend.resolver import Type
from tinytc_mlir.frontend.source import (
    Note,
    Reporter,
    Source,
    Span,
    TextError,
    TooManyErrors,
    checked_filename,
    decode,
    quote,
)
from tinytc_mlir.frontend.translation_types import OpenSlice, Recorder, recorded

_FLAG_OF = {name: key for key, name in OF_FLAG.items()}
_EARLIER_COOPMATRIX = ("arith.add", "arith.sub", "arith.mul", "arith.div", "arith.neg")


def translate(
    text: str | bytes,
    language: str,
    filename: str = "<string>",
    defines: Mapping[str, str | complex] | None = None,
) -> str:
    r"""Return a program in a version of the language, formatted.

    Args:
        text: the program, in either version or a mixture; bytes are read as UTF-8.
        language: "0.3", "0.4" or "0.5".
        filename: what errors call the text.
        defines: values of compile-time variables that the text does not define.

    Raises:
        ParseError: the text is not a program, or has something without counterpart.

    >>> text = "func @f(%x: f32) { %y = arith.add %x, %x : f32 ; twice\n }"
    >>> print(translate(text, "0.4"), end="")
    func @f(%x: f32) {
      %y = add %x, %x : f32  ; twice
    }
    """
    source = Source(decode(text, checked_filename(filename)), filename)
    reporter = Reporter(source)
    program = parse_program(reporter)
    if program is None:
        raise ParseError(reporter.diagnostics())
    record = recorded(program, reporter, defines or {})
    translator = _Translator(program, reporter, record, language)
    with contextlib.suppress(TooManyErrors):
        translator.run()
    if reporter:
        raise ParseError(reporter.diagnostics())
    return format_source(translator.text(), filename)


def _extensions_of(program: ast.Program) -> Iterator[ast.Entry]:
    """Yield the attributes of parameters and allocas that are extensions."""
    functions = [item for item in program.items if isinstance(item, ast.Function)]
    owners: list[object] = [parameter for each in functions for parameter in each.parameters]
    for owner in [*owners, *instructions_of(program)]:
        attributes = getattr(owner, "attributes", None)
        if isinstance(attributes, ast.Dictionary):
            yield from (e for e in attributes.entries if e.name in ("buffer", "nonzero"))


class _Translator:
    """Collects the changes of a text.

    Args:
        program: syntax tree of the text.
        reporter: its source, and where errors go.
        record: what depends on types.
        language: version to translate into.
    """

    def __init__(
        self, program: ast.Program, reporter: Reporter, record: Recorder, language: str
    ) -> None:
        self._program = program
        self._reporter = reporter
        self._source = reporter.source.text
        self._record = record
        self._is_later = language != EARLIER_VERSION
        self._language = language
        self._tokens = tokenize(reporter)[:-1]
        self._position = {token.start: n for n, token in enumerate(self._tokens)}
        self._names = {token.text for token in self._tokens if token.kind == LOCAL}
        self._used = {
            operand.name
            for node in instructions_of(self._program)
            for operand in node.all_operands()
            if isinstance(operand, ast.Identifier)
        }
        self._edits: list[tuple[int, int, str]] = []
        self._lines: list[str] = []

    def run(self) -> None:
        """Collect the changes, and report what has no counterpart."""
        for entry in _extensions_of(self._program):
            self._reporter.add(self._missing(f"the attribute '{entry.name}'", entry.span))
        if self._language != NEWEST_VERSION:
            for calculation in calculations_of(self._program):
                self._check_calculation(calculation)
            for what, span, notes in self._record.novelties:
                self._reporter.add(self._missing(what, span, *notes))
        for node in instructions_of(self._program):
            self._lines = []
            try:
                is_modified = any(word in EXTENSION_MODIFIERS for word in node.modifiers)
                if node.spec.name in EXTENSIONS or is_modified:
                    raise self._missing(f"'{self._written(node)}'", node.span)
                for operand in node.operands:
                    if isinstance(operand, ast.Dense):
                        raise self._missing("constant memrefs", operand.span)
                if isinstance(node, ast.Assignment):
                    assert node.value is not None
                    self._replace(node.span, self._part(node, node.value))
                else:
                    self._instruction(node)
            except TextError as error:
                self._reporter.add(error)
            place = node.results[0].span.start if node.results else node.span.start
            self._edits += [(place, place, line + "\n") for line in self._lines]

    def text(self) -> str:
        """Return the changed text."""
        parts, end = [], 0
        # Insertions in one place keep their order.
        for start, stop, new in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += [self._source[end:start], new]
            end = max(end, stop)
        return "".join([*parts, self._source[end:]])

    def _instruction(self, node: ast.Instruction) -> None:
        if self._language != NEWEST_VERSION:
            self._check_newest(node)
        if not self._is_later:
            self._check_earlier(node)
        self._immediates(node)
        rule = self._rules.get(node.spec.syntax)
        if rule is not None:
            rule(self, node)
        if node.spec.name in _FLAG_OF and not self._is_later:
            self._atomic(node)
        elif node.spec.name in ("store", "cooperative_matrix_store") and self._is_later:
            self._store(node)
        elif node.spec.name == "builtin.num_subgroups" and self._is_later:
            self._num_subgroups(node)
        else:
            self._head(node, self._name(node))
        is_compare = node.spec.typing is Typing.COMPARE
        if is_compare and self._record.types[node.span.start].kind != "bool":
            assert node.type is not None
            self._replace(node.type.span, "bool")

    def _part(self, node: ast.Assignment, part: ast.Operation) -> str:
        """Return the instruction of a part of an expression, after those of its operands."""
        name, (result, types) = part.spec.name, self._record.parts[part.place.start]
        written = self._source[slice(*part.place)]
        is_missing = name in EXTENSIONS or (self._language != NEWEST_VERSION and name in NEWEST)
        if not self._is_later:
            is_missing |= name not in EARLIER
            is_matrix = result.kind == "coopmatrix"
            is_missing |= is_matrix and name not in _EARLIER_COOPMATRIX
        if is_missing and name != "select":
            raise self._missing(quote(written), part.place)
        operands = [
            self._value(node, operand, type_)
            for operand, type_ in zip(part.operands, types, strict=True)
        ]
        type_ = self._type_text(node, result)
        if name == "select":
            condition, yes, no = operands
            return f"if {condition} -> ({type_}) {{\nyield ({yes})\n}} else {{\nyield ({no})\n}}"
        word = later_name(part.spec, []) if self._is_later else earlier_name(part.spec, [])
        return f"{word} {', '.join(operands)} : {type_}"

    def _value(self, node: ast.Assignment, part: ast.Expression, type_: Type) -> str:
        """Return the name of the value of a part of an expression."""
        if isinstance(part, ast.Operation):
            return self._new_value("part", self._part(node, part))
        text = self._text_of(part)
        if isinstance(part, (ast.Identifier, ast.String, ast.Dense)):
            return text
        found = literal(self._record.constant_node(part), type_)
        if isinstance(found, ast.Complex) and not isinstance(part, ast.Complex):
            if isinstance(found.parts[0], ast.Floating):
                text = f"[{found.parts[0].text}, 0.0]"
        elif isinstance(found, ast.Floating):
            text = found.text
        return self._new_value("constant", f"constant {text} : {self._type_text(node, type_)}")

    def _type_text(self, node: ast.Assignment, type_: Type) -> str:
        """Return a type as it is written after the colon, if it is that one."""
        assert node.type is not None
        assert node.value is not None
        if self._record.parts[node.value.place.start][0] is type_:
            return self._text_of(node.type)
        return type_.text

    def _text_of(self, node: ast.Node) -> str:
        return self._source[slice(*node.span)]

    def _check_calculation(self, node: ast.Calculation) -> None:
        """Check that versions before 0.5 have the operators of a calculation."""
        for item in node.items:
            if isinstance(item, ast.Operator) and item.symbol in CALCULATOR_SINCE_0_5:
                self._reporter.add(self._missing(f"{quote(item.symbol)} in '!calc'", item.span))

    def _check_newest(self, node: ast.Instruction) -> None:
        """Check that versions before 0.5 have an instruction, for these operands."""
        if node.spec.name in NEWEST:
            raise self._missing(f"'{self._written(node)}'", node.span)
        if not isinstance(node, ast.Apply):
            return
        result = self._record.types[node.span.start]
        operands = [self._record.types[operand.span.start] for operand in node.operands]
        if operands != [result]:
            texts = ", ".join(type_.text for type_ in operands)
            raise self._missing(f"an apply to {texts} that yields {result.text}", node.span)

    def _check_earlier(self, node: ast.Instruction) -> None:
        """Check that version 0.3 has the instruction, for these types."""
        name = node.spec.name
        if name not in EARLIER and name not in _FLAG_OF:
            raise self._missing(f"'{self._written(node)}'", node.span)
        type_ = self._record.types.get(node.span.start)
        is_matrix = type_ is not None and type_.kind == "coopmatrix"
        if name.startswith("arith.") and is_matrix and name not in _EARLIER_COOPMATRIX:
            raise self._missing(f"'{self._written(node)}' of cooperative matrices", node.span)
        if name == "cast" and type_ is not None:
            source = self._record.types[node.operands[0].span.start]
            uses = {t.text.rsplit(",", 1)[-1] for t in (type_, source) if t.kind == "coopmatrix"}
            if len(uses) > 1:
                raise self._missing("a cast between uses of cooperative matrices", node.span)

    def _head(self, node: ast.Instruction, text: str) -> None:
        """Replace the name of an instruction and its modifiers."""
        self._replace(Span(node.span.start, self._head_end(node)), text)

    def _head_end(self, node: ast.Instruction) -> int:
        position = self._position[node.span.start]
        end = self._tokens[position].end
        for token in self._tokens[position + 1 :]:
            if token.kind != MODIFIER:
                break
            end = token.end
        return end

    def _written(self, node: ast.Instruction) -> str:
        return "".join(self._source[node.span.start : self._head_end(node)].split())

    def _name(self, node: ast.Instruction) -> str:
        """Return the name of an instruction and its modifiers."""
        if self._is_later:
            return later_name(node.spec, node.modifiers)
        name = earlier_name(node.spec, node.modifiers)
        if name is None:
            raise self._missing(f"'{self._written(node)}'", node.span)
        return name

    def _immediates(self, node: ast.Instruction) -> None:
        """Name constants in place of values, which neither version has."""
        for start in range(node.span.start, node.span.end):
            span = self._record.immediates.get(start)
            if span is not None:
                type_, text = self._record.types[start], self._source[slice(*span)]
                shown = type_.text
                if node.type is not None and self._record.types.get(node.span.start) is type_:
                    shown = self._text_of(node.type)
                self._replace(span, self._new_value("constant", f"constant {text} : {shown}"))

    def _constant(self, node: ast.Instruction) -> None:
        """Write a floating constant for a floating type; YATeTo writes integers."""
        type_ = self._record.types[node.span.start]
        value = self._record.integers.get(node.span.start)
        if type_.scalar.kind == "floating" and value is not None:
            self._replace(node.operands[0].span, f"{value}.0")

    def _alloca(self, node: ast.Instruction) -> None:
        if node.span.start in self._record.spaceless:
            assert node.type is not None
            if isinstance(node.type, ast.Variable):
                shown = f"${node.type.name}"
                raise TextError(
                    f"expected 'local' in the type of an alloca, got {shown} without it",
                    node.type.span,
                )
            end = node.type.span.end - 1
            self._replace(Span(end, end), ",local")

    def _subview(self, node: ast.Instruction) -> None:
        """Write sizes of slices; neither version has the whole or the rest of a mode."""
        assert isinstance(node, ast.Subview)
        shape = node.type.shape if isinstance(node.type, ast.MemrefType) else []
        modes = iter(shape)
        for part in node.slices:
            is_removed = isinstance(part.size, ast.Integer) and part.size.value == 0
            size = None if is_removed else next(modes, None)
            rest = self._record.slices.get(part.span.start)
            if rest is None:
                continue
            offset = "0" if part.offset is None else self._text_of(part.offset)
            if isinstance(size, ast.Variable) and not rest.is_value:
                self._replace(part.span, f"{offset}:${size.name}")
            else:
                self._replace(part.span, f"{offset}:{self._size(node, rest, offset)}")

    def _size(self, node: ast.Subview, rest: OpenSlice, offset: str) -> str:
        """Return the size of the rest of a mode."""
        known, size = rest.offset, "" if rest.size is None else str(rest.size)
        written = self._record.written.get(node.operands[0].span.start)
        variable = written.shape[rest.mode] if isinstance(written, ast.MemrefType) else None
        if isinstance(variable, ast.Variable):
            size = f"${variable.name}"
            if known not in (None, 0):
                raise self._missing(f"the rest of a mode of size {size}", node.span)
        if size and known is not None:
            rest_size = size if known == 0 else str((rest.size or 0) - known)
            if not rest.is_value:
                return rest_size
            return self._new_value("size", f"constant {rest_size} : index")
        if size:
            value = self._new_value("size", f"constant {size} : index")
        else:
            operand = self._text_of(node.operands[0])
            value = self._new_value("size", f"size {operand}[{rest.mode}] : index")
        if known == 0:
            return value
        if known is not None:
            offset = self._new_value("offset", f"constant {offset} : index")
        subtract = "sub" if self._is_later else "arith.sub"
        return self._new_value("rest", f"{subtract} {value}, {offset} : index")

    def _for(self, node: ast.Instruction) -> None:
        assert isinstance(node, ast.For)
        assert node.variable is not None
        self._loop_type(node, [node.variable])
        if node.attributes is None:
            return
        start = node.attributes.span.start
        before = self._tokens[self._position[start] - 1]
        if self._is_later and before.text != "attributes":
            self._replace(Span(start, start), "attributes ")
        elif not self._is_later:
            if start in self._record.partial:
                raise self._missing("partial unrolling", node.attributes.span)
            if before.text == "attributes":
                self._replace(before.span, "")

    def _foreach(self, node: ast.Instruction) -> None:
        assert isinstance(node, ast.Foreach)
        self._loop_type(node, node.variables)

    def _loop_type(self, node: ast.Instruction, variables: list[ast.Identifier]) -> None:
        """Write or remove the type of loop variables."""
        types = [self._record.types[variable.span.start] for variable in variables]
        end = variables[-1].span.end
        if node.spec.syntax is Syntax.FOREACH:
            end = self._after(end, ")").end
        if self._is_later:
            if node.type is not None:
                self._replace(Span(end, node.type.span.end), "")
        elif any(type_ is not types[0] for type_ in types):
            texts = ", ".join(type_.text for type_ in types)
            raise self._missing(f"a loop over variables of several types ({texts})", node.span)
        elif node.type is None and types[0].text != "index":
            bounds = [self._record.written.get(each.span.start) for each in node.operands]
            variable = next((each for each in bounds if isinstance(each, ast.Variable)), None)
            shown = types[0].text if variable is None else f"${variable.name}"
            self._replace(Span(end, end), f": {shown}")

    def _num_subgroups(self, node: ast.Instruction) -> None:
        """Write the number of subgroups in both modes as the product of those in each."""
        if any(node.modifiers):
            self._head(node, self._name(node))
            return
        x, y = (self._new_value(f"in_{d}", f"num_subgroups.{d} : i32") for d in "xy")
        self._replace(node.span, f"mul {x}, {y} : i32")

    def _store(self, node: ast.Instruction) -> None:
        """Write a store with a flag as an instruction of its own."""
        flags = [word for word in node.modifiers if word in ("atomic", "atomic_add")]
        if not flags:
            self._head(node, self._name(node))
            return
        name = OF_FLAG[node.spec.name, flags[0]]
        kept = "".join(f".{word}" for word in node.modifiers if word and word not in flags)
        memref = self._record.types[node.operands[1].span.start]
        # The flags are about all work-items that can reach the memory.
        scope = "" if memref.text.endswith("local>") else ".device"
        self._head(node, f"{name}{kept}{scope}")
        if flags[0] == "atomic_add":
            end = node.span.end
            self._lines.append(f"{self._new_name('previous')} =")
            self._replace(Span(end, end), f" : {self._stored_type(node)}")

    def _stored_type(self, node: ast.Instruction) -> str:
        """Return the type of what a store adds, as the text has it."""
        value, memref = (operand.span.start for operand in node.operands)
        if node.spec.name == "store":
            written = self._record.written.get(memref)
            if isinstance(written, ast.MemrefType):
                return self._text_of(written.element)
            return self._record.types[memref].scalar.text
        matrix = self._record.written.get(value)
        return self._record.types[value].text if matrix is None else self._text_of(matrix)

    def _atomic(self, node: ast.Instruction) -> None:
        """Write an atomic instruction as a store with a flag."""
        name, flag = _FLAG_OF[node.spec.name]
        kept = ""
        for modifier, word in zip(node.spec.modifiers, node.modifiers, strict=True):
            if word is None or word in ("device", "work_group", "relaxed", "n"):
                continue
            if modifier.enum == "checked":
                kept = f".{word}"
                continue
            raise self._missing(f"'.{word}' of '{node.spec.name}'", node.span)
        for result in node.results:
            if result.name in self._used:
                note = Note("its result is used")
                raise self._missing(f"'{node.spec.name}' with a result", result.span, note)
            self._replace(Span(result.span.start, node.span.start), "")
        self._head(node, f"{name}{kept}.{flag}")
        if node.type is not None and node.results:
            colon = self._tokens[self._position[node.type.span.start] - 1]
            self._replace(Span(colon.start, node.type.span.end), "")

    def _missing(self, what: str, span: Span, *notes: Note) -> TextError:
        return TextError(
            f"expected what version {self._language} of the language has, got {what}", span, *notes
        )

    def _after(self, offset: int, kind: str) -> Token:
        """Return the first token of a kind after an offset."""
        return next(t for t in self._tokens if t.start >= offset and t.kind == kind)

    def _replace(self, span: Span, text: str) -> None:
        self._edits.append((span.start, span.end, text))

    def _new_value(self, name: str, instruction: str) -> str:
        """Write an instruction before the present one and return the name of its result."""
        new = self._new_name(name)
        self._lines.append(f"{new} = {instruction}")
        return new

    def _new_name(self, name: str) -> str:
        candidate, number = f"%{name}", 0
        while candidate in self._names:
            number += 1
            candidate = f"%{name}{number}"
        self._names.add(candidate)
        return candidate

    _rules: Mapping[Syntax, Callable[[_Translator, ast.Instruction], None]] = {
        Syntax.CONSTANT: _constant,
        Syntax.ALLOCA: _alloca,
        Syntax.SUBVIEW: _subview,
        Syntax.FOR: _for,
        Syntax.FOREACH: _foreach,
    }
