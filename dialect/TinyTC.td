//===- TinyTC.td - The Tiny Tensor dialect ------------------*- tablegen -*-===//
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
    all work-items of a work-group and must stand in a collective region, *SPMD* ops
    run once for each work-item and must stand in an SPMD region (`tinytc.parallel`,
    `tinytc.foreach`), *mixed* ops may stand in both.

    Memory is column-major: the first mode of a memref has the smallest stride.

    Constraints:
    * `collective_c1`: a collective op does not stand in an SPMD region
    * `spmd_c1`: an SPMD op does not stand in a collective region

    Source: tensor language reference, execution model.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

include "dialect/Attrs.td"
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
include "dialect/ScalarOps.td"
include "dialect/ControlFlowOps.td"
include "dialect/MemoryOps.td"
include "dialect/SpmdOps.td"
include "dialect/LoweringOps.td"

#endif // TINYTC_TD
