//===- SPIRVPasses.td - Passes to SPIR-V -------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_SPIRV_TD
#define TINYTC_PASSES_SPIRV_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// gpu -> spirv
//===----------------------------------------------------------------------===//

def LowerMatrixProductsPass
    : Pass<"tinytc-lower-matrix-products", "::mlir::ModuleOp"> {
  let summary = "prepare products of subgroups for the matrix unit, or write them out";
  let description = [{
    Where the target has a matrix unit for the subgroup size of a kernel, the sums of
    `tinytc.subgroup_matrix_mul_add` become vectors, in loops, too: drivers copy single
    numbers into a row of registers and back in every iteration. Elsewhere, the op
    becomes broadcasts and multiply-adds, and `tinytc.subgroup_block_load` one load for
    each element. So does `tinytc.warp_matrix_mul_add`, by shuffles, on all targets of
    SPIR-V. Results differ by roundings of sums.

    ```
    %1:2 = scf.for ... iter_args(%s = %x, %t = %y) -> (f32, f32) {
      %2:2 = tinytc.subgroup_matrix_mul_add (...), (...), (%s, %t)
    =>
    %0 = vector.from_elements %x, %y : vector<2xf32>
    %1 = scf.for ... iter_args(%v = %0) -> (vector<2xf32>) {
      %2 = tinytc.subgroup_matrix_mul_add (...), (...), (%v)
    ```

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FoldSharedExchangesPass
    : Pass<"tinytc-fold-shared-exchanges", "::mlir::ModuleOp"> {
  let summary = "compute functions of a subgroup without it where all lanes have the same";
  let description = [{
    A `gpu.subgroup_reduce` or `gpu.subgroup_broadcast` of a value that all lanes share
    becomes that value, or its product with the number of lanes. Only for targets whose
    driver fails on such functions (docs/decisions/cpu-driver.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def HideNegationsPass : Pass<"tinytc-hide-negations", "::mlir::ModuleOp"> {
  let summary = "keep negations from values that live across a barrier";
  let description = [{
    Gives ops that LLVM may make a negation of, on the way to a value that lives across
    a barrier of the work-group, a zero that no optimizer knows. Only for targets whose
    driver keeps one such value for all work-items (docs/decisions/cpu-driver.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def HideFirstLanesPass : Pass<"tinytc-hide-first-lanes", "::mlir::ModuleOp"> {
  let summary = "hide conditions that hold for the first lane alone";
  let description = [{
    A condition under which the first lane alone may run becomes a comparison with a
    number that is zero in all launches. Only for targets whose driver loses the mask of
    the other lanes (docs/decisions/cpu-driver.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def ExpandBF16Pass : Pass<"tinytc-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "compute with bf16 in f32";
  let description = [{
    Arithmetic on bf16 is done in f32, and conversions become integer operations: no
    driver takes the type. Modules without bf16 stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def GatherPairsPass : Pass<"tinytc-gather-pairs", "::mlir::ModuleOp"> {
  let summary = "load pairs of elements that lanes read across lines of memory at once";
  let description = [{
    Two loads of adjacent elements of 4 bytes, whose lanes are apart in memory, become a
    `vector.load` of both. Only for targets where gathering numbers of 8 bytes pays.

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def HideLaneStridesPass : Pass<"tinytc-hide-lane-strides", "::mlir::ModuleOp"> {
  let summary = "hide the constant distance of narrow elements that lanes load";
  let description = [{
    Multiplies the index of an element of 8 or 16 bits, or of an integer that may become
    one, by a `tinytc.opaque_index` of 1, unless lanes load neighbours or the same. Only
    for targets whose driver fails on such loads (docs/decisions/cpu-driver.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tinytc::TinyTCDialect"];
}

def ConvertGPUToSPIRVPass
    : Pass<"tinytc-convert-gpu-to-spirv", "::mlir::ModuleOp"> {
  let summary = "convert gpu.module to an OpenCL spirv.module";
  let description = [{
    Converts each `gpu.module` to a `spirv.module` with Physical64 addressing and the
    OpenCL memory model. The result declares more capabilities than it uses;
    `spirv-update-vce` trims them. Prefetches, fused multiply-adds and addresses are as
    the driver of the target wants them.

    Precondition: the module has a target and no bf16. The width of a `gpu.shuffle` is the subgroup
    size of its kernel. All work-items of a subgroup reach a `gpu.subgroup_broadcast`,
    which becomes a broadcast of the group.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def ShareAddressesPass : Pass<"tinytc-share-addresses", "::mlir::ModuleOp"> {
  let summary = "make equal addresses one value";
  let description = [{
    Runs `cse` on each `spirv.module`. Only for targets whose driver would add the
    constants of several accesses to their base outside of loops, and run out of
    registers.

    Precondition: the module has a target.
  }];
}

def OutlineAtomicsPass : Pass<"tinytc-outline-atomics", "::mlir::ModuleOp"> {
  let summary = "call functions for many atomic updates";
  let description = [{
    For a driver that writes atomic updates once for each lane, those of a function with
    more than 256 such lanes become calls of private functions, equal ones of the same
    function. These say `function_control = DontInline`, which their `spirv.func` keeps.
    Results do not change.

    Before: `tinytc.atomic min device relaxed %A[%i], %x : memref<?xf64>, f64 -> f64`

    After: `func.call @__tinytc_atomic(%x, %A, %i) : (f64, memref<?xf64>, index) -> f64`

    Precondition: kernels are `gpu.func` with their `tinytc.subgroup_size`.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::spirv::SPIRVDialect"];
}

def KeepCallsPass : Pass<"tinytc-keep-calls", "::mlir::ModuleOp"> {
  let summary = "keep calls of functions, whose parameters all work-items share";
  let description = [{
    Functions that are no entry points are not inlined, and get their parameters by a
    broadcast: drivers would take pointers for different ones in each work-item. Those
    that say `DontInline` have parameters of each work-item, and stay as they are.

    Precondition: `tinytc-convert-gpu-to-spirv` has run, and entry points have their
    `spirv.entry_point_abi`.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FinalizeSPIRVPass : Pass<"tinytc-finalize-spirv", "::mlir::ModuleOp"> {
  let summary = "complete what upstream leaves out of a spirv.module";
  let description = [{
    Makes each `spirv.module` one that drivers accept:

    - The version is 1.4. `spirv-update-vce` picks the lowest one that a module needs,
      but before 1.4, an entry point must not list variables in local memory, which ours
      do.
    - Capabilities that `spirv-update-vce` overlooks are declared: `Int64Atomics` for
      atomic exchange, compare-exchange and addition on 64 bits, `Linkage` for imported
      functions.
    - Variables without an initial value move to the start of their function, the only
      place that SPIR-V allows; in a loop they would use up the stack.
    - Attributes that have served their purpose are removed: `spirv.target_env`, and
      `known_block_size` and `workgroup_attributions` of functions.

    Precondition: `spirv-update-vce` has run.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // TINYTC_PASSES_SPIRV_TD
