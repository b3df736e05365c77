"""Arrays of emulated devices."""

import numpy as np

from tinytc_mlir.emulators.memory import ARENA


class DeviceArray:
    """An array on the device, by CUDA's array interface, at any address.

    Memory before and after its elements belongs to nobody.
    """

    def __init__(self, data, shape, strides, shift_bytes=0):
        self.data, self.shape = data, tuple(shape)
        self.strides = tuple(step * data.itemsize for step in strides)
        self._whole = ARENA.allocate(max(data.nbytes, 1) + shift_bytes)
        self.address = self._whole + shift_bytes
        ARENA.disown(self._whole, shift_bytes)
        ARENA.write(self.address, data.tobytes())

    @property
    def __cuda_array_interface__(self):
        pointer = (self.address, False)
        typestr = self.data.dtype.str
        values = {"shape": self.shape, "strides": self.strides, "typestr": typestr}
        return {**values, "data": pointer, "version": 3}

    def finish(self):
        """Copy the elements back to where they came from, and free the memory."""
        raw = ARENA.read(self.address, self.data.nbytes)
        self.data[...] = np.frombuffer(raw, self.data.dtype)
        ARENA.free(self._whole)
