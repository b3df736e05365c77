"""Words, reports and files that `tinytc bench` cannot use are errors that name them."""

import json

import pytest

from tinytc_bench import PARTS, runner


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "expected JSON, got an error"),
        ("[]", "expected a report of version 1, got None"),
        ('{"version": 9}', "expected a report of version 1, got 9"),
    ],
)
def test_no_report(tinytc, tmp_path, text, message):
    path = tmp_path / "bench.json"
    path.write_text(text)
    status, _, err = tinytc("bench", "--from", path)
    assert status == 1
    assert message in err


def test_list(tinytc):
    status, out, _ = tinytc("bench", "--list", "--only", "sum.f32")
    assert (status, out.split()) == (0, ["sum.f32.256x256", "sum.f32.1M", "sum.f32.35x9"])


def test_an_unknown_case(tinytc):
    status, _, err = tinytc("bench", "--only", "gem.f32.8")
    assert status == 1
    assert "expected the name of a case or the beginning of one, got 'gem.f32.8'" in err


def test_an_unknown_part(tinytc, capsys):
    with pytest.raises(SystemExit, match="2"):
        tinytc("bench", "kernel")
    err = capsys.readouterr().err
    assert f"expected parts of {', '.join(PARTS)}, got" in err


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["--peers", "numpy,blis"],
            "expected some of c, numpy, mkl, libxsmm, native, got 'blis'",
        ),
        (["--rounds", "0"], "expected a positive integer, got '0'"),
        (["--batch", "disk"], "invalid choice: 'disk'"),
    ],
)
def test_wrong_usage(tinytc, capsys, words, message):
    with pytest.raises(SystemExit, match="2"):
        tinytc("bench", *words)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "--markdown", "--tables", "--plot"])
def test_files_that_cannot_be_written_are_reported_first(tinytc, tmp_path, monkeypatch, option):
    monkeypatch.setattr(runner, "run", None)  # nothing is measured
    (tmp_path / "file").touch()
    for path, reason in (
        (tmp_path / "none" / "x.svg", "no such file or directory"),
        (tmp_path / "file" / "x.svg", "not a directory"),
        (tmp_path, "is a directory"),
    ):
        status, _, err = tinytc("bench", "--only", "gemm.f32.4", option, path)
        assert status == 1
        assert f"{path}: {reason}" in err


def test_plots_that_cannot_be_drawn(tinytc, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(runner, "run", None)
    status, _, err = tinytc("bench", "--plot", tmp_path / "plot.zzz")
    assert status == 1
    assert "expected a suffix of" in err
    path = tmp_path / "report.json"
    head = {"version": runner.VERSION, "machine": runner.machine(), "time": "now", "duration_s": 1}
    path.write_text(json.dumps(head))
    status, _, err = tinytc("bench", "--from", path, "--plot", tmp_path / "plot.svg")
    assert status == 1
    assert "plot.svg: expected a report of kernels to plot, got one without any" in err
