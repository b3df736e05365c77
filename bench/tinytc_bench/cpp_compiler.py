# SPDX-License-Identifier: BSD-3-Clause
"""Code of the Tiny Tensor Compiler in C++ for cases on GPUs, as measured once.

Version 0.4.0, compiled by the ocloc of Debian 12 (libigc 1.0.12504) with 128 registers. It has no
target dg2; its code for tgl stands in.
"""

INSTRUCTIONS_PER_FMA = {
    "pvc": {
        "gemm.f32.8": 2.7,
        "gemm.f32.16": 1.5,
        "gemm.f32.32": 0.65,
        "gemm.f32.64": 0.76,
        "gemm.f32.56x9x9": 1.9,
        "gemm.f32.35x9x35": 1.4,
        "gemm.f32.20x9x20": 1.9,
        "gemm.f32.56x9x56": 0.94,
        "gemm.f64.32": 1.5,
        "gemm.f64.64": 1.5,
        "gemm.f64.56x9x9": 3.2,
        "gemm.f64.35x9x35": 2.1,
        "gemm.f64.20x9x20": 2.7,
        "gemm.f64.56x9x56": 1.8,
    },
    "dg2": {
        "gemm.f32.8": 2.9,
        "gemm.f32.16": 1.4,
        "gemm.f32.32": 1.5,
        "gemm.f32.64": 1.5,
        "gemm.f32.56x9x9": 3.0,
        "gemm.f32.35x9x35": 2.1,
        "gemm.f32.20x9x20": 2.5,
        "gemm.f32.56x9x56": 1.9,
    },
}
"""Instructions for each FMA of 16 lanes, by GPU and case: those of the hottest loop, or of the
whole kernel if the product is written out."""
