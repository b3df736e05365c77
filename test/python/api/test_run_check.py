"""What `tinytc run` says of results that are not numbers, and its exit status."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.measure.comparison import compare_with_reference
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments

HEAD = "func @f(%alpha: f32, %B: memref<f32x16x?>) {\n  %i = group_id.x : index\n"
BODY = "  foreach (%r) = (0), (16) {{\n    {lines}\n    store %x, %B[%r, %i]\n  }}\n}}\n"


def program(*lines):
    return HEAD + BODY.format(lines="\n    ".join(lines))


ALL_NAN = program("%m = constant -1.0 : f32", "%x = log %m : f32")
ALL_INFINITE = program("%m = constant 0.0 : f32", "%x = log %m : f32")
HALF_NAN = program("%b = load %B[%r, %i] : f32", "%x = log %b : f32")
SCALED = program("%b = load %B[%r, %i] : f32", "%x = mul %alpha, %b : f32")


PRINTED = program("%b = load %B[%r, %i] : f32", 'print "row", %r', "%x = mul %alpha, %b : f32")


@pytest.fixture
def run(tinytc, tmp_path):
    def run(text, *words):
        path = tmp_path / "f.ir"
        path.write_text(text)
        return tinytc("run", path, *words)

    return run


@pytest.mark.parametrize(
    ("text", "groups", "said"),
    [
        (ALL_NAN, 1000, "16000 of 16000 are NaN"),
        (ALL_INFINITE, 10, "160 of 160 are infinite"),
        (ALL_NAN, 2000, "16000 of 16000 are NaN"),  # of which the reference computes a part
    ],
)
def test_results_without_a_number(run, text, groups, said):
    status, out, err = run(text, "--groups", groups)
    assert f"error    B: {said}\n" in out
    assert "0.0e+00" not in out
    expected = "expected finite numbers to compare with the reference, got none"
    assert err == f"tinytc: error: f: argument 'B': {expected}: {said}\n"
    assert status == 1


def test_some_results_are_nan_as_in_the_reference(run):
    """The logarithm of random numbers is NaN where these are negative."""
    status, out, err = run(HALF_NAN, "--groups", 100)
    assert "epsilon), 8" in out
    assert " of 1600 are NaN\n" in out
    assert (status, err) == (0, "")


@pytest.mark.parametrize(("value", "word"), [("nan", "NaN"), ("inf", "infinite")])
def test_nan_that_the_user_asked_for(run, value, word):
    status, out, err = run(SCALED, "--groups", 10, "--set", f"alpha={value}")
    assert f"error    B: 160 of 160 are {word}\n" in out
    assert (status, err) == (0, "")


class Wrong:
    """A kernel that computes something else."""

    def __init__(self, kernel, change):
        self._kernel, self._change = kernel, change
        self.info = kernel.info

    def __call__(self, values, groups, queue):
        self._kernel(values, groups=groups, queue=queue)
        self._change(values["B"])


def compared(change, text=SCALED):
    module = tt.Context().parse(text)
    kernel = module.compile("cpu")["f"]
    values = sample_arguments(kernel.info, SampleOptions(groups=10))
    return compare_with_reference(module, Wrong(kernel, change), values, 10, None)


@pytest.mark.parametrize(
    ("value", "places", "said"),
    [
        (np.nan, np.s_[:, :], "160 of 160 are NaN, unlike in the reference"),
        (np.nan, np.s_[3, 4], "1 of 160 are NaN, unlike in the reference"),
        (-np.inf, np.s_[3, :], "10 of 160 are infinite, unlike in the reference"),
    ],
)
def test_results_that_should_be_numbers(value, places, said):
    comparison = compared(lambda b: b.__setitem__(places, value))
    (problem,) = comparison.problems
    assert problem.endswith(said.replace(" are ", " that are "))
    assert comparison.text.endswith(said)


def test_results_that_should_not_be_numbers():
    comparison = compared(lambda b: b.fill(1), ALL_NAN)
    said = "160 of 160 are not NaN, unlike in the reference"
    assert comparison.text == f"B: {said}"
    (problem,) = comparison.problems
    assert problem.startswith("argument 'B': expected the results of the reference, got ")
    comparison = compared(lambda b: np.negative(b, out=b), ALL_INFINITE)
    assert comparison.text == "B: 160 of 160 are infinite, unlike in the reference"


def test_integers_are_exact_or_wrong():
    text = SCALED.replace("f32", "i32").replace("mul %alpha", "add %alpha")
    assert compared(lambda b: None, text).problems == ()
    comparison = compared(lambda b: b.__setitem__((0, 0), 500), text)
    assert comparison.text.startswith("B: wrong, by ")
    assert len(comparison.problems) == 1
    assert compared(lambda b: None).problems == ()


@pytest.mark.parametrize(
    ("words", "count"), [(["--debug"], 16), (["--debug", "--no-check"], 16), ([], 0)]
)
def test_lines_are_printed_once(run, words, count):
    _, out, _ = run(PRINTED, "--groups", "1", *words)
    assert out.count("row: ") == count
