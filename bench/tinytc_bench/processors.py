# SPDX-License-Identifier: BSD-3-Clause
"""Processors with shorter registers than this one's, as our kernels and all peers are made to see.

A processor with AVX-512 runs what one with AVX2 would: the driver, libraries and the C compiler
each have a variable of the environment that says which instructions they may use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple


class Processor(NamedTuple):
    """The names of a processor.

    Args:
        name: the instructions that make the difference.
        driver: by the OpenCL driver.
        compiler: by C compilers.
        libxsmm: by libxsmm.
        mkl: by MKL.
        openblas: by OpenBLAS, which NumPy calls.
        target: by our native code.
    """

    name: str
    driver: str
    compiler: str
    libxsmm: str
    mkl: str
    openblas: str
    target: str


#: By the bytes of a register.
PROCESSORS = {
    16: Processor("SSE4.2", "corei7", "nehalem", "wsm", "SSE4_2", "Nehalem", "x86-64-v2"),
    32: Processor("AVX2", "core-avx2", "haswell", "hsw", "AVX2", "Haswell", "x86-64-v3"),
    64: Processor("AVX-512", "skx", "skylake-avx512", "skx", "AVX512", "SkylakeX", "x86-64-v4"),
}


def environment(vector_bytes: int | None) -> Mapping[str, str]:
    """Return the variables that limit everyone's registers; none for None.

    Args:
        vector_bytes: bytes of a register, a key of `PROCESSORS`.

    >>> environment(32)["LIBXSMM_TARGET"]
    'hsw'
    """
    if vector_bytes is None:
        return {}
    processor = PROCESSORS[vector_bytes]
    flags = f"{os.environ.get('CFLAGS', '')} -march={processor.compiler}"
    return {
        "CL_CONFIG_CPU_TARGET_ARCH": processor.driver,
        "CFLAGS": flags.strip(),
        "LIBXSMM_TARGET": processor.libxsmm,
        "MKL_ENABLE_INSTRUCTIONS": processor.mkl,
        "OPENBLAS_CORETYPE": processor.openblas,
    }
