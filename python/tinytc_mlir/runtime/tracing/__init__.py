# SPDX-License-Identifier: BSD-3-Clause
"""What tools see of launches and builds: hooks, traces, and files of programs."""
