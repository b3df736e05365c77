"""Proves that the dialect's documentation is complete and that its rules are checked and tested."""

import pathlib
import re
import shutil
import subprocess

import pytest

import ods
import tinytc_mlir
from ods import read

LABEL = r"[a-z][a-z0-9_]*_c\d+"
# Ops without rules: no program can violate one.
WITHOUT_RULES = {"tinytc.parallel"}


def find_tool(name):
    """Return the path of one of our tools: of the installed package, or of the build tree."""
    package = pathlib.Path(tinytc_mlir.__file__).parent
    build = pathlib.Path(tinytc_mlir.__path__[0]).parents[1]
    for folder in (package / "bin", build / "bin"):
        if (folder / name).exists():
            return str(folder / name)
    return shutil.which(name) or pytest.skip(f"no {name}")


@pytest.fixture(scope="module")
def records():
    """Everything that TinyTC.td defines."""
    return ods.records()


@pytest.fixture(scope="module")
def ops():
    """Records of the ops by name."""
    return {f"tinytc.{name}": op for name, op in ods.ops().items()}


@pytest.fixture(scope="module")
def types(records):
    return {
        records[name]["mnemonic"]: records[name]
        for name in records["!instanceof"]["TypeDef"]
        if name.startswith("TinyTC_")
    }


@pytest.fixture(scope="module")
def labels(records, ops, types):
    """Every label that a description defines."""
    dialect = records["TinyTC_Dialect"]
    texts = [record["description"] for record in [dialect, *ops.values(), *types.values()]]
    return {label for text in texts for label in re.findall(rf"\* `({LABEL})`:", text)}


def test_every_label_has_a_check(labels):
    checks = "\n".join(re.findall(r"//.*", read("lib/IR/*.cpp")))
    checks += "\n".join(re.findall(r"/\*.*?\*/", read("dialect/*.td")))
    checked = set(re.findall(LABEL, checks))
    assert labels - checked == set()
    assert checked - labels == set()


def test_every_label_has_a_negative_test(labels):
    names = re.findall(r"@([a-z0-9_]+)\(", read("test/IR/invalid-*.mlir"))
    names += re.findall(r"def test_([a-z0-9_]+)\(", read("test/python/dialect/*.py"))
    names += re.findall(r'sym_name = "([a-z0-9_]+)"', read("test/IR/invalid-*.mlir"))
    tested = {match.group() for name in names if (match := re.match(LABEL, name))}
    assert labels - tested == set()


def test_every_message_says_what_was_found():
    sources = "\n".join(map(read, ("lib/**/*.cpp", "python/*.cpp")))
    statements = re.findall(r"(?:emit(?:Op)?|throwValue)Error\([^;]*;", sources)
    rules = [text for text in statements if '"expected' in text]
    assert len(rules) > 60
    assert [text for text in rules if "got" not in text and "parser" not in text] == []


def test_labels_are_numbered_in_order(ops, types):
    for name, record in {**ops, **types}.items():
        found = re.findall(rf"\* `({LABEL})`:", record["description"])
        numbers = [int(label.rsplit("_c", 1)[1]) for label in found]
        assert numbers == list(range(1, len(numbers) + 1)), name
        assert found or name in WITHOUT_RULES, name


def test_every_op_is_documented(ops):
    assert len(ops) > 60
    for name, op in ops.items():
        summary, description = op["summary"], op["description"]
        assert summary and len(summary) <= 70, name
        assert (summary[0].islower() or summary.split()[0].isupper()) and not summary.endswith(
            "."
        ), name
        positions = [
            description.find(part)
            for part in ("Execution:", "Syntax:", "```mlir", "Source: tensor language reference")
        ]
        assert -1 not in positions and positions == sorted(positions), name
        assert f"tinytc.{name.removeprefix('tinytc.')}" in description.split("```mlir")[1], name


def test_descriptions_have_one_indentation(ops):
    # TableGen takes the first line's for all: what is indented further becomes raw code.
    for name, op in ops.items():
        lines = [line for line in op["description"].splitlines() if line.strip()]
        (execution,) = (line for line in lines if line.strip().startswith("Execution:"))
        assert _indentation(execution) == _indentation(lines[0]), name


def _indentation(line):
    return len(line) - len(line.lstrip())


def examples(records):
    for name, record in records.items():
        text = record.get("description") if isinstance(record, dict) else None
        if name.startswith("TinyTC_") and text:
            for example in re.findall(r"```mlir\n(.*?)```", text, re.DOTALL):
                yield name, example


def test_every_example_parses(records):
    sources = []
    for name, example in examples(records):
        lines = example.strip().splitlines()
        if lines[0].strip().startswith("!"):
            types = [line.split("//")[0].strip() for line in lines]
            example = "\n".join(  # noqa: PLW2901
                f"func.func private @type_{i}({type_})" for i, type_ in enumerate(types)
            )
        sources.append(f"// {name}\n{example}")
    assert len(sources) > 60
    result = subprocess.run(
        [find_tool("tinytc-opt"), "--split-input-file", "-"],
        input="\n// -----\n".join(sources),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
