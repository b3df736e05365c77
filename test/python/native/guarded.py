"""Code for GPUs at the gpu stage, run natively on arrays that end or begin at a guard page.

What lanes of a GPU would access out of bounds ends the process here.
"""

import ctypes
import mmap
import re

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.runtime.native.processor import NativeMapping

PAGE = mmap.PAGESIZE
_TARGET = re.compile(r"#tinytc\.target<[^>]*>")
_protect = ctypes.CDLL(None).mprotect
_protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


class Guarded(NativeMapping):
    """Pages between two that nobody may access."""

    def __new__(cls, size):
        size = -(-max(size, 1) // PAGE) * PAGE
        self = super().__new__(cls, -1, size + 2 * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        anchor = ctypes.c_char.from_buffer(self)
        address = ctypes.addressof(anchor)
        del anchor
        for page in (address, address + PAGE + size):
            assert _protect(page, PAGE, 0) == 0
        return self


class GuardedArray(np.ndarray):
    """An array with a guard page right after its elements, or before them.

    Args:
        elements: the elements in memory, to which `finish` copies back.
        shape: shape of the array.
        stride: strides in elements.
        at_end: whether the page is after the elements.
    """

    def __new__(cls, elements, shape, stride, at_end):
        pages = Guarded(elements.nbytes)
        start = len(pages) - PAGE - elements.nbytes if at_end else PAGE
        strides = [step * elements.itemsize for step in stride]
        copy = np.ndarray(elements.shape, elements.dtype, pages, start)
        copy[...] = elements
        self = super().__new__(cls, shape, elements.dtype, pages, start, strides)
        self.copied = copy, elements
        return self

    def finish(self):
        """Copy the elements back."""
        copy, elements = self.copied
        elements[...] = copy


class StageMachine:
    """Runs the gpu stage of code for a GPU natively.

    Args:
        target: name of the GPU's target.
    """

    def __init__(self, target):
        self.target = target
        empty = tt.Context().parse("func @f() {}").lower("gpu", target="native")
        self._native = _TARGET.search(str(empty))[0]

    def compile(self, module, abi):
        """Return a program, from a module of the language."""
        text = str(module.lower("gpu", target=self.target, abi=abi))
        return tt.Context().parse_mlir(_TARGET.sub(self._native, text)).compile("native")

    def shifts(self, info, rng):
        """Return where the guard pages are in each launch: before the arrays, or after them."""
        return (0, 1)

    def array(self, elements, shape, stride, at_end):
        """Return an array for a kernel."""
        return GuardedArray(elements, shape, stride, at_end > 0)
