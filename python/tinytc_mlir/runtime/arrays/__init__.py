# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of callers: what they look like to a kernel, their memory and its copies."""
