# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that are written as functions of Python: one more front-end of the language.

A function marked with `@tt.kernel` is read as a syntax tree; nothing of it is executed or traced.
Its statements become the nodes that the text's parser makes, so that the same emitter and verifier
make the module.
"""
