"""What the compiler writes does not depend on which memory its objects get.

A pass that keeps pointers to operations or values, and asks about others after some are erased,
finds by chance what is not there. An allocator that gives freed memory away again at once makes
chances of it that repeat.
"""

import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

import profiles
from cases.random_program import Program
from tinytc_bench.cases import all_cases

HERE = pathlib.Path(__file__).parent
TARGETS = ("cpu", "intel-gpu:pvc", "intel-gpu:dg2", "cuda:sm_80", "x86-64-v3")
SEEDS = "abcdef" if profiles.IS_NIGHTLY else "b"


@pytest.fixture(scope="module")
def allocator(tmp_path_factory):
    library = tmp_path_factory.mktemp("reuse") / "reuse.so"
    # Without built-in functions, lest calloc becomes a call of itself.
    command = ["cc", "-O2", "-fno-builtin", "-shared", "-fPIC", "-o", library, HERE / "reuse.c"]
    subprocess.run(command, check=True)
    return library


@pytest.fixture(scope="module")
def programs():
    texts = [case.ours.text for case in all_cases().values()]
    if profiles.IS_NIGHTLY:
        texts += [Program(random.Random(seed)).case(str(seed)).text("f") for seed in range(100)]
    else:
        texts = random.Random(1).sample(texts, 6)
    return [(target, text) for target in TARGETS for text in texts]


def digests(programs, **environment):
    command = [sys.executable, HERE / "digests.py"]
    environment = os.environ | {"TINYTC_CACHE_DIR": "0"} | environment
    done = subprocess.run(
        command, input=json.dumps(programs), env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def right(programs):
    return digests(programs)


@pytest.mark.parametrize("seed", SEEDS)
def test_code_is_the_same(allocator, programs, right, seed):
    found = digests(programs, LD_PRELOAD=str(allocator), TINYTC_TEST_SEED=seed)
    assert len(found) == len(programs)
    differ = [program for program, a, b in zip(programs, right, found, strict=True) if a != b]
    assert not differ
