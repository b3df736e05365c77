# SPDX-License-Identifier: BSD-3-Clause
"""Measures the roof of a device: its rates of multiply-adds and of copies.

Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for
multicore architectures", Communications of the ACM 52 (2009).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import numpy as np

from .. import cache
from ..compiler import Context
from ..errors import TinyTCError
from ..measure.launches import do_bench
from ..program_cache import compiler_version
from ..runtime.arrays.memory import empty
from ..runtime.kernel import BoundKernel
from ..runtime.kernel_info import Argument, KernelInfo, ScalarArgument
from ..runtime.protocol import Queue
from ..scalars import SCALAR_TYPES

_LANES = (4, 8, 16, 32)
_CHAINS = 12  # independent multiply-adds in a work-item, more than units and their latency need
_STEPS, _GROUPS = 1000, 2048
_COLUMN = 1024  # elements that a group of the copy copies
_LEAST_BYTES, _MOST_BYTES = 2**20, 2**29
_ROUNDS, _ROUND_S = 7, 0.01

_T = TypeVar("_T", str, int)
_Measurement: TypeAlias = Callable[[Queue, str, _T], float]

_COPY = f"""
func @copy(%X: memref<f32x{_COLUMN}x?>, %Y: memref<f32x{_COLUMN}x?>) {{
  %i = group_id.x : index
  %x = subview %X[:, %i] : memref<f32x{_COLUMN}>
  %y = subview %Y[:, %i] : memref<f32x{_COLUMN}>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby %one, %x, %zero, %y
}}
"""


@dataclasses.dataclass(frozen=True)
class Roof:
    """The roofline of a device.

    Args:
        type: "f32" or "f64", the type of the multiply-adds.
        gflops: floating-point operations in a nanosecond, of multiply-adds without memory.
        gbytes_per_s: bytes in a nanosecond, read and written by copies.
        copied_bytes: bytes of source and target together of these copies.

    >>> roof = Roof("f32", 100.0, 20.0, 2**20)
    >>> roof.at(2.0), roof.at(50.0), roof.at(None)
    (40.0, 100.0, 100.0)
    >>> roof.share(Rates(gflops=30.0, gbytes_per_s=15.0)), roof.share(Rates(gbytes_per_s=15.0))
    (0.75, 0.75)
    >>> roof.exceeds_copies(Rates(gflops=30.0, gbytes_per_s=25.0))
    True
    """

    type: str
    gflops: float
    gbytes_per_s: float
    copied_bytes: int

    def at(self, intensity: float | None) -> float:
        """Return how many operations in a nanosecond are possible.

        Args:
            intensity: operations for each byte that is read or written; None if there are none.
        """
        return self.gflops if intensity is None else min(self.gflops, self.gbytes_per_s * intensity)

    def exceeds_copies(self, rates: Rates) -> bool:
        """Whether a kernel moves bytes faster than copies, so that its data stay in caches."""
        return (rates.gbytes_per_s or 0.0) > self.gbytes_per_s and self.share(rates) > 1

    def share(self, rates: Rates) -> float:
        """Return the part of what is possible that a kernel reaches."""
        if rates.gflops is None:
            return (rates.gbytes_per_s or 0.0) / self.gbytes_per_s
        return rates.gflops / self.at(rates.intensity)


@dataclasses.dataclass(frozen=True)
class Rates:
    """How fast a kernel is.

    Args:
        gflops: floating-point operations in a nanosecond, None if they are not known or there are
            none.
        gbytes_per_s: bytes of global memory in a nanosecond, None as above.
        moved_bytes: bytes of a launch, None as above.
    """

    gflops: float | None = None
    gbytes_per_s: float | None = None
    moved_bytes: int | None = None

    @classmethod
    def of(cls, info: KernelInfo, groups: int, time_ns: float) -> Rates:
        """Return the rates of a launch of some groups."""
        flops, moved = info.work(groups)
        return cls(
            flops / time_ns if flops else None, moved / time_ns if moved else None, moved or None
        )

    @property
    def intensity(self) -> float | None:
        """Operations for each byte, None if either is not known."""
        if self.gflops is None or self.gbytes_per_s is None:
            return None
        return self.gflops / self.gbytes_per_s


def roof_of(
    queue: Queue,
    target: str,
    info: KernelInfo,
    moved_bytes: int | None = None,
    *,
    again: bool = False,
) -> Roof:
    """Return the roof for launches of a kernel, measured when a device is first asked for.

    Args:
        queue: queue of the launches.
        target: name of the kernel's target.
        info: the kernel; it computes in f64 if it has a parameter with numbers of f64, else in f32.
        moved_bytes: bytes that a launch reads and writes; copies move as many, or up to twice.
        again: measure once more, and take the higher rates, because the device was busy before.

    Raises:
        TinyTCError: the device runs no kernel that measures it.
    """
    type_ = "f64" if any(map(_has_f64, info.arguments)) else "f32"
    wanted = min(max(moved_bytes or _MOST_BYTES, _LEAST_BYTES), _MOST_BYTES)
    copied = 1 << (wanted - 1).bit_length()
    gflops = _kept(queue, target, _multiply_adds, type_, again)
    return Roof(type_, gflops, _kept(queue, target, _copies, copied, again), copied)


def _has_f64(argument: Argument) -> bool:
    name = argument.type if isinstance(argument, ScalarArgument) else argument.element_type
    return name in ("f64", "c64")


def _kept(
    queue: Queue, target: str, measure: _Measurement[_T], parameter: _T, again: bool
) -> float:
    """Return a rate that was measured before on this device, or measure it and keep it."""
    device = queue.device
    what: list[object] = [measure.__name__, parameter]
    key = [compiler_version(), device.name, device.driver_version, target, *what]
    path = cache.path_of(cache.ROOF, key)
    data = cache.load(path)
    known = 0.0 if data is None else float(json.loads(data))
    if known and not again:
        return known
    rate = max(known, measure(queue, target, parameter))
    cache.keep(path, json.dumps(rate).encode(), {"device": device.name, "what": what})
    return rate


def _multiply_adds(queue: Queue, target: str, type_: str) -> float:
    """Return operations in a nanosecond, with as many lanes as suit the device best."""
    rates = list(_rates_of_multiply_adds(queue, target, type_))
    if not rates:
        name = queue.device.name
        raise TinyTCError(f"roof: expected subgroups of {_LANES} to compile for {name}, got none")
    return max(rates)


def _rates_of_multiply_adds(queue: Queue, target: str, type_: str) -> Iterator[float]:
    for lanes in _LANES:
        try:
            module = Context().parse(_multiply_add_text(type_, lanes), "roof")
            kernel = module.compile(target)["multiply_add"]
        except TinyTCError:
            continue  # the target has no subgroups of this size
        results = empty((lanes, _GROUPS), SCALAR_TYPES[type_].numpy, queue=queue)
        bound = kernel.bind(0.5, 0.25, _STEPS, results, queue=queue)
        yield 2 * lanes * _CHAINS * _STEPS * _GROUPS / _shortest_ns(bound)


def _multiply_add_text(type_: str, lanes: int) -> str:
    numbers = range(_CHAINS)
    inits, types = ", ".join(f"%x{i} = %x" for i in numbers), ", ".join([type_] * _CHAINS)
    sums = [f"%s{i} = add %{'s' if i > 1 else 'y'}{i - 1}, %y{i} : {type_}" for i in numbers[1:]]
    step = [f"%p{i} = mul %x{i}, %a : {type_}\n%n{i} = add %p{i}, %b : {type_}" for i in numbers]
    newline = "\n"
    return f"""
