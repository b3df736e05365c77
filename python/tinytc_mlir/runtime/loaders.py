# SPDX-License-Identifier: BSD-3-Clause
"""Which implementations of the runtime there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from .. import switches
from ..errors import DeviceError, TinyTCError
from . import interpreted
from .kernel_info import CUBIN, ELF, PTX, SPIRV
from .lazy_loader import LazyLoader
from .manifest import Manifest
from .protocol import Binary, Loader
from .spirv.intel_gpus import INTEL_GPUS

_SYCL = LazyLoader(
    f"{__package__}.spirv.sycl",
    ("__sycl_usm_array_interface__",),
    targets=("cpu", *INTEL_GPUS),
    handles="a dpctl queue or device",
    formats=(SPIRV,),
    is_asked_last=False,
)
_CUDA = LazyLoader(
    f"{__package__}.nvidia.cuda",
    ("__cuda_array_interface__", "__dlpack__"),
    targets=("cuda:sm_100", "cuda:sm_90", "cuda:sm_80"),
    handles="a CUDA device or stream",
    formats=(PTX, CUBIN),
    is_asked_last=True,
)
_NATIVE = LazyLoader(
    f"{__package__}.native.processor",
    ("__tinytc_native_array_interface__",),
    targets=(
        *("native", "x86-64-v4-amx", "x86-64-v4-bf16"),
        *("x86-64-v4", "x86-64-v3", "x86-64-v2"),
        *("aarch64-sve512", "aarch64-sve256", "aarch64-mmla", "aarch64"),
    ),
    handles="a native device or queue",
    formats=(ELF,),
    is_asked_last=True,
)
_ONLY_NAMED = cast("Loader", _NATIVE)
_LOADERS: list[Loader] = [cast("Loader", _SYCL), cast("Loader", _CUDA), _ONLY_NAMED]
INTERPRETER = interpreted.Interpreter(_LOADERS)


def loaders() -> Iterator[Loader]:
    """Yield the implementations; where several can do something, the first one is used.

    With TINYTC_INTERPRET, the interpreter is the only one.
    """
    if switches.INTERPRET.is_on():
        yield INTERPRETER
    else:
        yield from _LOADERS


def is_only_named(loader: Loader) -> bool:
    """Return whether devices are chosen only by name, or where no other has any."""
    return loader is _ONLY_NAMED


def register(loader: Loader) -> None:
    """Add an implementation, after the others."""
    _LOADERS.append(loader)


def unregister(loader: Loader) -> None:
    """Remove an implementation that was added by `register`."""
    _LOADERS.remove(loader)


def check(program: Binary, name: str) -> None:
    """Check a program by the first implementation that takes its format.

    Args:
        program: the program.
        name: what errors call it.

    Raises:
        TinyTCError: there is none, or the program is damaged.
    """
    for loader in _LOADERS:
        if program.manifest.format in loader.formats:
            loader.check(program, name)
            return
    known = ", ".join(dict.fromkeys(each for loader in _LOADERS for each in loader.formats))
    raise TinyTCError(
        f"{name}: expected code in one of the formats {known}, got {program.manifest.format!r}"
    )


def runs(manifest: Manifest, queue: object = None) -> bool:
    """Return whether a device here runs a program.

    Args:
        manifest: that of the program.
        queue: the device or queue to ask for, None for all devices.
    """
    for loader in _LOADERS:
        if manifest.format not in loader.formats:
            continue
        try:
            device = None if queue is None else loader.device(queue)
            asked = loader.devices() if queue is None else [device]
        except DeviceError:
            continue
        if any(each is not None and manifest.target in each.runs for each in asked):
            return True
    return False


def loader_of(array: object) -> Loader | None:
    """Return the implementation that knows an array or its memory, None for plain objects."""
    for loader in (*_LOADERS, INTERPRETER):
        if loader.recognises(array):
            return loader
    return None
