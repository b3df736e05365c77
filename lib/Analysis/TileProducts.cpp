//===- TileProducts.cpp - Products of tiles as matrices -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/TileProducts.h"
#include "dialect/Scalars.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The type in which parts of elements are summed up.
static Type getSumType(GemmOp op) {
  return getComputeType(getRealType(getScalarType(op.getC().getType())));
}

bool tinytc::hasNarrowFactors(GemmOp op) {
  Type a = getRealType(getScalarType(op.getA().getType()));
  Type b = getRealType(getScalarType(op.getB().getType()));
  Type sum = getSumType(op);
  return a == b &&
         ((sum.isF32() && isHalf(a)) || (sum.isInteger(32) && a.isInteger(8)));
}

bool tinytc::hasMatrixTiles(GemmOp op) {
  return hasNarrowFactors(op) || isa<FloatType>(getSumType(op));
}
