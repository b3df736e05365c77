# SPDX-License-Identifier: BSD-3-Clause
"""Random data, times, errors and flops for `tinytc run`, the tuner and the benchmarks."""
