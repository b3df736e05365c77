"""Runs generated functions on a queue of SYCL, and prints where NumPy disagrees."""

import ctypes
import random
import sys

import numpy as np

from cases.seissol.launching import compare
from clients.generated_code import Function, programs

#: What makes the programs.
CHAINS = ("compiler", "f32", 1)


class Queued(Function):
    """A generated function that runs on a queue, and waits for it.

    Args:
        library: the shared library.
        name: name of the function.
        program: the program that it was generated of.
        calls: the library as ctypes has it.
    """

    def __init__(self, library, name, program, calls):
        super().__init__(library, name, program, calls.new_queue())
        self._calls = calls

    def __call__(self, arguments, *, groups):
        """Run it."""
        super().__call__(arguments, groups=groups)
        self._calls.wait_for(ctypes.c_void_p(self._stream))


def main(path, *names):
    """Compare all functions."""
    calls = ctypes.CDLL(path)
    calls.new_queue.restype = ctypes.c_void_p
    calls.reason.restype = ctypes.c_char_p
    rng = random.Random(2)
    for name, program in zip(names, programs(*CHAINS), strict=True):
        function = Queued(path, name, program, calls)
        print(compare(rng, program, function, 5, place=np.copy) or "right")
    print(calls.reason().decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
