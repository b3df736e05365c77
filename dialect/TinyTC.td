//===- TinyTC.td - The Tiny Tensor dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Dialect, base classes, and the one entry point of every generator: including
// this file yields the whole language.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_TD
#define TINYTC_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def TinyTC_Dialect : Dialect {
  let name = "tinytc";
  let cppNamespace = "::mlir::tinytc";
  let summary = "batched kernels on small tensors";
  let description = [{
    The instructions and types of the Tiny Tensor language, one op for each
    instruction, named by the language's own word.

    A `tinytc.func` is a kernel: it is launched over a batch of work-groups, each
    made of subgroups of work-items. *Collective* ops distribute their work among
    all work-items of a work-group and must be in a collective region, *SPMD* ops run
    once for each work-item and must be in an SPMD region (`tinytc.parallel`,
    `tinytc.foreach`, `tinytc.foreach_tile`), *mixed* ops may be in either.

    Memory is column-major: the first mode of a memref has the smallest stride.

    Constraints:
    * `collective_c1`: a collective op is not in an SPMD region
    * `spmd_c1`: an SPMD op is not in a collective region
    * `attribute_c1`: an attribute `tinytc.*` is one of those that the dialect declares
    * `attribute_c2`: it is on an op of the kind that it is made for: `tinytc.target` on a
      module; `tinytc.subgroup_size`, `tinytc.work_group_size` and `tinytc.schedule` on a
      kernel of another dialect; `tinytc.manifest` on any kernel;
      `tinytc.local_offset` on a `tinytc.alloca` or `tinytc.gemm`; `tinytc.strategy` on a
      BLAS-like instruction, a product or load of cooperative matrices, a `linalg.generic`
      or an `scf.forall`; `tinytc.unroll` on a loop of another dialect; `tinytc.fences` on
      a `gpu.barrier`;
      `tinytc.alignment`, `tinytc.shape_gcd`, `tinytc.stride_gcd`, `tinytc.nonzero`,
      `tinytc.modes`, `tinytc.buffer` and `tinytc.name` on a parameter of a kernel
    * `attribute_c3`: it has the type that the dialect declares for it
    * `attribute_c4`: `tinytc.subgroup_size` and `tinytc.work_group_size` keep the rules
      func_c3 to func_c5
    * `attribute_c5`: `tinytc.local_offset` is a multiple of the size of the element type,
      not negative and less than 2^31

    Source: tensor language reference, execution model.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Attributes that passes leave for later ones, and promises on parameters.
  let discardableAttrs = (ins
    // On a module: the device that it is lowered for.
    "::mlir::tinytc::TargetAttr":$target,
    // On a kernel of another dialect: what the attributes of tinytc.func were.
    "::mlir::IntegerAttr":$subgroup_size,
    "::mlir::DenseI32ArrayAttr":$work_group_size,
    "::mlir::tinytc::ScheduleAttr":$schedule,
    // On any kernel: what a launch must know, as far as passes have described it.
    "::mlir::tinytc::ManifestAttr":$manifest,
    // On an alloca: its place in the local memory of the work-group, in bytes. On a
    // gemm: that of its factors in the order that the matrix unit takes.
    "::mlir::IntegerAttr":$local_offset,
    // On an instruction, a linalg.generic or an scf.forall: how it is computed.
    "::mlir::tinytc::StrategyAttr":$strategy,
    // On a loop of another dialect: the request to unroll it, fully or by a factor, or
    // not to.
    "::mlir::IntegerAttr":$unroll,
    // On a gpu.barrier: the address spaces that it fences.
    "::mlir::ArrayAttr":$fences,
    // On a global variable of SPIR-V: its elements, which never change.
    "::mlir::DenseElementsAttr":$elements,
    // On a memref or group parameter.
    "::mlir::IntegerAttr":$alignment,
    "::mlir::DenseI64ArrayAttr":$shape_gcd,
    "::mlir::DenseI64ArrayAttr":$stride_gcd,
    // Boxes of a pattern of zeros, each an array of i64 (TinyTC_NonzeroAttr).
    "::mlir::ArrayAttr":$nonzero,
    // On a memref parameter: mode i is mode modes[i] of the array that a launch passes.
    "::mlir::DenseI64ArrayAttr":$modes,
    // On a memref parameter that a launch allocates if it is not given: four numbers for
    // each dynamic size (a parameter, its mode, added, divisor).
    "::mlir::DenseI64ArrayAttr":$buffer,
    // On any parameter: its name in launches.
    "::mlir::StringAttr":$name
  );
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

include "dialect/Attrs.td"
include "dialect/Manifest.td"
include "dialect/Scalars.td"
include "dialect/Types.td"
include "dialect/Interfaces.td"

class TinyTC_Op<string mnemonic, list<Trait> traits = []>
    : Op<TinyTC_Dialect, mnemonic, traits>;

class TinyTC_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Collective], traits)>;

class TinyTC_MixedOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Mixed], traits)>;

class TinyTC_SpmdOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Spmd], traits)>;

include "dialect/CollectiveOps.td"
include "dialect/BlasOps.td"
include "dialect/FactorOps.td"
include "dialect/ScalarOps.td"
include "dialect/ControlFlowOps.td"
include "dialect/MemoryOps.td"
include "dialect/SpmdOps.td"
include "dialect/AtomicOps.td"
include "dialect/CoopMatrixOps.td"
include "dialect/LoweringOps.td"
include "dialect/CheckOps.td"

#endif // TINYTC_TD
