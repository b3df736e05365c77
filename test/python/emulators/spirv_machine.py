"""Intel's GPUs, emulated: the package's emulated device, before all others."""

import contextlib
from unittest import mock

from emulators.device_array import DeviceArray
from tinytc_mlir.emulators.device import EmulatedDevice, EmulatedQueue
from tinytc_mlir.runtime import devices, loaders


class EmulatedArray(DeviceArray):
    """An array that the runtime takes for one of this device."""

    __tinytc_emulated_array_interface__ = None
    __cuda_array_interface__ = property()  # it is no array of CUDA


class SpirvMachine:
    """A GPU that runs programs for `target`, such as "intel-gpu:pvc", while it is installed.

    Attributes:
        subgroup_sizes: those that kernels may ask for.
        array: the class of its arrays.
    """

    array = EmulatedArray

    def __init__(self, target):
        self.target = target
        self._device = EmulatedDevice(target)
        self.subgroup_sizes = self._device.subgroup_sizes

    @contextlib.contextmanager
    def installed(self):
        """Have the runtime see this GPU before others, and forget it afterwards."""
        loader = EmulatedQueue(self._device, collects=True).loader
        loader.is_asked_last = False
        with (
            mock.patch.object(loaders, "_LOADERS", [loader, *loaders._LOADERS]),
            mock.patch.object(devices, "_queues", {}),
        ):
            yield self

    def shifts(self, info, rng):
        """Return how far arrays are from aligned addresses, in elements: a launch for each."""
        return [0, rng.choice((1, 3))]
