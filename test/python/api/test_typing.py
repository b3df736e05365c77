"""Type checkers know the public names and the dialect's classes, and find mistakes in them."""

import ast
import pathlib

import pytest

import type_checkers
from tinytc_mlir import _tinytc
from tinytc_mlir.dialects import _tinytc_enum_gen, _tinytc_ops_gen

GOOD = """
import numpy as np
import tinytc_mlir as tt
from tinytc_mlir import ArgumentError
from tinytc_mlir.dialects import tinytc

context: tt.Context = tt.Context()
program = context.parse("func @f(%x: f32) {}").compile("cpu", vector_bytes=64)
kernel: tt.Kernel = program["f"]
array = tt.empty((4, 3), np.float64)
event: tt.Event = kernel.submit(1.0, groups=(2, 1))
time_ns: int | None = event.time_ns
names: list[str] = [info.name for info in program.kernels.values()]
try:
    kernel(array, groups=3)
except ArgumentError as error:
    print(error.argument)


def build(a: tinytc.GemmOp) -> None:
    tinytc.barrier(fence_local=True)
    tinytc.GemmOp(tinytc.TensorForm.N, tinytc.TensorForm.T, a.alpha, a.a, a.b, a.beta, a.c)


async def wait(event: tt.Event) -> None:
    await event
"""
# A line and what is wrong with it.
BAD = """
import tinytc_mlir as tt
from tinytc_mlir.dialects import tinytc

tt.Contxt()  # no such name
tt.Context().compile("cpu")  # the method is another class's
tt.load(3)  # no path
program: str = tt.load("a.tinytc")  # another type
program = tt.load("a.tinytc", que=None)  # no such option
tinytc.barrier(fence_locale=True)  # no such attribute
tinytc.GemmOpp  # no such class
tinytc.axpby(tinytc.TensorForm.N)  # arguments are missing
"""

# What the bindings of MLIR add to classes of types.
OF_MLIR = {"static_typeid", "get_static_typeid", "isinstance"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    type_checkers.write_files(folder, GOOD, BAD)
    return folder


def test_mypy(folder):
    output, errors = type_checkers.mypy_errors(folder)
    assert errors == type_checkers.marked(BAD), output
    assert 'Module has no attribute "Contxt"' in output


def test_pyright(folder):
    found, errors = type_checkers.pyright_errors(folder)
    assert errors == type_checkers.marked(BAD), found


def names_of(tree):
    """Return the public names that the statements of a module or class define."""
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize("module", [_tinytc_ops_gen, _tinytc_enum_gen], ids=lambda m: m.__name__)
def test_stubs_name_everything(module):
    path = pathlib.Path(module.__file__)
    source, stub = (ast.parse(path.with_suffix(end).read_text()) for end in (".py", ".pyi"))
    assert names_of(source) == names_of(stub)
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for node in source.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            constants = {"OPERATION_NAME"}
            assert names_of(node) - constants == names_of(classes[node.name]), node.name


def test_the_stub_of_the_extension_names_everything():
    stub = ast.parse((type_checkers.PACKAGE / "_tinytc.pyi").read_text())
    assert names_of(stub) == {name for name in dir(_tinytc) if not name.startswith("_")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            members = vars(getattr(_tinytc, node.name))
            fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
            public = {name for name in members if not name.startswith("_")} - OF_MLIR
            assert names_of(node) | fields == public
