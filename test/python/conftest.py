"""What all Python tests share: helpers to import by name, and counts of what was compared."""

import os
import pathlib
import shutil
import sys
from collections import Counter

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Tests verify after each pass what users verify before the first and after the last.
os.environ.setdefault("TINYTC_VERIFY_EACH", "1")
# They compile and build, whatever was kept by others.
os.environ.setdefault("TINYTC_CACHE_DIR", "0")

#: What some tests need beyond Python packages, and the Debian package that has it.
TOOLS = {"spirv-val": "spirv-tools", "ocloc": "intel-opencl-icd"}


def pytest_configure():
    """Fail without the tools in environments where nobody would notice skipped tests."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing and os.environ.get("CI"):
        packages = " ".join(TOOLS[tool] for tool in missing)
        raise pytest.UsageError(f"{', '.join(missing)} not found: apt-get install {packages}")


#: What the tests of all processes have counted.
counted = Counter()


def pytest_sessionfinish(session):
    """Collect the counts of this process; pytest-xdist hands them to the process that prints."""
    cases = sys.modules.get("cases")
    found = dict(cases.counted) if cases else {}
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["counted"] = found
    else:
        counted.update(found)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add the counts of another process."""
    counted.update(getattr(node, "workeroutput", {}).get("counted", {}))


def pytest_terminal_summary(terminalreporter):
    """Print the counts."""
    if counted["cases"]:
        terminalreporter.write_line(f"{counted['cases']} cases compared with the reference")
    if counted["SeisSol launches"]:
        launches, programs = counted["SeisSol launches"], counted["SeisSol programs"]
        terminalreporter.write_line(
            f"{launches} launches of {programs} programs as in SeisSol compared with NumPy"
        )
    for key in sorted(key for key in counted if key.endswith(" modules")):
        gpu = key.removesuffix(" modules")
        kernels = counted[f"{gpu} kernels"]
        terminalreporter.write_line(
            f"{kernels} kernels in {counted[key]} modules compiled for {gpu} by ocloc"
        )


@pytest.fixture
def tinytc(capsys):
    """Return a function that runs a command line and returns status, stdout and stderr."""
    from tinytc_mlir import cli

    def run(*words):
        status = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
