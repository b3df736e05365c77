"""Functions of numbers as the conversion to NVVM computes them, run on the host."""

import ctypes
import re

import numpy as np

import tinytc_mlir as tt
from ptx.host_engine import HostEngine

_KERNEL = """
module attributes {{tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [32], max_work_group_size = 1024, local_memory_bytes = 0, f64 = true>}} {{
  gpu.module @kernels {{
    gpu.func @apply(%x: memref<?x{type}>, %y: memref<?x{type}>, %z: memref<?x{type}>,
        %n: index) kernel
        attributes {{known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32}} {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      scf.for %i = %zero to %n step %one {{
        %a = memref.load %x[%i] : memref<?x{type}>
        %b = memref.load %y[%i] : memref<?x{type}>
        %c = {function} {operands} : {type}
        memref.store %c, %z[%i] : memref<?x{type}>
      }}
      gpu.return
    }}
  }}
}}
"""
_DTYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "f64": np.float64}


class HostFunction:
    """A function of one or two numbers on arrays.

    Args:
        function: name of the op.
        type_: "f16", "f32" or "f64"; "bf16" are words of 16 bits.
        num_operands: number of operands.
    """

    def __init__(self, function, type_, num_operands=1):
        self._dtype = _DTYPES[type_]
        self._context = tt.Context()
        operation = self._context.parse_mlir(
            _KERNEL.format(
                function=function, type=type_, operands=", ".join(["%a", "%b"][:num_operands])
            )
        ).operation
        self._context.run_pipeline("tinytc-convert-gpu-to-nvvm", operation)
        (kernels,) = operation.regions[0].blocks[0].operations
        text = "\n".join(map(str, kernels.operation.regions[0].blocks[0].operations))
        text = re.sub(r"attributes \{[^}]*\}", "", text)
        self._engine = HostEngine(self._context, text)  # owns the code
        self._function = self._engine.function("apply")

    def __call__(self, x, y=None):
        x = np.ascontiguousarray(x, self._dtype)
        y = x if y is None else np.ascontiguousarray(y, self._dtype)
        assert x.shape == y.shape
        z = np.empty_like(x)
        values = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, z)]
        values.append(ctypes.c_int64(x.size))
        packed = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
        self._function(ctypes.addressof(packed))
        return z
