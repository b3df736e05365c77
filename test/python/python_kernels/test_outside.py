"""Numbers from outside of a kernel are those that were read first, for all types of arguments."""

import types

import numpy as np

import tinytc_mlir as tt


def test_later_changes_have_no_effect():
    number, settings = 2, types.SimpleNamespace(offset=10)

    @tt.kernel
    def fill(x):
        x[0] = number + settings.offset

    assert fill.typed(np.ones(4)).text.count("constant 12.0") == 1
    number, settings.offset = 3, 20
    for size in (4, 5):  # a program for each
        x = np.ones(size)
        fill(x, groups=1)
        assert x[0] == 12
    assert "number=int 2" in fill.source.key()
    assert "settings.offset=int 10" in fill.source.key()


def test_numpy_has_the_numbers_of_the_device():
    number = 2

    @tt.kernel
    def fill(x: tt.f64[4]):
        x[0] = number

    device, numpy = np.ones(4), np.ones(4)
    fill(device, groups=1)
    number = 3
    fill.python(numpy, groups=1)
    assert device[0] == numpy[0] == 2


def test_names_may_be_defined_later():
    @tt.kernel
    def fill(x: tt.f64[4]):
        x[0] = later(x[1])

    first = fill.source.key()

    @tt.inline
    def later(x):
        return x + 4

    assert fill.source.key() != first
    x = np.ones(4)
    fill(x, groups=1)
    assert x[0] == 5
