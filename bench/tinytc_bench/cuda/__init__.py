# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark on NVIDIA GPUs: `python -m tinytc_bench.cuda FOLDER`.

It needs neither the compiler nor MLIR: `test/cuda_cases.py FOLDER` writes programs, arguments and
expected results on a machine that has them. On the GPU's machine numpy and cuda-bindings are enough
for all but the peers, which are compared with where they are installed: cuBLAS through PyTorch or
CuPy, Triton, and cuTile.
"""
