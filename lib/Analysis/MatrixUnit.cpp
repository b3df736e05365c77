//===- MatrixUnit.cpp - What a matrix unit multiplies ---------------------===//

#include "lib/Analysis/MatrixUnit.h"

using namespace mlir;
using namespace mlir::tinytc;

Type tinytc::getMatrixUnitSumType(Type a, Type b, Type c) {
  MLIRContext *context = a.getContext();
  if (a != b)
    return {};
  bool isHalf = a.isF16() || a.isBF16();
  if (isHalf && (c.isF16() || c.isBF16() || c.isF32()))
    return Float32Type::get(context);
  // Sums that are too large wrap around, in any type.
  if (a.isInteger(8) && (c.isInteger(8) || c.isInteger(16) || c.isInteger(32)))
    return IntegerType::get(context, 32);
  return {};
}

int64_t tinytc::getMatrixUnitDepth(Type type) {
  return 8 * 32 / type.getIntOrFloatBitWidth();
}

bool tinytc::runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize) {
  if (machine.matrixUnitLanes == 0 || machine.matrixUnitLanes != subgroupSize)
    return false;
  auto a = cast<MemrefType>(op.getA().getType());
  auto b = cast<MemrefType>(op.getB().getType());
  auto c = cast<MemrefType>(op.getC().getType());
  if (!getMatrixUnitSumType(a.getElementType(), b.getElementType(), c.getElementType()))
    return false;
  // At least half of the rows, the columns and the steps of an instruction.
  auto isAtLeast = [](MemrefType type, int64_t mode, int64_t least) {
    return type.isDynamicSize(mode) || type.getShape()[mode] >= least;
  };
  int64_t summed = op.getTransposeA() == Transpose::T ? 0 : 1;
  return isAtLeast(c, 0, subgroupSize / 2) && isAtLeast(c, 1, 4) &&
         isAtLeast(a, summed, getMatrixUnitDepth(a.getElementType()) / 2);
}
