//===- MatrixUnit.cpp - What a matrix unit multiplies ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/MatrixUnit.h"
#include "dialect/DiscardableAttrs.h"
#include "dialect/Scalars.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/IR/WarpFragments.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::mayUseTF32(Operation *op) {
  TargetAttr target = findTarget(op);
  return target && target.getAllowTf32();
}

Type tinytc::getMatrixUnitSumType(Type a, Type b, Type c, bool allowTF32) {
  MLIRContext *context = a.getContext();
  if (a != b)
    return {};
  if (isHalf(a) && (isHalf(c) || c.isF32()))
    return Float32Type::get(context);
  if (allowTF32 && a.isF32() && c.isF32())
    return c;
  // Sums that are too large wrap around, in any type.
  if (a.isInteger(8) && (c.isInteger(8) || c.isInteger(16) || c.isInteger(32)))
    return IntegerType::get(context, 32);
  return {};
}

int64_t tinytc::getMatrixUnitDepth(Type type) {
  return 8 * 32 / type.getIntOrFloatBitWidth();
}

bool tinytc::canMultiplyOnUnit(GemmOp op, const Machine &machine,
                               int32_t subgroupSize) {
  if (machine.unit.lanes == 0 || machine.unit.lanes != subgroupSize)
    return false;
  Type a = getScalarType(op.getA().getType()), b = getScalarType(op.getB().getType());
  Type type = getScalarType(op.getC().getType());
  bool isDouble = machine.unit.isTensorCore && a.isF64() && b == a && type == a;
  return isDouble || getMatrixUnitSumType(a, b, type, mayUseTF32(op));
}

bool tinytc::isMatrixUnitProduct(const CoopMatrixProduct &product) {
  int64_t depth = getMatrixUnitDepth(product.a.type.getElementType());
  // Where rows of B are side by side, an operation takes pairs of columns.
  return product.c.sideBySide == 1 && product.getDepth() % depth == 0 &&
         product.b.blockRows == std::min<int64_t>(depth, product.b.subgroupSize) &&
         product.c.type.getColumns() % product.b.sideBySide == 0;
}

/// The most operations of a product. All entries of its matrices are in registers,
/// which more of them do not fit, and drivers take longer for more than for loops.
static constexpr int64_t kMaxOperations = 128;

bool tinytc::isTensorCoreProduct(const CoopMatrixProduct &product) {
  auto fragments = WarpFragments::get(product.a.type.getElementType());
  if (!fragments || product.c.subgroupSize != WarpFragments::kLanes)
    return false;
  int64_t rows = product.c.type.getRows(), depth = product.getDepth();
  int64_t operations =
      llvm::divideCeil(rows, WarpFragments::kRows) *
      llvm::divideCeil(product.c.type.getColumns(), WarpFragments::kColumns) *
      llvm::divideCeil(depth, fragments->depth);
  if (operations > kMaxOperations)
    return false;
  // Whole blocks of rows: what is padding may be anything, NaN too.
  return rows % WarpFragments::kLanes == 0 &&
         (depth % WarpFragments::kLanes == 0 || depth == fragments->depth);
}

PackedProduct PackedProduct::get(const Strategy &strategy) {
  return {strategy.rows / kMaxUnitColumns, strategy.columns / kMaxUnitColumns,
          strategy.gridRows, strategy.gridColumns, strategy.unroll};
}

WarpTile WarpTile::get(const Strategy &strategy) {
  return {strategy.rows / WarpFragments::kColumns,
          strategy.columns / WarpFragments::kRows, strategy.unroll};
}

int64_t WarpTile::getRows() const { return rowBlocks * WarpFragments::kColumns; }
int64_t WarpTile::getColumns() const { return columnBlocks * WarpFragments::kRows; }
