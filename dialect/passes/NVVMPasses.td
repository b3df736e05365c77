//===- NVVMPasses.td - Passes to PTX -----------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_NVVM_TD
#define TINYTC_PASSES_NVVM_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// gpu -> nvvm -> ptx
//===----------------------------------------------------------------------===//

def ConvertGPUToNVVMPass
    : Pass<"tinytc-convert-gpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "convert the kernels of a gpu.module to the llvm and nvvm dialects";
  let description = [{
    Each `gpu.func` becomes an `llvm.func` that is a kernel of the target, in the same
    `gpu.module`. Its parameters are those of the kernel ABI: memrefs are pointers to
    global memory, complex numbers vectors of two. Local memory is a variable; more than
    a kernel may declare, 48 KiB, is provided by the launch, all of it; the entry
    `local_memory_bytes` of `tinytc.manifest` says how much there is.

    A subgroup is a warp or an aligned part of one. Functions of math become arithmetic
    within 2 units in the last place, so that no library has to be linked.

    Before this pass, a kernel is the code of one group. With the entry `groups_of_block`
    of its manifest, it becomes the code of that many groups side by side in one block.
    The group is the third thread id, each group has local memory of its own, barriers
    and shuffles name its lanes, and the number of groups is the last parameter.

    Precondition: the module has a target of the family `nvidia_gpu`. The width of a
    `gpu.shuffle` is the subgroup size of its kernel. All work-items of a subgroup reach
    its shuffles, broadcasts and reductions.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def SerializeToPTXPass : Pass<"tinytc-serialize-to-ptx", "::mlir::ModuleOp"> {
  let summary = "compile kernels of the llvm dialect to PTX";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` of the same name that holds the PTX of
    its kernels as text, optimized by LLVM, and their manifests. No part of NVIDIA's
    toolkit is needed.

    Precondition: the module has a target of the family `nvidia_gpu`.
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

#endif // TINYTC_PASSES_NVVM_TD
