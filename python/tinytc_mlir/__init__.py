# SPDX-License-Identifier: BSD-3-Clause
"""Compiles programs of the Tiny Tensor language and runs their kernels.

Names are imported when they are first used, so `import tinytc_mlir` touches neither MLIR nor a
device. The OpenCL loader is told where pip put the CPU driver when dpctl, mpi4py or pyopencl is
imported.
"""

from __future__ import annotations

import importlib as _importlib
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from .runtime.spirv.driver import name_driver_when_needed as _name_driver_when_needed
from .switches import warn_of_unknown as _warn_of_unknown
from .version import __version__ as __version__

if TYPE_CHECKING:
    from . import distributed as distributed
    from . import linalg as linalg
    from . import recipes as recipes
    from .batches.function import BatchedFunction as BatchedFunction
    from .batches.function import batched as batched
    from .batches.language import *  # noqa: F403
    from .compiler import Context as Context
    from .compiler import Module as Module
    from .compiler.compile_text import compile as compile
    from .compiler.derivative import Derivative as Derivative
    from .compiler.derivative import DerivativeParameter as DerivativeParameter
    from .compiler.derivative import Gradient as Gradient
    from .compiler.derivative import grad as grad
    from .errors import ArgumentError as ArgumentError
    from .errors import ArrayOrderWarning as ArrayOrderWarning
    from .errors import CheckError as CheckError
    from .errors import CompileError as CompileError
    from .errors import DeviceError as DeviceError
    from .errors import Diagnostic as Diagnostic
    from .errors import InterpreterError as InterpreterError
    from .errors import LaunchError as LaunchError
    from .errors import LoweringError as LoweringError
    from .errors import ParseError as ParseError
    from .errors import ProgramWarning as ProgramWarning
    from .errors import TinyTCError as TinyTCError
    from .errors import UncheckedWarning as UncheckedWarning
    from .errors import VerificationError as VerificationError
    from .frameworks import jax as jax
    from .frameworks import torch as torch
    from .kernels.inline_function import InlineFunction as InlineFunction
    from .kernels.inline_function import inline as inline
    from .kernels.kernel import KernelFunction as KernelFunction
    from .kernels.kernel import kernel as kernel
    from .kernels.language import *  # noqa: F403
    from .measure.launches import Timing as Timing
    from .measure.launches import do_bench as do_bench
    from .reference import interpret as interpret
    from .runtime.arrays.memory import asarray as asarray
    from .runtime.arrays.memory import empty as empty
    from .runtime.arrays.memory import ones as ones
    from .runtime.arrays.memory import zeros as zeros
    from .runtime.devices import devices as devices
    from .runtime.kernel import BoundKernel as BoundKernel
    from .runtime.kernel import Kernel as Kernel
    from .runtime.kernel_info import GroupArgument as GroupArgument
    from .runtime.kernel_info import KernelInfo as KernelInfo
    from .runtime.kernel_info import MemrefArgument as MemrefArgument
    from .runtime.kernel_info import ScalarArgument as ScalarArgument
    from .runtime.launches.arguments import Group as Group
    from .runtime.launches.event import Event as Event
    from .runtime.manifest import Manifest as Manifest
    from .runtime.native.processor import native_queue as native_queue
    from .runtime.program import Program as Program
    from .runtime.program import load as load
    from .runtime.program import save as save
    from .runtime.spirv.prebuild import prebuild as prebuild
    from .runtime.tracing.hooks import LaunchHook as LaunchHook
    from .runtime.tracing.hooks import LaunchRecord as LaunchRecord
    from .runtime.tracing.hooks import add_launch_hook as add_launch_hook
    from .tuning.autotune import Autotuning as Autotuning
    from .tuning.autotuned_kernel import autotune as autotune
    from .tuning.schedule import Schedule as Schedule

    __all__: list[str]

