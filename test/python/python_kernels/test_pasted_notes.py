"""Every note that shows code is right: a kernel with that code is accepted."""

import ast
import pathlib
import re

import pytest
from pasted_notes import ELSEWHERE, PASTED
from test_wrong_functions import function

import tinytc_mlir as tt
from tinytc_mlir.kernels.foreign_names import COUNTERPARTS

FOLDER = pathlib.Path(tt.__file__).parent / "kernels"
CODE = re.compile(r"(?<![\w@])(write|use) ")


def notes_of(statements, tmp_path):
    """Return the notes of the errors of statements."""
    with pytest.raises(tt.CompileError) as caught:
        function(statements, tmp_path).text  # noqa: B018
    return [note.message for each in caught.value.diagnostics for note in each.notes]


def shown(note):
    """Return the lines that a note shows: whole assignments, with sizes of the test's arrays."""
    text = note.split("write ", 1)[-1].split(" before the loop")[0]
    text = text.replace("type, shape", "tt.f32, (8, 8)")
    lines = re.split(r"; (?:and use t here)?|, (?:and|with the)\b", text)
    return [line for line in lines if re.search(r"^[\w\[\]:, ]+ [-+*/]?= ", line)]


@pytest.mark.parametrize("statements", PASTED)
def test_the_code_is_right(statements, tmp_path):
    notes = notes_of(statements, tmp_path)
    assert any(map(CODE.search, notes)) or "compare it: x != 0" in notes
    for line in (line for note in notes for line in shown(note)):
        sizes = re.sub(r"\(8, 8\)", "(.*)", re.escape(line).replace(r"\(8,\ 8\)", "(.*)"))
        assert re.search(sizes, PASTED[statements]), line
    function(PASTED[statements], tmp_path).text  # noqa: B018


def texts(path):
    """Yield the texts of a file that messages are made of, as patterns."""
    tree = ast.parse(path.read_text())
    nodes = list(ast.walk(tree))
    others = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            others |= {id(each) for each in node.values}
            parts = [getattr(each, "value", None) for each in node.values]
            known = (p for p in parts if isinstance(p, str))
            if any(map(CODE.search, known)):
                yield "(.|\n)*".join(re.escape(p) if isinstance(p, str) else "" for p in parts)
    for node in nodes:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in others and CODE.search(node.value):
            yield re.escape(node.value)


def test_all_notes_are_tried(tmp_path):
    """A new note fails until it is in the list of pasted ones."""
    notes = [note for statements in PASTED for note in notes_of(statements, tmp_path)]
    for path in sorted(FOLDER.glob("*.py")):
        for pattern in texts(path):
            known = any(re.escape(each) in pattern for each in ELSEWHERE)
            assert known or any(re.search(pattern, note) for note in notes), (path.name, pattern)


@pytest.mark.parametrize("name", ["bool", "int", "float", "complex"])
def test_types_of_python(name, tmp_path):
    path = tmp_path / "f.py"
    text = f"import tinytc_mlir as tt\n\n@tt.kernel\ndef f(x: '{name}'):\n    pass\n"
    path.write_text(text)
    scope = {}
    exec(compile(text, str(path), "exec"), scope)
    with pytest.raises(tt.ParseError) as caught:
        scope["f"].text  # noqa: B018
    note, _ = caught.value.diagnostics[0].notes
    type_ = note.message.removeprefix("use tt.")
    assert type_ in tt.kernels.types.SCALARS
    assert name in COUNTERPARTS
