"""Searches over compile-time variables and schedules, and timings of launches."""

import functools

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.tuning import autotune as module
from tinytc_mlir.tuning import workers

TEXT = """
func @scale(%alpha: f32, %X: memref<f32x16x?>) {
  %g = builtin.group_id : index
  %x = subview %X[0:$N,%g] : memref<f32x$N>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}
"""
pytestmark = pytest.mark.usefixtures("quick")


def test_variables_and_schedules(quick):
    x = np.ones((16, 5), np.float32, order="F")
    said = []
    choices = {"N": [8, 16], "SCHEDULE": [None, {"rows": 2}, tt.Schedule(subgroup_size=32)]}
    found = tt.autotune(TEXT, choices, (2.0, x), target="cpu", progress=said.append)
    assert said == ["6 of 6", "final of 4"]
    assert len(found.trials) == 6
    assert found.best == found.trials[0].choice
    assert {trial.choice["N"] for trial in found.trials} == {8, 16}
    assert all(trial.timing.launches >= 2 for trial in found.trials)
    assert (x == 1).all()
    found.kernel(2.0, x)
    assert (x[: found.best["N"]] == 2).all()
    again = tt.autotune(TEXT, choices, (2.0, x), target="cpu", progress=said.append)
    assert (again.is_cached, again.path, again.best) == (True, found.path, found.best)
    assert [str(path) for path in quick.iterdir()] == [found.path]
    assert again.trials == found.trials
    assert len(said) == 2


def test_what_cannot_run_is_left_out(quick):
    choices = {"N": [16, 17, "f32", 2]}
    x = np.ones((16, 3), np.float32, order="F")
    found = tt.autotune(TEXT, choices, {"alpha": 1.0, "X": x}, target="cpu", store_result=False)
    problems = {trial.choice["N"]: trial.problem for trial in found.trials}
    assert {n for n, problem in problems.items() if not problem} == {16, 2}
    assert problems[17].startswith("ParseError: ")
    assert problems["f32"].startswith("ParseError: ")
    assert not quick.exists()
    assert found.path is None
    with pytest.raises(tt.DeviceError, match="expected a combination that runs, got none: Parse"):
        tt.autotune(TEXT, {"N": [17]}, groups=3, target="cpu")


def test_a_time_limit():
    text = """func @f(%A: memref<i64x1>, %n: index) {
      %zero = constant 0 : index
      %value = load %A[0] : i64
      for %i = %zero, %n {
        %next = cast %i : i64
        store %next, %A[0]
        barrier.global
      }
    }"""
    arguments = (np.ones(1, np.int64), 2**50)
    with pytest.raises(tt.DeviceError, match="got none: no answer within 2 s"):
        tt.autotune(text, {"SCHEDULE": [None]}, arguments, groups=1, target="cpu", limit_s=2.0)


def test_time_outs_are_not_stored(monkeypatch, quick):
    """The next call tries them again."""
    asked = []

    def ask(_, request, limit_s):
        numbers = [number for number, _ in request["candidates"]]
        asked.append(numbers)
        if late and 1 in numbers:
            return workers.Answers(begun=1, log=f"no answer within {limit_s:g} s", is_late=True)
        return workers.Answers(times={number: [9, 5.0 - number, 4, 6] for number in numbers})

    monkeypatch.setattr(workers, "ask", ask)
    late, call = True, functools.partial(tt.autotune, TEXT, {"N": [8, 16]}, target="cpu")
    first, second = call(groups=3), call(groups=3)
    assert asked == [[0, 1], [0], [1]]
    for found in (first, second):
        assert (found.best, found.is_cached) == ({"N": 8}, False)
        assert [trial.is_late for trial in found.trials] == [False, True]
    late = False
    assert call(groups=3).best == {"N": 16}
    assert asked[3:] == [[1], [1, 0]]
    found = call(groups=3)
    assert (found.best, found.is_cached, len(asked)) == ({"N": 16}, True, 5)


