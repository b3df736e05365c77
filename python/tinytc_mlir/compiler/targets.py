# SPDX-License-Identifier: BSD-3-Clause
"""Names of targets."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from .. import switches
from ..errors import DeviceError, LoweringError, describe, got
from ..runtime import devices

# Names of targets that are those of the first such device, and what they are without one.
ALIASES: Mapping[str, str] = {"cuda": "cuda:sm_90"}


@functools.cache
def target_names() -> tuple[str, ...]:
    """Return the names of the targets, the default first."""
    from .._tinytc import targets

    return tuple(target.name for target in targets())


def unknown_target(name: str) -> str:
    """Return the message for a name that is that of no target.

    >>> unknown_target("gpu").partition("got 'gpu'; ")[2]
    "did you mean 'intel-gpu:pvc' or 'cuda'?; `tinytc devices` lists those of this machine"
    """
    names = target_names()
    shown = got(name, ()) + devices.target_hint(name, (*names, *ALIASES))
    end = "; `tinytc devices` lists those of this machine"
    return f"expected the target to be one of {', '.join(names)}, {shown}{end}"


def target_name(target: object, *, check: bool = True) -> str:
    """Return the name of a target.

    Args:
        target: the name, a dpctl device or queue, or None for the target that TINYTC_TARGET names,
            else that of the default device, "native" without dpctl or a driver. "cuda" is that of
            the first CUDA device, "cuda:sm_90" where there is none.
        check: whether to look up a name that is given, for which the compiler is loaded.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: the object is no device or queue, or one that is not for any target.

    >>> target_name("cpu")
    'cpu'
    """
    if target is None:
        target = switches.TARGET.choice()
    if isinstance(target, str) and target in ALIASES:
        return _device_target(target) or ALIASES[target]
    if isinstance(target, str):
        if check and target not in target_names():
            raise LoweringError(unknown_target(target))
        return target
    if target is None:
        return _device_target(None) or target_names()[0]
    device = devices.device_of(target)
    if device is None:
        raise DeviceError(
            f"expected {devices.handles()}, or the name of a target, got {describe(target)}"
        )
    if device.target is None:
        names = ", ".join(target_names())
        raise DeviceError(f"expected a device for one of the targets {names}, got {device.name}")
    return device.target


def _device_target(name: str | None) -> str | None:
    """Return the target of the default device of a name, None if there is no such device."""
    try:
        return devices.default_device(name).target
    except DeviceError:  # launches will say why there is none
        return None
