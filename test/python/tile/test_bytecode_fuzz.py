"""Damaged bytecode gives an error that says where, or a module that verifies; never a crash."""

import random
import re

import pytest

from tile_tools import context, examples, write
from tinytc_mlir import _tinytc

ROUNDS = 60


def damaged(data, chance):
    """Return bytes with some changed, removed, added or repeated."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        place = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[place] = chance.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
        elif kind == 2:
            del data[place : place + chance.choice([1, 2, 8])]
        elif kind == 3:
            data[place:place] = bytes(
                chance.randrange(256) for _ in range(chance.choice([1, 4, 9]))
            )
        else:
            other = chance.randrange(len(data))
            data[place : place + 4] = data[other : other + 4]
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("name", examples())
def test_damaged_bytes(name):
    chance = random.Random(name)
    original = write(examples()[name], "13.3")
    where = context()
    for _ in range(ROUNDS):
        data = damaged(original, chance)
        try:
            text = _tinytc.read_tile_bytecode(where, data)
        except ValueError as error:
            assert re.search(r"byte \d+: expected .*got|bytecode\"?:1:\d+", str(error)), error
        else:
            assert text.startswith("tile.module")


@pytest.mark.parametrize("size", range(0, 400, 7))
def test_the_beginning(size):
    data = write(examples()["mmaf"])
    if size < len(data):
        with pytest.raises(ValueError, match=r"byte \d+: expected"):
            _tinytc.read_tile_bytecode(context(), data[:size])


def test_deep_regions():
    body = "tile.loop {\n" * 80 + "tile.break\n" + "}\ntile.break\n" * 79 + "}\n"
    text = f"tile.module @m {{ tile.entry @k() {{ {body} tile.return }} }}"
    with pytest.raises(ValueError, match="expected at most 64 regions in each other, got more"):
        _tinytc.read_tile_bytecode(context(), write(text))
