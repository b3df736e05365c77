"""`verify=True` names the arrays that are not finite after a launch, and those before it."""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import DTYPES, FLOATS
from target_under_test import TARGET
from tinytc_mlir.scalars import bfloat16_bits

COPY = """func @f(%alpha: {0}, %A: memref<{0}x?x?>, %B: memref<{0}x?x?>) {{
  %zero = constant {1} : {0}
  axpby.n %alpha, %A, %zero, %B
}}"""


def kernel_of(text):
    return tt.Context().parse(text).compile(TARGET)["f"]


@pytest.fixture(scope="module")
def copy():
    return kernel_of(COPY.format("f32", "0.0"))


def matrices(dtype=np.float32):
    return (np.ones((4, 3), dtype, order="F") for _ in "AB")


def diagnostics(kernel, *values, **options):
    """Return error messages and notes of a launch."""
    with pytest.raises(tt.CheckError) as caught:
        kernel(*values, verify=True, **options)
    errors = caught.value.diagnostics
    return [e.message for e in errors], [n.message for e in errors for n in e.notes]


@pytest.mark.parametrize("convert", [np.asarray, tt.asarray], ids=["numpy", "usm"])
def test_input(copy, convert):
    a, b = map(convert, matrices())
    a[3, 1] = np.nan
    a[0, 2] = -np.inf
    assert diagnostics(copy, 1.0, a, b, groups=1) == (
        ["f: expected finite numbers in 'B' after the launch, got -inf at (0, 2) and 1 more"],
        ["'A' had -inf at (0, 2) and 1 more before the launch"],
    )
    assert np.isnan(b[3, 1])


def test_overflow(copy):
    a, b = matrices()
    a[2, 1] = 1e30
    message = "f: expected finite numbers in 'B' after the launch, got inf at (2, 1)"
    assert diagnostics(copy, 1e30, a, b, groups=1) == ([message], [])


def test_finite_results(copy):
    a, b = matrices()
    b[...] = np.nan  # not read: beta is 0
    copy(1.0, a, b, groups=1, verify=True)
    a[0, 0] = np.nan
    copy(1.0, a, b, groups=1)
    copy(1.0, a, b, groups=1, verify=False)


@pytest.mark.parametrize("type_", [*FLOATS, "bf16", "c32", "c64"])
def test_types(type_):
    zero = "[0.0,0.0]" if type_ in ("c32", "c64") else "0.0"
    kernel = kernel_of(COPY.format(type_, zero))
    a, b = matrices(DTYPES[type_])
    if type_ == "bf16":
        a[...] = bfloat16_bits(np.ones((4, 3), np.float32))
    kernel(1.0, a, b, groups=1, verify=True)
    a[1, 2] = bfloat16_bits(np.float32("nan")) if type_ == "bf16" else np.nan
    errors, notes = diagnostics(kernel, 1.0, a, b, groups=1)
    assert "nan" in errors[0]
    assert "at (1, 2)" in errors[0]
    assert len(notes) == 1


def test_integers_are_finite():
    kernel = kernel_of(COPY.format("i32", "0"))
    a, b = matrices(np.int32)
    kernel(7, a, b, groups=1, verify=True)


GROUPS = """func @f(%A: group<memref<f32x2>x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x2>
  %one = constant 1.0 : f32
  axpby.n %one, %a, %one, %a
}"""


def test_members_of_a_group():
    kernel = kernel_of(GROUPS)
    members = [np.ones(2, np.float32) for _ in range(12)]
    members[5][1] = np.nan
    errors, notes = diagnostics(kernel, members, groups=12)
    assert errors[0].endswith("in member 5 of 'A' after the launch, got nan at (1)")
    assert notes == ["member 5 of 'A' had nan at (1) before the launch"]
    stack = np.ones((2, 12), np.float32, order="F")
    stack[1, 5] = np.nan
    errors, _ = diagnostics(kernel, stack, groups=12)
    assert errors[0].endswith("in 'A' after the launch, got nan at (1, 5)")


def test_many_arrays_are_not_all_listed():
    members = [np.full(2, np.nan, np.float32) for _ in range(12)]
    errors, notes = diagnostics(kernel_of(GROUPS), members, groups=12)
    assert len(errors) == len(notes) == 9
    assert errors[-1] == notes[-1] == "the same in 4 more"


class DeviceArray:
    """An array of another library in memory that the host cannot read."""

    def __init__(self, values):
        import dpctl.memory

        self._memory = dpctl.memory.MemoryUSMDevice(values.nbytes)
        self._memory.copy_from_host(values.tobytes(order="F"))
        self._values = values

    @property
    def __sycl_usm_array_interface__(self):
        return {
            **self._memory.__sycl_usm_array_interface__,
            "data": (self._memory._pointer, False),
            "shape": self._values.shape,
            "typestr": self._values.dtype.str,
            "strides": tuple(s // self._values.itemsize for s in self._values.strides),
        }


@pytest.mark.skipif(TARGET != "cpu", reason="all memory of native kernels is the host's")
def test_device_memory(copy):
    a, b = matrices()
    a[3, 1] = np.nan
    a, b = DeviceArray(a), DeviceArray(b)
    errors, notes = diagnostics(copy, 1.0, a, b, groups=1)
    assert errors[0].endswith("in 'B' after the launch, got nan at (3, 1)")
    assert notes == ["'A' had nan at (3, 1) before the launch"]


@pytest.mark.parametrize("value", [1, "yes", None])
def test_odd_option(copy, value):
    with pytest.raises(tt.ArgumentError, match="expected True or False for verify, got"):
        copy(1.0, *matrices(), groups=1, verify=value)


def test_parameter_of_the_same_name():
    kernel = kernel_of("func @f(%verify: f32, %A: memref<f32>) { store %verify, %A[] }")
    a = np.zeros((), np.float32)
    kernel({"verify": 3.0, "A": a}, groups=1, verify=True)
    assert a == 3
