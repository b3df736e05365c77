"""Minima and maxima of pairs and of lanes, among which are NaN, infinities and zeros."""

import itertools

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

TYPES = ("bf16", "f16", "f32", "f64")
LANES = 16
_NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 2.0, "least", "-least")
_OF_PAIRS = {"min": np.fmin, "max": np.fmax, "minimum": np.minimum, "maximum": np.maximum}


def pairs_text(type_):
    """Return a kernel that stores each minimum and maximum of each pair."""
    count, lines = len(_NUMBERS) ** 2, []
    for place, name in enumerate(_OF_PAIRS):
        lines += [f"%{name} = {name} %a, %b : {type_}", f"store %{name}, %C[%i, {place}]"]
    return f"""func @f(%A: memref<{type_}x{count}>, %B: memref<{type_}x{count}>,
                    %C: memref<{type_}x{count}x4>) {{
      foreach (%i) = (0), ({count}) {{
        %a = load %A[%i] : {type_}
        %b = load %B[%i] : {type_}
        {chr(10).join(lines)}
      }}
    }}"""


def lanes_text(type_):
    """Return a kernel that combines the values of lanes in one row for each group."""
    return f"""func @f(%A: memref<{type_}x{LANES}x?>, %S: memref<{type_}x{LANES}x?x4>,
                    %D: memref<{type_}x2x?>)
        attributes {{subgroup_size={LANES}, work_group_size=[{LANES},1]}} {{
      %g = group_id.x : index
      parallel {{
        %id = subgroup_local_id : i32
        %i = cast %id : index
        %a = load %A[%i, %g] : {type_}
        %0 = subgroup_min.reduce %a : {type_}
        %1 = subgroup_max.reduce %a : {type_}
        %2 = subgroup_min.inclusive_scan %a : {type_}
        %3 = subgroup_max.inclusive_scan %a : {type_}
        store %0, %S[%i, %g, 0]
        store %1, %S[%i, %g, 1]
        store %2, %S[%i, %g, 2]
        store %3, %S[%i, %g, 3]
        %4 = atomic_min %a, %D[0, %g] : {type_}
        %5 = atomic_max %a, %D[1, %g] : {type_}
      }}
    }}"""


def _numbers(type_):
    """Return the numbers of a type; the least one is subnormal, but not where f32 has none."""
    least = {"f64": 5e-324, "f16": 2.0**-24}.get(type_, float(np.finfo(np.float32).tiny))
    words = {"least": least, "-least": -least}
    return np.array([words.get(number, number) for number in _NUMBERS])


def _memory(type_, values):
    scalar_type = SCALAR_TYPES[type_]
    stored = scalar_type.to_memory(np.asarray(values).astype(scalar_type.value_dtype))
    return np.asfortranarray(stored)


def _values(type_, array):
    return np.asarray(SCALAR_TYPES[type_].from_memory(array)).astype(np.float64)


def check_pairs(type_, run):
    """Compare `run(a, b, c)` with NumPy; -0 is the lesser zero for minimum and maximum."""
    a, b = np.array(list(itertools.product(_numbers(type_), repeat=2))).T
    c = _memory(type_, np.zeros((a.size, len(_OF_PAIRS))))
    run(_memory(type_, a), _memory(type_, b), c)
    found = _values(type_, c).T
    for column, (name, function) in zip(found, _OF_PAIRS.items(), strict=True):
        np.testing.assert_array_equal(column, function(a, b), err_msg=name)
    zeros = (a == 0) & (b == 0)
    negative = np.signbit(a[zeros]), np.signbit(b[zeros])
    np.testing.assert_array_equal(np.signbit(found[2][zeros]), np.logical_or(*negative))
    np.testing.assert_array_equal(np.signbit(found[3][zeros]), np.logical_and(*negative))


def check_lanes(type_, run, count=24):
    """Compare `run(a, s, d)` with NumPy for random rows, one of them of NaN alone."""
    generator = np.random.default_rng(7)
    a = generator.choice(_numbers(type_), (LANES, count))
    a[:, 0], start = np.nan, generator.choice(_numbers(type_), (2, count))
    start[:, 0] = np.nan
    s, d = _memory(type_, np.zeros((LANES, count, 4))), _memory(type_, start)
    run(_memory(type_, a), s, d)
    found, combined = _values(type_, s), _values(type_, d)
    for place, function in enumerate((np.fmin, np.fmax)):
        whole = function.reduce(a, axis=0)
        np.testing.assert_array_equal(found[:, :, place], np.broadcast_to(whole, a.shape))
        np.testing.assert_array_equal(found[:, :, place + 2], function.accumulate(a, axis=0))
        np.testing.assert_array_equal(combined[place], function(start[place], whole))
