# SPDX-License-Identifier: BSD-3-Clause
"""Products of i8 and bf16 with packed factors, beside the same without them, and PyTorch's."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.measure.timing import Settings, interleave
from tinytc_mlir.scalars import SCALAR_TYPES

from .measurements import Batched, BatchedRun
from .solves import ProcessorTime

_BATCH_BYTES = 1 << 20
_SIZES = ((8, 8, 8), (16, 16, 16), (20, 9, 20), (32, 32, 32), (35, 35, 35), (56, 9, 56))
_LARGE_SIZES = ((64, 64, 64), (128, 128, 128))
_TYPES = {"i8": "i32", "bf16": "f32"}
"""Types of the factors and of the sums."""

_TEXT = """
func @f(%A: memref<{t}x{a}x?>, %B: memref<{t}x{b}x?>, %C: memref<{s}x{m}x{n}x?>) {{
  %g = group_id.x : index
  %a = subview %A[:, :, %g] : memref<{t}x{a}>
  %b = subview %B[:, :, %g] : memref<{t}x{b}>
  %c = subview %C[:, :, %g] : memref<{s}x{m}x{n}>
  %one = constant {one} : {t}
  %zero = constant {zero} : {s}
  gemm.{ta}.{tb} %one, %a, %b, %zero, %c
}}
"""


def measure(settings: Settings) -> Batched:
    """Return the processor times of all products."""
    runs: list[BatchedRun] = []
    problems: dict[str, str] = {}
    sizes = (*_SIZES, *_LARGE_SIZES)
    for type_, size, forms in itertools.product(_TYPES, sizes, ("nn", "nt", "tn", "tt")):
        name = f"{type_}.{'x'.join(map(str, size))}.{forms}"
        a, b, c = _operands(type_, size, forms)
        calls: dict[str, Callable[[], Any]] = {
            who: functools.partial(_kernel(type_, size, forms, is_packed), a, b, c)
            for who, is_packed in (("ours", True), ("unpacked", False))
        }
        expected = _numpy(type_, forms, a, b)
        for who, call in calls.items():
            c[...] = 7
            call()
            if not np.allclose(c, expected, rtol=1e-4, atol=1e-3):
                problems[who] = f"{name}: wrong numbers"
        if type_ == "bf16" and importlib.util.find_spec("torch") is not None:
            calls["torch"] = _torch(forms, a, b)
        candidates = {who: ProcessorTime(call) for who, call in calls.items()}
        times = interleave(candidates, settings)
        runs.append({"name": name, "elements": c.shape[-1], "times_ns": times})
    found: Batched = {"runs": runs}
    if problems:
        found["problems"] = problems
    return found


def _operands(type_: str, size: tuple[int, int, int], forms: str) -> tuple[Any, Any, Any]:
    """Return random factors and a destination, the batch last."""
    random = np.random.default_rng(0)
    m, n, k = size
    kind, sum_kind = SCALAR_TYPES[type_], SCALAR_TYPES[_TYPES[type_]]
    count = max(_BATCH_BYTES // ((m + n) * k * kind.size_bytes + 4 * m * n), 1)
    shapes = ((k, m) if forms[0] == "t" else (m, k), (n, k) if forms[1] == "t" else (k, n))
    scale = 1 if type_ == "i8" else 1 / 64
    numbers = (scale * random.integers(-128, 128, (*shape, count)) for shape in shapes)
    a, b = (np.asfortranarray(kind.to_memory(each.astype(kind.value_dtype))) for each in numbers)
    return a, b, np.zeros((m, n, count), sum_kind.value_dtype, order="F")


def _kernel(type_: str, size: tuple[int, int, int], forms: str, is_packed: bool) -> Any:
    """Return the kernel, whose strategy is that of other products unless factors are packed."""
    m, n, k = size
    shapes = {
        "a": f"{k}x{m}" if forms[0] == "t" else f"{m}x{k}",
        "b": f"{n}x{k}" if forms[1] == "t" else f"{k}x{n}",
    }
    one, zero = ("1", "0") if type_ == "i8" else ("1.0", "0.0")
    text = _TEXT.format(
        t=type_, s=_TYPES[type_], m=m, n=n, one=one, zero=zero, ta=forms[0], tb=forms[1], **shapes
    )
    context = tt.Context()
    module = context.parse(text)
    if not is_packed:
        line = next(line for line in str(module).splitlines() if "tinytc.gemm" in line)
        strategy = "{tinytc.strategy = #tinytc.strategy<kind = work_items>}"
        other = line.replace(" : ", f" {strategy} : ", 1)
        module = context.parse_mlir(str(module).replace(line, other))
    return module.compile("native")["f"]


def _numpy(type_: str, forms: str, a: Any, b: Any) -> Any:
    wide: Any = np.int32 if type_ == "i8" else np.float64
    kind = SCALAR_TYPES[type_]
    x, y = (kind.from_memory(each).astype(wide) for each in (a, b))
    subscripts = f"{'ki' if forms[0] == 't' else 'ik'}g,{'jk' if forms[1] == 't' else 'kj'}g->ijg"
    return np.einsum(subscripts, x, y, optimize=True)


def _torch(forms: str, a: Any, b: Any) -> Callable[[], Any]:
    """Return PyTorch's product of the same batch, whose result is of bf16."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    # The batch comes first in the transposed arrays: C^T = B^T A^T.
    x, y = (torch.from_numpy(each.T.view(np.int16)).view(torch.bfloat16) for each in (a, b))
    x = x.mT if forms[0] == "t" else x
    y = y.mT if forms[1] == "t" else y
    return functools.partial(torch.bmm, y, x)
