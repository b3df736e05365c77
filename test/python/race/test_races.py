"""Two work-items at one element: what is a race, and what is none."""

import numpy as np
import pytest

from cases.stage_kernels import (
    SEEDS,
    atomic,
    barrier,
    check,
    initialised,
    kinds,
    load,
    message,
    store,
    zeros,
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize(
    "make",
    [
        lambda m: store("%x", "%item", m) + load("%v", "%next", m),
        lambda m: load("%v", "%next", m) + store("%x", "%item", m),
        lambda m: load("%v", "%item", m) + store("%v", "%next", m) + store("%x", "%item", m),
        lambda m: atomic("%x", "%c0", m) + load("%v", "%item", m),
        lambda m: load("%v", "%item", m) + atomic("%x", "%c0", m, "assign"),
        lambda m: store("%x", "%item", m) + atomic("%x", "%next", m),
        lambda m: atomic("%x", "%next", m) + store("%x", "%item", m),
    ],
    ids=[
        *("store, load", "load, store", "two stores", "update, load", "load, exchange"),
        *("store, update", "update, store"),
    ],
)
def test_race(make, memory, seed):
    assert kinds(initialised(make(memory), memory), seed=seed) == ["race"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize(
    "make",
    [
        lambda m: store("%x", "%item", m) + load("%v", "%item", m) + store("%v", "%item", m),
        lambda m: load("%v", "%item", m) + load("%w", "%c0", m),
        lambda m: atomic("%x", "%c0", m) + atomic("%y", "%c0", m),
        lambda m: atomic("%x", "%item", m) + load("%v", "%item", m) + store("%v", "%item", m),
        lambda m: store("%x", "%item", m) + barrier() + load("%v", "%next", m),
        lambda m: load("%v", "%next", m) + barrier() + store("%x", "%item", m),
        lambda m: store("%x", "%item", m) + barrier() + store("%y", "%next", m),
    ],
    ids=[
        *("own element", "loads", "updates", "own update", "store | load", "load | store"),
        "store | store",
    ],
)
def test_no_race(make, memory, seed):
    assert check(initialised(make(memory), memory), seed=seed) == []


def test_message_names_work_items_element_and_both_places():
    (finding,) = check(store("%x", "%item") + load("%v", "%next"))
    diagnostic = finding.diagnostic
    assert diagnostic.message == (
        "race: element 1 of argument 0 is loaded by work-item 0 and stored to by work-item 1; "
        "no barrier that fences this memory lies between (work-group 0)"
    )
    assert diagnostic.notes[0].message == "stored to by work-item 1 here"
    assert diagnostic.notes[0].line == diagnostic.line - 1
    assert str(finding).splitlines()[0].endswith("[race]")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "body",
    [
        store("%x", "%c3"),
        load("%v", "%item") + barrier() + store("%x", "%item") + store("%x", "%next"),
        f"%v = arith.select %is_low, %x, %x : f32\n{store('%v', '%c3')}",
    ],
    ids=["one element", "two of each", "value of each"],
)
def test_equal_stores(body, seed):
    assert check(body, seed=seed) == []
    assert kinds(body, seed=seed, reports_equal_stores=True) == ["equal stores"]


@pytest.mark.parametrize("seed", SEEDS)
def test_stores_are_compared_bit_by_bit(seed):
    negative = "%zero = arith.constant 0.0 : f32\n%minus = arith.constant -0.0 : f32\n"
    body = f"{negative}%v = arith.select %is_low, %zero, %minus : f32\n{store('%v', '%c3')}"
    assert kinds(body, seed=seed) == ["race"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_load_beside_equal_stores_is_a_race(seed):
    assert kinds(store("%x", "%c3") + load("%v", "%c3"), seed=seed) == ["race"]


def test_branches_that_work_items_take_apart():
    body = f"""
    scf.if %is_low {{ {store("%x", "%item")} }} else {{
      %k = arith.subi %item, %c4 : index
      {load("%v", "%k")}
    }}"""
    assert message(body).startswith("race: element 0 of argument 0 is loaded by work-item 4 ")
    harmless = body.replace("%c4 : index\n", "%c0 : index\n")
    assert check(harmless) == []


def test_last_iteration_and_next_one():
    def body(middle, end):
        lines = load("%v", "%next") + middle + store("%v", "%item") + end
        return f"scf.for %k = %c0 to %c3 step %c1 {{ {lines} }}"

    assert check(body(barrier(), barrier())) == []
    assert kinds(body(barrier(), "")) == ["race"]
    assert kinds(body("", barrier())) == ["race"]


def test_a_log_that_is_checked_before_the_barrier():
    def body(middle):
        return f"""
        %many = arith.constant 30000 : index
        {store("%x", "%item")}
        scf.for %k = %c0 to %many step %c1 {{ {load("%v", "%item")} }}
        {middle}
        {load("%w", "%next")}"""

    assert kinds(body("")) == ["race"]
    assert check(body(barrier())) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (store("%x", "%item"), "equal stores"),
        (f"%v = arith.select %is_other, %x, %y : f32\n{store('%v', '%item')}", "race"),
        (f"{load('%v', '%item')} scf.if %is_other {{ {store('%x', '%item')} }}", "race"),
        (f"scf.if %is_other {{ {store('%x', '%item')} }}", None),
        (atomic("%x", "%c0"), None),
    ],
    ids=["equal stores", "two stores", "load, store", "one stores", "updates"],
)
def test_between_work_groups(body, kind, seed):
    body = f"%is_other = arith.cmpi eq, %group, %c1 : index\n{body}"
    found = kinds(body, groups=2, seed=seed, reports_equal_stores=True)
    assert found == ([] if kind is None else [kind])
    assert check(body, groups=1, seed=seed) == []


