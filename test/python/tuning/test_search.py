"""Searches with few schedules: winners, failures, the command line."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir import tuning
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
    assert said[0] == "2 of 2"
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
        if Schedule.from_dict(request["schedules"][1][1]) == FEW[0]:
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
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "kernel   first"
    assert lines[2].startswith("tried    2 schedules")
    winner = lines[2 + 1 + 2]
    if winner != "winner   none: no schedule is reliably faster than the compiler's own":
        assert winner.startswith("winner   rows = ")
        assert lines[6].startswith("write    func @first(...) attributes {schedule={rows=")
    assert "tinytc run --tuned" in lines[-1]
    assert tinytc("run", file, "--groups", 5, "--tuned", "--target", "cpu")[0] == 0
    status, out, _ = tinytc("tune", file, "--target", "cpu", "--groups", 5, "--no-store")
    assert status == 0
    assert "stored" not in out


def test_public_names():
    assert tuning.Tuning.__doc__
    assert tuning.Trial.__doc__
