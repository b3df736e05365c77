"""Devices are found without help, and messages name what hides them."""

import os
import subprocess
import sys

import pytest

from tinytc_mlir.runtime.loaders import loaders

NAMED = "\nimport os; print(os.environ.get('OCL_ICD_FILENAMES', ''))"
DRIVER = f"import tinytc_mlir, dpctl{NAMED}"
DEVICES = "print([d.filter_string for d in dpctl.get_devices() if d.has_aspect_cpu])"


def run(code, **variables):
    """Run code with some variables of the environment; None removes one."""
    changed = os.environ | {"OCL_ICD_FILENAMES": None} | variables
    environment = {name: value for name, value in changed.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )


def test_compiling_changes_no_variable():
    code = """
import os
before = dict(os.environ)
import tinytc_mlir as tt
program = tt.Context().parse("func @nothing() {}").compile("native")
program["nothing"](groups=1)
assert dict(os.environ) == before
"""
    result = run(code)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("package", ["dpctl", "mpi4py"])
def test_packages_that_query_devices_name_the_driver(package):
    for imports in (f"tinytc_mlir, {package}", f"{package}, tinytc_mlir"):
        assert run(f"import {imports}{NAMED}").stdout.strip().endswith("libintelocl.so")


def test_package_that_is_not_installed():
    code = "import importlib.util, tinytc_mlir; importlib.util.find_spec('pyopencl')"
    assert run(code + NAMED).stdout.strip().endswith("libintelocl.so")


def test_driver_is_named_once():
    path = run(DRIVER).stdout.strip()
    assert run(DRIVER, OCL_ICD_FILENAMES=path).stdout.strip() == path
    other = run(DRIVER, OCL_ICD_FILENAMES="/opt/other.so").stdout.strip()
    assert other == f"/opt/other.so:{path}"


def test_driver_gets_options_unless_it_has_some():
    code = "import os, tinytc_mlir, dpctl; print(os.environ.get('CL_CONFIG_LLVM_OPTIONS'))"
    assert "cross-barrier" in run(code, CL_CONFIG_LLVM_OPTIONS=None).stdout
    assert run(code, CL_CONFIG_LLVM_OPTIONS="-mine").stdout.strip() == "-mine"
    named = run(code, CL_CONFIG_LLVM_OPTIONS=None, OCL_ICD_FILENAMES="/opt/libintelocl.so")
    assert named.stdout.strip() == "None"


def test_driver_prints_nothing():
    code = """
import tinytc_mlir as tt
program = tt.Context().parse("func @nothing() {}").compile()
program["nothing"](groups=1)
"""
    result = run(code, CL_CONFIG_LLVM_OPTIONS=None)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_device_appears_whatever_is_imported_first():
    for imports in ("import tinytc_mlir, dpctl", "import dpctl, tinytc_mlir"):
        assert "'opencl:cpu:0'" in run(f"{imports}\n{DEVICES}").stdout


def test_hidden_devices_are_explained():
    code = "import tinytc_mlir as tt\ntt.empty(3)"
    targets = [name for loader in loaders() for name in loader.targets]
    missing = f"expected a device for one of the targets {', '.join(targets)}, got none"
    hidden = run(code, ONEAPI_DEVICE_SELECTOR="opencl:cpu").stderr
    assert f"DeviceError: {missing}; ONEAPI_DEVICE_SEL" in hidden
    late = run(f"import dpctl\ndpctl.get_devices()\n{code}").stderr
    assert "got none; import tinytc_mlir before the first use of dpctl" in late


def test_doctor_names_the_trap():
    code = "import sys, tinytc_mlir.cli as c; sys.exit(c.main(['doctor']))"
    result = run(code, ONEAPI_DEVICE_SELECTOR="opencl:cpu")
    assert result.returncode == 1
    assert "failure  ONEAPI_DEVICE_SELECTOR: expected '*:cpu' or no value" in result.stdout
