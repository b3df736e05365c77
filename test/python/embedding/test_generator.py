"""The generator in examples/: all chains of SeisSol from C, against libxsmm's results."""

import json
import pathlib
import subprocess

import pytest

from scripts import loaded
from tinytc_bench.chains import CHAINS

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
LIBXSMM = ("-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread", "-lm")


@pytest.fixture(scope="module")
def generator():
    return loaded(EXAMPLES / "14_chain_generator.py")


def operand(product, letter):
    first, rows, left, columns = product.slices()[letter]
    text = f"{getattr(product, letter)}[{first}:{first + rows},{left}:{left + columns}]"
    return f"{text}.t" if letter == "b" and product.is_b_transposed else text


def described(chain):
    """Return a chain of the benchmark as the generator takes it."""
    products = []
    for product in chain.products:
        c, a, b = (operand(product, letter) for letter in "cab")
        products.append(f"{c} {'+=' if product.adds else '='} {a} {b}")
    matrices = {name: [m.rows, m.columns, m.role] for name, m in chain.matrices.items()}
    return {"matrices": matrices, "products": products}


def checker(generator, folder, type_, change=lambda table: table):
    """Generate all chains, and return a program that checks them."""
    chains = {chain.name.replace(".", "_"): described(chain) for chain in CHAINS}
    file = folder / "chains.json"
    file.write_text(json.dumps({"library": "waves", "type": type_, "chains": chains}))
    generator.generate(file, folder, ["native"])
    table = folder / "include" / "chains_table.h"
    table.write_text(change(table.read_text()))
    words = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{folder}/include"]
    words += [EXAMPLES / "embedding" / "check_chains.c", folder / "lib" / "libwaves.a", *LIBXSMM]
    subprocess.run([*words, "-o", folder / "check"], check=True)
    return folder / "check"


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_chains_agree_with_libxsmm(generator, tmp_path, type_):
    program = checker(generator, tmp_path, type_)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{len(CHAINS)} chains, 0 wrong"


def test_the_check_notices_a_difference(generator, tmp_path):
    # The last product of the first chain replaces its result in libxsmm's way only.
    def change(table):
        head, _, rest = table.partition(", 1}};")
        return f"{head}, 0}}}};{rest}"

    program = checker(generator, tmp_path, "f64", change)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"{len(CHAINS)} chains, 1 wrong"
