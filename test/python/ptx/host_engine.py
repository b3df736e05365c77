"""Compiles modules of the LLVM dialect for the host."""

import ctypes
import pathlib

import mlir
from mlir import ir
from mlir.execution_engine import ExecutionEngine

# Conversions to bf16, which code for processors without instructions for it calls.
_FLOAT16_UTILS = pathlib.Path(next(iter(mlir.__path__)), "lib", "libmlir_float16_utils.so")


class HostEngine:
    """The functions of a module; each takes one pointer to the addresses of its parameters.

    Args:
        context: the context of the project.
        text: the functions in the LLVM dialect.
    """

    def __init__(self, context, text):
        with context.mlir_context:
            self._module = ir.Module.parse(f"module {{\n{text}\n}}")
            self._engine = ExecutionEngine(self._module, shared_libs=[str(_FLOAT16_UTILS)])

    def function(self, name):
        """Return the function `name`; it must call nothing that the host does not have."""
        address = self._engine.raw_lookup(name)
        assert address, f"{name} cannot be linked"
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