def test_arguments_of_every_kind(tmp_path):
    parameters = "%z: c32, %A: group<memref<f64x?>x?>, %X: memref<f32x4x3,strided<1,$S>>, %o: i8"
    text = (
        f"func @f({parameters})"
        + """ {
      %g = builtin.group_id : index
      %a = load %A[%g] : memref<f64x?>
      %one = constant 1.0 : f64
      %b = subview %a[0:2] : memref<f64x2>
      axpby.n %one, %b, %one, %b
    }"""
    )
    members = [np.ones(n) for n in (2, 3)]
    x = np.zeros((8, 3), np.float32, order="F")[:4]
    found = tt.autotune(text, {"S": [8, 4]}, [1 + 2j, members, x, np.int8(3)], target="cpu")
    problems = {trial.choice["S"]: trial.problem for trial in found.trials}
    assert problems[8] == ""
    assert "'X': expected strides (1, 4)" in problems[4]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, {"N": [1]}), {}, "argument 'text': expected a text or a kernel, got 3"),
        ((TEXT, {}), {}, "argument 'choices': expected a mapping of values to try"),
        ((TEXT, {"N": 3}), {}, "'choices': expected values to try for N, got 3"),
        ((TEXT, {"N": []}), {}, "'choices': expected values to try for N"),
        ((TEXT, {"SCHEDULE": ["x"]}), {}, "'choices': expected a Schedule, a mapping"),
        ((TEXT, {"SCHEDULE": [{"lanes": 1}]}), {}, "'choices': expected entries of rows"),
        ((TEXT, {"N": range(10**6)}), {}, "expected at most 10000 combinations, got 1000000"),
        ((TEXT, {"N": [1]}, 3), {}, "argument 'args': expected a list of arguments"),
        ((TEXT, {"N": [1]}, [object]), {}, "argument 0: expected a number, a NumPy array"),
        ((TEXT, {"N": [1]}), {"groups": 0}, "argument 'groups': expected an integer"),
        ((TEXT, {"N": [1]}), {"kernel": 1}, "argument 'kernel': expected a name"),
        (
            (TEXT, {"N": [16], "M": [1, 2]}),
            {},
            "expected the name of a variable of the program, got",
        ),
        ((TEXT, {"N": [16]}), {"limit_s": None}, "expected a positive number of seconds, got None"),
        ((TEXT, {"N": [16]}), {"limit_s": -1}, "expected a positive number of seconds, got -1"),
    ],
    ids=str,
)
def test_odd_arguments(arguments, options, message):
    with pytest.raises(tt.ArgumentError) as caught:
        tt.autotune(*arguments, **{"target": "cpu", **options})
    assert message in str(caught.value)


def test_arguments_of_do_bench(kernel):
    with pytest.raises(tt.ArgumentError, match="'x'|expected 2 arguments|missing"):
        tt.do_bench(kernel, 2.0)
    with pytest.raises(tt.ArgumentError, match="do_bench: expected arguments for a kernel, got"):
        tt.do_bench(lambda: None, 2.0)
    with pytest.raises(tt.ArgumentError, match="do_bench: expected arguments for a kernel, got"):
        tt.do_bench(kernel.bind(1.0, tt.ones((16, 3))), groups=3)


def test_a_damaged_result_is_measured_again(quick):
    found = tt.autotune(TEXT, {"N": [16]}, groups=3, target="cpu")
    for text in ("", "[]", '[{"of": 9, "timing": null, "problem": ""}]', '{"a": 1}'):
        next(quick.iterdir()).write_text(text)
        assert module._stored(next(quick.iterdir()), [found.best]) == []
    again = tt.autotune(TEXT, {"N": [16]}, groups=3, target="cpu")
    assert (again.is_cached, again.best) == (False, found.best)


@pytest.fixture(scope="module")
def kernel():
    return tt.Context().parse(TEXT, defines={"N": 16}).compile("cpu")["scale"]


def test_do_bench(kernel):
    x = tt.asarray(np.ones((16, 3), np.float32))
    options = {"rounds": 4, "round_s": 1e-4}
    calls = []
    timing = tt.do_bench(kernel.bind(1.0, x), prepare=lambda: calls.append(1), **options)
    assert timing.quantiles_ns[0] <= timing.median_ns <= timing.quantiles_ns[1]
    assert (timing.launches % 4, len(calls)) == (0, 5)
    timing = tt.do_bench(lambda: kernel.submit(1.0, x), quantiles=(0, 0.5, 1), **options)
    assert len(timing.quantiles_ns) == 3
    assert timing.quantiles_ns[1] == timing.median_ns
    assert " us (" in str(tt.do_bench(lambda: None, **options))
    x[...] = 1
    assert tt.do_bench(kernel, 2.0, x, groups=2, rounds=1, round_s=1e-6).launches >= 1
    assert (x[:, :2] > 1).all() and (x[:, 2] == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"launch": 3}, "expected a bound kernel or a callable, got 3"),
        ({"rounds": 0}, "as number of rounds"),
        ({"round_s": 0}, "expected a positive number of seconds, got 0"),
        ({"quantiles": (0.5, 2)}, "expected shares from 0 to 1"),
        ({"quantiles": 0.5}, "expected shares from 0 to 1, got 0.5"),
    ],
    ids=str,
)
def test_odd_options_of_do_bench(options, message):
    with pytest.raises(tt.ArgumentError) as caught:
        tt.do_bench(**{"launch": lambda: None, **options})
    assert message in str(caught.value)