func @multiply_add(%a: {type_}, %b: {type_}, %steps: index, %Y: memref<{type_}x{lanes}x?>)
    attributes {{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %group = group_id.x : index
  parallel {{
    %lane = subgroup_local_id : i32
    %row = cast %lane : index
    %x = cast %row : {type_}
    {", ".join(f"%y{i}" for i in numbers)} = for %k = 0, %steps init({inits}) -> ({types}) {{
      {newline.join(step)}
      yield ({", ".join(f"%n{i}" for i in numbers)})
    }}
    {newline.join(sums)}
    store %s{_CHAINS - 1}, %Y[%row, %group]
  }}
}}
"""


def _copies(queue: Queue, target: str, copied_bytes: int) -> float:
    """Return bytes in a nanosecond, those that are read and those that are written."""
    columns = copied_bytes // (2 * _COLUMN * np.dtype(np.float32).itemsize)
    source, copy = (empty((_COLUMN, columns), queue=queue) for _ in range(2))
    source[:] = 1
    kernel = Context().parse(_COPY, "roof").compile(target)["copy"]
    return copied_bytes / _shortest_ns(kernel.bind(source, copy, queue=queue))


def _shortest_ns(bound: BoundKernel) -> float:
    return do_bench(bound, rounds=_ROUNDS, round_s=_ROUND_S, quantiles=(0.0,)).quantiles_ns[0]
