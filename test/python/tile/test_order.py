"""The interpreter finds accesses that tokens do not order."""

import re

import numpy as np
import pytest
from mlir import ir

import tinytc_mlir as tt
from tile_interpreter import TileStage
from tile_interpreter.accesses import Block
from tile_interpreter.memory import TileMemory
from tile_interpreter.operations import compile_block
from tile_interpreter.order import AccessOrder
from tile_tools import context
from tinytc_mlir.reference.regions import Region

TILE = "!tile.tile<i32>"
POINTER = "!tile.tile<!tile.ptr<i32>>"
LOAD = f"tile.load_ptr_tko weak %p{{}} : {POINTER} -> {TILE}"
STORE = f"tile.store_ptr_tko weak %p, %one{{}} : {POINTER}, {TILE}"
UPDATE = f"tile.atomic_rmw_tko relaxed device %p, add, %one{{}} : {POINTER}, {TILE}"


def run(body):
    """Run a program on one number, which is 0, in two tile blocks; return the number."""
    text = f"""tile.module @m {{ tile.entry @k(%p: {POINTER}) {{
      %one = tile.constant dense<1> : {TILE}
      {body}
      tile.return
    }} }}"""
    array = np.zeros(2, np.int32)
    address = array.ctypes.data
    with context():
        module = ir.Module.parse(text)
        entry = module.body.operations[0].regions[0].blocks[0].operations[0].regions[0].blocks[0]
        step = compile_block(entry)
        memory = TileMemory([Region.of_array("x", array)])
        order = AccessOrder(memory.sizes)
        for _ in range(2):  # which nothing orders
            order.begin()
            values = {entry.arguments[0]: np.int64(address)}
            step(Block(values, memory, order, (0, 0, 0), (1, 1, 1)))
    return array[0]


def accesses(first, second, token=""):
    results = {LOAD: "%x{0}, %t{0} = ", STORE: "%t{0} = ", UPDATE: "%x{0}, %t{0} = "}
    return "\n".join(
        results[each].format(number) + each.format(token if number else "")
        for number, each in enumerate((first, second))
    )


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        (STORE, LOAD, "read"),
        (LOAD, STORE, "write"),
        (STORE, STORE, "write"),
        (STORE, UPDATE, "atomic access"),
        (UPDATE, LOAD, "read"),
    ],
)
def test_accesses_without_a_token(first, second, word):
    message = f"expected a token that orders a {word} after the access before it"
    with pytest.raises(tt.InterpreterError, match=message):
        run(accesses(first, second))
    assert run(accesses(first, second, " token %t0")) >= 1


def test_what_needs_no_token():
    assert run(accesses(LOAD, LOAD)) == 0
    assert run(accesses(UPDATE, UPDATE)) == 4


def test_tokens_are_joined():
    joined = f"""
      {accesses(LOAD, LOAD)}
      %t = tile.join_tokens %t0, %t1
      %t2 = {STORE.format(" token %{}")}"""
    assert run(joined.format("t")) == 1
    with pytest.raises(tt.InterpreterError, match="orders a write"):
        run(joined.format("t1"))


def test_kernels_have_tokens():
    module = tt.Context().parse("""func @k(%x: memref<f32x4>) {
      %one = constant 1.0 : f32
      axpby.n %one, %x, %one, %x
      axpby.n %one, %x, %one, %x
    }""")
    stage = TileStage(module)
    assert len(re.findall(r" token %", str(stage.operation))) >= 3
    x = np.ones(4, np.float32)
    stage.run("k", [x])
    assert (x == 4).all()
