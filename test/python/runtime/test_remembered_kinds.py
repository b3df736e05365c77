"""What a launch refuses is refused after any other launches, too: random kinds of arguments."""

import fractions
import random

import dpctl
import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """func @f(%a: f32, %n: index, %k: i8, %b: bool, %X: memref<f32x4x?>,
        %G: group<memref<f32x4>x?>, %H: group<memref<f32x4>x1>, %Y: memref<f32x4x?>,
        %Z: memref<f32x4>) {
  %one = constant 1.0 : f32
  %first = constant 0 : index
  %g = group_id.x : index
  %c = less_than %g, %n : bool
  if %c {
    %x = subview %X[:,%g] : memref<f32x4>
    %m = load %G[%g] : memref<f32x4>
    %h = load %H[%first] : memref<f32x4>
    %y = subview %Y[:,%g] : memref<f32x4>
    %zero = constant 0.0 : f32
    axpby.n %a, %x, %zero, %y
    axpby.n %one, %m, %one, %y
    axpby.n %one, %h, %one, %y
    %there = associated %Z : bool
    if %there {
      axpby.n %one, %Z, %one, %y
    }
    if %b {
      %i = cast %k : f32
      axpby.n %i, %x, %one, %y
    }
  }
}"""
NAMES = ("a", "n", "k", "b", "X", "G", "H", "Y", "Z")


class Index:
    """An integer that is no int."""

    def __index__(self):
        return 3


class Members(list):
    """A list that is not of the usual type."""


class Interface:
    """An array of another library."""

    def __init__(self, array):
        self._array = array
        self.__array_interface__ = array.__array_interface__


def shared(shape, dtype=np.float32, first=1):
    values = np.arange(first, first + np.prod(shape), dtype=dtype)
    return tt.asarray(np.asfortranarray(values.reshape(shape, order="F")))


def arrays(make):
    """Return arrays of all kinds; `make` returns one that fits, with as many columns as it gets."""
    fits = make(3)
    fixed = make(3)
    fixed.flags.writeable = False
    host = np.array(fits, order="F")
    return [
        *(fits, make(3), make(5), make(6)[:, :3], make(6)[:, 3:], make(2)),
        *(make(6)[:, ::2], make(3)[:, ::-1], make(4).T, fits[:, 0], fixed, host),
        *(np.ascontiguousarray(host), fits.astype(np.float64), fits.view(np.int32)),
        *(fits.view(np.recarray), memoryview(host), Interface(fits), host.tolist(), None),
        *([fits], (fits,), [[fits]], tt.Group([fits]), 1.0, np.float32(1), "x", {"X": fits}),
    ]


def groups_of(member):
    """Return what may be given as a group; `member` returns one that fits, of different values."""
    one, two, three = member(1), member(2), member(3)
    stack, host = shared((4, 3)), np.ones(4, np.float32)
    return [
        *([one], (one,), [one, two, three], (three, two, one), [two], one, two),
        *(stack, stack[:, :1], stack[:, ::2], shared((4, 1)), shared((4, 6))[:, 1:4]),
        *(tt.Group([one]), tt.Group([one, two, three]), tt.Group(one), Members([one]), [[one]]),
        *([], (), [None], [one, None, two], [host], [one, host, two], [one, one, one], None),
        *([one[:3]], [one[::-1]], [one.astype(np.float64)], iter([one]), {0: one}, 1.0, "x"),
        *(host, Interface(one), [Interface(one)], np.array([one, None], object), [1.0]),
    ]


