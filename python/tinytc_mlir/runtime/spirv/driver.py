# SPDX-License-Identifier: BSD-3-Clause
"""Makes the OpenCL loader find the CPU driver that pip installed, with our options.

The driver's package does not register itself, and the loader searches for drivers only once, at the
first device query of the process, which is often the user's own. So the driver is named when a
package that queries devices is imported: one of those named below.
"""

from __future__ import annotations

import os
import sys

from .. import installed_packages

PACKAGE = "intel-opencl-rt"
_LIBRARY = "libintelocl.so"
_VARIABLE = "OCL_ICD_FILENAMES"

# A pass of the driver that recomputes values after barriers keeps references into a growing table:
# kernels with dozens of barriers and branches may crash the process. Kernels are as fast without
# it.
_OPTIONS_VARIABLE = "CL_CONFIG_LLVM_OPTIONS"
_OPTIONS = "-opt-disable=sycl-kernel-reduce-cross-barrier-values -opt-bisect-verbose=false"


# A library that MPI uses would load the system's OpenCL to list devices. SYCL would then use that
# one, which does not know the driver that pip installed.
_PLUGINS_VARIABLE = "HWLOC_PLUGINS_BLACKLIST"
_PLUGIN = "hwloc_opencl.so"

# Packages that query devices when they are used, or load the system's OpenCL.
_PACKAGES = ("dpctl", "mpi4py", "pyopencl")

#: Options with which Intel's driver builds a program for a CPU. Before OpenCL 2.0, subgroups have
#: no barriers, so it makes barriers of the whole work-group of them, which take it longer and run
#: slower.
CPU_BUILD_OPTIONS = "-cl-std=CL2.0"
_VENDOR = "Intel(R) Corporation"


def cpu_build_options(vendor: str) -> str:
    """Return the options with which a driver builds a program for a CPU.

    Args:
        vendor: what the driver says of the device. PoCL has the processor's own name there, and
            takes no OpenCL C 2.0.

    >>> cpu_build_options("GenuineIntel")
    ''
    """
    return CPU_BUILD_OPTIONS if is_intel(vendor) else ""


def is_intel(vendor: str) -> bool:
    """Return whether a driver for CPUs is Intel's, as for `cpu_build_options`."""
    return vendor.strip() == _VENDOR


def driver_path() -> str | None:
    """Return the path of the OpenCL CPU driver that pip installed, None if there is none."""
    return next(map(os.path.realpath, installed_packages.files(PACKAGE, _LIBRARY)), None)


class _Finder:
    """Names the driver when one of `_PACKAGES` is imported, and leaves finding it to others."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Name the driver if `name` is that of a package that queries devices."""
        if name in _PACKAGES:
            name_driver()


def name_driver_when_needed() -> None:
    """Name the driver once a package that queries devices is imported, or now if one has been."""
    if any(name in sys.modules for name in _PACKAGES):
        name_driver()
    elif _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def name_driver() -> None:
    """Tell the OpenCL loader where the CPU driver is, unless the environment already does.

    Options for the driver's LLVM, and for what may load another OpenCL, are set too, unless the
    environment sets them.
    """
    listed = [name for name in os.environ.get(_VARIABLE, "").split(os.pathsep) if name]
    if any(os.path.basename(name) == _LIBRARY for name in listed):
        return
    path = driver_path()
    if path:
        os.environ[_VARIABLE] = os.pathsep.join([*listed, path])
        os.environ.setdefault(_OPTIONS_VARIABLE, _OPTIONS)
        os.environ.setdefault(_PLUGINS_VARIABLE, _PLUGIN)
