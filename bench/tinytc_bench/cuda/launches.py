# SPDX-License-Identifier: BSD-3-Clause
"""Checks of launches on a GPU: streams, events, memory, threads and arrays of other libraries."""

from __future__ import annotations

import concurrent.futures
import itertools
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.runtime.nvidia.cuda import CudaQueue
from tinytc_mlir.runtime.nvidia.cuda_driver import call
from tinytc_mlir.runtime.program import Program, load

from .peers import module_of
from .views import Part

FILE = "launches.tinytcb"
PROGRAM = """
func @scale(%alpha: f32, %X: memref<f32x?x?,strided<1,?>>) {
  %g = group_id.x : index
  %rows = size %X[0] : index
  %x = subview %X[0:%rows, %g] : memref<f32x?>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}

func @product(%A: memref<f32x16x16x?>, %B: memref<f32x16x16>, %C: memref<f32x16x16x?>) {
  %g = group_id.x : index
  %a = subview %A[:,:,%g] : memref<f32x16x16>
  %c = subview %C[:,:,%g] : memref<f32x16x16>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm.n.n %one, %a, %B, %zero, %c
}

func @members(%z: c32, %A: group<memref<f64x?>x?, offset: ?>, %Y: memref<f64x2x?>) {
  %g = group_id.x : index
  %a = load %A[%g] : memref<f64x?>
  %y = subview %Y[0:2, %g] : memref<f64x2>
  %b = subview %a[0:2] : memref<f64x2>
  %one = constant 1.0 : f64
  axpby.n %one, %b, %one, %y
}
"""
_THREADS = 8
_GROUPS = 20000  # launches long enough that a missing wait shows


def check_launches(folder: pathlib.Path, queue: CudaQueue) -> Iterator[tuple[str, str]]:
    """Yield the name of each check and what is wrong, an empty text if nothing is.

    Args:
        folder: folder with the program.
        queue: queue of the device.

    Raises:
        TinyTCError: the folder has no such program.
    """
    try:
        program = load(folder / FILE, queue=queue)
    except OSError as error:
        raise TinyTCError(
            f"expected a program in {folder / FILE}, got an error: {error}"
        ) from error
    for check in _CHECKS:
        name = check.__name__.removeprefix("_")
        try:
            check(program, queue)
        except (AssertionError, TinyTCError) as error:
            yield name, f"{type(error).__name__}: {error}"
        else:
            yield name, ""


def _expect(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def _ones(queue: CudaQueue) -> Any:
    return tt.asarray(np.ones((64, _GROUPS), np.float32, order="F"), queue=queue)


def _stream(queue: CudaQueue) -> Any:
    """Return a stream that waits for no other."""
    with queue.device.current():
        return call("cuStreamCreate", 1)


def _arrays_of_the_host(program: Program, queue: CudaQueue) -> None:
    whole = np.zeros((6, 3), np.float32, order="F")
    part = whole[1:5]
    part[...] = np.arange(12).reshape(4, 3)
    program["scale"](2, part, groups=3, queue=queue)
    _expect(part, 2 * np.arange(12).reshape(4, 3))
    _expect(whole[[0, 5]], 0)


def _members_of_groups(program: Program, queue: CudaQueue) -> None:
    members = [np.arange(size + 0.0) for size in (8, 5, 6)]
    y = np.ones((2, 3), order="F")
    group = tt.Group(members, offset=1, shape=(4,))
    program["members"](1 + 2j, group, y, groups=3, queue=queue)
    _expect(y, [[2, 2, 2], [3, 3, 3]])


def _launches_in_order(program: Program, queue: CudaQueue) -> None:
    x = _ones(queue)
    event = program["scale"].submit(3, x, groups=_GROUPS, queue=queue)
    bound = program["scale"].bind(2, x, groups=_GROUPS, queue=queue)
    for _ in range(5):
        bound.submit()
    bound()
    assert event.is_complete
    _expect(x.get(), 3 * 2**6)


def _events_of_other_streams(program: Program, queue: CudaQueue) -> None:
    shape = (16, 16, _GROUPS)
    chain: list[Any] = [tt.asarray(np.ones(shape, np.float32, "F"), queue=queue)]
    chain += [tt.asarray(np.full(shape, np.nan, np.float32, "F"), queue=queue) for _ in range(9)]
    factors = tt.asarray(np.full((16, 16), 1 / 8, np.float32, "F"), queue=queue)
    streams, last = (_stream(queue), _stream(queue)), None
    for number, (a, c) in enumerate(itertools.pairwise(chain)):
        depends: list[Any] = [last, last.native] if last else []
        stream = streams[number % 2]
        last = program["product"].submit(
            a, factors, c, groups=_GROUPS, queue=stream, depends=depends
        )
    assert last is not None
    last.wait()
    for power, each in enumerate(chain):
        _expect(each.get(), 2.0**power)


def _measured_times(program: Program, queue: CudaQueue) -> None:
    timed = CudaQueue(queue.device, queue.native, is_timed=True)
    event = program["scale"].submit(2, _ones(queue), groups=_GROUPS, queue=timed)
    event.wait()
    assert event.time_ns, event.time_ns


def _arrays_that_are_not_aligned(program: Program, queue: CudaQueue) -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(16, 16, 5)), random.normal(size=(16, 16))
    expected = np.einsum("ikg,kj->ijg", a, b)
    factors = [each.astype("f4", order="F") for each in (a, b)]
    c = np.full(a.shape, np.nan, np.float32, "F")
    program["product"](*factors, c, groups=5, queue=queue)
    _expect(c, expected)
    on_device = [tt.asarray(each, queue=queue) for each in factors]
    for offset in (0, 1, 2, 4):
        flat: Any = tt.asarray(np.full(16 + offset + a.size, np.nan, np.float32), queue=queue)
        moved = Part(flat, 4 * offset, a.shape, (4, 64, 1024))
        program["product"](*on_device, moved, groups=5, queue=queue)
        found = flat.get()
        _expect(found[offset : offset + a.size].reshape(a.shape, order="F"), expected)
        assert np.isnan(found[:offset]).all()
        assert np.isnan(found[offset + a.size :]).all()


