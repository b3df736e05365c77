"""Accesses that leave their memory, memory that nobody has stored to, divisions by zero."""

import numpy as np
import pytest

from cases.stage_kernels import (
    LOCAL,
    SEEDS,
    atomic,
    barrier,
    check,
    kinds,
    load,
    message,
    store,
    zeros,
)

PAIR = "%a: memref<?xf32>, %b: memref<?xf32>"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("index", "element"),
    [
        ("%c8", "8"),
        ("%minus", "-1"),
        ("%far", "1000000000"),
    ],
)
@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda index: load("%v", index), "loaded"),
        (lambda index: store("%x", index), "stored to"),
        (lambda index: atomic("%x", index), "updated atomically"),
    ],
    ids=["load", "store", "update"],
)
def test_out_of_bounds(make, word, index, element, seed):
    body = f"""
    %minus = arith.constant -1 : index
    %far = arith.constant 1000000000 : index
    scf.if %is_first {{ {make(index)} }}"""
    assert message(body, seed=seed) == (
        f"out of bounds: element {element} of argument 0 is {word} by work-item 0 (work-group 0)"
    )


def test_the_work_item_that_is_out_of_bounds():
    text = message(load("%v", "%following"))
    assert "element 8 of argument 0 is loaded by work-item 7 " in text


def test_idle_work_items_are_not_out_of_bounds():
    body = f"""
    %inside = arith.cmpi slt, %following, %c8 : index
    scf.if %inside {{ {load("%v", "%following")} }}"""
    assert check(body) == []


@pytest.mark.parametrize("make", [load, store])
def test_gaps_between_the_elements_of_an_argument(make):
    matrix = np.zeros((3, 4), np.float32, order="F")[:2]
    assert matrix.strides == (4, 12)
    body = "scf.if %is_first { " + make("%x2" if make is load else "%x", "{}") + " }"
    for index, is_gap in (("%c1", False), ("%c2", True), ("%c3", False)):
        found = kinds(body.replace("{}", index), matrix)
        assert found == (["bounds"] if is_gap else [])


def test_from_one_argument_into_another():
    data = zeros(1100)
    # Between the two lies what belongs to nobody, so this reaches the second by its own pointer.
    body = "scf.if %is_first { %v = memref.load %b[%c1] : memref<?xf32> }"
    assert check(body, data[:8], data[8:16], parameters=PAIR) == []
    distance = "%far = arith.constant 1056 : index\n"
    reach = f"{distance}scf.if %is_first {{ {load('%v', '%far')} }}"
    assert kinds(reach, zeros(), zeros(), parameters=PAIR) == ["bounds"]


def test_stores_out_of_bounds_reach_no_array():
    data = np.ones(24, np.float32)
    body = f"%k = arith.addi %item, %c8 : index\n{store('%y', '%k')}"
    assert kinds(body, data[:8]) == ["bounds"]
    assert (data == 1).all()


def test_empty_argument():
    assert check("", zeros(0)) == []
    assert kinds(load("%v", "%c0"), zeros(0)) == ["bounds"]


@pytest.mark.parametrize("seed", SEEDS)
def test_piece_of_local_memory(seed):
    """The buffer is larger than the piece."""
    body = f"scf.if %is_first {{ {store('%x', '%c8', 'local')} }}"
    assert message(body, seed=seed) == (
        "out of bounds: element 8 of a local tensor of 8 is stored to by work-item 0 (work-group 0)"
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (load("%v", "%item", "local"), ["uninitialised"]),
        (store("%x", "%item", "local") + load("%v", "%item", "local"), []),
        (load("%v", "%item", "local") + store("%x", "%item", "local"), ["uninitialised"]),
        (
            f"scf.if %is_low {{ {store('%x', '%item', 'local')} }}\n{barrier()}"
            + load("%v", "%item", "local"),
            ["uninitialised"],
        ),
        (atomic("%x", "%item", "local", "assign") + load("%v", "%item", "local"), []),
    ],
    ids=["never", "before", "after", "half of it", "exchanged"],
)
def test_uninitialised_local_memory(body, expected, seed):
    assert kinds(body, seed=seed) == expected


def test_local_memory_is_uninitialised_in_each_work_group():
    body = f"""
    %is_zeroth = arith.cmpi eq, %group, %c0 : index
    scf.if %is_zeroth {{ {store("%x", "%item", "local")} }}
    {load("%v", "%item", "local")}"""
    assert check(body) == []
    assert "(work-group 1)" in message(body, groups=3)


def test_uninitialised_part_of_an_element():
    wide = "memref<?xf64, #gpu.address_space<workgroup>>"
    body = f"""
    %w = memref.view %bytes[%c0][%c4] : memref<64xi8, #gpu.address_space<workgroup>> to {wide}
    scf.if %is_first {{
      memref.store %x, %m[%c0] : {LOCAL}
      %v = memref.load %w[%c0] : {wide}
    }}"""
    assert kinds(body) == ["uninitialised"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("word", ["divsi", "divui", "remsi", "remui"])
def test_division_by_zero(word, seed):
    body = f"scf.if %is_low {{ %q = arith.{word} %c8, %item : index }}"
    assert message(body, seed=seed) == (
        "expected a divisor that differs from 0, got 0 in work-item 0 (work-group 0)"
    )
    assert check(body.replace("%item", "%following"), seed=seed) == []
