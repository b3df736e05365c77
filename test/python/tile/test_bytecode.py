"""Tile IR bytecode: what is written is read again, and NVIDIA's assembler takes it."""

import re
import subprocess

import pytest

from tile_tools import architectures, assemble, examples, find_nvidia_tool, read, write
from tinytc_mlir import _tinytc  # noqa: F401

EXAMPLES = examples()
# What the disassembler calls by other names; it prints no modules.
SPELLED = {"pow": "fpowf", "module": "entry"}
NEEDS_13_3 = {"alloca", "atomic_red_view_tko"}


def merged(names):
    """Return one module with the kernels of several examples."""
    bodies = [re.search(r"\{(.*)\}", EXAMPLES[name], re.DOTALL).group(1) for name in names]
    return "tile.module @kernels {" + "\n".join(bodies) + "}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_reading_what_was_written(name):
    bytecode = write(EXAMPLES[name])
    text = read(bytecode)
    assert f"tile.{name}" in text
    assert write(text) == bytecode
    newest = write(text, "13.3")
    assert read(newest) == text
    assert write(read(newest), "13.3") == newest


@pytest.mark.parametrize("name", EXAMPLES)
def test_oldest_version(name):
    minor = 3 if name in NEEDS_13_3 else 1
    assert write(EXAMPLES[name])[8:12] == bytes([13, minor, 0, 0])
    if minor == 3:
        with pytest.raises(ValueError, match=r"expected bytecode 13.3, got 13.1"):
            write(EXAMPLES[name], "13.1")


# What later versions added to ops that were there before.
@pytest.mark.parametrize(
    ("line", "minor"),
    [
        ("tile.exp %arg0 rounding = approx : !tile.tile<f32>", 3),
        ("tile.exp %arg0 rounding = full : !tile.tile<f32>", 1),
        ("tile.tanh %arg0 rounding = approx : !tile.tile<f32>", 2),
        ("tile.negi %arg1 overflow = no_wrap : !tile.tile<i32>", 2),
    ],
)
def test_newer_fields(line, minor):
    text = f"""tile.module @m {{ tile.entry @k(%arg0: !tile.tile<f32>, %arg1: !tile.tile<i32>) {{
      %0 = {line}
      tile.return }} }}"""
    bytecode = write(text)
    assert bytecode[9] == minor
    assert line.replace(" rounding = full", "") in read(bytecode)
    if minor > 1:
        with pytest.raises(ValueError, match=rf"expected bytecode 13.{minor} for .*, got 13.1"):
            write(text, "13.1")


def test_unknown_version():
    with pytest.raises(ValueError, match=r"expected a version .*13.1, 13.2, 13.3.*, got 12.0"):
        write(EXAMPLES["return"], "12.0")


def test_not_one_module():
    with pytest.raises(ValueError, match=r"expected one tile.module, got 0"):
        write("func.func private @f()")


def test_foreign_op():
    text = EXAMPLES["return"].replace("tile.return", "%c = arith.constant 1 : i32\ntile.return")
    with pytest.raises(ValueError, match=r"expected an op of the tile dialect, got arith.constant"):
        write(text)


@pytest.mark.parametrize("architecture", architectures("every op"))
@pytest.mark.parametrize("version", ["13.1", "13.3"])
def test_assembling_every_op(architecture, version, tmp_path):
    names = [name for name in EXAMPLES if version == "13.3" or name not in NEEDS_13_3]
    found = assemble(write(merged(names), version), architecture, tmp_path)
    if found:  # which of them?
        alone = {
            name: assemble(write(EXAMPLES[name], version), architecture, tmp_path) for name in names
        }
        found += "".join(f"{name}: {text}" for name, text in alone.items() if text)
    assert found == ""


@pytest.fixture(scope="module")
def disassembled(tmp_path_factory):
    """The text that NVIDIA's disassembler prints of all ops."""
    path = tmp_path_factory.mktemp("tile") / "kernels.tileirbc"
    path.write_bytes(write(merged(EXAMPLES)))
    command = [find_nvidia_tool("tileirdisasm"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_disassembling(name, disassembled):
    assert re.search(rf"\b{SPELLED.get(name, name)}\b", disassembled)
