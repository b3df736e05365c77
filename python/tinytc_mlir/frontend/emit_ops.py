# SPDX-License-Identifier: BSD-3-Clause
"""Makes the ops of instructions without regions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from mlir import ir

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.attributes import named_attributes
from tinytc_mlir.frontend.builder import Builder
from tinytc_mlir.frontend.elements import dense_value
from tinytc_mlir.frontend.instructions import SEGMENTS, Modifier, Syntax, Typing
from tinytc_mlir.frontend.preprocessor import Preprocessor, describe
from tinytc_mlir.frontend.resolver import Type
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, counted
from tinytc_mlir.frontend.verification import text_error
from tinytc_mlir.shapes import DYNAMIC


class OpEmitter(Builder):
    """The part of the emitter that makes ops without regions.

    Attributes:
        allocas: those made so far, and their places.
    """

    def __init__(self, reporter: Reporter, context: ir.Context, preprocessor: Preprocessor) -> None:
        super().__init__(reporter, context, preprocessor)
        self.allocas: list[tuple[ir.Operation, Span]] = []

    def simple_rules(self) -> dict[Syntax, Callable[[ast.Instruction], None]]:
        """Return the method for each syntax of the table of instructions."""
        return {
            Syntax.OPERANDS: self.operand_instruction,
            Syntax.INDEXED: self.operand_instruction,
            Syntax.ALLOCA: self.alloca,
            Syntax.CONSTANT: self.constant_instruction,
            Syntax.EXPAND: self.expand,
            Syntax.SUBVIEW: self.subview,
            Syntax.PRINT: self.print_instruction,
        }

    def operand_instruction(self, node: ast.Instruction) -> None:
        """Make an op whose operands, indices and modifiers the table describes."""
        spec = node.spec
        result = self.annotation(node) or self._type_of_operands(node)
        attributes = self.modifiers(node)
        operands: list[ir.Value] = []
        types: list[Type] = []
        count = len(node.operands)
        if spec.optional > 1:
            segments = [int(position < count) for position in range(len(spec.operands))]
            attributes[SEGMENTS] = ir.DenseI32ArrayAttr.get(segments, self.context)
        names = spec.operands[:count]
        for position, (name, operand) in enumerate(zip(names, node.operands, strict=True)):
            if name[0] in '#"':
                attributes[name[1:]] = self._constant_attribute(operand)
                continue
            is_name = isinstance(operand, ast.Identifier)
            constant_type = None if is_name else self._constant_types(node, result)[position]
            value, type_ = self.value(operand, constant_type)
            operands.append(value)
            types.append(type_)
        self._check_types(node, types, result)
        indices = itertools.chain(spec.indices, spec.trailing)
        name = ""
        for index in node.indices:
            name = next(indices, name)  # the last one is that of all others
            if name[0] == "#":
                attributes[name[1:]] = self._integer_attribute(index)
            else:
                operands.append(self.typed_value(index, self.resolver.index))
        if spec.typing is Typing.COMPARE:
            result = self.resolver.bool
        if spec.typing is Typing.NONE:
            self.create(node, operands, attributes)
        else:
            self.typed(node, operands, attributes, result)

    def typed(
        self,
        node: ast.Instruction,
        operands: list[ir.Value],
        attributes: dict[str, ir.Attribute],
        result: Type | None,
    ) -> None:
        """Make an op with a result, whose type the dialect infers if None is known."""
        try:
            op = self.create(node, operands, attributes, None if result is None else (result,))
        except ir.MLIRError as error:
            raise self._not_inferred(node, error, operands) from None
        self.define(node, op, [result or self.resolver.of_mlir(op.results[0].type)])

    def _not_inferred(
        self, node: ast.Instruction, error: ir.MLIRError, operands: list[ir.Value]
    ) -> TextError:
        """Return why the dialect does not infer the type of a result."""
        (found, *_) = error.error_diagnostics
        if "does not support type inference" in found.message:
            note = Note("give the type of the result as last operand")
            return TextError(f"expected a type for '{node.spec.name}', got none", node.span, note)
        return text_error(found, self.reporter.source, self.nodes, operands)

    def _type_of_operands(self, node: ast.Instruction) -> Type | None:
        """Return the type of the result where the table says that it is that of an operand."""
        typing, operands = node.spec.typing, node.operands
        if typing not in (Typing.SAME, Typing.FIRST, Typing.UPDATE, Typing.CHOICE):
            return None
        if typing is Typing.UPDATE and isinstance(operands[0], (ast.Number, ast.Choice)):
            holder = self._type_of(operands[1])
            return holder.element if holder else None
        if typing is Typing.CHOICE:
            operands = operands[1:]
        elif typing is not Typing.SAME:
            operands = operands[:1]
        types = [self._type_of(operand) for operand in operands]
        return next((type_ for type_ in types if type_ is not None), None)

    def print_instruction(self, node: ast.Instruction) -> None:
        """Make a print; its values are of any scalar type."""
        text, *operands = node.operands
        attributes = {"text": self._constant_attribute(text)}
        values = [self.value(operand, None).value for operand in operands]
        self.create(node, values, attributes)

    def alloca(self, node: ast.Instruction) -> None:
        """Make an alloca; the space of its memref is local if none is written."""
        assert node.type is not None
        type_ = self.resolver.checked_type(node.type, node.spec.annotation, "local")
        attributes = named_attributes(self.resolver, self.preprocessor, "alloca", node.attributes)
        op = self.create(node, [], attributes, (type_,))
        self.allocas.append((op, node.span))
        self.define(node, op, (type_,))

    def constant_instruction(self, node: ast.Instruction) -> None:
        """Make a constant; that of a coopmatrix holds the value of all components."""
        result = self.annotation(node)
        assert result is not None
        constant = node.operands[0]
        if isinstance(constant, ast.Dense):
            attribute = dense_value(self.resolver, constant, result)
            self.define(node, self.create(node, [], {"value": attribute}, (result,)), (result,))
            return
        assert not isinstance(constant, (ast.Identifier, ast.String, ast.Choice))
        lookup = self.preprocessor.lookup
        value = lookup(constant) if isinstance(constant, ast.Variable) else constant
        if isinstance(value, ast.Integer) and result.scalar.kind == "floating":
            # Generators write `constant 0 : f64`.
            constant = ast.Floating(constant.span, f"{value.value}.0")
        if result.kind == "memref":
            note = Note("write 'dense<...>' for the elements of a memref")
            message = f"expected the elements of a memref, got {describe(value)}"
            raise TextError(message, constant.span, note)
        attribute = self.resolver.constant(constant, result.scalar)
        self.define(node, self.create(node, [], {"value": attribute}, (result,)), (result,))

    def expand(self, node: ast.Instruction) -> None:
        """Make an expand; constants of the expand shape become an attribute."""
        result = self.annotation(node)
        source, _ = self.value(node.operands[0], None)
        shape, values = self._mixed(node.indices[1:])
        attributes = {
            "mode": self._integer_attribute(node.indices[0]),
            "static_shape": ir.DenseI64ArrayAttr.get(shape, self.context),
        }
        self.typed(node, [source, *values], attributes, result)

    def subview(self, node: ast.Instruction) -> None:
        """Make a subview; constant offsets and sizes become attributes."""
        assert isinstance(node, ast.Subview)
        source, source_type = self.value(node.operands[0], None)
        self._check_slices(node, source_type)  # first: their result may not even be a type
        result = self.annotation(node)
        offsets: list[ast.Operand] = []
        sizes: list[ast.Operand | int | ir.Value] = []
        for mode, part in enumerate(node.slices):
            offsets.append(part.offset or ast.Integer(part.span, 0))
            if part.size is not None and not isinstance(part.size, ast.Dynamic):
                sizes.append(part.size)
                continue
            size = self._size_of_mode(node, part, mode, source, source_type)
            if part.size is not None:
                is_value = result is not None and _result_size(result, sizes) is None
                size = self._rest_of_mode(part, size, is_value)
            sizes.append(size)
        static_offsets, offset_values = self._mixed(offsets)
        static_sizes, size_values = self._mixed(sizes)
        segments = [1, len(offset_values), len(size_values)]
        attributes = {
            "static_offsets": ir.DenseI64ArrayAttr.get(static_offsets, self.context),
            "static_sizes": ir.DenseI64ArrayAttr.get(static_sizes, self.context),
            SEGMENTS: ir.DenseI32ArrayAttr.get(segments, self.context),
        }
        self.typed(node, [source, *offset_values, *size_values], attributes, result)

    def _check_slices(self, node: ast.Subview, type_: Type) -> None:
        """Check constant slices against the sizes of a memref, as the verifier does later."""
        if type_.kind != "memref":
            return
        for mode, (part, size) in enumerate(zip(node.slices, type_.shape, strict=False)):
            numbers = [
                self.preprocessor.integer(each).value
                for each in (part.offset, part.size)
                if each is not None and not isinstance(each, (ast.Identifier, ast.Dynamic))
            ]
            if size is None or len(numbers) != 2 or min(numbers) < 0 or sum(numbers) <= size:
                continue
            message = (
                f"expected the slice of mode {mode} to end within its size {size}, "
                f"got offset {numbers[0]} and size {numbers[1]}"
            )
            raise TextError(message, part.span)

    def annotation(self, node: ast.Instruction) -> Type | None:
        """Return the type after the colon, checked to be of an allowed kind."""
        if node.type is None:
            return None
        return self.resolver.checked_type(node.type, node.spec.annotation)

    def modifiers(self, node: ast.Instruction) -> dict[str, ir.Attribute]:
        """Return the attributes that an instruction's modifiers set."""
        attributes: dict[str, ir.Attribute] = {}
        if not node.modifiers:
            return attributes
        for modifier, choice in zip(node.spec.modifiers, node.modifiers, strict=True):
            if modifier.enum is not None:
                word = choice or modifier.default
                if word is not None:
                    attributes[modifier.attribute] = self.resolver.enum(modifier.enum, word)
            elif choice is not None:
                attributes[modifier.attribute] = self._unit(modifier)
        return attributes

    def _unit(self, modifier: Modifier) -> ir.Attribute:
        return self.resolver.attribute("unit", lambda: ir.UnitAttr.get(self.context))

    def _constant_attribute(self, node: ast.Operand) -> ir.Attribute:
        if isinstance(node, ast.String):
            return ir.StringAttr.get(node.value, self.context)
        return self._integer_attribute(node)

    def _integer_attribute(self, node: ast.Operand) -> ir.Attribute:
        return self.resolver.integer(64, self.preprocessor.integer(node).value)

    def _constant_types(self, node: ast.Instruction, result: Type | None) -> list[Type | None]:
        """Return for each operand the type that a constant would have in its place."""
        typing, count = node.spec.typing, len(node.operands)
        if typing in (Typing.SAME, Typing.CHOICE):
            first = result if typing is Typing.SAME else self.resolver.bool
            return [first, *[result] * (count - 1)]
        if typing in (Typing.FIRST, Typing.UPDATE):
            return [result, self.resolver.i32 if typing is Typing.FIRST else None]
        if typing is Typing.COMPARE:
            if result is not None and result.kind != "bool":
                return [result] * count
            return [self._type_of(node.operands[1]), self._type_of(node.operands[0])]
        rest: list[Type | None] = [None] * (count - 1)
        if any(isinstance(operand, (ast.Number, ast.Choice)) for operand in node.operands):
            return [self._element_of_last(node, result)] * count
        return [self._scalar_of_first(node, result), *rest] if count else []

    def _element_of_last(self, node: ast.Instruction, result: Type | None) -> Type | None:
        """Return the type of elements of what is written, which numbers take."""
        types = [result, *(self._type_of(operand) for operand in node.operands)]
        return next((each.element for each in reversed(types) if each and each.element), None)

    def _scalar_of_first(self, node: ast.Instruction, result: Type | None) -> Type | None:
        """Return the type of a first operand that is a component or an element of another."""
        holder = None
        if node.spec.name in ("cooperative_matrix_construct", "cooperative_matrix_insert"):
            holder = result
        elif node.spec.name in ("store", "atomic_store", "cooperative_matrix_scale"):
            holder = self._type_of(node.operands[1])
        return holder.element if holder else None

    def _type_of(self, node: ast.Operand) -> Type | None:
        """Return the type of an operand that is an identifier."""
        return self.lookup(node).type if isinstance(node, ast.Identifier) else None

    def _check_types(self, node: ast.Instruction, types: list[Type], result: Type | None) -> None:
        """Check the operands against the type after the colon."""
        for operand, type_, wanted in zip(
            node.operands, types, self._expected_types(node, types, result), strict=False
        ):
            if wanted is not None and type_ is not wanted:
                raise self.type_mismatch(operand, wanted, type_)

    def _expected_types(
        self, node: ast.Instruction, types: list[Type], result: Type | None
    ) -> Sequence[Type | None]:
        """Return the types that the first operands must have, None where any will do."""
        typing = node.spec.typing
        if typing is Typing.SAME:
            return [result] * len(types)
        if typing is Typing.CHOICE:
            return (self.resolver.bool, result, result)
        if typing is Typing.FIRST:
            return (result, self.resolver.i32)
        if typing is Typing.UPDATE:
            return (result,)
        if typing is Typing.COMPARE:
            is_old = result is not None and result.kind != "bool"
            return (result, result) if is_old else (None, types[0])
        return ()

    def _mixed(
        self, nodes: Sequence[ast.Operand | int | ir.Value]
    ) -> tuple[list[int], list[ir.Value]]:
        """Return the constants, with a mark for each dynamic one, and the dynamic values."""
        static: list[int] = []
        values: list[ir.Value] = []
        for node in nodes:
            if isinstance(node, int):
                static.append(node)
            elif isinstance(node, ir.Value):
                static.append(DYNAMIC)
                values.append(node)
            elif isinstance(node, ast.Identifier):
                static.append(DYNAMIC)
                values.append(self.typed_value(node, self.resolver.index))
            else:
                static.append(self.preprocessor.integer(node).value)
        return static, values

    def _rest_of_mode(
        self, part: ast.Slice, size: int | ir.Value, is_value: bool
    ) -> int | ir.Value:
        """Return the size of a mode from an offset to its end.

        Args:
            part: offset, and the place in the text.
            size: size of the mode.
            is_value: whether the result has a value here even if the size is known.
        """
        assert part.offset is not None
        offset, place = part.offset, part.span
        known = None if isinstance(offset, ast.Identifier) else self.preprocessor.integer(offset)
        if isinstance(size, int) and known is not None and known.value > size:
            message = (
                f"expected an offset of at most {size}, the size of the mode, got {known.value}"
            )
            raise TextError(message, offset.span)
        if isinstance(size, int) and known is not None:
            rest = size - known.value
            if not is_value:
                return rest
            return self.constant(ast.Integer(place, rest), self.resolver.index)
        if isinstance(size, int):
            size = self.constant(ast.Integer(place, size), self.resolver.index)
        elif known is not None and known.value == 0:
            return size
        op = ir.Operation.create(
            "tinytc.arith.sub",
            results=[self.resolver.index.mlir],
            operands=[size, self.typed_value(offset, self.resolver.index)],
            loc=self.location(place),
            ip=self.block,
        )
        return op.results[0]

    def _size_of_mode(
        self, node: ast.Subview, part: ast.Slice, mode: int, source: ir.Value, type_: Type
    ) -> int | ir.Value:
        """Return the size of a mode of the operand of a subview."""
        if type_.kind != "memref":
            operand = node.operands[0]
            raise TextError(
                f"expected a memref as operand of 'subview', got {type_.text}", operand.span
            )
        if mode >= len(type_.shape):
            raise TextError(
                f"expected {counted(len(type_.shape), 'slice')} for {type_.text}, "
                f"got {len(node.slices)}",
                part.span,
            )
        size = type_.shape[mode]
        if size is not None:
            return size
        op = ir.Operation.create(
            "tinytc.size",
            results=[self.resolver.index.mlir],
            operands=[source],
            attributes={"mode": self.resolver.integer(64, mode)},
            loc=self.location(part.span),
            ip=self.block,
        )
        return op.results[0]


def _result_size(result: Type, sizes: Sequence[ast.Operand | int | ir.Value]) -> int | None:
    """Return the size that the result has in the next mode; slices of size 0 leave none."""
    kept = [s for s in sizes if not (isinstance(s, ast.Integer) and s.value == 0)]
    return result.shape[len(kept)] if len(kept) < len(result.shape) else 0
