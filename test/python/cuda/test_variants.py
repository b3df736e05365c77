"""Which variant of a kernel a launch on an NVIDIA device takes."""

import dataclasses

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.runtime.arrays.array_view import ArrayView
from tinytc_mlir.runtime.nvidia import cuda
from tinytc_mlir.runtime.nvidia.cuda_code import array_positions
from tinytc_mlir.runtime.protocol import Pointer


def test_aligned_arrays_take_the_variant(driver, program, manifest):
    kernels = tuple(
        dataclasses.replace(info, aligned_variant=f"{info.name}__aligned")
        for info in manifest.kernels
    )
    program = tt.Program(program.code, dataclasses.replace(manifest, kernels=kernels))
    x = tt.asarray(np.ones((5, 3), np.float32, order="F"), queue="cuda")
    y = tt.asarray(np.ones((2, 3), order="F"), queue="cuda")
    program["scale"](2, x, groups=3)
    whole = x.__cuda_array_interface__
    address, is_read_only = whole["data"]
    below = whole | {"data": (address + 4, is_read_only), "shape": (4, 3), "strides": (4, 20)}
    program["scale"](2, type("Array", (), {"__cuda_array_interface__": below})(), groups=3)
    # Tables of groups begin anywhere, and members are not looked at.
    program["gather"](1, tt.Group([np.ones(8)] * 3, offset=1, shape=(4,)), y, groups=3)
    assert [name for name, *_ in driver.launches] == ["scale__aligned", "scale", "gather__aligned"]
    assert x.get()[:, 0].tolist() == [2, 4, 4, 4, 4]


def test_aligned_members_take_a_variant_of_their_own(driver, program, manifest):
    """A member begins `offset` elements after its pointer; copies of host arrays are aligned."""
    kernels = tuple(
        dataclasses.replace(
            info,
            aligned_variant=f"{info.name}__aligned",
            aligned_members_variant=f"{info.name}__aligned_members",
        )
        for info in manifest.kernels
    )
    program = tt.Program(program.code, dataclasses.replace(manifest, kernels=kernels))
    y = tt.asarray(np.ones((2, 4), order="F"), queue="cuda")

    def took(members, offset, result=y):
        group = tt.Group(members, offset=offset, shape=(4,))
        program["gather"](1, group, result, groups=3)
        return driver.launches[-1][0].removeprefix("gather")

    rows = [tt.asarray(np.ones(8), queue="cuda") for _ in range(3)]
    stack = tt.asarray(np.ones((8, 3), order="F"), queue="cuda")
    odd = tt.asarray(np.ones((7, 3), order="F"), queue="cuda")
    assert took(rows, 2) == took([np.ones(8)] * 3, 2) == took(stack, 2) == "__aligned_members"
    assert took(rows, 1) == took(stack, 1) == took(odd, 2) == took(odd, 1) == "__aligned"
    whole = y.__cuda_array_interface__
    address, is_read_only = whole["data"]
    below = whole | {"data": (address + 8, is_read_only), "shape": (2, 3), "strides": (8, 16)}
    assert took(rows, 2, type("Array", (), {"__cuda_array_interface__": below})()) == ""
    bound = program["gather"].bind(1, tt.Group(rows, offset=2, shape=(4,)), y, groups=3)
    bound.submit().wait()
    assert driver.launches[-1][0] == "gather__aligned_members"
    program["scale"](1, tt.asarray(np.ones((4, 1), np.float32, order="F"), queue="cuda"))
    assert driver.launches[-1][0] == "scale__aligned_members"  # it has no groups


def test_arrays_that_overlap_take_the_plain_kernel(driver, program, manifest):
    """Those that are only read, with those that are written."""
    info = manifest.kernels[0]
    (_, x) = info.arguments
    arguments = tuple(
        dataclasses.replace(x, name=name, access=access)
        for name, access in (("A", "read"), ("B", "read"), ("C", "read_write"))
    )
    info = dataclasses.replace(info, arguments=arguments, aligned_variant="f__aligned")
    kernel = cuda.CudaKernel("f", "plain", 0, None, "fast", array_positions(info))
    a, b, c = (np.ones((4, 5), np.float32, order="F") for _ in range(3))
    rows = np.ones((8, 5), np.float32, order="F")
    assert {array.ctypes.data % 16 for array in (a, b, c, rows)} == {0}

    def fitting(*arrays):
        """Return the variant for arrays, each followed by its two sizes."""
        pointers = (
            Pointer(None, array.ctypes.data, view) for array in arrays for view in [checked(array)]
        )
        return kernel.fitting([part for pointer in pointers for part in (pointer, 0, 0, 0)])

    def checked(array):
        address, itemsize = array.ctypes.data, array.dtype
        return ArrayView(address, itemsize, array.shape, array.strides, True, array, None)

    assert fitting(a, b, c) == fitting(a, a, c) == "fast"
    assert fitting(a[:, :2], a[:, 2:], c) == "fast"
    assert fitting(c[:, 1:], b, c[:, :1]) == fitting(a, c[:, :1], c[:, 1:]) == "fast"
    assert fitting(a, c, c) == fitting(c[:, :2], b, c[:, 1:]) == "plain"
    assert fitting(a, c[:, 4:], c) == fitting(c, b, c[:, 4:]) == "plain"
    assert fitting(rows[:4], b, rows[4:]) == "plain"  # their elements alternate
    free = dataclasses.replace(info, variant_may_overlap=True)
    kernel = dataclasses.replace(kernel, arrays=array_positions(free))
    assert fitting(a, c, c) == fitting(rows[:4], b, rows[4:]) == "fast"
    assert fitting(a, rows[1:5], c) == "plain"  # it begins 4 bytes further
    assert fitting(a[:, :0], b, c) == fitting(a, b, c[:, :0]) == "fast"


def test_columns_keep_the_alignment(manifest):
    """Only if the variant asks for it; a single column is anywhere."""
    info = manifest.kernels[0]
    x = dataclasses.replace(info.arguments[1], name="A", shape=(None, None), stride=(1, None))
    info = dataclasses.replace(
        info, arguments=(x,), aligned_variant="f__aligned", variant_may_overlap=True
    )

    def took(shape, leading_dimension, aligned_strides=True):
        variant = dataclasses.replace(info, aligned_strides=aligned_strides)
        kernel = cuda.CudaKernel("f", "plain", 0, None, "fast", array_positions(variant))
        strides = (4, 4 * leading_dimension)
        memory = cuda.CudaMemory.__new__(cuda.CudaMemory)  # whose end is not looked at
        view = ArrayView(256, np.dtype(np.float32), shape, strides, True, None, memory)
        return kernel.fitting([Pointer(memory, 256, view), 0, 0, 0])

    assert took((3, 5), 4) == took((35, 5), 36) == took((5, 1), 5) == "fast"
    assert took((5, 2), 5) == took((35, 9), 35) == took((4, 3), 6) == "plain"
    assert took((5, 2), 5, aligned_strides=False) == "fast"
