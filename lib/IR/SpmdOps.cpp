//===- SpmdOps.cpp - Cooperative matrices ---------------------------------===//

#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult CooperativeMatrixLoadOp::verify() { return success(); }
LogicalResult CooperativeMatrixMulAddOp::verify() { return success(); }
LogicalResult CooperativeMatrixScaleOp::verify() { return success(); }
LogicalResult CooperativeMatrixStoreOp::verify() { return success(); }
