"""Which tests run for a commit, and which at night."""

import pathlib
import subprocess
import sys

import pytest

import accepted_code
import profiles

ROOT = pathlib.Path(__file__).parents[2]
CHOICES = ("pvc", "dg2", "bmg")


def test_a_commit_takes_one_in_turn(monkeypatch):
    monkeypatch.setattr(profiles, "IS_NIGHTLY", False)
    chosen = [profiles.in_turns(CHOICES, f"case {number}") for number in range(40)]
    assert all(len(each) == 1 for each in chosen)
    assert {each for (each,) in chosen} == set(CHOICES)
    assert profiles.in_turns(CHOICES, "case 1") == chosen[1]
    assert profiles.in_turns([], "case") == []


def test_a_commit_takes_a_part_of_many(monkeypatch):
    monkeypatch.setattr(profiles, "IS_NIGHTLY", False)
    chosen = [profiles.some_of(range(24), f"case {number}") for number in range(60)]
    assert all([number // 10 for number in each] == [0, 1, 2] for each in chosen)
    assert {number for each in chosen for number in each} == set(range(24))
    assert profiles.some_of(range(24), "case 1") == chosen[1]
    counts = {n: len(profiles.some_of(range(n), "case")) for n in (0, 1, 3, 4, 8, 40)}
    assert counts == {0: 0, 1: 1, 3: 2, 4: 2, 8: 2, 40: 4}


def test_a_night_takes_all(monkeypatch):
    monkeypatch.setattr(profiles, "IS_NIGHTLY", True)
    assert profiles.in_turns(CHOICES, "case") == list(CHOICES)
    assert profiles.some_of(range(40), "case") == list(range(40))


@pytest.mark.parametrize("profile", [*profiles.PROFILES, "weekly"])
def test_profile_of_the_environment(profile):
    result = subprocess.run(
        [sys.executable, "-c", "import profiles; print(profiles.IS_NIGHTLY)"],
        capture_output=True,
        text=True,
        cwd=ROOT / "test" / "python",
        env={"TINYTC_TEST_PROFILE": profile},
    )
    if profile in profiles.PROFILES:
        assert result.stdout == f"{profile == 'nightly'}\n"
    else:
        message = "expected TINYTC_TEST_PROFILE to be commit or nightly, got 'weekly'"
        assert message in result.stderr


def test_code_that_a_tool_has_taken(monkeypatch):
    monkeypatch.setattr(profiles, "IS_NIGHTLY", False)
    monkeypatch.setattr(accepted_code, "taken", set())
    monkeypatch.setattr(accepted_code, "ACCEPTED", frozenset())

    def runs(tool, code):
        found = []
        accepted_code.check_once(tool, code, lambda: found.append(code))
        return found == [code]

    assert runs("ocloc pvc 128", b"code")
    monkeypatch.setattr(accepted_code, "ACCEPTED", frozenset(accepted_code.taken))
    assert not runs("ocloc pvc 128", b"code")
    assert runs("ocloc pvc 256", b"code")
    assert runs("ocloc dg2 128", b"code")
    assert runs("ocloc pvc 128", b"other code")
    monkeypatch.setattr(profiles, "IS_NIGHTLY", True)
    assert runs("ocloc pvc 128", b"code")


def test_code_that_a_tool_refuses(monkeypatch):
    monkeypatch.setattr(accepted_code, "taken", set())
    with pytest.raises(ZeroDivisionError):
        accepted_code.check_once("tool", b"no code", lambda: 1 / 0)
    assert not accepted_code.taken


def test_argument_of_the_script():
    words = ["bash", ROOT / "test" / "run.sh", "--weekly"]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == "expected no argument or --nightly, got '--weekly'\n"


def run_pytest(folder, profile, *words):
    """Run the tests of a folder with the settings of all tests, and return what pytest prints."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "conftest"]
    tests = str(ROOT / "test" / "python")
    result = subprocess.run(
        [*command, *words, folder / "test_it.py"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": tests, "PATH": "/usr/bin:/bin", "TINYTC_TEST_PROFILE": profile},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_processor_time_of_tests_is_stored(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(): assert sum(range(10**6))\n")
    stored = tmp_path / "tests.xml"
    run_pytest(tmp_path, "commit", f"--junitxml={stored}")
    assert '<property name="cpu_s" value="0.' in stored.read_text()


SIMILAR = """
import pytest
@pytest.mark.similar
@pytest.mark.parametrize("number", range(40))
def test_numbers(number): pass
@pytest.mark.parametrize("number", range(5))
def test_each(number): pass
"""


@pytest.mark.parametrize(("profile", "count"), [("commit", 9), ("nightly", 45)])
def test_similar_tests(profile, count, tmp_path):
    (tmp_path / "test_it.py").write_text(SIMILAR)
    assert f"{count} passed" in run_pytest(tmp_path, profile)
