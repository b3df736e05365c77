"""Proves that the tile dialect is documented and that its rules are checked and tested."""

import re
import subprocess
import textwrap

import pytest

import ods
from ods import read
from tile_tools import find_tool

LABEL = r"[a-z0-9_]+_c\d+"


@pytest.fixture(scope="module")
def records():
    return ods.records("tile/Tile.td")


@pytest.fixture(scope="module")
def ops():
    return ods.ops("tile/Tile.td", "Tile_Op")


@pytest.fixture(scope="module")
def descriptions(records):
    """Every description of the dialect, by the name of its record."""
    found = {
        name: record["description"]
        for name, record in records.items()
        if name.startswith("Tile_") and isinstance(record, dict) and record.get("description")
    }
    return {name: text for name, text in found.items() if isinstance(text, str)}


@pytest.fixture(scope="module")
def labels(descriptions):
    return {
        label for text in descriptions.values() for label in re.findall(rf"\* `({LABEL})`:", text)
    }


def test_every_label_has_a_check(labels):
    checks = "\n".join(re.findall(r"//.*", read("lib/Tile/*.cpp")))
    checks += "\n".join(re.findall(r"/\*.*?\*/", read("dialect/tile/*.td")))
    checked = set(re.findall(LABEL, checks))
    assert labels - checked == set()
    assert checked - labels == set()


def test_every_label_has_a_negative_test(labels):
    names = re.findall(r"@([a-z0-9_]+)", read("test/Tile/invalid-*.mlir"))
    assert labels - {re.sub(r"(_c\d+).*", r"\1", name) for name in names} == set()


def test_labels_are_numbered_in_order(descriptions):
    for name, text in descriptions.items():
        found = re.findall(rf"\* `({LABEL})`:", text)
        if name == "Tile_Dialect":
            continue
        numbers = [int(label.rsplit("_c", 1)[1]) for label in found]
        assert numbers == list(range(1, len(numbers) + 1)), name


def test_every_op_is_documented(ops):
    assert len(ops) > 80
    for name, op in ops.items():
        summary, description = op["summary"], op["description"]
        assert summary and len(summary) <= 70, name
        assert summary[0].islower() and not summary.endswith("."), name
        positions = [description.find(part) for part in ("Syntax:", "```mlir", "Source: Tile IR ")]
        assert -1 not in positions and positions == sorted(positions), name
        assert f"tile.{name}" in description.split("```mlir")[1], name


def test_every_example_parses(descriptions):
    sources = []
    for name, text in descriptions.items():
        for example in re.findall(r"```mlir\n(.*?)```", text, re.DOTALL):
            source = textwrap.dedent(example).strip()
            if source.startswith("!"):
                types = re.findall(r"^!.*(?:\n +.*)*", source, re.MULTILINE)
                source = "\n".join(
                    f"func.func private @type_{i}({type_})" for i, type_ in enumerate(types)
                )
            elif source == "tile.return":
                source = f"tile.module @kernels {{ tile.entry @example() {{ {source} }} }}"
            sources.append(f"// {name}\n{source}")
    assert len(sources) > 80
    result = subprocess.run(
        [find_tool("tinytc-opt"), "--split-input-file", "-"],
        input="\n// -----\n".join(sources),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
