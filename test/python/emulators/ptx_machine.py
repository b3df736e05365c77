"""NVIDIA GPUs, emulated: the package's own CUDA runtime on the driver of `driver.py`."""

import contextlib
import gc
import sys
from unittest import mock

from emulators.cuda_driver import EmulatingDriver
from emulators.device_array import DeviceArray
from tinytc_mlir.runtime import devices, loaders
from tinytc_mlir.runtime.launches import event
from tinytc_mlir.runtime.nvidia import cuda, cuda_driver
from tinytc_mlir.runtime.spirv import sycl


class PtxMachine:
    """A GPU that runs programs for `target`, such as "cuda:sm_90", while it is installed.

    Attributes:
        subgroup_sizes: those that kernels may ask for.
        array: the class of its arrays.
    """

    subgroup_sizes, array = (8, 16, 32), DeviceArray

    def __init__(self, target):
        self.target = target
        digits = target.rpartition("_")[2]
        self._capability = (int(digits[:-1]), int(digits[-1]))

    @contextlib.contextmanager
    def installed(self):
        """Have the runtime see this GPU and no other, and forget it afterwards."""
        driver = EmulatingDriver(self._capability)
        loader = cuda.CudaLoader()
        with (
            mock.patch.dict(sys.modules, {"cuda.bindings.driver": driver}),
            mock.patch.object(cuda, "LOADER", loader),
            mock.patch.object(loaders, "_LOADERS", [sycl.LOADER, loader]),
            mock.patch.object(devices, "_queues", {}),
        ):
            event.wait_for_all()  # they use memory of this process
            _forget()
            yield self
            _forget()

    def shifts(self, info, rng):
        """Return how far arrays are from aligned addresses, in elements: a launch for each.

        Kernels with variants for aligned arrays run in both.
        """
        shifts = [0, rng.choice((1, 3))]
        has_variants = info.aligned_variant or info.aligned_members_variant
        return shifts if has_variants else [rng.choice(shifts)]


def _forget():
    event.running.clear()
    gc.collect()  # memory is freed by the driver that it is from
    cuda_driver.driver.cache_clear()
