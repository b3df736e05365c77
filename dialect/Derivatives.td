//===- Derivatives.td - How instructions are differentiated ----*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The interface that the passes tinytc-tangent and tinytc-adjoint ask. lib/Derivatives/
// attaches it to the ops, with one rule for each.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_DERIVATIVES_TD
#define TINYTC_DERIVATIVES_TD

include "mlir/IR/OpBase.td"

def TinyTC_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::tinytc";
  let description = [{
    An instruction with a derivative. An op without this interface may not depend on the
    parameters that a kernel is differentiated with respect to.
  }];
  let methods = [
    InterfaceMethod<[{
        Emits the tangents of what the op returns and writes. Instructions that update
        memory emit them before the op, others after it.
      }], "::llvm::LogicalResult", "emitTangent",
      (ins "::mlir::tinytc::derivatives::TangentEmitter &":$emitter)>,
    InterfaceMethod<[{
        Names the values, as they are when the op runs, that its adjoint is made of.
      }], "void", "getAdjointUses",
      (ins "const ::mlir::tinytc::derivatives::Activity &":$activity,
           "::mlir::tinytc::derivatives::AdjointUses &":$uses)>,
    InterfaceMethod<[{
        Emits the adjoint: adds to the adjoints of what the op reads, and sets those of
        what it writes to their values before the op.
      }], "::llvm::LogicalResult", "emitAdjoint",
      (ins "::mlir::tinytc::derivatives::AdjointEmitter &":$emitter)>
  ];
}

#endif // TINYTC_DERIVATIVES_TD
