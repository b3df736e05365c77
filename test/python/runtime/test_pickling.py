"""Modules, programs and kernels that are pickled: what arrives, where, and what is refused."""

import concurrent.futures
import copy
import multiprocessing
import pickle
import shutil
import subprocess
import sys

import cloudpickle
import dask.base
import numpy as np
import pytest

import tinytc_mlir as tt
from spawning import launched
from tinytc_mlir import child_processes
from tinytc_mlir.runtime.spirv import sycl

TEXT = """
func @scale(%a: f32, %X: memref<f32x8x?>) {
  $N = 2.0
  %g = group_id.x : index
  %x = subview %X[0:8,%g] : memref<f32x8>
  %b = constant $N : f32
  axpby.n %a, %x, %b, %x
}
func @nothing(%x: f32) { }
"""
STAGES = ("tinytc", "prepared", "linalg", "gpu", "spirv")


def module(**defines):
    return tt.Context().parse(TEXT, "a.ir", defines=defines)


@pytest.fixture(scope="module")
def program():
    return module().compile("cpu")


def again(value):
    return pickle.loads(pickle.dumps(value))


def test_programs(program):
    found = again(program)
    assert (found.code, found.manifest, found.queue) == (program.code, program.manifest, None)
    assert (launched(found["scale"]) == launched(program["scale"])).all()
    assert again(tt.Program(program.code, program.manifest, queue="cpu")).queue == "cpu"
    assert again(found) is found  # and not built again


def test_kernels_after_a_launch(program):
    kernel = program["scale"]
    x = launched(kernel)
    data = pickle.dumps(kernel)
    found = pickle.loads(data)
    assert found.info == kernel.info
    assert (launched(found) == x).all()
    assert pickle.dumps(found) == data
    assert (launched(copy.deepcopy(kernel)) == x).all()
    queue = sycl.LOADER.devices()[0].native
    bound_to_queue = tt.Program(program.code, program.manifest, queue=queue)["scale"]
    assert again(bound_to_queue).program.queue is None


def test_what_holds_memory_of_a_process(program):
    bound = program["scale"].bind(3.0, tt.empty((8, 5), np.float32), groups=4)
    with pytest.raises(TypeError, match="got one that is bound to memory of a process"):
        pickle.dumps(bound)


def test_modules():
    whole = module(N=4.0)
    found = again(whole)
    assert str(found) == str(whole)
    assert found.sources == whole.sources
    assert found.compile("cpu").code == whole.compile("cpu").code
    one, other = again((whole, module()))
    assert one.context is not other.context
    one, other = again((whole, whole.lower("gpu", target="cpu")))
    assert one.context is other.context


@pytest.mark.parametrize("stage", STAGES[1:])
def test_modules_at_a_stage(stage):
    lowered = module().lower(stage, target="cpu")
    found = again(lowered)
    assert (found.stage, str(found), found.sources) == (stage, str(lowered), lowered.sources)
    assert found.compile().code == lowered.compile().code


def test_modules_that_were_changed():
    whole = module()
    functions = whole.operation.regions[0].blocks[0].operations
    functions[1].operation.erase()
    assert list(again(whole).compile("cpu")) == ["scale"]
    kind, (context, data, *rest) = whole.__reduce__()
    with pytest.raises(tt.LoweringError, match="expected the bytecode of a module that was pick"):
        kind(context, data[:-1] + b"?", *rest)


def test_what_is_damaged_is_refused(program):
    data = pickle.dumps(program["scale"])
    begin, size = data.index(b"\x89TTC"), len(program.code)
    for position in range(begin, begin + size, 7):
        changed = bytearray(data)
        changed[position] ^= 1 << position % 8
        with pytest.raises(tt.TinyTCError, match="pickle: expected"):
            pickle.loads(changed)


def test_what_is_foreign_is_refused(program):
    restored, (data, queue) = program.__reduce__()
    for wrong in ("text", b"", b"\x89TTC\r\n\x1a\n", None):
        with pytest.raises(tt.TinyTCError, match="pickle: expected"):
            restored(wrong, queue)
    kernel, (data, queue, _) = program["scale"].__reduce__()
    with pytest.raises(tt.LaunchError, match="expected one of the kernels scale, nothing, got"):
        kernel(data, queue, "other")
    broken = tt.Program(program.code[:-8], program.manifest)
    with pytest.raises(tt.TinyTCError, match="pickle: expected SPIR-V"):
        again(broken)


def test_tokens():
    def tokens(**defines):
        made = module(**defines)
        program = made.compile("cpu")
        return [dask.base.tokenize(v) for v in (made, program, program["scale"], program)]

    first = tokens()
    assert tokens() == first
    assert len({*first, *tokens(N=5.0)}) == 6
    program = module().compile("cpu")
    launched(program["scale"])
    assert dask.base.tokenize(program["scale"]) == first[2]
    assert dask.base.tokenize(again(program["scale"])) == first[2]
    assert dask.base.tokenize(program["nothing"]) != first[2]
    shown = module()
    assert shown._repr_html_()
    assert dask.base.tokenize(shown) == first[0]
    changed = module()
    assert dask.base.tokenize(changed.operation and changed) != first[0]


@pytest.mark.parametrize(
    "error",
    [
        tt.ArgumentError("f: argument 'x': expected 1, got 2", argument="x"),
        tt.DeviceError("cannot build", build_log="log"),
        tt.ParseError([tt.Diagnostic("error", "expected ')'", "a.ir", 1, 2)]),
    ],
)
def test_errors_come_back(error):
    found = again(error)
    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


def test_processes_of_a_pool(program):
    """They are spawned: each loads the package, and builds what it is sent."""
    expected = launched(program["scale"])
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(launched, [program["scale"]] * 3))
        assert all((x == expected).all() for x in found)
        with pytest.raises(tt.ArgumentError, match="expected") as caught:
            pool.submit(program["scale"], 3.0, None, groups=1).result()
    assert caught.value.argument == "X"


def test_cloudpickle(program):
    kernel = program["scale"]
    call = cloudpickle.loads(cloudpickle.dumps(lambda x: kernel(3.0, x, groups=5)))
    x = np.ones((8, 5), np.float32, order="F")
    call(x)
    assert (x == 5).all()


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun")
def test_broadcast_to_ranks(tmp_path):
    script = tmp_path / "ranks.py"
    script.write_text(
        "import sys, numpy as np, tinytc_mlir as tt\n"
        "from mpi4py import MPI\n"
        "ranks = MPI.COMM_WORLD\n"
        f"text = {TEXT!r}\n"
        "kernel = tt.Context().parse(text).compile('cpu')['scale'] if ranks.rank == 0 else None\n"
        "kernel = ranks.bcast(kernel)\n"
        "assert ('mlir' in sys.modules) == (ranks.rank == 0)\n"
        "x = np.full((8, 3), ranks.rank, np.float32, order='F')\n"
        "kernel(3.0, x, groups=3)\n"
        "assert (x == 5 * ranks.rank).all()\n"
        "assert ranks.reduce(1) in (None, 2)\n"
    )
    words = ["mpirun", "-n", "2", "--allow-run-as-root", "--oversubscribe", sys.executable, script]
    subprocess.run(words, check=True, env=child_processes.environment())
