"""Names that people try first, and what they are told where something is not there."""

import copy
import re

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.cli import doctor
from tinytc_mlir.runtime import devices

SCALE = """
func @scale(%alpha: f32, %X: memref<f32x16x$N>) {
  %g = group_id.x : index
  %x = subview %X[:, %g] : memref<f32x16>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}
"""


def test_compile_takes_a_text():
    program = tt.compile(SCALE, "cpu", filename="scale.ir", defines={"N": 10})
    kernel = program["scale"]
    assert kernel.name == "scale"
    x = np.ones((16, 10), np.float32, order="F")
    kernel(3.0, x, groups=10)
    assert (x == 3).all()
    assert tt.compile(SCALE, "cpu", defines={"N": 10}, debug=True)["scale"].info != kernel.info
    with pytest.raises(tt.ParseError, match=r"scale\.ir:2:44"):
        tt.compile(SCALE, "cpu", filename="scale.ir")


def test_kernels_are_no_attributes():
    program = tt.compile(SCALE, "cpu", defines={"N": 10})
    with pytest.raises(AttributeError, match=r"; the kernel is program\['scale'\]$"):
        program.scale  # noqa: B018
    with pytest.raises(AttributeError, match="'Program' object has no attribute 'scales'$"):
        program.scales  # noqa: B018
    assert not hasattr(copy.copy(program), "scale")


def test_devices_are_those_of_the_command(tinytc):
    listed = tinytc("devices")[1].splitlines()
    assert [devices.describe_device(each) for each in tt.devices()] == listed
    assert "[native], no driver, " in listed[-1]
    (cpu,) = tt.devices("cpu")
    assert (cpu.target, cpu.is_cpu) == ("cpu", True)


def test_arrays_of_zeros_and_ones():
    assert (np.asarray(tt.zeros((3, 2))) == 0).all()
    ones = tt.ones((3, 2), np.float64)
    assert (ones == 1).all()
    assert ones.strides == (8, 24)


def test_do_bench_takes_a_kernel_with_arguments():
    kernel = tt.compile(SCALE, "cpu", defines={"N": 10})["scale"]
    timing = tt.do_bench(kernel, 2.0, tt.zeros((16, 10)), groups=10, rounds=3, round_s=0.001)
    assert timing.gbytes_per_s > 0
    gemm = "%one = constant 1.0 : f32 gemm %one, %A, %A, %one, %B"
    gemm = f"func @f(%A: memref<f32x8x8>, %B: memref<f32x8x8>) {{ {gemm} }}"
    arrays = (tt.zeros((8, 8)), tt.zeros((8, 8)))
    timing = tt.do_bench(tt.compile(gemm, "cpu")["f"], *arrays, groups=1, rounds=3, round_s=0.001)
    assert timing.gflops > 0
    brackets = r"us \(25 % of the rounds below [\d.]+, 75 % below [\d.]+\), \d+ launches, "
    assert re.search(brackets, str(timing))


@pytest.mark.parametrize("target", ["intel-gpu:pvc", "cuda:sm_90"])
def test_a_gpu_that_is_not_there(target):
    kernel = tt.compile(SCALE, target, defines={"N": 10})["scale"]
    with pytest.raises(tt.DeviceError, match="; `tinytc devices` lists what there is$") as caught:
        kernel(2.0, np.zeros((16, 10), np.float32), groups=10)
    assert "MPI" not in str(caught.value)


def test_a_program_for_another_device_than_the_arrays():
    kernel = tt.compile(SCALE, "intel-gpu:pvc", defines={"N": 10})["scale"]
    message = "expected a program for cpu, where the queue or the arrays are, got one for intel-"
    with pytest.raises(tt.DeviceError, match=message):
        kernel(2.0, tt.zeros((16, 10)), groups=10)


@pytest.mark.parametrize(
    ("type_", "dtype"), [(tt.f64, "float64"), (tt.i8, "int8"), (tt.c32, "complex64")]
)
def test_types_of_kernels_are_dtypes(type_, dtype):
    for make in (tt.zeros, tt.ones, tt.empty, np.zeros):
        assert make((3, 2), type_).dtype == dtype


def test_doctor_names_the_selector(monkeypatch):
    monkeypatch.setenv("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu")
    (finding, *_) = doctor._environment()
    assert (finding.status, finding.subject) == (doctor.WARNING, "ONEAPI_DEVICE_SELECTOR")
    assert finding.detail == "'level_zero:gpu' hides all other devices"
