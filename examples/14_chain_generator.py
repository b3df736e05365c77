"""Check a library of chains of products, as codes for waves have them, against libxsmm.

`tinytc build chains.json` makes a library of descriptions in JSON. This program does it from Python
and writes a table of the chains for a C program, embedding/check_chains.c, which compares them with
products by libxsmm.

python examples/14_chain_generator.py                      # examples/embedding/chains.json
python examples/14_chain_generator.py my.json -o made --target x86-64-v3,x86-64-v4
"""

import argparse
import pathlib
import tempfile

import tinytc_mlir as tt
from tinytc_mlir.embedding import build_library
from tinytc_mlir.embedding.chains import ROLES, read_chains
from tinytc_mlir.embedding.table import is_taken

EMBEDDING = pathlib.Path(__file__).parent / "embedding"
C_TYPES = {"f32": "float", "f64": "double"}


def table(chain, library, type_):
    """Return a description of a chain for the C program that checks it."""
    names = list(chain.matrices)
    shapes = [f"{{{m.rows}, {m.columns}, {ROLES.index(m.role)}}}" for m in chain.matrices.values()]
    products = []
    for product in chain.products:
        parts = (product.c, product.a, product.b)
        places = [names.index(part.matrix.name) for part in parts]
        starts = [part.rows[0] + part.columns[0] * part.matrix.rows for part in parts]
        (m, n), k = product.c.shape, product.a.shape[1]
        flags = [int(product.a.is_transposed), int(product.b.is_transposed), int(product.adds)]
        products.append(f"{{{', '.join(map(str, [*places, *starts, m, n, k, *flags]))}}}")
    fields, function = [], f"{library}_{chain.name}"
    for matrix in chain.parameters:
        const = "const " if matrix.role in ("constant", "in") else ""
        members = f"({const}{C_TYPES[type_]} *const *)arrays[{names.index(matrix.name)}]"
        field = f"{matrix.name}_" if is_taken(matrix.name) else matrix.name  # such as I, a macro
        if matrix.role == "constant":
            fields.append(f".{field} = *{members}")
        else:
            fields += [f".{field} = {members}", f".{matrix.name}_size = cells"]
    return f"""
static const struct matrix {chain.name}_matrices[] = {{{", ".join(shapes)}}};
static const struct product {chain.name}_products[] = {{{", ".join(products)}}};
static int {chain.name}(void *const *const *arrays, int64_t cells, char *message, size_t size) {{
  const {function}_args args = {{{", ".join(fields)}, .groups = cells}};
  if ({function}_check(&args, message, size))
    return 1;
  {function}(&args, 0, cells);
  return 0;
}}
"""


def table_header(chains):
    """Return the header that embedding/check_chains.c includes."""
    entries = [
        f'{{"{c.name}", {c.name}, {len(c.matrices)}, {c.name}_matrices, {len(c.products)}, '
        f"{c.name}_products}}"
        for c in chains.chains
    ]
    tables = "".join(table(chain, chains.library, chains.type_) for chain in chains.chains)
    lines = ",\n  ".join(entries)
    return (
        f'#include "{chains.library}.h"\ntypedef {C_TYPES[chains.type_]} real;\n{tables}\n'
        f"static const struct chain chains[] = {{\n  {lines}\n}};\n"
    )


def generate(path, folder, targets):
    """Build the library of a file and the table for its check, and return its chains."""
    chains = read_chains(pathlib.Path(path).read_text(encoding="utf-8"), str(path))
    module = tt.Context().parse(chains.text())
    build_library(module, folder, chains.library, targets=targets)
    header = pathlib.Path(folder, "include", "chains_table.h")
    header.write_text(table_header(chains), encoding="utf-8")
    return chains.chains


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
            names = ", ".join(matrix.name for matrix in chain.parameters)
            print(f"{chain.name}: {len(chain.products)} products on {names}")
        for path in sorted(folder.rglob("*.[ah]")):
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
