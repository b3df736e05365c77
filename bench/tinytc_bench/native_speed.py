# SPDX-License-Identifier: BSD-3-Clause
"""Native code beside the driver's and that of others, in means over kinds of cases."""

from __future__ import annotations

from collections.abc import Iterator

from tinytc_mlir.measure.timing import geometric_mean, ratio

from . import NATIVE_BATCHES, WAYS
from .measurements import Batched

_NAMES = {
    "driver": "the driver's code",
    "libxsmm": "libxsmm, its best way",
    "mkl": "MKL",
    "c": "loops in C",
}
# What counts, and who is compared; of products, the end of the name says more than the beginning.
_KINDS: dict[str, tuple[str, ...]] = {
    "all": ("driver",),
    "products of static sizes": ("libxsmm", "mkl"),
    "products of padded matrices": ("libxsmm",),
    "products of unknown sizes": ("libxsmm",),
    "128 cubed": ("libxsmm", "mkl"),
    "chains as in SeisSol": ("libxsmm",),
    "recipes": ("libxsmm",),
    "fused kernels": (),
    "other instructions": ("c",),
}
_PRODUCTS = {
    "padded": "products of padded matrices",
    "dynamic": "products of unknown sizes",
    "128": "128 cubed",
}
_FAMILIES = {
    "seissol": "chains as in SeisSol",
    "recipe": "recipes",
    "fused": "fused kernels",
}


def kind_of(case: str) -> str:
    """Return the kind of a case, by its name.

    >>> kind_of("gemm.f32.8"), kind_of("gemm.f32.8.padded"), kind_of("sum.f32.1M")
    ('products of static sizes', 'products of padded matrices', 'other instructions')
    """
    family, *_, last = case.split(".")
    if family == "gemm":
        return _PRODUCTS.get(last, "products of static sizes")
    return _FAMILIES.get(family, "other instructions")


def rows(batched: Batched) -> Iterator[list[str]]:
    """Yield rows of means and, in parentheses, worst cases, of each kind and peer.

    A ratio says how many times as fast as the others in their best way native code is.
    """
    runs = [(*run["name"].partition(" "), run["times_ns"]) for run in batched.get("runs", [])]
    for kind, peers in _KINDS.items():
        for peer in peers:
            cells = []
            for batch in NATIVE_BATCHES:
                found = [
                    min(ratio(times[way], times["ours"]) for way in ways)
                    for case, _, of_batch, times in runs
                    if of_batch == batch and kind in ("all", kind_of(case))
                    if (ways := [way for way in WAYS.get(peer, (peer,)) if way in times])
                ]
                cells.append(f"{geometric_mean(found):.2f} ({min(found):.2f})" if found else "-")
            if any(cell != "-" for cell in cells):
                yield [kind, _NAMES[peer], *cells]
