"""A sample of the kernels that `test/derivative_check.py` checks in number."""

import pytest
from random_checks import check, check_reverse_of_reverse, run

COUNT, BATCH = 60, 10


@pytest.mark.similar
@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_random_kernels(first, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    wrong = [found for seed in range(first, first + BATCH) if (found := check(seed).wrong)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", [3, 20, 31])
def test_compiled(seed):
    assert not check(seed).wrong


@pytest.mark.parametrize("seed", range(4))
def test_differences_and_symmetry(seed, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    assert not check(seed, differences=True, symmetry=True).wrong


@pytest.mark.similar
@pytest.mark.parametrize("first", range(0, 40, 4))
def test_reverse_of_reverse(first, monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "native")
    seeds = range(first, first + 4)
    wrong = [found for seed in seeds if (found := check_reverse_of_reverse(seed, 100).wrong)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", [1, 7, 13])
def test_races_of_reverse_of_reverse(seed, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    assert not check_reverse_of_reverse(seed, 3).wrong


@pytest.mark.parametrize("seeds", [range(48), (90192, 90373)])
def test_kernels_have_no_races(seeds, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    for seed in seeds:
        run(seed, 3)
