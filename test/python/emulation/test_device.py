"""Arrays of emulated devices: what is beside their elements, and where they begin."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.emulators import EmulatedArray, emulated
from tinytc_mlir.emulators.memory import ARENA

COPY = """
func @copy(%A: memref<i8x3x2,strided<1,20>>, %B: memref<i8x3x2,strided<1,20>>) {
  %one = constant 1 : i8
  %zero = constant 0 : i8
  axpby.n %one, %A, %zero, %B
}"""


def strided():
    whole = np.zeros((20, 2), np.int8, order="F")
    whole[:3] = [[1, 4], [2, 5], [3, 6]]
    return whole[:3]


@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc"])
@pytest.mark.parametrize("shift", [0, 1])
def test_elements_are_copied_and_nothing_else(target, shift):
    copy, a, b = tt.Context().parse(COPY).compile(target)["copy"], strided(), strided()
    b[...] = 0
    with emulated(target) as queue:
        arrays = [EmulatedArray(each, shift) for each in (a, b)]
        copy(*arrays, queue=queue)
        for each in arrays:
            each.fetch()
    assert b.tolist() == a.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert not b.base[3:].any()


def test_who_owns_what():
    aligned, shifted = EmulatedArray(strided()), EmulatedArray(strided(), 1)
    owned = [ARENA.owners[each.address - ARENA.base :][:32].tolist() for each in (aligned, shifted)]
    assert owned == [[1] * 32, [1] * 3 + [0] * 17 + [1] * 3 + [0] * 9]


@pytest.mark.parametrize("at", [3, 15, 23])
def test_what_is_stored_beside_elements_is_an_error(at):
    array = EmulatedArray(strided())
    ARENA.write(array.address + at, b"\x01")
    with pytest.raises(tt.LaunchError, match=f"out of bounds: byte {at} from the first element"):
        array.fetch()
