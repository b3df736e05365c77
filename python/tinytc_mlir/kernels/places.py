# SPDX-License-Identifier: BSD-3-Clause
"""Where kernels run that nobody gave a target: where their data is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from .. import switches
from ..errors import DeviceError
from ..runtime.arrays.host_arrays import memory_of
from ..runtime.devices import default_device
from ..runtime.launches.arguments import Group
from ..runtime.loaders import loader_of

_NUMBERS = (float, int, complex, bool)


def are_plain(values: Iterable[object]) -> bool:
    """Return quickly whether arguments are numbers, and arrays of NumPy in memory of their own."""
    for value in values:
        if type(value) is np.ndarray:
            base = value.base
            while type(base) is np.ndarray:
                base = base.base
            if base is not None:
                return False
        elif type(value) not in _NUMBERS:
            return False
    return True


def target_of(values: Iterable[object]) -> str | None:
    """Return the target of the device that arrays are on, `native` for those of the host.

    Args:
        values: arguments of a launch.

    Returns:
        None for the default device: where TINYTC_TARGET names one, or native code does not run.
    """
    if switches.TARGET.choice() is not None:
        return None
    for value in _arrays(values):
        memory = memory_of(value) if isinstance(value, np.ndarray) else value
        loader = loader_of(memory)
        if loader is not None:
            try:
                return loader.queue_of_memory(memory).device.target
            except ValueError:  # the launch says what is wrong
                return None
    try:
        return default_device("native").target
    except DeviceError:
        return None


def _arrays(values: Iterable[object]) -> Iterable[object]:
    """Yield arguments, and the members of groups in their place."""
    for value in values:
        members = value.members if isinstance(value, Group) else value
        if isinstance(members, (list, tuple)):
            yield from members
        elif isinstance(members, Mapping):
            yield from _arrays(members.values())
        else:
            yield members
