"""The emulated GPUs by the name of their target."""

from emulators.ptx_machine import PtxMachine
from emulators.spirv_machine import SpirvMachine

TARGETS = ("cuda:sm_80", "cuda:sm_90", "cuda:sm_100", "intel-gpu:pvc", "intel-gpu:dg2")


def machine(target):
    """Return the emulated GPU of a target; `installed()` lets the runtime see it."""
    return (PtxMachine if target.startswith("cuda:") else SpirvMachine)(target)
