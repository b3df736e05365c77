"""`Program.build` and `tinytc compile --build`: no launch after them makes the driver build."""

import threading

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache
from tinytc_mlir.runtime.spirv import sycl, sycl_devices
from tinytc_mlir.runtime.spirv.build_process import BuildProcess

TEXT = """
func @first(%X: memref<f32x8x?>) {
  %g = group_id.x : index
  %x = subview %X[0:8,%g] : memref<f32x8>
  %b = constant {0}.0 : f32
  axpby.n %b, %x, %b, %x
}
func @second(%x: f32) { }
"""


@pytest.fixture
def builds(monkeypatch):
    """Return the list of programs that the driver builds from SPIR-V, here or elsewhere."""
    dpctl, found = sycl_devices.names_of_dpctl(), []

    def create(queue, code, *rest):
        found.append(code)
        return real_create(queue, code, *rest)

    def build(process, code, *rest):
        found.append(code)
        return real_build(process, code, *rest)

    real_create, real_build = dpctl.create_program, BuildProcess.build
    monkeypatch.setattr(dpctl, "create_program", create)
    monkeypatch.setattr(BuildProcess, "build", build)
    return found


def program(number, target="cpu"):
    return tt.Context().parse(TEXT.replace("{0}", str(number))).compile(target)


def test_launches_find_what_was_built(builds):
    built = program(2)
    built.build()
    assert len(builds) == 2
    assert [len(built[name].loaded) for name in built] == [1, 1]
    bound = built["first"].bind(tt.asarray(np.ones((8, 4), np.float32)))
    bound()
    built["second"](1.0, groups=1)
    built.build()
    assert len(builds) == 2


def test_a_queue(builds):
    queue = sycl.LOADER.queue(sycl.LOADER.devices()[0]).native
    built = program(3)
    built.build(queue=queue)
    built["second"](1.0, groups=1, queue=queue)
    assert len(builds) == 2


def test_a_launch_builds_its_kernel_alone(builds):
    built = program(8)
    built["second"](1.0, groups=1)
    assert len(builds) == 1
    assert len(builds[0]) < len(built.code) / 2
    built["first"](tt.asarray(np.ones((8, 4), np.float32)))
    assert len(builds) == 2
    with pytest.raises(tt.DeviceError, match="expected .* queue or device.*, got 3"):
        built.build(queue=3)


def test_errors():
    with pytest.raises(tt.DeviceError, match="expected a device for target intel-gpu:pvc"):
        program(4, "intel-gpu:pvc").build()


def test_threads_build_at_the_same_time(monkeypatch):
    """Each waits until the other builds, too."""
    meeting = threading.Barrier(2, timeout=600)
    real = sycl.built_program

    def built(*arguments):
        meeting.wait()
        return real(*arguments)

    monkeypatch.setattr(sycl, "built_program", built)
    programs = [program(5), program(6)]
    arrays = [tt.asarray(np.ones((8, 4), np.float32)) for _ in programs]
    kernels = [each["first"] for each in programs]
    threads = [
        threading.Thread(target=kernel, args=(array,))
        for kernel, array in zip(kernels, arrays, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(each["first"].loaded) for each in programs] == [1, 1]


def test_threads_build_a_program_once(builds):
    built = program(7)
    threads = [threading.Thread(target=built.build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 2


def test_the_command(builds, tinytc, tmp_path, monkeypatch):
    source, output = tmp_path / "a.ir", tmp_path / "a.tinytc"
    source.write_text(TEXT.replace("{0}", "8"))
    status, _, err = tinytc("compile", source, "--build", "-o", output)
    assert status == 2
    assert "expected a cache for --build to write to, got TINYTC_CACHE_DIR that" in err
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    assert tinytc("compile", source, "--build", "-o", output) == (0, "", "")
    assert [entry.kind for entry in cache.entries()].count(cache.DEVICE) == 2
    tt.load(output)["second"](1.0, groups=1)
    assert len(builds) == 2
    words = ("compile", source, "--build", "--target", "intel-gpu:pvc", "-o", output)
    status, _, err = tinytc(*words)
    assert status == 2
    assert (
        "expected --target cpu with --build, as only its driver's code can be kept, got intel"
        in err
    )
