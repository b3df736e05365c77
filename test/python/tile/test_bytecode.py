"""Tile IR bytecode: NVIDIA's disassembler reads what was meant, and their assembler takes it.

disassembly.txt is what the disassembler prints of the examples of all ops, without constants, whose
names say what they are. After a change that is meant, `PYTHONPATH=test/python python
test/python/tile/test_bytecode.py` writes it: read the difference.
"""

import pathlib
import re
import tempfile

import pytest

from tile_tools import architectures, assemble, disassemble, examples, write

EXAMPLES = examples()
DISASSEMBLY = pathlib.Path(__file__).parent / "disassembly.txt"
NEEDS_13_3 = {"alloca", "atomic_red_view_tko"}


def merged(names):
    """Return one module with the kernels of several examples."""
    bodies = [re.search(r"\{(.*)\}", EXAMPLES[name], re.DOTALL).group(1) for name in names]
    return "tile.module @kernels {" + "\n".join(bodies) + "}"


def entries(text):
    """Return lines of the kernels of a disassembly, by the op that each is the example of."""
    found = {}
    for part in re.split(r"^(?=entry )", text, flags=re.MULTILINE)[1:]:
        name = re.search(r"@test_(\w+)", part).group(1)
        lines = part.strip().split("\n")
        body = [line[2:] for line in lines[1:-2]]  # before `return` and `}`
        shown = [line for line in body if name == "constant" or not line.startswith("%cst_")]
        found[name] = shown or lines
    return found


def stored():
    """Return the lines in the file, by op."""
    pairs = (line.split(": ", 1) for line in DISASSEMBLY.read_text().splitlines())
    found = {}
    for name, line in pairs:
        found.setdefault(name, []).append(line)
    return found


@pytest.fixture(scope="module")
def disassembled(tmp_path_factory):
    """The kernels of all examples, as the disassembler prints them."""
    folder = tmp_path_factory.mktemp("tile")
    return entries(disassemble(write(merged(EXAMPLES)), folder))


def test_the_disassembly_has_every_op():
    assert set(stored()) == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_disassembling(name, disassembled):
    assert disassembled[name] == stored()[name]


@pytest.mark.similar
@pytest.mark.parametrize("name", EXAMPLES)
def test_versions_mean_the_same(name, tmp_path):
    oldest, newest = (disassemble(write(EXAMPLES[name], v), tmp_path) for v in ("", "13.3"))
    assert oldest == newest


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
def test_newer_fields(line, minor, tmp_path):
    text = f"""tile.module @m {{ tile.entry @k(%arg0: !tile.tile<f32>, %arg1: !tile.tile<i32>) {{
      %0 = {line}
      tile.return }} }}"""
    bytecode = write(text)
    assert bytecode[9] == minor
    field, value = re.search(r"(\w+) = (\w+)", line).groups()
    shown = f"{field}<{value}>" if value != "full" else ""
    assert shown in disassemble(bytecode, tmp_path)
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = entries(disassemble(write(merged(EXAMPLES)), pathlib.Path(folder)))
    lines = (f"{name}: {line}\n" for name, each in found.items() for line in each)
    DISASSEMBLY.write_text("".join(lines))