def choices():
    numbers = [2.0, 3, np.float32(4), np.float64(0.5), -0.0, 0.0, np.int16(2), 5, float("nan")]
    others = [True, "2", None, 1j, 10**400, 1e300, [2.0], np.array(2.0), fractions.Fraction(1, 2)]
    integers = [3, 2, 1, 5, -1, 0, True, 2**30, 2**63, np.int64(3), np.uint64(3), Index(), 3.0]
    member = lambda first: shared((4,), first=first)  # noqa: E731
    optional = [None, member(7), member(8), [member(7)], np.ones(4, np.float32), shared((5,)), 0.0]
    return {
        "a": [*numbers, *others, shared((1,))],
        "n": [*integers, "3", None, np.bool_(True)],
        "k": [*integers, 127, 128, -128, -129, np.int8(-1), "3", None],
        "b": [True, False, np.bool_(True), np.bool_(False), 1, 0, None, "x", 1.0],
        "X": arrays(lambda columns: shared((4, columns))),
        "G": groups_of(member),
        "H": groups_of(member),
        "Y": arrays(lambda columns: shared((4, columns), first=50)),
        "Z": optional,
        "groups": [None, 3, 1, 2, 5, True, (3,), (3, 1), (3.0, 1), [3], np.int64(3), 0, -1, "3"],
        "queue": [None, "cpu", dpctl.SyclQueue("cpu"), "no-such-device", 3],
    }


#: Which of the choices fit each other.
BASES = (
    {"G": 2, "groups": 1},
    {"G": 0, "groups": 2, "n": 2, "queue": 1},
    {"G": 7, "H": 1, "X": 4, "Y": 1, "Z": 1, "groups": 1},
    {"G": 8, "H": 8, "groups": 2},
)


def outcome(launch, outputs):
    """Return what a launch writes, or its error."""
    for output in outputs:
        output[...] = -1
    try:
        launch()
    except (tt.TinyTCError, TypeError) as error:
        return type(error), str(error)
    return [output.tolist() for output in outputs]


def call(kernel, values, options, way):
    if way == "position":
        kernel(*values, **options)
    elif way == "mapping":
        kernel(dict(zip(NAMES, values, strict=True)), **options)
    elif way == "names":
        kernel(**dict(zip(NAMES, values, strict=True)), **options)
    else:
        kernel.submit(*values, **options).wait()


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(4))
def test_kinds_in_any_order(program, seed):
    """A kernel with remembered launches and a fresh one do the same."""
    generator, pool = random.Random(seed), choices()
    kernel = type(program["f"])(program, program["f"].info)
    outputs = [y for y in pool["Y"] if isinstance(y, np.ndarray) and y.flags.writeable]
    remembered = refused = 0
    given = {}
    for turn in range(800):
        if turn % 2 == 0:  # a launch with the signature of the next one
            places = generator.choice(BASES)
            given = {name: values[places.get(name, 0)] for name, values in pool.items()}
        else:
            for name in generator.sample(sorted(pool), generator.choice([1, 1, 1, 2])):
                given[name] = generator.choice(pool[name])
        options = {name: given[name] for name in ("groups", "queue")}
        way = generator.choice(["position", "mapping", "names", "submit"])
        values = [given[name] for name in NAMES]
        if any(hasattr(value, "__next__") for value in values):  # it is used up
            continue
        known = kernel.launch_cache.find(values, *options.values(), takes_plain=True)
        remembered += known is not None
        found = outcome(lambda: call(kernel, values, options, way), outputs)  # noqa: B023
        fresh = type(kernel)(program, kernel.info)
        expected = outcome(lambda: call(fresh, values, options, way), outputs)  # noqa: B023
        assert repr(found) == repr(expected), (given, way)
        refused += not isinstance(found, list)
    assert remembered > 200
    assert refused > 100


def test_an_array_for_a_list_of_one(program):
    """The launch with the list must not let the array pass."""
    text = """func @f(%G: group<memref<f32x4>x?>, %Y: memref<f32x4>) {
      %i = constant 0 : index
      %x = load %G[%i] : memref<f32x4>
      %one = constant 1.0 : f32
      axpby.n %one, %x, %one, %Y
    }"""
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    member, y = shared((4,)), tt.asarray(np.zeros(4, np.float32))
    message = "argument 'G': expected a list of arrays, or one array of 2 modes"
    for _ in range(2):
        with pytest.raises(tt.ArgumentError, match=message):
            kernel(member, y)
        kernel([member], y)
