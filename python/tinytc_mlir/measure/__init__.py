# SPDX-License-Identifier: BSD-3-Clause
"""What `tinytc run`, the tuner and the benchmarks share: random data, times, errors, flops."""
