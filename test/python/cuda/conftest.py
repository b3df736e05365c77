"""A process with a CUDA driver, which is a fake one."""

import dataclasses
import gc
import sys

import pytest

import tinytc_mlir as tt
from cuda.fake_driver import Driver
from fake_runtime import PROGRAM
from tinytc_mlir.runtime import devices, loaders
from tinytc_mlir.runtime.launches import event
from tinytc_mlir.runtime.nvidia import cuda, cuda_driver
from tinytc_mlir.runtime.spirv import sycl


@pytest.fixture(scope="session")
def module():
    return tt.Context().parse(PROGRAM)


@pytest.fixture(scope="session")
def manifest(module):
    """Return what describes the kernels, as for a program in PTX."""
    compiled = module.compile("cpu", abi="plain", vector_bytes=64)
    kernels = tuple(dataclasses.replace(info, requires=()) for info in compiled.manifest.kernels)
    return dataclasses.replace(
        compiled.manifest, target="cuda:sm_90", format="ptx", kernels=kernels
    )


@pytest.fixture
def install(monkeypatch, module, manifest):
    """Return a function that installs a driver with the given properties."""

    def forget():
        monkeypatch.setattr(devices, "_queues", {})
        event.running.clear()
        gc.collect()  # what is freed needs the driver that it is from
        gc.freeze()  # the rest stays, and need not be looked at for each test
        cuda_driver.driver.cache_clear()

    def make(**options):
        forget()
        driver = Driver(**{"module": module, "manifest": manifest} | options)
        monkeypatch.setitem(sys.modules, "cuda.bindings.driver", driver)
        loader = cuda.CudaLoader()
        monkeypatch.setattr(cuda, "LOADER", loader)
        monkeypatch.setattr(loaders, "_LOADERS", [sycl.LOADER, loader])
        return driver

    event.wait_for_all()  # they use memory of this process
    yield make
    forget()


@pytest.fixture
def driver(install):
    return install()


@pytest.fixture
def program(manifest):
    """Return a program as `compile("cuda:sm_90")` does; it has all variants of the kernels."""
    suffixes = ("", "__aligned", "__aligned_members")
    names = [info.name + suffix for info in manifest.kernels for suffix in suffixes]
    entries = "".join(f".visible .entry {name}(){{}}\n" for name in names)
    return tt.Program(f".version 8.0\n.target sm_90\n{entries}".encode(), manifest)
