"""What every command does alike: help, exit status, colours, progress, errors of files."""

import argparse
import io
import os
import pathlib
import shlex
import subprocess
import sys
import time

import pytest

from tinytc_mlir import cli
from tinytc_mlir.cli import doctor
from tinytc_mlir.cli.progress import Progress
from tinytc_mlir.errors import DeviceError
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.spirv import driver
from tinytc_mlir.version import __version__

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
SAMPLE = str(EXAMPLES / "fused_kernel.ir")
ONE_LINE = "func @f(%a: f32) {\n}\n"
BROKEN = "func @f(%a: f32) { %b = arith.add %a, %c : f32 }\n"


def commands():
    """Return the parser of each command by its name."""
    (action,) = (
        each for each in cli.make_parser()._actions if isinstance(each, argparse._SubParsersAction)
    )
    return action.choices


@pytest.mark.parametrize("name", commands())
def test_help_has_examples_that_parse(name, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([name, "--help"])
    text = capsys.readouterr().out
    assert caught.value.code == 0
    assert "exit status:\n  0  success\n  1  " in text
    lines = text.partition("examples:\n")[2].partition("\n\n")[0].splitlines()
    assert lines
    for line in lines:
        words, _, what = line.partition("  # ")
        assert what
        tool, *arguments = shlex.split(words.partition(" > ")[0])
        assert tool == "tinytc"
        assert cli.make_parser().parse_args(arguments).run


# Status 0 is what all other tests of commands expect.
ERRORS = {
    "check": ["check", "{broken}"],
    "fmt": ["fmt", "{unreadable}"],
    "lower": ["lower", "{broken}"],
    "compile": ["compile", "{broken}"],
    "run": ["run", "{broken}"],
    "tune": ["tune", "{broken}"],
    "bench": ["bench", "--from", "{broken}"],
}


@pytest.mark.parametrize("name", ERRORS)
def test_status_of_errors(tinytc, tmp_path, name):
    broken, unreadable = tmp_path / "broken.ir", tmp_path / "unreadable.ir"
    broken.write_text(BROKEN)
    unreadable.write_text("func @f(")
    words = [word.format(broken=broken, unreadable=unreadable) for word in ERRORS[name]]
    status, out, err = tinytc(*words)
    assert (status, out) == (1, "")
    assert "error: " in err


@pytest.mark.parametrize("name", commands())
def test_status_of_wrong_usage(tinytc, name):
    with pytest.raises(SystemExit) as caught:
        tinytc(name, "--no-such-option")
    assert caught.value.code == 2


def test_a_compiler_that_cannot_be_imported(tinytc, monkeypatch):
    """The options ask it for its targets."""
    monkeypatch.setitem(sys.modules, "tinytc_mlir.compiler", None)
    status, _, err = tinytc("run", "--target", "cpu", SAMPLE)
    assert (status, err.count("\n")) == (1, 1)
    assert "; run `tinytc doctor` to find the reason" in err


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x=1e39", "argument 'x': expected a real number in the range of f32, got 1e+39"),
        ("n=300", "argument 'n': expected an integer from -128 to 127 for i8, got 300"),
        ("x=nan", ""),
        ("x=-inf", ""),
        ("n=-128", ""),
    ],
)
def test_values_that_do_not_fit_their_type(tinytc, tmp_path, value, message):
    file = tmp_path / "f.ir"
    file.write_text("func @f(%x: f32, %n: i8) { }")
    status, _, err = tinytc("run", "--target", "cpu", "--groups", 1, "--set", value, file)
    assert (status, message in err) == (1 if message else 0, True)


def no_device(*_):
    raise DeviceError("expected a device, got none")


@pytest.mark.parametrize(
    "words", [["run", SAMPLE], ["devices"], ["tune", SAMPLE]], ids=lambda w: w[0]
)
def test_status_without_a_device(tinytc, monkeypatch, words):
    for name in ("devices", "default_device", "queue_of"):
        monkeypatch.setattr(devices, name, no_device)
    status, _, err = tinytc(*words)
    assert (status, err) == (3, "tinytc: error: expected a device, got none\n")


def test_no_device_in_the_list(tinytc, monkeypatch):
    monkeypatch.setattr(devices, "devices", list)
    assert tinytc("devices")[0] == 3
    status, out, _ = tinytc("doctor")
    assert status == (1 if "failure  tinytc-opt" in out else 3)
    assert "failure  devices: expected at least one with USM memory, got none\n" in out


WRONG_DRIVERS = {
    "/absent/libintelocl.so": "which is no file",
    "libabsent.so": "which cannot be used (",
    sys.executable: "which cannot be used (",
}


@pytest.mark.parametrize("name", WRONG_DRIVERS)
def test_doctor_finds_wrong_drivers(monkeypatch, name):
    monkeypatch.setenv("OCL_ICD_FILENAMES", os.pathsep.join([driver.driver_path(), name]))
    (finding,) = doctor._named_drivers()
    assert (finding.status, finding.subject) == ("failure", "OCL_ICD_FILENAMES")
    assert finding.detail.startswith(
        f"expected OpenCL drivers, got {name!r}, {WRONG_DRIVERS[name]}"
    )


def test_doctor_checks_the_driver_of_pip(monkeypatch):
    monkeypatch.setenv("OCL_ICD_FILENAMES", "")
    monkeypatch.setattr(driver, "driver_path", lambda: "/absent/libintelocl.so")
    (finding,) = doctor._named_drivers()
    assert "got '/absent/libintelocl.so', which is no file" in finding.detail


