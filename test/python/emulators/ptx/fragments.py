"""Matrix instructions: which element of a matrix is in which register of which lane.

Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", and what each function names.
Lanes are in groups of four: `group` is the number of the group, `within` the lane's place in it.
"""

import functools

import numpy as np

from emulators.findings import Unsupported
from emulators.numbers import DTYPES, from_bf16, round_float, u32

LANES = 32


def _packed(per_register):
    """Fragments whose registers hold several adjacent elements: of 16 and of 8 bits.

    Source: PTX ISA, "Matrix Fragments for mma.m16n8k8" and "... for mma.m16n8k16 with floating
    point type" (16 bits), "... for mma.m16n8k16 with integer type" and "... for mma.m16n8k32" (8
    bits).
    """

    def a(group, within, i):
        half, rest = divmod(i, 2 * per_register)
        lower, part = divmod(rest, per_register)
        return group + 8 * lower, per_register * within + part + 4 * per_register * half

    def b(group, within, i):
        half, part = divmod(i, per_register)
        return per_register * within + part + 4 * per_register * half, group

    return a, b


def _words():
    """Fragments whose registers hold one element: of tf32 and f64.

    Source: PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type", "... for
    mma.m16n8k4", "... for mma.m16n8k8" and "... for mma.m16n8k16 with floating point type".
    """

    def a(group, within, i):
        return group + 8 * (i % 2), within + 4 * (i // 2)

    def b(group, within, i):
        return within + 4 * i, group

    return a, b


def _sums(group, within, i):
    """Fragments of C and D, the same in all of these sections."""
    return group + 8 * (i // 2), 2 * within + i % 2


_PER_REGISTER = {"f16": 2, "bf16": 2, "s8": 4, "u8": 4}


def _places(function, count):
    """Return rows and columns by lane and element."""
    table = [[function(*divmod(lane, 4), i) for i in range(count)] for lane in range(LANES)]
    return tuple(np.array(table).transpose(2, 0, 1))


@functools.cache
def fragments(shape, type_):
    """Return (rows, columns) by lane and element, for A, B and C, and the sizes m, n, k."""
    depth = int(shape.rpartition("k")[2])
    a, b = _packed(_PER_REGISTER[type_]) if type_ in _PER_REGISTER else _words()
    if shape == "m8n8k4" and type_ == "f64":
        return _places(a, 1), _places(b, 1), _places(_sums, 2), (8, 8, 4)
    if not shape.startswith("m16n8"):
        raise Unsupported(f"mma.{shape} of {type_}")
    return _places(a, depth // 2), _places(b, depth // 4), _places(_sums, 4), (16, 8, depth)


def _unpack(registers, type_):
    """Return registers [warp, lane, register] as numbers [warp, lane, element].

    Source: PTX ISA, "Alternate Floating-Point Data Formats" (bf16, tf32).
    """
    if type_ == "tf32":
        return (registers & u32(0xFFFFE000)).view(np.float32).astype(np.float64)
    dtype = DTYPES[type_]
    values = np.ascontiguousarray(registers).view(dtype).reshape(*registers.shape[:2], -1)
    if values.dtype.kind in "iu" and type_ != "bf16":
        return values.astype(np.int64)
    return (from_bf16(values) if type_ == "bf16" else values).astype(np.float64)


def _matrix(values, places, shape):
    result = np.zeros((len(values), *shape), values.dtype)
    result[:, places[0], places[1]] = values
    return result


def multiply_add(shape, types, a, b, c):
    """Return the registers of A * B + C, all [warp, lane, register].

    Sums are exact, then rounded; how hardware rounds between is not specified.
    Source: PTX ISA, "Multiply-and-Accumulate Instruction: mma".

    Args:
        shape: such as "m16n8k16".
        types: those of D, A, B and C.
        a: registers of A.
        b: registers of B.
        c: registers of C.
    """
    at_a, at_b, at_c, (m, n, k) = fragments(shape, types[1])
    matrix_a = _matrix(_unpack(a, types[1]), at_a, (m, k))
    matrix_b = _matrix(_unpack(b, types[2]), at_b, (k, n))
    matrix_c = _matrix(_unpack(c, types[3]), at_c, (m, n))
    result = (matrix_a @ matrix_b + matrix_c)[:, at_c[0], at_c[1]]
    result = result.astype(np.int32) if types[0] == "s32" else round_float(result, types[0])
    width = np.uint64 if types[0] == "f64" else u32
    return np.ascontiguousarray(result).view(width).reshape(len(a), LANES, -1)
