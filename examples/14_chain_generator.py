"""Generate a library for C from descriptions of chains of products, as codes for waves have them.

Code generators such as YATeTo write kernels that multiply small matrices of each cell of a mesh.
This one reads such chains from a JSON file, writes them in the Tiny Tensor language, and builds
headers and an archive. A C program, embedding/check_chains.c, compares them with libxsmm.

python examples/14_chain_generator.py                      # examples/embedding/chains.json
python examples/14_chain_generator.py my.json -o made --target x86-64-v3,x86-64-v4
"""

import argparse
import json
import pathlib
import re
import tempfile

import tinytc_mlir as tt
from tinytc_mlir.embedding import build_library
from tinytc_mlir.embedding.table import is_taken

EMBEDDING = pathlib.Path(__file__).parent / "embedding"
PRODUCT = re.compile(r"(\S+) (\+?=) (\S+) (\S+)")
OPERAND = re.compile(r"(\w+)(?:\[(\d+):(\d+),(\d+):(\d+)\])?(\.t)?")
C_TYPES = {"f32": "float", "f64": "double"}
ROLES = ("constant", "in", "out", "inout", "temporary")


class Operand:
    """A matrix in a product, or a part of it: `K`, `K[0:28,4:20]`, transposed `K.t`."""

    def __init__(self, text, matrices):
        name, *bounds, transposed = OPERAND.fullmatch(text).groups()
        rows, columns, _ = matrices[name]
        self.name, self.rows, self.transposed = name, rows, bool(transposed)
        first, last, left, right = [0, rows, 0, columns] if bounds[0] is None else map(int, bounds)
        self.first, self.left = first, left
        self.shape = (last - first, right - left)

    def view(self, value, type_, space):
        """Return the instruction that takes the part of a matrix."""
        (rows, columns), first, left = self.shape, self.first, self.left
        part = f"memref<{type_}x{rows}x{columns},strided<1,{self.rows}>{space}>"
        return f"subview {value}[{first}:{rows},{left}:{columns}] : {part}"


class Chain:
    """Products one after the other, for each cell.

    Args:
        name: name of the kernel.
        description: its matrices as rows, columns and role, and its products as texts.
    """

    def __init__(self, name, description):
        self.name, self.matrices = name, description["matrices"]
        self.products = []
        for text in description["products"]:
            c, sign, a, b = PRODUCT.fullmatch(text).groups()
            operands = [Operand(each, self.matrices) for each in (c, a, b)]
            self.products.append((sign == "+=", operands))
        self.arrays = [name for name, (_, _, role) in self.matrices.items() if role != ROLES[-1]]

    def text(self, type_):
        """Return the kernel in the language."""
        lines, values = ["%cell = builtin.group_id : index"], {}
        parameters = []
        for name, (rows, columns, role) in self.matrices.items():
            memref = f"memref<{type_}x{rows}x{columns}>"
            values[name] = f"%{name}"
            if role == "temporary":
                lines.append(f"%{name} = alloca : memref<{type_}x{rows}x{columns},local>")
            elif role == "constant":
                parameters.append(f"%{name}: {memref}")
            else:
                parameters.append(f"%{name}: group<{memref}x?>")
                lines.append(f"%cell_{name} = load %{name}[%cell] : {memref}")
                values[name] = f"%cell_{name}"
        lines += [f"%one = constant 1.0 : {type_}", f"%zero = constant 0.0 : {type_}"]
        for number, (adds, operands) in enumerate(self.products):
            for letter, each in zip("cab", operands, strict=True):
                space = ",local" if self.matrices[each.name][2] == "temporary" else ""
                view = each.view(values[each.name], type_, space)
                lines.append(f"%{letter}{number} = {view}")
            form = ".".join("t" if each.transposed else "n" for each in operands[1:])
            beta = "%one" if adds else "%zero"
            lines.append(f"gemm.{form} %one, %a{number}, %b{number}, {beta}, %c{number}")
        body = "\n  ".join(lines)
        return f"func @{self.name}({', '.join(parameters)}) {{\n  {body}\n}}\n"

    def table(self, library, type_):
        """Return a description of the chain for the C program that checks it."""
        names = list(self.matrices)
        shapes = [f"{{{m}, {n}, {ROLES.index(role)}}}" for m, n, role in self.matrices.values()]
        products = []
        for adds, operands in self.products:
            (m, n), a = operands[0].shape, operands[1]
            k = a.shape[0 if a.transposed else 1]
            places = [names.index(each.name) for each in operands]
            starts = [each.first + each.left * each.rows for each in operands]
            flags = [int(a.transposed), int(operands[2].transposed), int(adds)]
            products.append(f"{{{', '.join(map(str, [*places, *starts, m, n, k, *flags]))}}}")
        fields, function = [], f"{library}_{self.name}"
        for name in self.arrays:
            role, index = self.matrices[name][2], names.index(name)
            const = "const " if role in ("constant", "in") else ""
            members = f"({const}{C_TYPES[type_]} *const *)arrays[{index}]"
            field = f"{name}_" if is_taken(name) else name  # such as I, a macro of <complex.h>
            if role == "constant":
                fields.append(f".{field} = *{members}")
            else:
                fields += [f".{field} = {members}", f".{name}_size = cells"]
        return f"""
static const struct matrix {self.name}_matrices[] = {{{", ".join(shapes)}}};
static const struct product {self.name}_products[] = {{{", ".join(products)}}};
static int {self.name}(void *const *const *arrays, int64_t cells, char *message, size_t size) {{
  const {function}_args args = {{{", ".join(fields)}, .groups = cells}};
  if ({function}_check(&args, message, size))
    return 1;
  {function}(&args, 0, cells);
  return 0;
}}
"""


def table_header(library, type_, chains):
    """Return the header that embedding/check_chains.c includes."""
    entries = [
        f'{{"{c.name}", {c.name}, {len(c.matrices)}, {c.name}_matrices, {len(c.products)}, '
        f"{c.name}_products}}"
        for c in chains
    ]
    functions = "".join(chain.table(library, type_) for chain in chains)
    table = ",\n  ".join(entries)
    return (
        f'#include "{library}.h"\ntypedef {C_TYPES[type_]} real;\n{functions}\n'
        f"static const struct chain chains[] = {{\n  {table}\n}};\n"
    )


def generate(path, folder, targets):
    """Build the library of a file, and return its chains."""
    description = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    library, type_ = description["library"], description["type"]
    chains = [Chain(name, each) for name, each in description["chains"].items()]
    module = tt.Context().parse("\n".join(chain.text(type_) for chain in chains))
    build_library(module, folder, library, targets=targets)
    table = table_header(library, type_, chains)
    pathlib.Path(folder, "include", "chains_table.h").write_text(table, encoding="utf-8")
    return chains


def main():
    """Build a library."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", default=EMBEDDING / "chains.json")
    parser.add_argument("-o", "--output", help="folder; by default nothing is kept")
    parser.add_argument("--target", default="x86-64-v3,x86-64-v4", help="targets of native code")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(options.output or made)
        for chain in generate(options.file, folder, options.target.split(",")):
            print(f"{chain.name}: {len(chain.products)} products on {', '.join(chain.arrays)}")
        for path in sorted(folder.rglob("*.[ah]")):
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
