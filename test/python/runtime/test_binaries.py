"""Device code in files: it is built in other processes, found again and used."""

import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache, switches
from tinytc_mlir.runtime.devices import default_device, queue_of
from tinytc_mlir.runtime.spirv import binaries, build_log, sycl_devices, sycl_programs

TEXT = """
func @scale{0}(%a: f32, %X: memref<f32x8x?>) {{
  %g = group_id.x : index
  %x = subview %X[0:8,%g] : memref<f32x8>
  %b = constant {0}.0 : f32
  axpby.n %a, %x, %b, %x
}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep files in a folder of the test."""
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "compiled"


@pytest.fixture
def builds(monkeypatch):
    """Return the list of programs that dpctl builds from SPIR-V."""
    dpctl, found = sycl_devices.names_of_dpctl(), []

    def create(queue, code, *rest):
        found.append(code)
        return real(queue, code, *rest)

    real = dpctl.create_program
    monkeypatch.setattr(dpctl, "create_program", create)
    return found


def program(number):
    return tt.Context().parse(TEXT.format(number)).compile("cpu")


def launched(built, number):
    x = np.ones((8, 5), np.float32, order="F")
    built[f"scale{number}"](3.0, x, groups=4)
    assert (x[:, :4] == 3 + number).all()
    assert (x[:, 4] == 1).all()


def test_what_was_built_is_found(folder, builds):
    programs = [program(number) for number in (2, 3, 4)]
    tt.prebuild(programs, processes=2)
    assert len(list(folder.iterdir())) == 3
    for number, each in zip((2, 3, 4), programs, strict=True):
        launched(each, number)
    assert not builds


def test_kernels_of_a_program_are_built_apart(folder, builds):
    built = tt.Context().parse(TEXT.format(18) + TEXT.format(19)).compile("cpu")
    tt.prebuild([built], processes=2)
    assert len(list(folder.iterdir())) == 2
    for number in (18, 19):
        launched(built, number)
    assert not builds


def test_programs_are_built_once(folder):
    tt.prebuild(iter([program(5), program(5)]))
    (path,) = folder.iterdir()
    before = path.stat().st_mtime_ns
    tt.prebuild([program(5)], processes=1)
    assert path.stat().st_mtime_ns == before


def test_what_a_launch_builds_is_kept(folder, builds):
    launched(program(6), 6)
    assert len(builds) == 1
    (path,) = folder.iterdir()
    assert cache.load(path) == build_log.build(builds[0], default_device("cpu").name).code
    launched(program(6), 6)
    assert len(builds) == 1


@pytest.mark.parametrize("value", ["0", "off", ""])
def test_nothing_is_kept(folder, builds, monkeypatch, value):
    monkeypatch.setenv(switches.CACHE_DIR.name, value)
    built = program(16)
    tt.prebuild([built])
    launched(built, 16)
    assert len(builds) == 1
    assert not folder.exists()


def test_a_folder_that_cannot_be_written(folder, builds):
    folder.parent.write_text("not a folder")
    launched(program(17), 17)
    assert len(builds) == 1


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: b"x" * 99]
)
def test_damaged_files_are_ignored(folder, builds, damage):
    built = program(7)
    tt.prebuild([built])
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    launched(built, 7)
    assert len(builds) == 1


def test_code_that_the_driver_refuses_is_ignored(folder, builds):
    built = program(8)
    cache.save(binaries.path_of(built.digest, default_device("cpu")), b"no code", {})
    launched(built, 8)
    assert len(builds) == 1


@pytest.mark.parametrize(("name", "found"), [("sycl_functions", {}), ("program_maker", None)])
def test_without_the_functions_of_sycl(folder, builds, monkeypatch, name, found):
    built = program(9)
    tt.prebuild([built])
    monkeypatch.setattr(f"tinytc_mlir.runtime.spirv.sycl_symbols.{name}", lambda where: found)
    launched(built, 9)
    assert len(builds) == 1


def test_the_file_depends_on_the_options_of_the_driver(folder, monkeypatch):
    device = default_device("cpu")
    path = binaries.path_of("digest", device)
    assert binaries.path_of("digest", device) == path
    assert binaries.path_of("other", device) != path
    monkeypatch.setenv("CL_CONFIG_CPU_TARGET_ARCH", "skx")
    assert binaries.path_of("digest", device) != path


def test_memory_is_freed(folder):
    code = build_log.build(program(1).spirv, default_device("cpu").name).code
    queue = queue_of("cpu").native
    dpctl = sycl_devices.names_of_dpctl()

    def load():
        native = sycl_programs.program_of_binary(code, queue, dpctl.folder, dpctl.programs)
        sycl_programs.SyclProgram(native, dpctl.leaks_programs, leaks_itself=False).kernel("scale1")

    def resident_mb():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 2**20

    for _ in range(20):
        load()
    before = resident_mb()
    for _ in range(200):
        load()
    assert resident_mb() - before < 8  # the driver keeps 0.4 MB of each that is not freed


def test_errors(folder):
    with pytest.raises(tt.LaunchError, match="processes, got 0"):
        tt.prebuild([], processes=0)
    other = tt.Context().parse(TEXT.format(1)).compile("intel-gpu:pvc")
    with pytest.raises(
        tt.LaunchError, match="expected programs for cpu, got one for intel-gpu:pvc"
    ):
        tt.prebuild([other])
    built = program(1)
    broken = tt.Program(built.spirv[:-8], built.manifest)
    with pytest.raises(tt.DeviceError, match="cannot build 'scale1'"):
        tt.prebuild([built, broken])


def test_a_process_that_ends(folder, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(
        tt.DeviceError, match="the end of the process that builds it, with status 0"
    ):
        tt.prebuild([program(1)])


def test_a_file_that_cannot_be_written(folder):
    folder.parent.write_text("not a folder")
    with pytest.raises(NotADirectoryError, match="cache"):
        tt.prebuild([program(1)])


def test_another_process_finds_it(folder):
    tt.prebuild([program(3)])
    script = (
        "import numpy as np, tinytc_mlir as tt, tinytc_mlir.runtime.spirv.sycl_devices as s\n"
        "s.names_of_dpctl().create_program = None\n"
        f"p = tt.Context().parse({TEXT.format(3)!r}).compile('cpu')\n"
        "x = np.ones((8, 2), np.float32, order='F'); p['scale3'](1.0, x, groups=2)\n"
        "assert (x == 4).all()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
