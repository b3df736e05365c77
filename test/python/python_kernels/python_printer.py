"""Prints a program of the language as functions of Python, one call for each instruction."""

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.instructions import Syntax, Typing
from tinytc_mlir.frontend.parser import parse_program
from tinytc_mlir.frontend.source import Reporter, Source

_PYTHON = {"and", "assert", "or", "not", "global"}


def functions(text):
    """Return the names of the functions of a canonical text, and their definitions in Python."""
    program = parse_program(Reporter(Source(text, "text.ir")))
    return {item.name: _Printer().function(item) for item in program.items}


def number(node):
    """Return a constant."""
    if isinstance(node, ast.Floating):
        value = float.fromhex(node.text) if "0x" in node.text else float(node.text)
        return f"float('{value!r}')"
    if isinstance(node, ast.Complex):
        return f"complex({number(node.parts[0])}, {number(node.parts[1])})"
    return repr(node.value)


def value(node):
    """Return an operand."""
    return f"v_{node.name}" if isinstance(node, ast.Identifier) else number(node)


def size(node):
    return "None" if isinstance(node, ast.Dynamic) else str(node.value)


def type_(node):
    """Return a type."""
    if isinstance(node, ast.SimpleType):
        return f"tt.{node.name}"
    if isinstance(node, ast.MemrefType):
        text = f"{type_(node.element)}[{', '.join(map(size, node.shape)) or '()'}]"
        if node.stride is None:
            return text
        return f"{text}.strided({', '.join(map(size, node.stride))})"
    if isinstance(node, ast.GroupType):
        offset = "0" if node.offset is None else size(node.offset)
        return f"tt.group[{type_(node.memref)}, {offset}, {size(node.size)}]"
    sizes = f"{node.rows.value}, {node.columns.value}"
    return f"tt.coopmatrix[{type_(node.component)}, {sizes}, {node.use!r}]"


def plain(node):
    """Return an attribute as an object of Python."""
    if isinstance(node, ast.Array):
        return tuple(plain(item) for item in node.items)
    if isinstance(node, ast.Dictionary):
        return {entry.name: plain(entry.value) for entry in node.entries}
    return node.value


def keywords(node):
    """Return a dictionary attribute as the arguments of a call."""
    return "" if node is None else ", ".join(f"{k}={v!r}" for k, v in plain(node).items())


def tuple_(items):
    return "(" + "".join(f"{item}, " for item in items) + ")"


class _Printer:
    """Prints one function."""

    def function(self, node):
        self.lines, self.depth = [], 1
        parameters = []
        for parameter in node.parameters:
            promise = f".promise({keywords(parameter.attributes)})" if parameter.attributes else ""
            parameters.append(f"v_{parameter.name}: {type_(parameter.type)}{promise}")
        head = f"@tt.kernel({keywords(node.attributes)})\ndef {node.name}({', '.join(parameters)}):"
        self.region(node.body, [])
        return "\n".join([head, *self.lines, ""])

    def put(self, line):
        self.lines.append("    " * self.depth + line)

    def region(self, node, names):
        """Print statements; what they yield is assigned to names."""
        start = len(self.lines)
        for statement in node.statements:
            if statement.spec.syntax is Syntax.YIELD:
                self.assign(names, map(value, statement.operands))
            else:
                getattr(self, statement.spec.syntax.name.lower())(statement)
        if len(self.lines) == start:
            self.put("pass")

    def assign(self, names, values):
        names, values = list(names), list(values)
        if names:
            self.put(f"{', '.join(names)} = {', '.join(values)}")

    def result(self, node, text):
        self.assign(map(value, node.results), [text]) if node.results else self.put(text)

    def nested(self, head, node, names=()):
        self.put(head)
        self.depth += 1
        self.region(node, names)
        self.depth -= 1

    def operands(self, node):
        words = [f"{w}_" if w in _PYTHON else w for w in node.spec.name.split(".")]
        if len(words) == 2 and words[1].endswith("_"):
            words = words[1:]
        words += [f"{w}_" if w in _PYTHON else w for w in node.modifiers if w]
        given = [value(operand) for operand in (*node.operands, *node.indices)]
        if node.spec.typing is Typing.RESULT:
            given.append(f"type={type_(node.type)}")
        self.result(node, f"tt.{'.'.join(words)}({', '.join(given)})")

    indexed = print = operands

    def constant(self, node):
        self.result(node, f"tt.constant({value(node.operands[0])}, {type_(node.type)})")

    def alloca(self, node):
        given = ", ".join(filter(None, [type_(node.type), keywords(node.attributes)]))
        self.result(node, f"tt.local({given})")

    def expand(self, node):
        mode, *shape = map(value, node.indices)
        given = f"{value(node.operands[0])}, {mode}, {tuple_(shape)}, type={type_(node.type)}"
        self.result(node, f"tt.expand({given})")

    def subview(self, node):
        parts = []
        for part in node.slices:
            offset = value(part.offset)
            is_index = isinstance(part.size, ast.Integer) and part.size.value == 0
            parts.append(offset if is_index else f"{offset} : {offset} + {value(part.size)}")
        part = f"{value(node.operands[0])}[{', '.join(parts) or '()'}]"
        self.result(node, f"tt.subview({part}, type={type_(node.type)})")

    def parallel(self, node):
        self.nested("with tt.parallel():", node.body)

    def for_(self, node):
        carried = [value(name) for name in node.carried]
        self.assign(carried, map(value, node.inits))
        given = ", ".join(map(value, node.operands))
        given += f", {keywords(node.attributes)}" if node.attributes else ""
        self.nested(f"for {value(node.variable)} in range({given}):", node.body, carried)
        self.assign(map(value, node.results), carried)

    def if_(self, node):
        names = list(map(value, node.results))
        self.nested(f"if {value(node.operands[0])}:", node.then_region, names)
        if node.else_region is not None:
            self.nested("else:", node.else_region, names)
        self.assign(names, names)  # so that they are used

    def foreach(self, node):
        bounds = [tuple_(map(value, each)) for each in (node.operands, node.indices)]
        names = tuple_(map(value, node.variables))
        self.nested(f"for {names} in tt.foreach({', '.join(bounds)}):", node.body)

    def foreach_tile(self, node):
        bounds = [tuple_(map(value, each)) for each in (node.operands, node.indices)]
        sizes = tuple_(str(each.value) for each in node.sizes)
        names = tuple_(map(value, [*node.variables, *node.extents]))
        self.nested(f"for {names} in tt.foreach_tile({', '.join(bounds)}, {sizes}):", node.body)

    def apply(self, node):
        names = list(map(value, node.variables))
        (result,) = map(value, node.results)
        self.put(f"{result} = {value(node.operands[0])}")
        given = ", ".join([result, *map(value, node.operands[1:]), f"type={type_(node.type)}"])
        head = f"for {', '.join(names)} in tt.cooperative_matrix_apply({given}):"
        self.nested(head, node.body, names[2:3])


for _word in ("for", "if"):
    setattr(_Printer, _word, getattr(_Printer, f"{_word}_"))
