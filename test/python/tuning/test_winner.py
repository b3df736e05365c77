"""A winner is one that is reliably faster; schedules that are as fast are named."""

import json

import pytest

import tinytc_mlir as tt
from tinytc_mlir.measure.sample_data import SampleOptions
from tinytc_mlir.tuning import search, workers
from tinytc_mlir.tuning.schedule import Schedule, functions_of, set_schedule, subgroup_sizes

OWN, SLOW, FAST, AS_FAST, BIG = (
    Schedule(),
    Schedule(rows=1, columns=1),
    Schedule(rows=2, columns=8),
    Schedule(rows=2, columns=8, unroll=4),
    Schedule(subgroup_size=32),
)
TASK = search.Task("", "f", "cpu", SampleOptions())


def speeds(monkeypatch, tables):
    """Replace measurements: each call of a worker takes the times of the next table."""
    calls = iter(tables)

    def ask(request):
        table = next(calls)
        schedules = [Schedule.from_dict(entries) for _, entries in request["schedules"]]
        times = {n: table[schedule] for n, schedule in enumerate(schedules) if schedule in table}
        return workers.Answers(begun=0, times=times)

    monkeypatch.setattr(search, "_ask", ask)
    monkeypatch.setattr(search, "tiles", lambda: [SLOW, FAST, AS_FAST])
    monkeypatch.setattr(search, "refinements", lambda best, sizes: [])
    monkeypatch.setattr(search, "_estimate", lambda task, limit_s: "")
    return lambda: search.search(TASK, lambda text: None)


STEADY = {OWN: [10.0] * 8, SLOW: [20.0] * 8, FAST: [5.0] * 8, AS_FAST: [5.01, 4.95] * 4}


def test_the_simplest_of_the_fastest_wins(monkeypatch):
    found = speeds(monkeypatch, [STEADY] * 10)()
    assert (found.best, found.ties, found.is_reliable) == (FAST, (AS_FAST,), True)
    assert (found.speedup, found.confirmations) == (2.0, (2.0,) * 6)
    assert [trial.schedule for trial in found.trials][-1] == SLOW


def test_two_searches_agree(monkeypatch):
    other = {**STEADY, AS_FAST: [4.95] * 8}
    first, second = (speeds(monkeypatch, [table] * 10)() for table in (STEADY, other))
    assert first.best == second.best


def test_a_winner_that_is_not_confirmed(monkeypatch):
    lucky = {**STEADY, AS_FAST: [6.0] * 8}
    slower = {OWN: [10.0] * 8, FAST: [9.9] * 8, AS_FAST: [7.0] * 8}
    found = speeds(monkeypatch, [*[lucky] * 4, *[slower] * 9])()
    assert (found.best, found.confirmations) == (AS_FAST, (10 / 7,) * 6)


def test_some_processes_may_find_no_gain(monkeypatch):
    none = {OWN: [10.0] * 8, FAST: [10.0] * 8}
    found = speeds(monkeypatch, [*[STEADY] * 4, none, *[STEADY] * 8])()
    assert (found.best, found.speedup, found.confirmations) == (FAST, 2.0, (1.0, *[2.0] * 8))
    found = speeds(monkeypatch, [*[STEADY] * 4, none, none, *[STEADY] * 10])()
    assert len(found.confirmations) == 12


def test_no_schedule_is_reliably_faster(monkeypatch, tinytc, tmp_path):
    noisy = {OWN: [10.0, 10.0, 5.0], FAST: [10.0, 5.0, 10.0], AS_FAST: [9.9] * 3}
    tables = [*[STEADY] * 4, *[noisy] * 6]
    found = speeds(monkeypatch, tables)()
    assert (found.best, found.speedup, found.is_reliable) == (OWN, 1.0, False)
    speeds(monkeypatch, tables)
    file = tmp_path / "f.ir"
    file.write_text("func @f(%x: f32) {}")
    status, out, _ = tinytc("tune", file, "--target", "cpu", "--no-store")
    assert status == 0
    assert "verdict  the compiler's own schedule: no other is reliably faster\n" in out


def test_the_winner_in_the_text(monkeypatch, tinytc, tmp_path):
    speeds(monkeypatch, [STEADY] * 10)
    file = tmp_path / "f.ir"
    file.write_text(
        "func @f(%x: f32, %A: memref<f32x4x4>, %B: memref<f32x4x4>) { gemm.n.n %x, %A, %A, %x, %B }"
    )
    _, out, _ = tinytc("tune", file, "--target", "cpu", "--no-store")
    assert "verdict  rows = 2, columns = 8, 2.00 x (2.00 to 2.00 in 6 processes) as fast" in out
    assert "write    func @f(...) attributes {schedule={rows=2, columns=8}}\n" in out
    assert "as fast  rows = 2, columns = 8, unroll = 4\n" in out


@pytest.mark.parametrize("schedule", [FAST, BIG, Schedule(1, 2, 3, 4, 8)], ids=str)
def test_attributes_mean_the_schedule(schedule):
    def function(attributes):
        module = tt.Context().parse(f"func @f(%x: f32) {attributes} {{}}")
        return module, dict(functions_of(module.operation))["f"]

    plain, kernel = function("")
    set_schedule(kernel, schedule)
    written, _ = function(schedule.attributes())
    assert str(plain) == str(written)
    assert tt.Context().parse(written.to_text()).to_text() == written.to_text()
    assert schedule.attributes() in written.to_text()


@pytest.mark.parametrize(
    ("attributes", "body", "are_free"),
    [
        ("", "", True),
        ("attributes {subgroup_size=16}", "", False),
        ("attributes {work_group_size=[32, 1]}", "", False),
        ("", "%s = builtin.subgroup_size : i32", False),
        ("", "parallel { %s = builtin.subgroup_local_id : i32 }", False),
        ("", "%zero = constant 0.0 : f32 hadamard_product %zero, %A, %A, %zero, %A", True),
    ],
)
def test_subgroups_are_tuned_where_their_size_has_no_meaning(attributes, body, are_free):
    text = f"func @f(%A: memref<f32x4>) {attributes} {{ {body} }}"
    module = tt.Context().parse(text)
    function = dict(functions_of(module.operation))["f"]
    assert subgroup_sizes(function, "cpu") == ((4, 8, 16, 32, 64) if are_free else ())


def test_a_process_that_hangs(monkeypatch, tmp_path):
    (tmp_path / "hangs.py").write_text(
        "import time\nprint('{\"begin\": 3}', flush=True)\ntime.sleep(600)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for limit_s in (2, 20, 200):  # it may take long to begin
        answers = workers.ask("hangs", {}, limit_s=limit_s)
        assert (answers.times, answers.log) == (None, f"no answer within {limit_s} s")
        if answers.begun is not None:
            break
    assert answers.begun == 3


def test_a_process_that_ends(monkeypatch, tmp_path):
    (tmp_path / "ends.py").write_text(
        "import sys\nprint('{\"problem\": \"p\", \"of\": 1}')\nprint('{')\nsys.exit('why')"
    )
    monkeypatch.syspath_prepend(tmp_path)
    answers = workers.ask("ends", json.loads("[]"))
    assert (answers.problems, answers.log) == ({1: "p"}, "its process ended with status 1: why")


def test_kernels_without_tiles(monkeypatch, tinytc, tmp_path):
    speeds(monkeypatch, [STEADY] * 10)
    file = tmp_path / "f.ir"
    file.write_text("func @f(%x: f32, %A: memref<f32x4>) { axpby.n %x, %A, %x, %A }")
    _, out, _ = tinytc("tune", file, "--target", "cpu", "--no-store")
    assert "tried    0 schedules" in out