@pytest.mark.parametrize("suffix", ["mlir", "mlirbc"])
def test_fmt_of_mlir(tinytc, tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_text("module { }\n")
    status, out, err = tinytc("fmt", "-i", path)
    assert (status, out) == (2, "")
    assert err == (
        f"tinytc: error: expected programs of the language, got {path}; "
        f"`tinytc-opt {path}` prints MLIR\n"
    )
    assert path.read_text() == "module { }\n"


WARNING = "warning: expected -D to name a variable of the program, got '$SIZ'"


@pytest.mark.parametrize("command", [["check"], ["lower", "--to", "tinytc"], ["fmt"]], ids=str)
def test_unused_define(tinytc, tmp_path, command):
    path = tmp_path / "a.ir"
    path.write_text("func @f(%A: memref<f32 x $SIZE>) { }\n")
    words = [*command, "-D", "SIZE=$N", "-D", "N=4"]
    status, _, err = tinytc(*words[:-4], "-D", "N=4", "-D", "SIZE=$N", path)
    assert (status, err) == (0, "")
    status, _, err = tinytc(*command, "-D", "SIZE=4", "-D", "SIZ=3", path)
    assert (status, err) == (0, f"{WARNING}; did you mean '$SIZE'?\n")
    other = tmp_path / "b.ir"
    other.write_text(ONE_LINE)
    if command != ["lower", "--to", "tinytc"]:
        assert tinytc(*command, "-D", "SIZE=4", other, path)[2] == ""


@pytest.mark.parametrize(
    ("variables", "terminal", "expected"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colours(tinytc, tmp_path, monkeypatch, variables, terminal, expected):
    path = tmp_path / "broken.ir"
    path.write_text(BROKEN)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert ("\x1b[1;31merror" in tinytc("check", path)[2]) is expected
    assert ("\x1b[1;31merror" in tinytc("check", tmp_path / "absent")[2]) is expected


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal():
    stream = Terminal()
    with Progress(stream) as progress:
        progress("[1/2] a")
        progress("[2/2] b")
    assert stream.getvalue() == "\r\x1b[K[1/2] a\r\x1b[K[2/2] b\r\x1b[K"


def test_progress_in_a_pipe_is_a_line_a_minute():
    """Also during a step that takes longer; here a minute is a fraction of a second."""
    stream = io.StringIO()
    with Progress(stream, interval_s=0.01) as progress:
        time.sleep(0.05)
        assert stream.getvalue() == ""
        progress("[1/2]")
        while stream.getvalue().count("\n") < 2:
            time.sleep(0.01)
    assert set(stream.getvalue().splitlines()) == {"tinytc: after 0 min: [1/2]"}


def test_progress_in_a_pipe_may_say_the_first_step():
    stream = io.StringIO()
    with Progress(stream, says_first=True) as progress:
        progress("about 60 s")
        progress("[1/2]")
    assert stream.getvalue() == "tinytc: about 60 s\n"


def shell(line, **options):
    """Run a line in which $tinytc is the command; return status of the last one and stderr."""
    line = line.replace("$tinytc", f"{shlex.quote(sys.executable)} -m tinytc_mlir")
    words = ["bash", "-o", "pipefail", "-c", line]
    result = subprocess.run(words, capture_output=True, text=True, timeout=600, **options)
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_pipes(tmp_path, unbuffered):
    path = tmp_path / "long.ir"
    comment = "; " + "c" * 1000 + "\n"
    path.write_text("".join(ONE_LINE.replace("@f", f"@f{i}") + comment for i in range(300)))
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    status, out, err = shell(f"$tinytc fmt {path} | (sleep 1; cat)", env=environment)
    assert (status, out.count("func"), err) == (0, 300, "")
    status, out, err = shell(f"$tinytc fmt {path} | head -n 1", env=environment)
    assert (status, out, err) == (1, "func @f0(%a: f32) {\n", "")


def test_closed_streams(tmp_path):
    path = tmp_path / "a.ir"
    path.write_text(ONE_LINE)
    closed = "tinytc: error: expected standard {} to be open, got none\n"
    assert shell("$tinytc check - <&-") == (1, "", closed.format("input"))
    assert shell(f"$tinytc fmt {path} >&-") == (1, "", closed.format("output"))


def test_files_that_are_none(tinytc, tmp_path):
    path = tmp_path / "a.ir"
    path.write_text(ONE_LINE)
    absent = tmp_path / "absent" / "a.ir"
    for command in ("check", "fmt", "lower", "compile", "run", "tune"):
        assert tinytc(command, tmp_path) == (1, "", f"tinytc: error: {tmp_path}: is a directory\n")
        message = f"tinytc: error: {absent}: no such file or directory\n"
        assert tinytc(command, absent) == (1, "", message)
    for command in ("lower", "compile"):
        message = f"tinytc: error: {tmp_path}: is a directory\n"
        assert tinytc(command, path, "-o", tmp_path) == (1, "", message)
        status, out, err = tinytc(command, path, "-o", absent)
        assert (status, out, err[:14]) == (1, "", "tinytc: error:")


def test_output_on_stdout(tmp_path):
    path = tmp_path / "a.ir"
    path.write_text(ONE_LINE)
    status, out, err = shell(f"$tinytc lower --to tinytc -o - {path} | head -n 1")
    assert (status, out, err) == (0, f"// tinytc-mlir {__version__}\n", "")
    status, out, err = shell(f"cat {path} | $tinytc compile --emit manifest -o - - | tail -c 2")
    assert (status, out, err) == (0, "}\n", "")
