"""Programs that nobody holds are let go, in Python and in the driver."""

import functools
import gc
import os
import pathlib
import struct
import subprocess
import sys
import threading
import weakref

import numpy as np

import handmade
import tinytc_mlir as tt
from target_under_test import TARGET
from tinytc_mlir.runtime.program import Program

# Bytes of the SPIR-V head before the number of the tool that wrote it, and of an object file before
# some that nobody reads.
_GENERATOR_OFFSET = 8
SCALE = """
func @scale(%alpha: f32, %X: memref<f32x?>) {
  %g = builtin.group_id : index
  %x = load %X[%g] : f32
  %y = arith.mul %x, %alpha : f32
  store %y, %X[%g]
}
"""


@functools.cache
def scale_program():
    return handmade.scale() if TARGET == "cpu" else tt.Context().parse(SCALE).compile(TARGET)


def variant(number, program=None):
    """Return a program that does the same and has another binary."""
    program = program or scale_program()
    code = bytearray(program.code)
    struct.pack_into("<I", code, _GENERATOR_OFFSET, number)
    return Program(bytes(code), program.manifest)


def launched(number, x):
    program = variant(number)
    scale = program["scale"]
    scale(2.0, x, groups=len(x))
    event = scale.submit(0.5, x, groups=len(x))
    bound = scale.bind(2.0, x, groups=len(x))
    bound()
    event.wait()
    return program


def resident_mb():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def growth_mb(programs):
    """Return how much a process grows by programs that are launched one after the other."""
    x = tt.asarray(np.ones(3, np.float32))
    for number in range(20):
        launched(number, x)
    before = resident_mb()
    for number in range(20, 20 + programs):
        launched(number, x)
    return resident_mb() - before


def test_memory_of_programs_is_freed():
    """The driver keeps 1.1 MB of this program, 3 MB of one with a product of matrices."""
    code = "import test_program_lifetime as t; print(t.growth_mb(100))"
    folders = [str(pathlib.Path(__file__).parent), str(pathlib.Path(handmade.__file__).parent)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*folders, *sys.path])}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=600
    )
    assert float(result.stdout) < 20, result.stderr


def test_nothing_waits_for_the_collector():
    x = tt.asarray(np.ones(3, np.float32))
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        program = launched(1000, x)
        dropped = weakref.ref(program), weakref.ref(program["scale"])
        del program
        assert [reference() for reference in dropped] == [None, None]
    finally:
        if was_enabled:
            gc.enable()


def test_a_kernel_outlives_its_program():
    x = tt.asarray(np.ones(3, np.float32))
    scale = variant(1001)["scale"]
    scale(3.0, x, groups=3)
    gc.collect()
    scale(2.0, x, groups=3)
    assert x.tolist() == [6, 6, 6]


def test_a_launch_outlives_its_kernel():
    x = tt.asarray(np.ones(1 << 18, np.float32))
    for number in range(20):
        variant(2000 + number)["scale"].submit(2.0, x, groups=len(x))
        gc.collect()
    bound = variant(3000)["scale"].bind(0.5, x, groups=len(x))
    gc.collect()
    for _ in range(20):
        bound()
    assert x.min() == x.max() == 1


def test_programs_come_and_go_in_threads():
    def work(seed):
        x = tt.asarray(np.ones(3, np.float32))
        for number in range(30):
            launched(4000 + (seed + number) % 3, x)
        results[seed] = x[0]

    results = {}
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(6), 2.0**30)


def test_kernels_of_one_program():
    """Each kernel has references of its own to its program."""
    text = "".join(f"func @f{i}(%X: memref<f32x4>) {{\n}}\n" for i in range(5))
    for _ in range(3):
        program = tt.Context().parse(text).compile(TARGET)
        x = tt.asarray(np.ones(4, np.float32))
        for _ in range(2):
            for name in program:
                program[name](x, groups=1)
        del program
