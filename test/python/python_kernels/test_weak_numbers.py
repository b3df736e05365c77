"""Python's numbers for parameters without a type have the type of what they are combined with."""

import ml_dtypes
import numpy as np
import pytest

import tinytc_mlir as tt

REALS = (np.float16, np.float32, np.float64, ml_dtypes.bfloat16)
COMPLEX = (np.complex64, np.complex128)
INTEGERS = (np.int8, np.int16, np.int32, np.int64)


@tt.kernel
def scale(a, x, o):
    i = tt.group_id.x
    o[:, i] = a * x[:, i]


@tt.kernel
def mixed(n, m, a, x, o):
    for i in tt.foreach(n - 1):
        o[i] = x[i + n - 1] * m + a


def launched(number, dtype):
    x = np.arange(1, 7).astype(dtype).reshape(3, 2, order="F")
    o = np.zeros_like(x)
    scale(number, x, o)
    return o, x


@pytest.mark.parametrize(
    "number, dtypes",
    [(3, (*REALS, *COMPLEX, *INTEGERS)), (0.1, (*REALS, *COMPLEX)), (0.5 - 2j, COMPLEX)],
)
def test_like_numpy(number, dtypes):
    for dtype in dtypes:
        o, x = launched(number, dtype)
        expected = x * np.array(number).astype(dtype)
        np.testing.assert_array_equal(o, expected)
        assert expected.dtype == o.dtype


def test_sizes_and_factors():
    x, o = np.arange(9, dtype=np.float32), np.zeros(4, np.float32)
    mixed(5, 3, 0.25, x, o)
    np.testing.assert_array_equal(o, x[4:8] * 3 + 0.25)
    signature = mixed.typed(5, 3, 0.25, x, o).module
    assert "%n: index, %m: f32, %a: f32" in signature.to_text()


def test_numbers_that_do_not_fit():
    with pytest.raises(tt.ArgumentError, match="expected an integer from -128 to 127 for i8"):
        launched(300, np.int8)
    with pytest.raises(tt.ArgumentError, match="expected a real number in the range of f32"):
        launched(1e300, np.float32)


def test_numbers_of_numpy_keep_their_type():
    with pytest.raises(tt.CompileError, match="promotable to f32, got f64"):
        launched(np.float64(2), np.float32)
    o, x = launched(np.float32(2), np.float64)
    assert (o == 2 * x).all()


def test_the_most_precise_type():
    """A number that is combined with several types loses no digit for any of them."""

    @tt.kernel
    def wide(a, x, o):
        for i in tt.foreach(3):
            o[i] = tt.f32(tt.f64(x[i]) * a)

    x, o = np.ones(3, np.float32) * 3, np.zeros(3, np.float32)
    wide(0.1, x, o)
    assert (o == np.float32(np.float64(3) * 0.1)).all()
    with pytest.raises(tt.CompileError, match=r"type f32 for 'o', got .* f64"):
        mixed(2, 3.0, 0.1, np.ones(4), np.ones(4, np.float32))


@pytest.mark.parametrize("dtype", ["uint8", "longdouble", "datetime64[s]"])
def test_dtypes_without_a_type(dtype):
    x = np.zeros((3, 2), dtype)
    message = f"scale: x: expected an array of int8, .* without a type, got dtype {x.dtype}"
    with pytest.raises(tt.ArgumentError, match=message.replace("[", r"\[")):
        scale(2, x, x)
    with pytest.raises(tt.ArgumentError, match="expected an array or a number .*, got 'x'"):
        scale(2, "x", x)
