//===- Interfaces.td - Traits and interfaces of ops ----------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Where an op may be (collective, SPMD, mixed) and what kind of region an op opens; the
// rule itself is checked in one place, lib/IR/Interfaces.cpp. What the BLAS-like
// instructions have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_INTERFACES_TD
#define TINYTC_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

//===----------------------------------------------------------------------===//
// Execution kinds
//===----------------------------------------------------------------------===//

class TinyTC_ExecutionTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::tinytc";
}

/// The work is distributed among all work-items: must not be in an SPMD region.
def Collective : TinyTC_ExecutionTrait<"Collective">;
/// Runs once for each work-item: must not be in a collective region.
def Spmd : TinyTC_ExecutionTrait<"Spmd">;
/// May be in both kinds of regions.
def Mixed : TinyTC_ExecutionTrait<"Mixed">;

/// Its regions are collective regions.
def CollectiveRegion : TinyTC_ExecutionTrait<"CollectiveRegion">;
/// Its regions are SPMD regions.
def SpmdRegion : TinyTC_ExecutionTrait<"SpmdRegion">;

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

/// The types of results follow from operands and attributes, by a rule that traits cannot
/// state. The op's verifier compares them, after it has checked the attributes. Other ops
/// with results do not have the interface: the program gives their type, or the region
/// does, which a builder fills after it has made the op.
def TinyTC_InferredResult : InferTypeOpAdaptorBase<[{
  static ::llvm::LogicalResult
  refineReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location>,
                    ::mlir::ValueRange, ::mlir::DictionaryAttr,
                    ::mlir::OpaqueProperties, ::mlir::RegionRange,
                    ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::llvm::success();
  }
}]>;

//===----------------------------------------------------------------------===//
// BLAS-like instructions
//===----------------------------------------------------------------------===//

def TinyTC_BlasOpInterface : OpInterface<"BlasOpInterface"> {
  let cppNamespace = "::mlir::tinytc";
  let description = [{
    An instruction dest := alpha P + beta dest, or the same as an atomic update.

    P is the product of the factors, `a` and, if there are two, `b`. It has a mode for
    each mode of the destination, in this order, and then a mode that is summed up if the
    instruction is a reduction: (i, j, k) for `gemm`, (i, k) for `gemv`, (i, j) for `ger`.
  }];
  let methods = [
    InterfaceMethod<"Returns the scalar that multiplies the product.",
      "::mlir::Value", "getAlpha">,
    InterfaceMethod<"Returns the scalar that multiplies the destination.",
      "::mlir::Value", "getBeta">,
    InterfaceMethod<"Whether the destination is updated atomically.",
      "bool", "getAtomic">,
    InterfaceMethod<"Returns the operand that is updated.",
      "::mlir::OpOperand &", "getDestinationMutable">,
    InterfaceMethod<"Returns the factors in the order of the operands.",
      "::llvm::SmallVector<::mlir::tinytc::BlasFactor, 2>", "getFactors">,
    InterfaceMethod<"Checks the orders and shapes of the memrefs.",
      "::llvm::LogicalResult", "verifyShapes">
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::TypedValue<::mlir::tinytc::MemrefType> getDestination() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::tinytc::MemrefType>>(
          $_op.getDestinationMutable().get());
    }
    /// The sizes of the product's modes: static if one of the memrefs says so.
    ::llvm::SmallVector<int64_t> getProductShape() {
      return ::mlir::tinytc::getProductShape($_op);
    }
    /// Whether the product has a mode that is summed up.
    bool isReduction() {
      ::mlir::tinytc::MemrefType dest = getDestination().getType();
      return static_cast<int64_t>(getProductShape().size()) > dest.getOrder();
    }
  }];
  let verify = [{
    return ::mlir::tinytc::verifyBlasOp(
        ::llvm::cast<::mlir::tinytc::BlasOpInterface>($_op));
  }];
}

//===----------------------------------------------------------------------===//
// Atomic instructions
//===----------------------------------------------------------------------===//

def TinyTC_AtomicOpInterface : OpInterface<"AtomicOpInterface"> {
  let cppNamespace = "::mlir::tinytc";
  let description = [{
    An instruction that accesses elements of a memref atomically, each on its own.
  }];
  let methods = [
    InterfaceMethod<"Returns what is done to each element.",
      "::mlir::tinytc::AtomicKind", "getAtomicKind">,
    InterfaceMethod<"Returns for which work-items the access is one step.",
      "::mlir::tinytc::MemoryScope", "getScope">,
    InterfaceMethod<"Returns which other accesses it orders.",
      "::mlir::tinytc::MemorySemantics", "getSemantics">,
    InterfaceMethod<"Returns the memref that is accessed.",
      "::mlir::Value", "getAccessedMemref">,
    InterfaceMethod<"Returns the indices of the element, or of the first component.",
      "::mlir::OperandRange", "getAccessedIndices">,
    InterfaceMethod<"Returns the type of the matrix, null for an access to one element.",
      "::mlir::tinytc::CoopMatrixType", "getAccessedMatrix">,
    InterfaceMethod<"Whether the transpose of the matrix is accessed.",
      "bool", "isTransposed">,
    InterfaceMethod<"Returns the modes of the matrix with a bounds check.",
      "::mlir::tinytc::Checked", "getCheckedModes">
  ];
}

#endif // TINYTC_INTERFACES_TD
