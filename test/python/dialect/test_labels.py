"""Proves that both dialects are documented and that their rules are checked and tested."""

import dataclasses
import re
import subprocess
import textwrap

import pytest

import ods
from ods import read
from tile_tools import find_tool

LABEL = r"[a-z][a-z0-9_]*_c\d+"
# Ops without rules: no program can violate one.
WITHOUT_RULES = {"tinytc.parallel"}


@dataclasses.dataclass(frozen=True)
class Dialect:
    """What the tests need of a dialect.

    Args:
        ops: records of the ops by name.
        descriptions: those of ops and types, and of whatever else has examples, by name.
        labels: every label that a description defines.
        ruled: names of ops and types that have rules.
        checks: the folder of the checks, and of the definitions.
        negative: names of functions of negative tests.
        parts: what the description of an op has, in this order.
    """

    ops: dict
    descriptions: dict
    labels: set
    ruled: set
    checks: tuple[str, str]
    negative: list
    parts: tuple[str, ...]


def described(records, prefix):
    """Return the descriptions of records by their names."""
    return {
        name: record["description"]
        for name, record in records.items()
        if name.startswith(prefix)
        and isinstance(record, dict)
        and isinstance(record.get("description"), str)
        and record["description"]
    }


def labels_of(texts):
    return {label for text in texts for label in re.findall(rf"\* `({LABEL})`:", text)}


def tinytc():
    records = ods.records()
    ops = {f"tinytc.{name}": op for name, op in ods.ops().items()}
    types = [n for n in records["!instanceof"]["TypeDef"] if n.startswith("TinyTC_")]
    texts = [records[name] for name in ("TinyTC_Dialect", *types)]
    names = re.findall(r"@([a-z0-9_]+)\(", read("test/IR/invalid-*.mlir"))
    names += re.findall(r"def test_([a-z0-9_]+)\(", read("test/python/dialect/*.py"))
    names += re.findall(r'sym_name = "([a-z0-9_]+)"', read("test/IR/invalid-*.mlir"))
    return Dialect(
        ops,
        described(records, "TinyTC_"),
        labels_of(record["description"] for record in [*texts, *ops.values()]),
        {*ops, *types} - WITHOUT_RULES,
        ("lib/IR/*.cpp", "dialect/*.td"),
        names,
        ("Execution:", "Syntax:", "```mlir", "Source: tensor language reference"),
    )


def tile():
    descriptions = described(ods.records("tile/Tile.td"), "Tile_")
    return Dialect(
        {f"tile.{name}": op for name, op in ods.ops("tile/Tile.td", "Tile_Op").items()},
        descriptions,
        labels_of(descriptions.values()),
        set(),
        ("lib/Tile/*.cpp", "dialect/tile/*.td"),
        re.findall(r"@([a-z0-9_]+)", read("test/Tile/invalid-*.mlir")),
        ("Syntax:", "```mlir", "Source: Tile IR "),
    )


@pytest.fixture(scope="module", params=[tinytc, tile], ids=["tinytc", "tile"])
def dialect(request):
    return request.param()


def test_every_label_has_a_check(dialect):
    code, definitions = map(read, dialect.checks)
    checks = "\n".join([*re.findall(r"//.*", code), *re.findall(r"/\*.*?\*/", definitions)])
    assert dialect.labels == set(re.findall(LABEL, checks))


def test_every_label_has_a_negative_test(dialect):
    tested = {match.group() for name in dialect.negative if (match := re.match(LABEL, name))}
    assert dialect.labels - tested == set()


def test_every_message_says_what_was_found():
    sources = "\n".join(map(read, ("lib/**/*.cpp", "python/*.cpp")))
    statements = re.findall(r"(?:emit(?:Op)?|throwValue)Error\([^;]*;", sources)
    rules = [text for text in statements if '"expected' in text]
    assert len(rules) > 60
    assert [text for text in rules if "got" not in text and "parser" not in text] == []


def test_labels_are_numbered_in_order(dialect):
    texts = {name: op["description"] for name, op in dialect.ops.items()}
    for name, text in {**dialect.descriptions, **texts}.items():
        found = re.findall(rf"\* `({LABEL})`:", text)
        if name.endswith("_Dialect"):
            continue
        numbers = [int(label.rsplit("_c", 1)[1]) for label in found]
        assert numbers == list(range(1, len(numbers) + 1)), name
        assert found or name not in dialect.ruled, name


def test_every_op_is_documented(dialect):
    assert len(dialect.ops) > 60
    for name, op in dialect.ops.items():
        summary, description = op["summary"], op["description"]
        assert summary and len(summary) <= 70, name
        assert summary[0].islower() or summary.split()[0].isupper(), name
        assert not summary.endswith("."), name
        positions = [description.find(part) for part in dialect.parts]
        assert -1 not in positions and positions == sorted(positions), name
        assert name in description.split("```mlir")[1], name


def test_descriptions_have_one_indentation():
    # TableGen takes the first line's for all: what is indented further becomes raw code.
    for name, op in ods.ops().items():
        lines = [line for line in op["description"].splitlines() if line.strip()]
        (execution,) = (line for line in lines if line.strip().startswith("Execution:"))
        assert _indentation(execution) == _indentation(lines[0]), name


def _indentation(line):
    return len(line) - len(line.lstrip())


def test_every_example_parses(dialect):
    sources = []
    for name, text in dialect.descriptions.items():
        for example in re.findall(r"```mlir\n(.*?)```", text, re.DOTALL):
            source = textwrap.dedent(example).strip()
            if source.startswith("!"):
                plain = re.sub(r"//.*", "", source)
                types = re.findall(r"^!.*(?:\n +.*)*", plain, re.MULTILINE)
                source = "\n".join(
                    f"func.func private @type_{i}({type_})" for i, type_ in enumerate(types)
                )
            elif source == "tile.return":
                source = f"tile.module @kernels {{ tile.entry @example() {{ {source} }} }}"
            sources.append(f"// {name}\n{source}")
    assert len(sources) > 60
    result = subprocess.run(
        [find_tool("tinytc-opt"), "--split-input-file", "-"],
        input="\n// -----\n".join(sources),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
