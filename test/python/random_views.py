"""Copies between random views of random arrays by kernels, compared with NumPy.

A seed decides everything: the type and the kernel's parameters, which it has in common with its
neighbours, and two views, each of a parent of its own with any order of modes, steps of any sign,
and sizes 0, 1 and more. Nothing but the view that the kernel writes may change in the parents.
"""

import dataclasses
import functools
import math
import random
from collections.abc import Callable

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

TYPES = tuple(name for name in SCALAR_TYPES if name not in ("bool", "index"))
KINDS = ("whole", "list", "stack", "batch")
LIBRARIES = ("numpy", "torch", "jax")
LAUNCHES = 10  # of a program


@dataclasses.dataclass(frozen=True)
class View:
    """A part of an array; `of` takes the same part of arrays of the parent's shape."""

    parent: np.ndarray
    of: Callable[[np.ndarray], np.ndarray]

    @property
    def array(self):
        """The part of the parent."""
        return self.of(self.parent)


def random_view(rng, shape, dtype, is_written):
    """Return a view of a shape with random strides."""
    steps = [rng.choice((1, 1, -1, -1, 2, -2, 3)) for _ in shape]
    margins = [rng.choice((0, 0, 1, 2)) for _ in shape]
    broadcast = [not is_written and rng.random() < 0.1 for _ in shape]
    modes = rng.sample(range(len(shape)), len(shape))
    sizes = [
        1 if broadcast[m] else margins[m] + abs(steps[m]) * shape[m] + rng.randrange(2)
        for m in modes
    ]
    places = tuple(
        slice(None) if is_broadcast else slice(margin, margin + abs(step) * size, abs(step))
        for size, step, margin, is_broadcast in zip(shape, steps, margins, broadcast, strict=True)
    )
    signs = tuple(slice(None, None, -1 if step < 0 else 1) for step in steps)

    def of(parent):
        part = parent.transpose(np.argsort(modes)) if modes else parent
        part = part[(*places, ...)][(*signs, ...)]
        return np.broadcast_to(part, shape) if any(broadcast) else part

    numbers = np.array([rng.randrange(1, 100) for _ in range(math.prod(sizes))], np.float64)
    return View(numbers.astype(dtype).reshape(sizes, order=rng.choice("CF")), of)


@functools.lru_cache(maxsize=1)  # the driver keeps 2 MB for each
def program(kind, element, sizes, strides, target):
    """Return the program that copies A to B, for one kind of parameters."""
    order = len(sizes)
    layout = f",strided<{','.join(strides)}>" if strides else ""
    memref = f"memref<{element}{''.join(f'x{s}' for s in sizes)}{layout}>"
    whole = {"whole": memref, "batch": memref}.get(kind, f"group<{memref}x?>")
    lines = [f"func @copy(%A: {whole}, %B: {whole}) {{"]
    a, b, modes, place = "%A", "%B", range(order), []
    if kind in ("list", "stack"):
        lines += ["  %g = group_id.x : index"]
        lines += [f"  %{n} = load %{n.upper()}[%g] : {memref}" for n in "ab"]
        a, b = "%a", "%b"
    elif kind == "batch":
        lines += ["  %g = group_id.x : index"]
        modes, place = range(order - 1), ["%g"]
    lines += ["  %zero = constant 0 : index"]
    lines += [f"  %n{m} = size {a}[{m}] : index" for m in modes]
    indices = ", ".join([*(f"%i{m}" for m in modes), *place])
    if modes:
        names = ", ".join(f"%i{m}" for m in modes)
        starts, ends = ", ".join("%zero" for _ in modes), ", ".join(f"%n{m}" for m in modes)
        lines += [f"  foreach ({names}) = ({starts}), ({ends}) {{"]
    lines += [f"  %v = load {a}[{indices}] : {element}", f"  store %v, {b}[{indices}]"]
    lines += ["  }"] if modes else []
    return tt.Context().parse("\n".join([*lines, "}"])).compile(target)


def random_parameters(rng, shape):
    """Return sizes and strides of a memref, as texts, that fit any view of a shape."""
    sizes = tuple("?" if n == 0 or rng.random() < 0.6 else str(n) for n in shape)
    if rng.random() < 0.5 or not shape:
        return sizes, ()
    return sizes, (rng.choice(("1", "?")), *("?" for _ in shape[1:]))


def in_library(name, array):
    """Return an array that a kernel reads as one of another library, if that can hold it."""
    if name == "torch" and not any(stride < 0 for stride in array.strides):
        import torch

        if array.dtype.kind in "if" and array.dtype.isbuiltin == 1:
            return torch.from_numpy(array if array.flags.writeable else array.copy())
    if name == "jax" and array.dtype.name in ("float32", "int32", "complex64"):
        import jax.numpy as jnp

        return jnp.asarray(array)
    return array


def check(seed, target):
    """Launch one kernel and return what is wrong, None if nothing is."""
    rng = random.Random(seed // LAUNCHES)
    element, kind = rng.choice(TYPES), rng.choice(KINDS)
    dtype = SCALAR_TYPES[element].dtype
    shape = [rng.choice((0, 1, 1, 1, 2, 3, 5)) for _ in range(rng.randrange(0, 4))]
    groups = rng.randrange(1, 4)
    if kind == "batch":
        shape.append(groups)
    sizes, strides = random_parameters(rng, shape)
    kernel = program(kind, element, sizes, strides, target)["copy"]
    rng = random.Random(seed)
    if kind == "list":
        sources = [random_view(rng, shape, dtype, False) for _ in range(groups)]
        targets = [random_view(rng, shape, dtype, True) for _ in range(groups)]
        arguments = [[v.array for v in views] for views in (sources, targets)]
    else:
        whole = (*shape, groups) if kind == "stack" else tuple(shape)
        sources = [random_view(rng, whole, dtype, False)]
        targets = [random_view(rng, whole, dtype, True)]
        arguments = [sources[0].array, targets[0].array]
        arguments[0] = in_library(rng.choice(LIBRARIES), arguments[0])
    expected = [view.parent.copy(order="K") for view in (*sources, *targets)]
    for source, view, parent in zip(sources, targets, expected[len(sources) :], strict=True):
        view.of(parent)[...] = source.array
    try:
        kernel(*arguments, groups=1 if kind == "whole" else groups)
    except tt.LaunchError as error:
        return f"seed {seed}: {error}"
    for view, parent in zip((*sources, *targets), expected, strict=True):
        if not np.array_equal(view.parent, parent):
            return f"seed {seed}: {kind} {element} {sizes} {strides}: {view.parent} for {parent}"
    return None
