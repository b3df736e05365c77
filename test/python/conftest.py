"""What all Python tests share: helpers to import by name, and counts of what was compared."""

import fcntl
import gc
import os
import pathlib
import re
import resource
import shutil
import sys
from collections import Counter, defaultdict

import hypothesis
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import accepted_code
import profiles

# They compile and build, whatever was kept by others.
os.environ["TINYTC_CACHE_DIR"] = "0"
# Processes of dask may take long to connect on a busy machine.
for kind in ("CONNECT", "TCP"):
    os.environ[f"DASK_DISTRIBUTED__COMM__TIMEOUTS__{kind}"] = "600s"
# For the few functions that PyTorch compiles, a pool of processes costs more than it saves.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

# In a commit the examples are those of every run, and as many as find what is wrong everywhere.
hypothesis.settings.register_profile(
    "commit",
    max_examples=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.register_profile(
    "nightly",
    max_examples=1000,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile(profiles.PROFILE)

#: What some tests need beyond Python packages, and the Debian package that has it.
TOOLS = {"spirv-val": "spirv-tools", "ocloc": "intel-opencl-icd"}


def pytest_configure(config):
    """Fail without the tools in environments where nobody would notice skipped tests."""
    config.addinivalue_line("markers", "similar: in a commit, some of the test's parameters run")
    config.add_cleanup(gc.unfreeze)  # the last one, for what extension modules report at exit
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing and os.environ.get("CI"):
        packages = " ".join(TOOLS[tool] for tool in missing)
        raise pytest.UsageError(f"{', '.join(missing)} not found: apt-get install {packages}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave the marked tests of a commit as many of their parameters as they take in turn."""
    similar = defaultdict(list)
    for item in items:
        if item.get_closest_marker("similar"):
            similar[item.nodeid.partition("[")[0]].append(item)
    kept = {item for name, each in similar.items() for item in profiles.some_of(each, name)}
    left = {item for each in similar.values() for item in each} - kept
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish():
    """Take what the tests are made of, a million objects, out of garbage collection for good.

    What tests make is collected less often than by default, which takes a tenth of their time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


#: Seconds of processor time from which on it is worth knowing what they went into.
MANY_S = 60

#: What the tests of all processes have counted.
counted = Counter()


def pytest_sessionfinish(session, exitstatus):
    """Collect the counts of this process; pytest-xdist hands them to the process that prints."""
    cases = sys.modules.get("cases.running")
    found = {"counted": dict(cases.counted) if cases else {}, "taken": sorted(accepted_code.taken)}
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput.update(found)
        return
    _add(found)
    if exitstatus == pytest.ExitCode.OK:
        accepted_code.write()


def _add(found):
    """Add what a process has counted and assembled."""
    counted.update(found.get("counted", {}))
    accepted_code.taken.update(found.get("taken", ()))


_START = pytest.StashKey[float]()


def _cpu_s():
    """Return the processor time of this process, those it has waited for, and that of builds."""
    times = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in times) + _builder_s()


def _builder_s():
    """Return the processor time of the process in which the CPU driver builds, if there is one."""
    builds = sys.modules.get("tinytc_mlir.runtime.spirv.fatal_builds")
    process = builds and builds._builder._process
    if process is None:
        return 0
    try:
        fields = pathlib.Path("/proc", str(process.pid), "stat").read_text().rpartition(")")[2]
    except OSError:  # it has ended
        return 0
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Remember when a test begins."""
    item.stash[_START] = _cpu_s()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Store the processor time of a test, which does not depend on what else the machine does."""
    if call.when == "teardown":
        item.user_properties.append(("cpu_s", round(_cpu_s() - item.stash[_START], 3)))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add what another process has counted."""
    _add(getattr(node, "workeroutput", {}))


def pytest_terminal_summary(terminalreporter):
    """Print the counts, and where the processor time went."""
    times = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", []):
                if name == "cpu_s" and report.when == "teardown":
                    times[report.nodeid.partition("::")[0]] += value
    if times.total() > MANY_S:
        shown = ", ".join(f"{path} {cpu_s:.0f}" for path, cpu_s in times.most_common(25))
        terminalreporter.write_line(f"{times.total():.0f} s of processor time: {shown}")
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


#: Tests of the passes and of programs made at random, where a pass may leave wrong IR; and of files
#: with device code, beside which programs are kept unless they are verified.
VERIFIED = re.compile(
    r"/(stages|linalg|explore|runtime)/|random|fuzz|odd_constants|sample|pipelines"
)


@pytest.fixture(autouse=True)
def precision_of_jax():
    """Keep what a test sets from those that follow in the same process."""
    jax = sys.modules.get("jax")
    before = jax is not None and jax.config.jax_enable_x64
    yield
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_enable_x64", before)


@pytest.fixture(autouse=True)
def verify_each(request, monkeypatch):
    """Verify after each pass, in a commit only where it is most likely to find something."""
    if "TINYTC_VERIFY_EACH" not in os.environ:
        is_on = profiles.IS_NIGHTLY or VERIFIED.search(request.node.nodeid)
        monkeypatch.setenv("TINYTC_VERIFY_EACH", str(int(bool(is_on))))


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """Return a function that returns a folder, which one of all processes fills."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent

    def made(name, make):
        folder = root / name
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                make(root / f"{name}.part")
                (root / f"{name}.part").rename(folder)
        return folder

    return made


@pytest.fixture(scope="module")
def new_page():
    """Return a function that opens a page in a browser, for as long as a busy machine takes."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not (chromium := shutil.which("chromium")):
        pytest.skip("chromium is not installed")
    playwright.expect.set_options(timeout=600_000)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        def new_page(**options):
            page = browser.new_page(**options)
            page.set_default_timeout(600_000)
            return page

        yield new_page
        browser.close()


@pytest.fixture
def tinytc(capsys):
    """Return a function that runs a command line and returns status, stdout and stderr."""
    from tinytc_mlir import cli

    def run(*words):
        status = cli.main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
