# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one element that run for a batch: one more front-end of the language.

A function marked with `@tt.batched` is read as `@tt.kernel` reads one, but its expressions are
whole arrays: `reading` makes a graph of them, `rewriting` improves it, and `scalars` and `memory`
write the kernel, with all elements in registers or with arrays in local memory.
"""
