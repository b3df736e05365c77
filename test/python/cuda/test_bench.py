"""The benchmark on NVIDIA GPUs: what is written here is replayed and timed by the fake driver."""

import dataclasses
import json
import os
import random
import stat
import sys
import types

import cuda_cases
import numpy as np
import pytest

import tinytc_mlir as tt
from cases import kernel_check
from cases.case import Case, buffer
from tinytc_bench.cuda import __main__ as command
from tinytc_bench.cuda import cases, launches, programs
from tinytc_mlir.runtime.nvidia.cuda import CudaEvent, CudaLaunch
from tinytc_mlir.runtime.nvidia.cuda_driver import CudaError


def as_ptx(program):
    """Return a program for the CPU as one in PTX."""
    kernels = tuple(dataclasses.replace(info, requires=()) for info in program.manifest.kernels)
    manifest = dataclasses.replace(
        program.manifest, target="cuda:sm_90", format="ptx", kernels=kernels
    )
    entries = "".join(f".visible .entry {info.name}(){{}}\n" for info in kernels)
    head = f"// {program.digest}\n.version 8.0\n.target sm_90\n"
    return tt.Program(f"{head}{entries}".encode(), manifest)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Keep what the command sets for the driver to the test."""
    for name in command._ENVIRONMENT:
        monkeypatch.setenv(name, "")


@pytest.fixture
def folder(tmp_path, install):
    """Write some cases and install a driver that knows their kernels."""
    rng = random.Random(0)
    body = "%a = load %x[%i] : f32\n%b = arith.add %a, %y : f32\nstore %b, %x[%i]"
    body = f"%i = group_id.x : index\n{body}"
    whole = buffer(rng, "f32", (3,))
    chosen = [
        Case("add", body, {"x": ("memref<f32x3>", whole), "y": ("f32", 2.5)}, groups=3),
        kernel_check.random_kernel(10),
    ]
    compiled = {}

    def compile_(module):
        program = as_ptx(module.compile("cpu", abi="plain", vector_bytes=64))
        compiled[program.code] = module, program.manifest
        return program

    writer = cuda_cases.Writer(tmp_path, compile_)
    writer.write(chosen)
    cases.write_index(tmp_path, writer.modules)
    install().programs = compiled
    return tmp_path


def test_cases_are_replayed(folder, capsys):
    assert command.main([str(folder), "--only", "cases"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "cases: 2 right, 0 wrong"


@pytest.fixture
def launches_folder(tmp_path, install, monkeypatch):
    """Write the program of the checks of launches and install a driver that knows it."""
    monkeypatch.setattr(launches, "_GROUPS", 3)
    monkeypatch.setattr(launches, "_THREADS", 3)
    module = tt.Context().parse(launches.PROGRAM)
    program = as_ptx(module.compile("cpu", abi="plain", vector_bytes=64))
    program.save(tmp_path / launches.FILE)
    install().programs = {program.code: (module, program.manifest)}
    return tmp_path


def test_launches_are_checked(launches_folder, capsys):
    assert command.main([str(launches_folder), "--only", "launches"]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out.splitlines()[-1] == "launches: 10 checks right, 0 wrong"


def test_wrong_launches_are_found(launches_folder, monkeypatch, capsys):
    def start(launch, depends):
        """Launch nothing."""
        del depends
        with launch._queue.device.current():
            return CudaEvent(launch._queue, launch._kernel.name)

    monkeypatch.setattr(CudaLaunch, "start", start)
    assert command.main([str(launches_folder), "--only", "launches"]) == 1
    output = capsys.readouterr().out
    assert "wrong: events of other streams: AssertionError: " in output
    assert "launches: 3 checks right, 7 wrong" in output


def test_wrong_results_are_found(folder, capsys):
    ((stem, stored),) = cases.read_index(folder)
    with np.load(folder / f"{stem}.npz") as file:
        arrays = dict(file)
    key = f"{stored[0].arguments[0].arrays[0].key}.expected"
    arrays[key][3] += 1
    np.savez(folder / f"{stem}.npz", **arrays)
    assert command.main([str(folder), "--only", "cases", "--matching", "add"]) == 1
    output = capsys.readouterr().out
    assert "wrong: add (k0): k0.x.0: 1 elements differ, the first at -21 (guard zone)" in output
    assert "cases: 0 right, 1 wrong" in output


def test_a_device_that_is_lost(folder, monkeypatch, capsys):
    """After an access to memory that is not there, the driver refuses everything."""
    (((stem, stored),)) = cases.read_index(folder)
    with np.load(folder / f"{stem}.npz") as file:
        arrays = dict(file)
    arrays[f"{stored[0].arguments[0].arrays[0].key}.expected"][3] += 1
    np.savez(folder / f"{stem}.npz", **arrays)

    def refuse(name, *arguments, call=command.speed.call):
        if name == "cuCtxSynchronize":
            raise CudaError(700, "CUDA_ERROR_ILLEGAL_ADDRESS")
        return call(name, *arguments)

    monkeypatch.setattr(command.speed, "call", refuse)
    assert command.main([str(folder), "--only", "cases"]) == 1
    found = capsys.readouterr()
    assert "cases: 1 right, 1 wrong" in found.out
    assert "go on with --from 2" in found.err
    monkeypatch.undo()


def test_cases_are_left_out(folder, capsys):
    assert command.main([str(folder), "--only", "cases", "--from", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "cases: 1 right, 0 wrong"


@pytest.mark.parametrize("status", [0, 3])
def test_the_sanitizer(folder, tmp_path, monkeypatch, capsys, status):
    """It runs the cases again, and its summary is shown."""
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(f'#!/bin/sh\necho "$@"\necho "ERROR SUMMARY: $2"\nexit {status}\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    words = [str(folder), "--only", "sanitizer", "--every", "2", "--matching", "x"]
    assert command.main(words) == (status != 0)
    output = capsys.readouterr().out
    for name in ("memcheck", "racecheck"):
        assert f"sanitizer: {name}: ERROR SUMMARY: {name}" in output
    assert ("--only cases --device cuda --every 120 --matching x" in output) == (status != 0)


def test_without_the_sanitizer(folder, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert command.main([str(folder), "--only", "sanitizer"]) == 0
    assert "compute-sanitizer is not on the PATH, not run" in capsys.readouterr().out


def test_a_folder_without_cases(driver, tmp_path, capsys):
    assert command.main([str(tmp_path), "--only", "cases"]) == 1
    assert "error: expected cases in " in capsys.readouterr().err


def test_no_device(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    assert command.main([str(tmp_path)]) == 1
    assert "error: expected the package cuda-bindings" in capsys.readouterr().err


def test_programs_are_timed(tmp_path, install, monkeypatch, capsys):
    from tinytc_bench import cases as bench_cases

    chosen = ["gemm.f32.8", "gemm.f32.32.padded", "seissol.f64.order4.volume"]
    monkeypatch.setattr(bench_cases, "select", lambda _, select=bench_cases.select: select(chosen))
    compiled = {}
    compile_ = tt.Module.compile

    def compile_for_gpu(module, target):
        assert target == "cuda:sm_90"
        program = as_ptx(compile_(module, "cpu", abi="plain", vector_bytes=64))
        compiled[program.code] = module, program.manifest
        return program

    monkeypatch.setattr(tt.Module, "compile", compile_for_gpu)
    count = programs.write_programs(tmp_path, "cuda:sm_90")
    assert count == len(chosen)
    install().programs = compiled
    monkeypatch.setattr(command.speed, "_LAUNCHES", 1)
    monkeypatch.setattr(command.speed, "_ROUNDS", 1)
    monkeypatch.setattr(command.speed, "_COPY_BYTES", 1 << 10)

    def fail():
        raise MemoryError("none left")

    made = [("slow", lambda: lambda: None), ("absent", lambda: None), ("broken", lambda: fail)]
    monkeypatch.setattr(command.speed, "peers", lambda case, groups: made)
    words = [str(tmp_path), "--only", "speed", "--gib", "1e-5", "--json", str(tmp_path / "t.json")]
    assert command.main(words) == 0, capsys.readouterr().out
    output = capsys.readouterr().out
    assert "WRONG" not in output
    assert "over slow, products: " in output
    assert ", 2 cases, worst gemm." in output
    assert "over slow, chains: " in output
    assert output.count("broken failed (MemoryError: none left)") == count
    assert "goal missed: 90% of a copy where memory binds: 0 of " in output
    assert " of at most 4 us: " in output
    assert "absent" not in output
    assert (os.environ["CUDA_CACHE_DISABLE"], os.environ["CUDA_MODULE_LOADING"]) == ("1", "EAGER")
    assert "launch of a bound kernel: " in output
    assert len(json.loads((tmp_path / "t.json").read_text())) == count


def test_peers_need_their_libraries(tmp_path):
    from tinytc_bench.cuda.peers import peers

    shape = {"type": "f32", "shape": (4, 4, 4), "transposes": "nn", "leading": (4, 4, 4)}
    case = types.SimpleNamespace(gemm=shape | {"is_tall": False}, products=(), matrices={})
    assert [make() for _, make in peers(case, 2)] == [None] * 4
