# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark: our kernels against those of libraries, and the compiler itself.

`cases` says what is computed and `peers` who else computes it. `worker` times it in a separate
process, which `runner` drives. `findings` says what the times mean; `report` and `plot` show it.
"""

BATCHES = ("cache", "memory")
"""Sizes of batches: within the last cache, or far outside."""

PARTS = (
    "kernels",
    "seissol",
    "compile",
    "launch",
    "scaling",
    "distributed",
    "derivatives",
    "batched",
    "solves",
    "packed",
    "zeros",
    "native",
    "gpu",
)
"""Suites of measurements: kernels against peers, those of an application, the compiler, launches,
batches on some of the cores and in the processes of a cluster, reverse derivatives, functions of
one element, factorisations and solves, products of i8 and bf16, patterns of zeros, native code on
one thread, code for GPUs."""

OF_BATCHES = {
    "batched": "functions of one element",
    "solves": "factorisations and solves",
    "packed": "products of i8 and bf16",
    "zeros": "chains with patterns of zeros",
}
"""Suites that time batches beside others that compute the same, in one form of table."""

PEERS = ("c", "numpy", "mkl", "libxsmm")
"""Peers to compare with: plain loops in C, and libraries."""

NATIVE = "native"
"""Our kernels as native code, which are compared like a peer, but no goal asks for."""

NATIVE_BATCHES = {"1 MiB": 2**20, "16 MiB": 2**24}
"""Sizes of the batches in which native code is compared on one thread."""

COMPARED = (*PEERS, NATIVE)
"""All that can be compared with."""

WAYS = {"libxsmm": ("libxsmm", "libxsmm_prefetch", "libxsmm_streaming")}
"""Peers that are called in several ways, the best of which counts: libxsmm's plain kernels, those
that fetch the matrices of the next group, and those that write around the caches."""
