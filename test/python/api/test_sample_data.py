"""What `tinytc run` uses: random arguments, operation counts, comparison with the reference."""

import pathlib

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.measure.comparison import copied, relative_error
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.runtime.kernel_info import (
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from tinytc_mlir.runtime.launches.arguments import Signature
from tinytc_mlir.scalars import SCALAR_TYPES

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def kernel(*arguments):
    return KernelInfo("f", arguments, (1, 1, 1), 16)


def sample(*arguments, **options):
    return sample_arguments(kernel(*arguments), SampleOptions(**options))


SHAPES = [
    ((), (), ()),
    ((4, 3), (1, 4), (4, 3)),
    ((4, None), (1, 4), (4, 5)),
    ((None, None, None), (1, None, None), (16, 16, 5)),
    ((4, 3), (1, 8), (4, 3)),
    ((4, 3, None), (2, 8, 64), (4, 3, 5)),
]


@pytest.mark.parametrize("element_type", SCALAR_TYPES)
@pytest.mark.parametrize(("shape", "stride", "expected"), SHAPES)
def test_arguments_fit_their_parameters(element_type, shape, stride, expected):
    info = kernel(
        ScalarArgument("x", element_type),
        MemrefArgument("A", element_type, shape, stride),
        GroupArgument("G", element_type, shape, stride, size=None, offset=0),
        GroupArgument("H", element_type, shape, stride, size=3, offset=5),
    )
    values = sample_arguments(info, SampleOptions(groups=5))
    Signature(info).parts((), values)
    assert values["A"].shape == expected
    assert [len(values[name].members) for name in "GH"] == [5, 3]


def test_seed_decides_the_values():
    argument = MemrefArgument("A", "f32", (4, 3), (1, 4))
    first, again, other = (sample(argument, seed=seed)["A"] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).all()


def test_chosen_sizes_and_scalars():
    arguments = MemrefArgument("A", "f32", (None, 3), (1, None)), ScalarArgument("n", "index")
    values = sample(*arguments, sizes={("A", 0): 7}, scalars={"n": 3})
    assert values["A"].shape == (7, 3)
    assert values["n"] == 3


@pytest.mark.parametrize("groups", [5, 1000])
@pytest.mark.parametrize("sizes", [{}, {("A", 1): 9}, {("B", 0): 9, ("C", 1): 3}])
def test_sizes_that_an_instruction_requires(groups, sizes):
    text = """func @f(%n: index, %x: f32, %A: memref<f32x8x?>, %B: memref<f32x?x?>,
                      %C: memref<f32x?x?>, %D: memref<f32x?x4>, %E: memref<f32x?>) {
      %d = subview %D[1:%n, 0:4] : memref<f32x?x4,strided<1,?>>
      %size = size %C[1] : index
      gemm %x, %A, %B, %x, %C
      axpby %x, %d, %x, %d
      store %x, %E[%size]
    }"""
    info = tt.Context().parse(text).compile("cpu")["f"].info
    values = sample_arguments(info, SampleOptions(groups=groups, sizes=sizes, scalars={"n": 20}))
    Signature(info).parts((), values)  # refuses none of them
    assert values["A"].shape[1] == (9 if sizes else min(groups, 16))
    assert values["C"].shape == (8, sizes.get(("C", 1), groups))
    assert values["D"].shape == (21, 4)
    assert values["E"].shape[0] > values["C"].shape[1]


REFUSED = [
    ({"sizes": {("B", 0): 7}}, "f: expected one of the parameters A, n, got 'B'"),
    ({"sizes": {("A", 1): 7}}, "f: argument 'A': expected a dynamic mode (0), got 1"),
    ({"sizes": {("n", 0): 7}}, "f: argument 'n': expected a dynamic mode (none), got 0"),
    ({"scalars": {"A": 7}}, "argument 'A': expected a scalar parameter, got A: memref<f32x?x3>"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refused(options, message):
    arguments = MemrefArgument("A", "f32", (None, 3), (1, None)), ScalarArgument("n", "index")
    with pytest.raises(tt.ArgumentError) as caught:
        sample(*arguments, **options)
    assert message in str(caught.value)


def test_relative_error():
    inf, nan = np.inf, np.nan
    assert relative_error(np.array([1.0, inf, nan]), np.array([1.0, inf, nan])) == 0
    assert relative_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])) == 0.5
    assert relative_error(np.array([1.0, nan]), np.array([1.0, 4.0])) == inf
    assert relative_error(np.array([1.0, inf]), np.array([1.0, -inf])) == inf
    assert relative_error(np.zeros(0), np.zeros(0)) == 0
    assert relative_error(np.array([1j]), np.array([-1j])) == 2


def test_copied():
    array = np.zeros((6, 4), order="F")[::2]
    array[...] = np.arange(12).reshape(3, 4)
    copy = copied(tt.Group([array], offset=3)).members[0]
    assert (copy == array).all()
    assert copy.strides == array.strides
    assert not np.shares_memory(copy, array)
    assert copied(3) == 3
