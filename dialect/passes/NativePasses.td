//===- NativePasses.td - Passes to machine code ------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_NATIVE_TD
#define TINYTC_PASSES_NATIVE_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From the gpu stage to machine code of a processor
//===----------------------------------------------------------------------===//

def ConvertGPUToVectorPass
    : Pass<"tinytc-convert-gpu-to-vector", "::mlir::ModuleOp"> {
  let summary = "make a vector of the work-items of a work-group";
  let description = [{
    Each `gpu.func`, the code of one work-item, becomes a `func.func` that runs
    work-groups one after the other. A value that is the same for all lanes stays a
    scalar, and so does an index that grows by a constant from lane to lane; any other is
    a vector with an element for each lane. A condition that differs between lanes is a
    mask: of loads, stores and updates of what a loop carries. Barriers are gone. Local
    memory and arrays of a work-item are on the stack if all of them take at most 32 KiB.

    A kernel that only computes numbers of its group, the same for all lanes, runs as many
    groups at once as fill registers, and those that are left one by one. Elements next to
    each other in memory are loaded and stored as vectors and transposed in registers.

    The parameters are those of the kernel ABI as scalars and pointers, a complex number
    being two, and f16 its bits as i16. Then follow seven of i64: the first and the last
    work-group in x (the latter is not run), the ids in y and z, and the numbers of
    work-groups in x, y and z. A kernel with more than 32 KiB of local memory, or of
    local memory and arrays, takes a pointer to such memory as its last parameter; the
    entry `local_memory_bytes` of `tinytc.manifest` says how much it is. More than 8 MiB
    is an error.

    Functions of math become arithmetic. If those of a kernel are more than about 8,192
    instructions, the arithmetic is in functions without a manifest, which the kernel
    calls with pointers to the operands and results of all lanes.

    Precondition: the module has a target of the family `native`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LoopOverSubgroupsPass
    : Pass<"tinytc-loop-over-subgroups", "::mlir::ModuleOp"> {
  let summary = "run the subgroups of a work-group one after the other";
  let description = [{
    Makes a kernel of one subgroup of a `gpu.func` of several: what is between two
    barriers becomes a loop over the subgroups, and the barriers are gone. Values that
    live across a barrier are in arrays with an element for each subgroup, and arrays of
    a work-item that do are as many times as large. Those that are the same for all
    subgroups are computed once, and a few operations on integers again.

    ```mlir
    %x = memref.load %a[%i]       // before
    gpu.barrier
    memref.store %x, %b[%i]

    %kept = memref.alloca()       // after
    scf.for %subgroup = ... {
      %x = memref.load %a[%i]
      memref.store %x, %kept[%subgroup]
    }
    scf.for %subgroup = ... {
      %x = memref.load %kept[%subgroup]
      memref.store %x, %b[%i]
    }
    ```

    Kernels stay as they are if a barrier is in a `while` or where work-items may part,
    or if a value that lives across a barrier can neither be kept nor computed again, as
    a pointer that a kernel loads from a group.

    Precondition: the module has a target, and the sizes of kernels are known. Results
    do not differ but for the order of atomic accesses.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SimplifyLoopsPass : Pass<"tinytc-simplify-loops"> {
  let summary = "canonicalize the bodies of loops, inner loops first, then all";
  let description = [{
    Upstream's canonicalizer visits a loop again whenever it has changed an op in it, and
    visits all ops of the loop to find out whether it is dead. Here, little is left to
    change when it visits loops. Upstream's pattern for equal values that a loop carries
    compares all pairs of them; another one takes its place.
  }];
}

def ConvertVectorToLLVMPass
    : Pass<"tinytc-convert-vector-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert functions of a gpu.module to the llvm dialect";
  let description = [{
    Uses upstream's patterns. Only bf16 is not left to LLVM: it is computed in f32, and
    results are rounded by operations on integers, since the instruction of processors
    turns subnormal numbers into 0. The same holds for f16 on targets without an
    instruction that converts it.

    The loops of a function with more than 40 become functions, one for those that
    compute the same: LLVM's time grows with the square of the loops of a function.

    Stores of whole lines to results that a kernel never reads have a second version,
    past the caches, for launches with large batches
    ([why](decisions/native-speed.md)).

    Precondition: the module has a target of the family `native`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def SerializeToObjectPass
    : Pass<"tinytc-serialize-to-object", "::mlir::ModuleOp"> {
  let summary = "compile functions of the llvm dialect to an object file";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` of the same name that holds a
    relocatable object file (ELF, position-independent) with the code of its kernels for
    the processor of the target, optimized by LLVM, and their manifests. For people, the
    object can be the text of its assembly or of its LLVM IR instead.

    Precondition: the module has a target of the family `native`.
  }];
  let options = [
    Option<"form", "form", "::mlir::tinytc::CodeForm",
           "::mlir::tinytc::CodeForm::Object", "What is written",
           [{::llvm::cl::values(
             clEnumValN(::mlir::tinytc::CodeForm::Object, "object", "an object file"),
             clEnumValN(::mlir::tinytc::CodeForm::Assembly, "asm", "its assembly"),
             clEnumValN(::mlir::tinytc::CodeForm::LLVM, "llvm-ir",
                        "its LLVM IR"))}]>
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

#endif // TINYTC_PASSES_NATIVE_TD
