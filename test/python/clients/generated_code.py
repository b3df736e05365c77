"""Programs as YATeTo writes them, what it generates of them, and calls of the compiled code."""

import ctypes
import dataclasses
import random
import subprocess

import numpy as np

from cases.seissol.chain_programs import chain_program, random_program
from tinytc_bench.chains import CHAINS

C_TYPES = {np.dtype("f4"): ctypes.c_float, np.dtype("f8"): ctypes.c_double}


class Cpp:
    """Lines of C++, as YATeTo's writers call it."""

    def __init__(self):
        self.lines = []

    def __call__(self, line):
        self.lines.append(line)

    def include(self, name):
        self.lines.append(f"#include <{name}>")


def programs(seed, type_, count):
    """Return some of SeisSol's chains and random ones, with the layouts that YATeTo has."""
    rng = random.Random(seed)
    chains = [chain_program(rng, chain, type_) for chain in rng.sample(CHAINS, count)]
    return [as_yateto(each) for each in chains + [random_program(rng, type_) for _ in chains]]


def as_yateto(program):
    """Return a program whose batches and groups have the sizes and offsets of a launch."""

    def layout(matrix):
        offset = "?" if matrix.kind == "group" else None
        return dataclasses.replace(matrix, members=None, offset=offset)

    def view(part):
        return part and dataclasses.replace(part, matrix=layout(part.matrix))

    statements = [
        dataclasses.replace(each, a=view(each.a), b=view(each.b), c=view(each.c))
        for each in program.statements
    ]
    return dataclasses.replace(program, statements=tuple(statements))


def generated(each_program, tools, path):
    """Write what YATeTo generates of programs to a file; return the names of its functions."""
    from yateto.codegen.cache import RoutineCache
    from yateto.codegen.fused_gemms.tinytc import FusedGemmsTinytc
    from yateto.gemm_configuration import GeneratorCollection

    collection, cache, calls, names = GeneratorCollection(tools), RoutineCache(), Cpp(), []
    for program in each_program:
        product = (24, 9, 24, False, False, False, False, 1.0, 0.0, False, False, "gpu")
        assert type(collection.getGemmTool(*product)).__name__.lower().startswith("tinytc")
        names.append(FusedGemmsTinytc(None, program).generate(calls, cache))
    declarations = cache.generate(Cpp(), path)
    assert len(declarations) == len(set(names)) == len(calls.lines)
    return names


def shared(folder, sources, *words):
    """Return the shared library of some sources."""
    path = folder / "generated.so"
    command = ["g++", "-std=c++17", "-fPIC", "-shared", f"-I{folder}/include", *sources]
    subprocess.run([*command, *words, "-o", path], check=True, cwd=folder)
    return path


class Function:
    """A generated function, which takes what a launch from Python takes.

    Args:
        library: the shared library.
        symbols: the names in it.
        name: name of the function in C++.
        program: the program that it was generated of.
        stream: what it is given as stream.
        flags: flags of the elements, if it takes them.
    """

    def __init__(self, library, name, program, stream=None, flags=None):
        printed = subprocess.run(
            ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
        ).stdout
        (symbol,) = [line.split()[-1] for line in printed.splitlines() if name in line]
        self._function = ctypes.CDLL(str(library))[symbol]
        self._program, self._stream, self._flags = program, stream, flags

    def __call__(self, arguments, *, groups):
        given = [ctypes.c_long(groups), ctypes.c_void_p(self._stream)]
        self._kept = kept = []  # a stream reads it later
        if self._program.has_alpha:
            dtype = np.dtype({"f32": "f4", "f64": "f8"}[self._program.type_])
            given.append(C_TYPES[dtype](arguments["alpha"]))
        for name, matrix in self._program.parameters().items():
            array = arguments[name]
            if matrix.kind != "group":
                given.append(ctypes.c_void_p(array.ctypes.data))
                continue
            pointers = [member.ctypes.data for member in array.members]
            kept.append((ctypes.c_void_p * len(pointers))(*pointers))
            given += [kept[-1], ctypes.c_long(array.offset)]
        if self._flags is not None:
            given.append(ctypes.c_void_p(self._flags.ctypes.data))
        self._function(*given)
