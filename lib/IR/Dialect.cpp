//===- Dialect.cpp - Registration of the dialect --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::tinytc;

#include "dialect/TinyTCDialect.cpp.inc"

void TinyTCDialect::initialize() {
  // An object of a gpu.binary says what it is for.
  declarePromisedInterface<gpu::TargetAttrInterface, TargetAttr>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/TinyTCOps.cpp.inc"
      >();
}

Operation *TinyTCDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                              Type type, Location loc) {
  return ConstantOp::create(builder, loc, type, value);
}
