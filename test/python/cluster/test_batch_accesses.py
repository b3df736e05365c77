"""What kernels may do with their group id if a batch is cut into blocks."""

import dataclasses
import json
import textwrap
from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest

import tinytc_mlir as tt
from bounding import info_of
from tinytc_mlir.distributed import batch_modes, map_blocks
from tinytc_mlir.runtime.manifest import Manifest

HEAD = """func @f(%x: f32, %n: index, {parameters}) {{
  %g = group_id : index
  %c0 = constant 0 : index
  %c1 = constant 1 : index
"""
OWN = "%a = subview %A[:,%g] : memref<f32x4> axpby.n %x, %a, %x, %a"
A = "%A: memref<f32x4x?>"


def kernel_text(parameters, body):
    return HEAD.format(parameters=parameters) + textwrap.dedent(body) + "\n}"


def modes_of(parameters, body):
    """Return the modes of the batch, as `map_blocks` finds them."""
    info = info_of(kernel_text(parameters, body))
    loaded = Manifest.from_json(Manifest("cpu", (info,)).to_json()).kernels[0]
    assert loaded == info
    return batch_modes(SimpleNamespace(info=info))


ACCEPTED = {
    "own": (A, OWN, {"A": 1}),
    "own_of_a_slice": (
        A,
        "%a = subview %A[:,%g:1] : memref<f32x4x1> store %x, %a[%c0,%c0]",
        {"A": 1},
    ),
    "cast_and_zero": (
        "%A: memref<f32x?>",
        """%i = cast %g : i32 %j = cast %i : index
        %k = arith.add %j, %c0 : index store %x, %A[%k]""",
        {"A": 0},
    ),
    "under_a_condition_on_data": (
        "%A: memref<f32x?>",
        "%a = load %A[%g] : f32 %c = cmp.lt %a, %x : bool if %c { store %x, %A[%g] }",
        {"A": 0},
    ),
    "guarded_by_the_size": (
        A,
        f"%s = size %A[1] : index %c = cmp.lt %g, %s : bool if %c {{ {OWN} }}",
        {"A": 1},
    ),
    "guarded_by_the_number_of_groups": (
        A,
        f"%s = num_groups : index %c = cmp.lt %g, %s : bool if %c {{ {OWN} }}",
        {"A": 1},
    ),
    "fixed_element_of_a_shared_array": (
        f"{A}, %T: memref<f32x4x?>",
        "%a = subview %A[:,%g] : memref<f32x4> %t = subview %T[:,0] : memref<f32x4>"
        " axpby.n %x, %t, %x, %a",
        {"A": 1},
    ),
    "all_members_of_a_shared_group": (
        f"{A}, %G: group<memref<f32x4>x?>",
        """%s = size %G[0] : index
        for %i: index = %c0, %s {
          %t = load %G[%i] : memref<f32x4> %a = subview %A[:,%g] : memref<f32x4>
          axpby.n %x, %t, %x, %a
        }""",
        {"A": 1},
    ),
    "own_members": (
        "%G: group<memref<f32x4>x?>",
        "%a = load %G[%g] : memref<f32x4> axpby.n %x, %a, %x, %a",
        {"G": 1},
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    parameters, body, modes = ACCEPTED[name]
    assert modes_of(parameters, body) == modes


def test_arrays_with_modes_in_another_order():
    info = info_of(kernel_text(A, OWN))
    changed = dataclasses.replace(info.arguments[2], modes=(1, 0))
    info = dataclasses.replace(info, arguments=(*info.arguments[:2], changed))
    assert batch_modes(SimpleNamespace(info=info)) == {"A": 0}


OTHER = "another index"
MIXED = "elements that do not depend on the group, and the group's own"
UNKNOWN = "an index that the compiler does not derive from the group id"
REFUSED = {
    "the_element_before": (
        A,
        "%i = arith.sub %g, %c1 : index %a = subview %A[:,%i] : memref<f32x4>\n"
        "%b = subview %A[:,%g] : memref<f32x4> axpby.n %x, %a, %x, %b",
        ("A", 1, OTHER, 6),
    ),
    "a_fixed_element_too": (
        A,
        f"{OWN}\n%b = subview %A[:,0] : memref<f32x4>\naxpby.n %x, %b, %x, %a",
        ("A", 1, MIXED, 7),
    ),
    "all_elements_too": (
        A,
        f"{OWN}\naxpby.n %x, %A, %x, %A",
        ("A", 1, MIXED, 6),
    ),
    "two_elements": (
        A,
        "%a = subview %A[:,%g:2] : memref<f32x4x2>\naxpby.n %x, %a, %x, %a",
        ("A", 1, OTHER, 6),
    ),
    "the_last_ones": (
        f"{A}, %T: memref<f32x?>",
        f"{OWN}\n%t = subview %T[%g:4] : memref<f32x4>\naxpby.n %x, %t, %x, %a",
        ("T", 0, OTHER, 7),
    ),
    "data": (
        "%I: memref<indexx?>, %T: memref<f32x?>",
        "%i = load %I[%g] : index\nstore %x, %T[%i]",
        ("T", 0, UNKNOWN, 6),
    ),
    "a_member_s_mode": (
        "%G: group<memref<f32x4x9>x?>",
        "%a = load %G[%c1] : memref<f32x4x9>\nstore %x, %a[%c1,%g]",
        ("G", 1, None, None),
    ),
    "a_diagonal": (
        "%A: memref<f32x?x?>",
        "store %x, %A[%g,%g]",
        ("A", 1, None, None),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    parameters, body, (argument, mode, found, line) = REFUSED[name]
    with pytest.raises(tt.ArgumentError) as caught:
        modes_of(parameters, body)
    message = str(caught.value)
    assert message.startswith(f"f: argument {argument!r}: expected ")
    assert "`modes`" in message
    if found is not None:
        assert f"mode {mode}" in message
        assert f"got {found} in line {line}" in message


COMPUTING = {
    "arithmetic": f"{OWN}\n%y = cast %g : f32\nstore %y, %A[%c0,%g]",
    "a_guard_with_a_scalar": f"%c = cmp.lt %g, %n : bool\nif %c {{ {OWN} }}",
    "a_loop_from_the_group": f"{OWN}\nfor %i: index = %g, %n {{ }}",
    "the_number_of_groups": f"{OWN}\n%s = num_groups : index\nfor %i: index = %c0, %s {{ }}",
    "the_size_of_the_batch": f"{OWN}\n%s = size %A[1] : index\nfor %i: index = %c0, %s {{ }}",
    "a_stored_id": f"{OWN}\nstore %g, %I[%g]",
}
LINES = [6, 5, 6, 7, 7, 6]


@pytest.mark.parametrize(("name", "line"), list(zip(COMPUTING, LINES, strict=True)))
def test_a_kernel_that_computes_with_the_batch(name, line):
    with pytest.raises(tt.ArgumentError, match=f"got another use in line {line}.*`modes`"):
        modes_of(f"{A}, %I: memref<indexx?>", COMPUTING[name])


def test_a_binary_of_an_older_version():
    info = info_of(kernel_text(A, OWN))
    data = json.loads(Manifest("cpu", (info,)).to_json())
    del data["kernels"][0]["group_accesses"], data["kernels"][0]["launch_dependent"]
    old = Manifest.from_json(json.dumps(data)).kernels[0]
    assert old == dataclasses.replace(info, group_accesses=None)
    with pytest.raises(tt.ArgumentError, match="compile it again.*`modes`"):
        batch_modes(SimpleNamespace(info=old))


def test_shared_arrays_go_to_each_block_whole():
    parameters, body, _ = ACCEPTED["fixed_element_of_a_shared_array"]
    kernel = tt.Context().parse(kernel_text(parameters, body)).compile("cpu")["f"]
    table = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(4, 3))
    a = da.ones((4, 7), dtype=np.float32, chunks=(4, 2))
    for given in (table, da.from_array(table, chunks=(2, 2))):
        found = map_blocks(kernel, 2.0, 0, a, given)["A"].compute()
        assert (found == 2 + 2 * table[:, :1]).all()


def test_what_is_refused_is_wrong_in_blocks():
    """`modes` launches it all the same."""
    parameters, body, _ = REFUSED["a_fixed_element_too"]
    kernel = tt.Context().parse(kernel_text(parameters, body)).compile("cpu")["f"]
    a = da.ones((4, 6), dtype=np.float32, chunks=(4, 2))
    with pytest.raises(tt.ArgumentError, match="argument 'A': expected each group to index mode 1"):
        map_blocks(kernel, 2.0, 0, a)
    assert map_blocks(kernel, 2.0, 0, a, modes={"A": 1})["A"].shape == (4, 6)
