"""Factorisations and solves on arrays that end or begin at pages which nobody may access.

Groups in lanes load blocks of matrices, and the last groups run one by one. Results are those of
arrays elsewhere, bit by bit. What is accessed out of bounds ends the process.
"""

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases.matrices import TYPES
from native.guarded import GuardedArray

SIZES = (1, 2, 4, 5, 6, 7, 8, 12, 17) if profiles.IS_NIGHTLY else (3, 9)
GROUPS = (1, 7, 17)
INSTRUCTIONS = (
    *("cholesky.l %a, %i", "lu %a, %p, %i", "trsm.u.c %one, %a, %b", "solve.spd.u %a, %b"),
    *("solve.lu %a, %p, %b", "syrk.l.t %one, %b, %zero, %a", "swap_rows %p, %b"),
    *("trmm.right.l.n.unit %one, %c, %b", "qr %a, %b1", "apply_q.t %a, %b1, %b"),
    "eigh.l %a, %w",
)
TEXT = """
func @f(%A: memref<{t}x{n}x{n}x?,strided<1,{ld},{step}>>, %B: memref<{t}x{n}x2x?>,
        %C: memref<{t}x2x2x?>, %P: memref<i32x{n}x?>, %W: memref<{real}x{n}x?>,
        %I: memref<i32x?>) {{
  %g = group_id.x : index
  %a = subview %A[:, :, %g] : memref<{t}x{n}x{n},strided<1,{ld}>>
  %b = subview %B[:, :, %g] : memref<{t}x{n}x2>
  %b1 = subview %B[:, 1, %g] : memref<{t}x{n}>
  %c = subview %C[:, :, %g] : memref<{t}x2x2>
  %p = subview %P[:, %g] : memref<i32x{n}>
  %w = subview %W[:, %g] : memref<{real}x{n}>
  %i = subview %I[%g] : memref<i32>
  %one = constant {one} : {t}
  %zero = constant {zero} : {t}
  {instruction}
}}
"""


def operands(type_, size, groups, ld, step):
    """Return all elements in memory of each array, its shape, and its strides."""
    rng = np.random.default_rng(size)
    dtype = TYPES[type_]
    real = np.zeros((), dtype).real.dtype
    last = (size - 1) * (1 + ld) + step * (groups - 1)
    places = np.arange(size)
    pivots = rng.integers(places + 1, size + 1, (groups, size)).astype(np.int32)
    matrices = rng.standard_normal(last + 1).astype(dtype)
    for group in range(groups):  # far from singular
        matrices[step * group + places * (1 + ld)] += 3 * size
    yield matrices, (size, size, groups), (1, ld, step)
    for shape in ((size, 2, groups), (2, 2, groups)):
        elements = rng.standard_normal(np.prod(shape)).astype(dtype)
        yield elements, shape, (1, shape[0], 2 * shape[0])
    yield pivots.ravel(), (size, groups), (1, size)
    yield np.zeros(size * groups, real), (size, groups), (1, size)
    yield np.full(groups, -1, np.int32), (groups,), (1,)


def launched(kernel, given, groups, make):
    """Return the elements of all arrays after a launch."""
    elements = [memory.copy() for memory, *_ in given]
    arrays = [make(m, shape, s) for m, (_, shape, s) in zip(elements, given, strict=True)]
    kernel(*arrays, groups=groups)
    for array in arrays:
        if isinstance(array, GuardedArray):
            array.finish()
    return elements


def plain(memory, shape, stride):
    places = [step * memory.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(memory, shape, places)


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_nothing_beyond_arrays_is_accessed(instruction, type_):
    real = {"c32": "f32", "c64": "f64"}.get(type_, type_)
    one, zero = ("[1.0,0.0]", "[0.0,0.0]") if type_ != real else ("1.0", "0.0")
    for size in SIZES:
        for pad in (0, 1):
            ld, step = size + pad, (size + pad) * size + pad
            sizes = {"t": type_, "n": size, "ld": ld, "step": step, "real": real}
            text = TEXT.format(instruction=instruction, one=one, zero=zero, **sizes)
            kernel = tt.Context().parse(text).compile("native")["f"]
            for groups in GROUPS:
                given = list(operands(type_, size, groups, ld, step))
                expected = launched(kernel, given, groups, plain)
                for at_end in (False, True):
                    found = launched(
                        kernel, given, groups, lambda *args, end=at_end: GuardedArray(*args, end)
                    )
                    for one_array, other in zip(found, expected, strict=True):
                        assert one_array.tobytes() == other.tobytes()
