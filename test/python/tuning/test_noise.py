"""Searches on a noisy machine: they agree about gains, and find none where there is none."""

import random

import pytest

from tinytc_mlir.measure.sample_data import SampleOptions
from tinytc_mlir.tuning import search, workers
from tinytc_mlir.tuning.schedule import Schedule

OWN, SLOW, FAST, AS_FAST, BETTER = (
    Schedule(),
    Schedule(rows=1, columns=1),
    Schedule(rows=2, columns=8),
    Schedule(rows=2, columns=8, unroll=4),
    Schedule(rows=4, columns=8),
)
TASK = search.Task("", "f", "cpu", SampleOptions())


class Machine:
    """Answers as workers do.

    A schedule's speed differs from process to process, since its arrays lie elsewhere, and other
    programs interrupt some of the rounds.
    """

    def __init__(self, speedups, seed, processes=0.04, rounds=0.05):
        self.speedups, self.random = speedups, random.Random(seed)
        self.processes, self.rounds = processes, rounds

    def ask(self, request):
        schedules = [Schedule.from_dict(entries) for _, entries in request["schedules"]]
        means = [
            self.random.lognormvariate(0, self.processes) / self.speedups[each]
            for each in schedules
        ]
        times = {number: [] for number in range(len(schedules))}
        for _ in range(request["settings"]["rounds"]):
            for number, mean in enumerate(means):
                interrupted = self.random.random() < 0.2
                noise = self.random.lognormvariate(0.5 * interrupted, self.rounds)
                times[number].append(1000 * mean * noise)
        return workers.Answers(begun=0, times=times)


def searches(monkeypatch, speedups, count):
    found = []
    for seed in range(count):
        monkeypatch.setattr(search, "_ask", Machine(speedups, seed).ask)
        monkeypatch.setattr(search, "tiles", lambda: list(speedups)[1:])
        monkeypatch.setattr(search, "refinements", lambda best, sizes: [])
        found.append(search.search(TASK, lambda text: None))
    return found


SPEEDUPS = {OWN: 1.0, SLOW: 0.6, FAST: 1.16, AS_FAST: 1.16, BETTER: 1.03}


def test_searches_agree_about_a_gain(monkeypatch):
    found = searches(monkeypatch, SPEEDUPS, 40)
    assert {each.best for each in found} <= {FAST, AS_FAST, OWN}
    assert sum(each.is_reliable for each in found) >= 37
    assert all(1.05 <= each.speedup <= 1.3 for each in found if each.is_reliable)


@pytest.mark.parametrize("gain", [1.0, 1.02])
def test_no_gain_is_found_where_there_is_none(monkeypatch, gain):
    speedups = dict.fromkeys(SPEEDUPS, gain) | {OWN: 1.0}
    found = searches(monkeypatch, speedups, 40)
    assert [each.best for each in found if each.is_reliable] == []
