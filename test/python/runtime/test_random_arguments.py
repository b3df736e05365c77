"""Launches of random arguments: remembered ones agree with checked ones, and both with NumPy."""

import warnings

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from tinytc_mlir.runtime.kernel import Kernel

STEPS = 4000 if profiles.IS_NIGHTLY else 250
DTYPES = {"f32": np.float32, "c64": np.complex128, "i64": np.int64, "i16": np.int16}
SHAPES = ((4, 3), (4, 3), (1, 3), (4, 1), (1, 1), (0, 3), (4, 0))
FACTORS = (2, 3.0, 0, -0.0, True, 1j, np.int8(2), np.array(2), [2], None, "2", 2**40, 10**30)
GROUPS = (None, None, 1, 2, 3, 4, 0, (2,), np.int64(1), -1, 2.0, True)


@pytest.fixture(scope="module")
def programs():
    found = {}
    for type_ in DTYPES:
        zero = {"f": "0.0", "c": "[0.0, 0.0]", "i": "0"}[type_[0]]
        text = f"""func @scale(%s: {type_}, %x: memref<{type_}x?x?>, %y: memref<{type_}x?x?>) {{
          %i = group_id.x : index
          %a = subview %x[:,%i] : memref<{type_}x?>
          %b = subview %y[:,%i] : memref<{type_}x?>
          %zero = constant {zero} : {type_}
          axpby.n %s, %a, %zero, %b }}"""
        found[type_] = tt.Context().parse(text).compile("native")
    return found


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    found = memory.view(array.dtype).reshape(array.shape, order="F")
    found[...] = array
    return found


MAKERS = {
    "packed": lambda a: a,
    "packed too": lambda a: a,
    "rows": np.ascontiguousarray,
    "padded": lambda a: np.pad(a, ((1, 2), (0, 0))).copy("F")[1 : 1 + a.shape[0]],
    "columns apart": lambda a: np.repeat(a, 2, 1).copy("F")[:, ::2],
    "rows apart": lambda a: np.repeat(a, 2, 0).copy("F")[::2],
    "backwards": lambda a: a[:, ::-1],
    "upside down": lambda a: a[::-1],
    "one column": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "read-only": read_only,
    "unaligned": unaligned,
    "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "another type": lambda a: a.real.astype(np.float64),
    "a subclass": lambda a: a.view(np.matrix),
    "one mode": lambda a: a[:, 0] if a.shape[1] else a.reshape(-1),
    "a list": lambda a: a.tolist(),
    "in place": lambda a: tt.asarray(a, queue="native"),
}


def outcome(kernel, factor, x, y, groups):
    """Return what a launch says and makes of an array, which is restored."""
    before = np.array(y)
    try:
        kernel(factor, x, y, groups=groups)
    except (tt.TinyTCError, tt.UncheckedWarning) as error:
        return str(error).split("0x")[0], before
    after = np.array(y)
    y[...] = before
    return None, after


@pytest.mark.parametrize("seed", range(2))
def test_random_arguments(programs, seed):
    rng = np.random.default_rng(seed)

    def pick(values):
        return values[rng.integers(len(values))]

    def array(dtype, shape):
        found = rng.integers(1, 9, shape).astype(dtype)
        if found.dtype.kind == "c":
            found += 1j * rng.integers(1, 9, shape)
        return pick(list(MAKERS.values()))(np.asfortranarray(found))

    accepted = 0
    for _ in range(STEPS):
        type_, shape = pick(list(DTYPES)), pick(SHAPES)
        x, y = (array(DTYPES[type_], shape) for _ in range(2))
        y = x if rng.integers(9) == 0 else y
        factor, groups = pick(FACTORS), pick(GROUPS)
        known = programs[type_]["scale"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", tt.UncheckedWarning)
            found = [
                outcome(kernel, factor, x, y, groups)
                for kernel in (Kernel(known.program, known.info), known, known)
            ]
        said, after = found[0]
        case = type_, shape, factor, groups, x, y
        assert all(other[0] == said for other in found), case
        assert all(np.array_equal(other[1], after) for other in found), case
        if said is None:
            accepted += 1
            expected = np.array(y)
            count = shape[1] if groups is None else int(np.prod(groups))
            expected[:, :count] = np.asarray(factor).astype(DTYPES[type_]) * np.array(x)[:, :count]
            np.testing.assert_array_equal(after, expected, str(case))
    assert accepted > STEPS / 20
