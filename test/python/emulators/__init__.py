"""Emulators that execute PTX, and SPIR-V for Intel's GPUs, where there is no GPU.

They are written from the PTX ISA, from SPIR-V and from its extensions alone, and share no code with
the interpreters of the package, so that an error of the compiler's authors shows.
"""