_HOMES = {
    "batches.function": ("BatchedFunction", "batched"),
    "compiler": ("Context", "Module"),
    "compiler.derivative": ("Derivative", "DerivativeParameter", "Gradient", "grad"),
    "compiler.compile_text": ("compile",),
    "errors": (
        "ArgumentError",
        "CheckError",
        "CompileError",
        "DeviceError",
        "Diagnostic",
        "InterpreterError",
        "LaunchError",
        "LoweringError",
        "ParseError",
        "TinyTCError",
        "ArrayOrderWarning",
        "ProgramWarning",
        "UncheckedWarning",
        "VerificationError",
    ),
    "kernels.inline_function": ("InlineFunction", "inline"),
    "kernels.kernel": ("KernelFunction", "kernel"),
    "measure.launches": ("Timing", "do_bench"),
    "reference": ("interpret",),
    "runtime.launches.arguments": ("Group",),
    "runtime.devices": ("devices",),
    "runtime.tracing.hooks": ("LaunchHook", "LaunchRecord", "add_launch_hook"),
    "runtime.kernel": ("BoundKernel", "Kernel"),
    "runtime.launches.event": ("Event",),
    "runtime.kernel_info": ("GroupArgument", "KernelInfo", "MemrefArgument", "ScalarArgument"),
    "runtime.manifest": ("Manifest",),
    "runtime.arrays.memory": ("asarray", "empty", "ones", "zeros"),
    "runtime.native.processor": ("native_queue",),
    "runtime.spirv.prebuild": ("prebuild",),
    "runtime.program": ("Program", "load", "save"),
    "tuning.autotune": ("Autotuning",),
    "tuning.autotuned_kernel": ("autotune",),
    "tuning.schedule": ("Schedule",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
# Modules, by the names that users know.
_MODULES = {
    "distributed": "distributed",
    "jax": "frameworks.jax",
    "linalg": "linalg",
    "recipes": "recipes",
    "torch": "frameworks.torch",
}

_INSTEAD = {"jit": "tt.kernel", "njit": "tt.kernel", "func": "tt.kernel", "parse": "tt.compile"}
"""What other projects call our names."""

_NAMES = [*_HOME_OF, *_MODULES, "__version__"]


def _has_compiler() -> bool:
    return _find_spec(f"{__name__}.compiler") is not None


_name_driver_when_needed()
_warn_of_unknown(stacklevel=2)


if not TYPE_CHECKING:  # type checkers would believe that it finds any name

    def __getattr__(name: str) -> object:
        if name == "__all__":  # what `import *` takes: nothing of packages that are not there
            return sorted({*_NAMES} - _absent())
        if name in _MODULES:
            try:
                return _importlib.import_module(f".{_MODULES[name]}", __name__)
            except ModuleNotFoundError as error:
                if error.name != name:  # of another library than this is for
                    raise
                raise ImportError(
                    f"expected the package {name} for {__name__}.{name}, got none: "
                    f"pip install 'tinytc-mlir[{name}]'"
                ) from None
        home = _HOME_OF.get(name)
        if home is None:
            from .errors import hint

            # `from . import name` asks for modules, too.
            is_module = name.startswith("_") or _find_spec(f"{__name__}.{name}") is not None
            if not is_module and _has_compiler():
                from .kernels.namespace import find

                found = find(name)
                if found is not None:
                    globals()[name] = found
                    return found

            instead = _INSTEAD.get(name, "")
            if not instead and not is_module and _has_compiler():
                from .kernels.foreign_names import COUNTERPARTS

                instead = COUNTERPARTS.get(name, "").split("(")[0]
            meant = f"; use {instead}" if instead else hint(name, _NAMES)
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(f"{message}{meant}", name=name)
        try:
            module = _importlib.import_module(f".{home}", __name__)
        except ModuleNotFoundError:
            if _has_compiler():
                raise
            raise ImportError(
                f"expected the compiler for {__name__}.{name}, got tinytc-mlir-runtime, which only "
                "launches saved programs: install tinytc-mlir or tinytc-mlir-core in its place"
            ) from None
        value = getattr(module, name)
        globals()[name] = value
        return value


def _absent() -> set[str]:
    """Return the names that are for other libraries, where these are not installed."""
    return {name for name in ("jax", "torch") if _find_spec(name) is None}


def __dir__() -> list[str]:
    if not _has_compiler():
        return sorted({*_NAMES} - _absent())
    from .kernels.namespace import names

    return sorted({*_NAMES, *names()} - _absent())
