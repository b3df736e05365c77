"""Some random kernels as functions of Python; `test/python_kernel_check.py` checks more."""

import random_functions
from function_check import Count, check
from random_functions import LEAVING, MORE

import profiles

COUNT = 45 if profiles.IS_NIGHTLY else 15


def test_functions_compute_what_python_computes(tmp_path):
    seeds = [n + k for n in (0, MORE, LEAVING) for k in range(COUNT // 3)]
    found = check(seeds, tmp_path / "functions.py", device_every=COUNT // 5)
    assert found.failures == []
    assert not found.refuses_many


def test_functions_that_the_driver_compiled_wrong(tmp_path):
    """Conditions of the first lane alone (docs/decisions/cpu-driver.md)."""
    found = check([5222, 30825], tmp_path / "functions.py")
    assert not found.failures
    assert found.equal == 2


def test_seeds_decide_everything():
    assert random_functions.module(range(9)) == random_functions.module(range(9))


def test_many_refusals_are_found():
    assert Count(equal=5, refused=5).refuses_many
    assert not Count(equal=8, refused=2).refuses_many
    total = Count(equal=1, failures=["a"])
    total += Count(refused=2, failures=["b"])
    assert str(total) == "1 equal, 2 refused, 2 wrong"
