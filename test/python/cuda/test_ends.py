"""Variants of kernels may read the 16 bytes around the last element: these have to be allocated."""

import dataclasses

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices


@pytest.fixture
def program(program, manifest):
    kernels = tuple(
        dataclasses.replace(
            info,
            aligned_variant=f"{info.name}__aligned",
            aligned_members_variant=f"{info.name}__aligned_members",
        )
        for info in manifest.kernels
    )
    return tt.Program(program.code, dataclasses.replace(manifest, kernels=kernels))


@pytest.fixture
def allocate(driver):
    """Return a function that allocates memory as another library does."""

    def allocate(size_bytes):
        with devices.default_device("cuda").current():
            return driver.cuMemAlloc(size_bytes)[1]

    return allocate


def foreign(address, shape, dtype):
    """Return an array of another library."""
    dtype = np.dtype(dtype)
    strides = np.empty(shape, dtype, order="F").strides
    interface = {
        "shape": shape,
        "strides": strides,
        "typestr": dtype.str,
        "version": 3,
        "data": (address, False),
    }
    return type("Array", (), {"__cuda_array_interface__": interface})()


def taken(driver):
    name = driver.launches[-1][0]
    return name[len(name.split("__")[0]) :]


@pytest.mark.parametrize("rows", [4, 5, 7, 8])
def test_arrays_of_others(driver, program, allocate, rows):
    for columns in (1, 3):
        size_bytes = 4 * rows * columns
        rounded_bytes = size_bytes + -size_bytes % 16
        for allocated_bytes in {size_bytes, rounded_bytes - 1, rounded_bytes} - {size_bytes - 1}:
            x = foreign(allocate(allocated_bytes), (rows, columns), np.float32)
            program["scale"](2, x, groups=columns)
            fits = allocated_bytes >= rounded_bytes
            assert taken(driver) == ("__aligned_members" if fits else "")


def test_part_of_an_allocation(driver, program, allocate):
    address = allocate(4 * 5 * 3)
    program["scale"](2, foreign(address, (5, 2), np.float32), groups=2)
    assert taken(driver) == "__aligned_members"
    program["scale"](2, foreign(address + 16, (11, 1), np.float32), groups=1)
    assert taken(driver) == ""


@pytest.fixture
def unknown_ranges(driver, monkeypatch):
    """Let the driver know devices of memory, but not where it begins and ends."""
    known = driver.cuPointerGetAttribute

    def get(attribute, address):
        is_range = attribute > driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return (1, None) if is_range else known(attribute, address)

    monkeypatch.setattr(driver, "cuPointerGetAttribute", get)


def test_memory_of_ours_is_long_enough(driver, program, unknown_ranges):
    x = tt.asarray(np.ones((5, 3), np.float32, order="F"), queue="cuda")
    (size_bytes,) = {size for _, size, _ in driver.allocations.values()}
    assert size_bytes == 64
    assert x.get().shape == (5, 3)
    program["scale"](2, x, groups=3)
    assert taken(driver) == "__aligned_members"


def test_a_driver_that_does_not_know(driver, program, allocate, unknown_ranges):
    program["scale"](2, foreign(allocate(256), (5, 3), np.float32), groups=3)
    assert taken(driver) == ""


def test_members(driver, program, allocate):
    """Many members of few allocations are found in these; an array of all has one end."""
    y = tt.asarray(np.ones((2, 200), order="F"), queue="cuda")

    def took(members):
        program["gather"](1, tt.Group(members, shape=(4,)), y, groups=2)
        return taken(driver)

    def apart(allocated_bytes, count):
        return [foreign(allocate(allocated_bytes), (5,), np.float64) for _ in range(count)]

    pool = allocate(48 * 200)
    assert took([foreign(pool + 48 * i, (5,), np.float64) for i in range(200)])
    assert took(apart(48, 3)) == took(apart(48, 64)) == "__aligned_members"
    assert took(apart(40, 3)) == took(apart(48, 65)) == "__aligned"
    assert took([*apart(48, 2), *apart(40, 1)]) == "__aligned"
    assert took(foreign(allocate(48 * 3), (6, 3), np.float64)) == "__aligned_members"
    own = [tt.asarray(np.ones(5), queue="cuda") for _ in range(100)]
    assert took(own) == took([np.ones(5)] * 100) == "__aligned_members"