def test_message_between_work_groups():
    body = f"""
    %is_other = arith.cmpi eq, %group, %c1 : index
    {load("%v", "%item")}
    scf.if %is_other {{ {store("%x", "%item")} }}"""
    assert message(body, groups=2) == (
        "race: element 0 of argument 0 is stored to by this work-group and loaded by several "
        "work-groups; work-groups cannot wait for each other (work-group 1)"
    )


def test_elements_of_several_sizes_in_one_buffer():
    wide = "memref<?xf64, #gpu.address_space<workgroup>>"

    def body(middle):
        return f"""
        %w = memref.view %bytes[%c0][%c4] : memref<64xi8, #gpu.address_space<workgroup>> to {wide}
        {store("%x", "%item", "local")}
        {middle}
        scf.if %is_low {{ %v = memref.load %w[%item] : {wide} }}"""

    assert kinds(body("")) == ["race"]
    assert check(body(barrier())) == []


def test_elements_of_one_size_and_different_types():
    """They are compared as bytes, not as numbers: the bits of 1.0 are not those of 1."""
    parameters = "%a: memref<?xf16>, %b: memref<?xi16>"
    body = """
        %one = arith.constant 1 : i16
        %number = arith.constant 1.0 : f16
        memref.store %number, %a[%item] : memref<?xf16>
        memref.store %one, %b[%following] : memref<?xi16>"""
    floats, integers = zeros(8, np.float16), zeros(9, np.int16)
    assert check(body, floats, integers, parameters=parameters) == []
    overlapping = integers[:8].view(np.float16)
    assert kinds(body, overlapping, integers, parameters=parameters) == ["race"]


def test_arguments_that_overlap():
    parameters = "%a: memref<?xf32>, %b: memref<?xf32>"
    body = store("%x", "%item") + "%v = memref.load %b[%item] : memref<?xf32>"
    data = zeros(12)
    assert check(body, data[:8], zeros(), parameters=parameters) == []
    assert kinds(body, data[:8], data[:8], parameters=parameters) == []
    assert kinds(body, data[:8], data[4:], parameters=parameters) == ["race"]


def test_results_are_copied_back_to_the_arguments():
    data = np.arange(8, dtype=np.float32)
    body = load("%v", "%next") + barrier() + store("%v", "%item")
    assert check(body, data) == []
    assert data.tolist() == [1, 2, 3, 4, 5, 6, 7, 0]
