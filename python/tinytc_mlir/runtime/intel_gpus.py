"""Which target an Intel GPU is, by its PCI identifier."""

from __future__ import annotations

import re

# PCI identifiers of the devices of a target; the names are for drivers that do not tell the
# identifier.
_DEVICE_IDS: dict[str, tuple[range, ...]] = {
    "intel-gpu:pvc": (range(0x0B69, 0x0B6A), range(0x0B6E, 0x0B6F), range(0x0BD0, 0x0BDC)),
    "intel-gpu:dg2": (range(0x4F80, 0x4F89), range(0x5690, 0x5698), range(0x56A0, 0x56C3)),
}
_NAMES = {
    "intel-gpu:pvc": re.compile(r"Data Center GPU Max"),
    "intel-gpu:dg2": re.compile(r"Data Center GPU Flex|Arc\(TM\) (Pro )?A\d+M?\b"),
}
INTEL_GPU_TARGETS = tuple(_DEVICE_IDS)


def target_of_gpu(vendor: str, name: str, device_id: int | None) -> str | None:
    """Return the name of the target for a GPU, None if there is none.

    Args:
        vendor: who makes it, as its driver says.
        name: name of the product.
        device_id: its PCI identifier, None if the driver does not tell.

    >>> target_of_gpu("Intel(R) Corporation", "Intel(R) Data Center GPU Max 1550", 0x0BD5)
    'intel-gpu:pvc'
    >>> target_of_gpu("Intel(R) Corporation", "Intel(R) Iris(R) Xe Graphics", 0x9A49)
    >>> target_of_gpu("NVIDIA Corporation", "NVIDIA H200", None)
    """
    if "intel" not in vendor.lower():
        return None
    for target, ids in _DEVICE_IDS.items():
        if any(device_id in some for some in ids) if device_id else _NAMES[target].search(name):
            return target
    return None
