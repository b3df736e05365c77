//===- LinalgPasses.td - Passes to the gpu stage -----------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_LINALG_TD
#define TINYTC_PASSES_LINALG_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// tinytc -> linalg
//===----------------------------------------------------------------------===//

def ConvertToLinalgPass
    : Pass<"tinytc-convert-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower kernels to linalg, scf and scalar arithmetic";
  let description = [{
    Each `tinytc.func` becomes a `func.func` with builtin memrefs. Collective
    BLAS-like instructions become linalg ops, `foreach` becomes `scf.forall`, scalar
    code becomes arith, math, complex and scf, cooperative matrices become the scalars
    that each work-item holds. Barriers must have been inserted already: after this
    pass, the region of a `parallel` cannot be distinguished from the code around it.

    Precondition: the kernel has a subgroup size and a work-group size, and each alloca
    a place in local memory.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// linalg -> gpu
//===----------------------------------------------------------------------===//

def NormalizeLinalgPass : Pass<"tinytc-normalize-linalg", "::mlir::ModuleOp"> {
  let summary = "bring linalg ops into the forms that are distributed";
  let description = [{
    Upstream's passes may have generalized, specialized, interchanged or tiled the ops of
    the linalg stage. Afterwards all of them are `linalg.generic`, but for fills of
    accumulators, with the loops of the destination first. A sum that was tiled has its
    accumulator in local memory, which must be large enough, and each part of it is added
    to that. So is a sum whose destination is no accumulator.

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def DistributeLinalgPass : Pass<"tinytc-distribute-linalg", "::mlir::ModuleOp"> {
  let summary = "distribute linalg ops and parallel loops over the work-items";
  let description = [{
    Rewrites each linalg op and each `scf.forall` into the loops of one work-item, as its
    attribute `tinytc.strategy` says; one that does not fit the op is an error.
    Rows of a destination go along the first dimension of the work-group, columns along
    the second one. Sums are kept in registers: this pass removes the accumulator in
    private memory. The order of summation is that of the source.

    Precondition: the module has a target, the kernel has the attributes
    `tinytc.work_group_size` and `tinytc.subgroup_size`; `tinytc-normalize-linalg` and
    `tinytc-choose-strategies` have run.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def OutlineKernelsPass : Pass<"tinytc-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "make gpu.func kernels whose memrefs are pointers";
  let description = [{
    Moves the kernels into one `gpu.module`. Parameters follow the kernel ABI: a memref
    becomes a one-dimensional memref, then an index for each dynamic size and each
    dynamic stride; a group becomes a memref of memrefs, then a memref of i64 for each
    dynamic size and stride of its elements, then its dynamic size, then its dynamic
    offset; scalars become what the ABI passes for them. Every access becomes an access to
    a one-dimensional memref at a linear index.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

def OutlineProductsPass : Pass<"tinytc-outline-products", "::mlir::ModuleOp"> {
  let summary = "make functions of products that a kernel repeats";
  let description = [{
    `tinytc-distribute-linalg` puts products into an `scf.execute_region` each if the
    machine gains by calls. Those of a kernel that differ only in their pointers and
    indices become calls of one `func.func`; what the region gets of constants and the
    number of the work-item is computed again in the function. The others are put back
    to where they were.

    Drivers take long to compile a kernel, and as long again for each copy of a product.
  }];
  let options = [Option<"minOps", "min-ops", "int64_t", "48",
                        "Operations that a function has at least, to be worth a call.">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def NarrowLoopsPass
    : InterfacePass<"tinytc-narrow-loops", "::mlir::FunctionOpInterface"> {
  let summary = "let loops count in 32 bits where that is cheaper";
  let description = [{
    Gives each `scf.for` over indices whose constant bounds and step allow it a counter
    of type i32, which is converted to an index at the start of its body. Only for
    targets where numbers of 64 bits take more instructions; other loops stay.

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ConvertCountingLoopsPass
    : InterfacePass<"tinytc-convert-counting-loops", "::mlir::FunctionOpInterface"> {
  let summary = "write loops over a range as loops with a condition";
  let description = [{
    Converts each `scf.for` to an `scf.while`, which carries the counter as its first
    value and keeps the attributes of the loop. Upstream's `scf-for-to-while` does the
    same, but visits and folds all operations; and upstream's conversion of `scf.for` to
    SPIR-V loses the initial values of a loop that never runs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SeparateBlockLoadsPass
    : InterfacePass<"tinytc-separate-block-loads", "::mlir::FunctionOpInterface"> {
  let summary = "separate loops that read blocks from those that read elements";
  let description = [{
    A `cooperative_matrix_load` reads blocks where the address of its matrix allows, else
    elements: an `scf.if` with a `tinytc.subgroup_block_load`. Where its condition is the
    same in all iterations of a loop without barriers, the loop becomes two, one for all
    such conditions and one for elements only, which ask the driver not to unroll them.
    What follows in the block, up to a barrier or other blocks, goes into both branches.

    ```
    %1 = scf.for ... iter_args(%s = %x) -> f32 {
      %2:16 = scf.if %c -> (f16, ...) {
        %3:16 = tinytc.subgroup_block_load ...
        scf.yield %3#0, ...
      } else {
        ...
      }
    =>
    scf.if %c {
      %1 = scf.for ... iter_args(%s = %x) -> f32 {
        %3:16 = tinytc.subgroup_block_load ...
      ...
    } else {
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def UnrollLoopsPass
    : InterfacePass<"tinytc-unroll-loops", "::mlir::FunctionOpInterface"> {
  let summary = "unroll the loops that ask for it";
  let description = [{
    Unrolls each `scf.for` with `tinytc.unroll = true` and a known number of iterations,
    and makes four iterations one where it has `tinytc.unroll = 4 : i64`.
    A kernel does not grow beyond `max-ops`, since the time that a driver needs to
    compile it grows faster than its size: a loop that would be too large is unrolled by
    the largest factor within the limit and then asks not to be unrolled further. A
    factor in the program is kept, whatever the limit, but it may make at most 65536 ops
    of a loop. Other requests, and `tinytc.unroll = false`, become SPIR-V loop controls.

    Precondition: the module has a target.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "limit on the ops of an unrolled kernel, not counting constants and indices; "
           "0: the target's limit">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

#endif // TINYTC_PASSES_LINALG_TD