def _threads(program: Program, queue: CudaQueue) -> None:
    def work(factor: int) -> None:
        x = _ones(queue)
        stream = _stream(queue) if factor % 2 else queue
        for _ in range(10):
            program["scale"](factor, x, groups=_GROUPS, queue=stream)
        _expect(x.get(), float(factor) ** 10)

    with concurrent.futures.ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(work, range(1, _THREADS + 1)))


def _tensors_of_pytorch(program: Program, queue: CudaQueue) -> None:
    torch = module_of("torch")
    if torch is None or not torch.cuda.is_available():
        return
    x = torch.ones((_GROUPS, 64), device="cuda")
    program["scale"](2, x.T, groups=_GROUPS)
    assert bool((x == 2).all())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        y = torch.zeros((_GROUPS, 64), device="cuda")
        for _ in range(10):
            y += 1
            program["scale"].submit(2, y.T, groups=_GROUPS, queue=stream)
        total = float(y.sum())
    _expect(total, (2**11 - 2) * y.numel())
    ours = _ones(queue)
    theirs = torch.from_dlpack(ours)
    program["scale"](3, ours, groups=_GROUPS, queue=queue)
    assert theirs.shape == (64, _GROUPS)
    assert bool((theirs == 3).all())
    tables = [torch.arange(size, dtype=torch.float64, device="cuda") for size in (8, 5)]
    y = torch.ones((2, 2), dtype=torch.float64, device="cuda")
    program["members"](1j, tt.Group(tables, offset=0, shape=(4,)), y.T, groups=2)
    _expect(y.cpu().numpy().T, [[1, 1], [2, 2]])


def _arrays_of_cupy(program: Program, queue: CudaQueue) -> None:
    cupy = module_of("cupy")
    if cupy is None:
        return
    x = cupy.ones((64, _GROUPS), "f4", order="F")
    program["scale"](2, x, groups=_GROUPS)
    assert bool((x == 2).all())
    ours = _ones(queue)
    for make in (cupy.asarray, cupy.from_dlpack):
        theirs = make(ours)
        theirs *= 2
    _expect(ours.get(), 4)


def _arrays_of_jax(program: Program, queue: CudaQueue) -> None:
    jax = module_of("jax")
    if jax is None or jax.default_backend() != "gpu":
        return
    rows = jax.numpy.ones((_GROUPS, 64))
    y: Any = tt.empty((64, _GROUPS), np.float32, queue=queue)
    y.set(np.asarray(rows.T))
    program["scale"](2, y, groups=_GROUPS, queue=queue)
    assert bool((jax.dlpack.from_dlpack(y) == 2).all())


_CHECKS: tuple[Callable[[Program, CudaQueue], None], ...] = (
    _arrays_of_the_host,
    _members_of_groups,
    _launches_in_order,
    _events_of_other_streams,
    _measured_times,
    _arrays_that_are_not_aligned,
    _threads,
    _tensors_of_pytorch,
    _arrays_of_cupy,
    _arrays_of_jax,
)
