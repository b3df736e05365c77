"""Searches with few schedules: winners, failures, time limits, the command line."""

import re
import types

import pytest

import tinytc_mlir as tt
from tinytc_mlir import tuning
from tinytc_mlir.cli import tune as command
from tinytc_mlir.measure.sample_data import SampleOptions
from tinytc_mlir.measure.timing import Settings
from tinytc_mlir.tuning import search, store, workers
from tinytc_mlir.tuning.schedule import Schedule

TEXT = """
func @first(%A: memref<f32x20x9x?>, %B: memref<f32x9x9x?>, %C: memref<f32x20x9x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:,:,%g] : memref<f32x20x9>
  %b = subview %B[:,:,%g] : memref<f32x9x9>
  %c = subview %C[:,:,%g] : memref<f32x20x9>
  %one = constant 1.0 : f32
  gemm.n.n %one, %a, %b, %one, %c
}
"""
OWN = "the compiler's own schedule: no other is reliably faster"
FEW = [Schedule(rows=1, columns=3), Schedule(rows=1, columns=2), Schedule(rows=1, columns=2)]


@pytest.fixture(autouse=True)
def few(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    monkeypatch.setattr(search, "tiles", lambda: FEW[:2])
    monkeypatch.setattr(search, "refinements", lambda best, sizes: [])
    for name in ("_QUICK", "_FINAL", "_CONFIRM"):
        monkeypatch.setattr(search, name, Settings(1, 1e-4))
    monkeypatch.setattr(search, "_CANDIDATES", 1)
    monkeypatch.setattr(search, "_FINALS", 1)
    monkeypatch.setattr(search, "_CONFIRMED", ((1, 0),))


def module(text=TEXT):
    return tt.Context().parse(text)


def task(operation):
    return search.Task(str(operation), "first", "cpu", SampleOptions(groups=3))


def test_a_search(tmp_path):
    said = []
    found = module().tune(target="cpu", options=SampleOptions(groups=5), progress=said.append)
    assert found.kernel == "first"
    assert {trial.schedule for trial in found.trials} == set(FEW)
    assert all(trial.speedup or "same code" in trial.problem for trial in found.trials)
    assert re.fullmatch(r"about \d+ s for 2 schedules", said[0])
    assert said[1] == "2 of 2 schedules"
    assert found.is_complete
    assert [str(path) for path in tmp_path.iterdir()] == [found.path]
    assert module().compile("cpu", tuned=True).spirv


def test_a_search_that_is_not_stored(tmp_path):
    found = module().tune(target="cpu", options=SampleOptions(groups=5), store=False)
    assert found.path is None
    assert not list(tmp_path.iterdir())


def test_which_kernel():
    two = module(TEXT + TEXT.replace("@first", "@second"))
    with pytest.raises(tt.LaunchError, match="one of the kernels first, second, got nothing"):
        two.tune(target="cpu")
    with pytest.raises(tt.LaunchError, match="got 'secnd'; did you mean 'second'"):
        two.tune("secnd", target="cpu")


def test_an_option_that_does_not_fit():
    with pytest.raises(tt.ArgumentError, match="got 'X'"):
        module().tune(target="cpu", options=SampleOptions(scalars={"X": 1.0}))


def test_a_schedule_that_ends_its_process(monkeypatch):
    real = search._ask

    def ask(request):
        if any(Schedule.from_dict(entries) == FEW[0] for _, entries in request["schedules"]):
            return workers.Answers(begun=1, log="its process ended with status -11: why")
        return real(request)

    monkeypatch.setattr(search, "_ask", ask)
    found = search.search(task(module()), lambda text: None)
    trials = {trial.schedule: trial for trial in found.trials}
    assert trials[FEW[0]].problem == "its process ended with status -11: why"
    assert trials[FEW[1]].speedup


def test_a_kernel_that_never_runs(monkeypatch):
    monkeypatch.setattr(search, "_ask", lambda request: workers.Answers(log="status 1: why"))
    with pytest.raises(tt.DeviceError, match="own schedule to run, got status 1: why"):
        search.search(task(module()), lambda text: None)


def test_the_same_code_is_timed_once():
    answers = search._ask(task(module()).request([Schedule(), *FEW], Settings(1, 1e-4)))
    assert answers.same == {3: 2}
    assert 3 not in answers.times


def test_command(tinytc, tmp_path):
    file = tmp_path / "first.ir"
    file.write_text(TEXT)
    status, out, err = tinytc("tune", file, "--target", "cpu", "--groups", 5)
    assert (status, re.sub(r"\d+", "N", err)) == (0, "tinytc: about N s for N schedules\n")
    lines = out.splitlines()
    assert lines[0] == "kernel   first"
    assert re.match(r"tried    2 schedules in \d+ s: \d timed, \d with the code", lines[2])
    assert [line.split()[0] for line in lines].count("verdict") == 1
    if lines[3] != f"verdict  {OWN}":
        assert re.match(r"verdict  rows = .*, [\d.]+ x \(.*\) as fast as the compiler's", lines[3])
        assert lines[4].startswith("write    func @first(...) attributes {schedule={rows=")
    assert "tinytc run --tuned" in lines[-1]
    assert tinytc("run", file, "--groups", 5, "--tuned", "--target", "cpu")[0] == 0
    options = ["--target", "cpu", "--groups", 5, "--size", "A.2=7", "--no-store"]
    status, out, err = tinytc("tune", file, *options)
    assert (status, re.sub(r"\d+", "N", err)) == (0, "tinytc: about N s for N schedules\n")
    assert "stored" not in out


def test_public_names():
    assert tuning.Tuning.__doc__
    assert tuning.Trial.__doc__


TRIALS = (
    search.Trial(FEW[0], 4.25),
    search.Trial(FEW[1], None, "the same code as rows = 1"),
    search.Trial(Schedule(rows=2), None, "wrong result"),
)
TRIED = "tried    3 schedules in 12 s: 1 timed, 1 with the code of others, 1 failed"


@pytest.mark.parametrize(
    ("is_complete", "verdict"),
    [
        (True, OWN),
        (False, "none in this time: no schedule was shown to be faster; a longer --limit may"),
    ],
)
def test_one_verdict_without_a_winner(is_complete, verdict):
    found = tuning.Tuning("first", "", Schedule(), 1.0, TRIALS, is_complete=is_complete)
    assert list(command.lines(found, 12.0)) == [TRIED, f"verdict  {verdict}"]


def test_one_verdict_with_a_winner():
    found = tuning.Tuning("first", "", FEW[0], 1.5, TRIALS, confirmations=(1.4, 1.6))
    assert list(command.lines(found, 12.0)) == [
        TRIED,
        "verdict  rows = 1, columns = 3, 1.50 x (1.40 to 1.60 in 2 processes) as fast as the "
        "compiler's own",
        "write    func @first(...) attributes {schedule={rows=1, columns=3}}",
    ]


def timed(request):
    """Answer that each schedule takes 1 ns but for the own, which takes 2."""
    count = len(request["schedules"])
    return workers.Answers(times={number: [1.0 + (number == 0)] for number in range(count)})


@pytest.mark.parametrize(
    ("limit_s", "tried", "is_complete", "is_reliable"),
    [
        (None, 20, True, True),
        (1000.0, 20, True, True),
        # A second for each process: the estimate, 8 schedules, 8 more, the final, a confirmation.
        (4.5, 16, False, True),
        (1.0, 8, False, False),
    ],
)
def test_a_limit_leaves_out_the_rest(monkeypatch, limit_s, tried, is_complete, is_reliable):
    now = [0.0]

    def ask(request):
        now[0] += 1.0
        return timed(request)

    monkeypatch.setattr(search, "_ask", ask)
    monkeypatch.setattr(search, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(search, "tiles", lambda: [Schedule(rows=r) for r in range(1, 21)])
    found = search.search(task(module()), lambda text: None, limit_s)
    counts = (len(found.trials), found.is_complete, found.is_reliable)
    assert counts == (tried, is_complete, is_reliable)


def test_a_limit_is_named_beside_the_estimate(monkeypatch):
    monkeypatch.setattr(search, "_ask", timed)
    now = iter(range(100))
    monkeypatch.setattr(search, "time", types.SimpleNamespace(monotonic=lambda: next(now)))
    said = []
    search.search(task(module()), said.append, 5.0)
    assert re.fullmatch(r"about \d+ s for 2 schedules, 5 s by the limit", said[0])


def test_an_undecided_search_stores_nothing(monkeypatch, tmp_path):
    undecided = search.Tuning("first", "", Schedule(), 1.0, (), is_complete=False)
    monkeypatch.setattr(search, "search", lambda *_: undecided)
    assert module().tune(target="cpu", limit_s=1.0).path is None
    assert not list(tmp_path.iterdir())
