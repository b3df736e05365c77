"""Random programs and examples, printed as functions of Python, make the same module."""

import pathlib
import random

import pytest
from python_printer import functions

import tinytc_mlir as tt
from programs import INSTRUCTION_NAMES, generate
from tinytc_mlir.frontend.printer import to_text

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.ir"))


def assert_same(module, tmp_path):
    """Check that each function of a module is the same as what Python makes of it."""
    for op in module.operation.regions[0].blocks[0].operations:
        text = to_text(op)  # of one function: MLIR numbers values in the whole module
        ((name, definition),) = functions(text).items()
        path = tmp_path / f"{name}.py"
        source = f"import tinytc_mlir as tt\n\n{definition}"
        path.write_text(source)
        scope = {}
        exec(compile(source, str(path), "exec"), scope)
        assert generic(scope[name].module) == generic(tt.Context().parse(text)), source


def generic(module):
    return module.operation.get_asm(print_generic_op_form=True)


@pytest.mark.parametrize("name", sorted(set(INSTRUCTION_NAMES)))
def test_random_programs(name, tmp_path):
    for seed in range(2):
        text = generate(random.Random(f"{name} {seed}"), must_use=name)
        assert_same(tt.Context().parse(text), tmp_path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, tmp_path):
    assert_same(tt.Context().parse_file(path), tmp_path)
