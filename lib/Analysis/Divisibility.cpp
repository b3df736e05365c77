//===- Divisibility.cpp - What divides an index ---------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Divisibility.h"
#include "dialect/DiscardableAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;

/// How many operations are looked through: programs may nest them arbitrarily deep.
static constexpr unsigned kMaxDepth = 16;

static int64_t getDivisor(OpFoldResult index, unsigned depth);

/// The divisor that the parameter `value` promises for mode `mode` of itself or, if it
/// is a group, of its members.
static int64_t getPromise(Value value, int64_t mode) {
  auto parameter = dyn_cast<BlockArgument>(value);
  auto func =
      parameter ? dyn_cast<func::FuncOp>(parameter.getOwner()->getParentOp()) : nullptr;
  if (!func)
    return 1;
  DenseI64ArrayAttr divisors = getParameterAttr<TinyTCDialect::ShapeGcdAttrHelper>(
      func, parameter.getArgNumber());
  return divisors && mode < divisors.size() ? divisors[mode] : 1;
}

/// The divisor of a size of a memref.
static int64_t getSizeDivisor(Value memref, int64_t mode, unsigned depth) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(mode))
    return type.getDimSize(mode);
  if (depth == 0)
    return 1;
  bool isGroup = isa<MemRefType>(type.getElementType());
  Operation *op = memref.getDefiningOp();
  if (!op)
    return isGroup ? 1 : getPromise(memref, mode);
  if (auto load = dyn_cast<memref::LoadOp>(op)) // a member of a group
    return getPromise(load.getMemRef(), mode);
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return getDivisor(view.getMixedSizes()[mode], depth - 1);
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return getSizeDivisor(cast.getSource(), mode, depth - 1);
  return 1;
}

static int64_t getDivisor(OpFoldResult index, unsigned depth) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return *known == std::numeric_limits<int64_t>::min() ? 1 : std::abs(*known);
  Operation *op = cast<Value>(index).getDefiningOp();
  if (!op || depth == 0)
    return 1;
  auto getOperandDivisor = [&](unsigned i) {
    return getDivisor(op->getOperand(i), depth - 1);
  };
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> mode = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    bool isMode = mode && type && *mode >= 0 && *mode < type.getRank();
    return isMode ? getSizeDivisor(dim.getSource(), *mode, depth) : 1;
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    auto sizes = metadata.getSizes();
    auto size = llvm::find(sizes, cast<Value>(index));
    return size == sizes.end()
               ? 1
               : getSizeDivisor(metadata.getSource(), size - sizes.begin(), depth);
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(getOperandDivisor(0), getOperandDivisor(1));
  if (isa<arith::MulIOp>(op)) {
    int64_t product;
    bool overflows =
        llvm::MulOverflow(getOperandDivisor(0), getOperandDivisor(1), product);
    return overflows ? 1 : product;
  }
  return 1;
}

int64_t tinytc::getDivisor(OpFoldResult index) {
  return ::getDivisor(index, kMaxDepth);
}

bool tinytc::isZeroOrAtLeast(OpFoldResult index, int64_t least) {
  int64_t divisor = getDivisor(index);
  return divisor == 0 || divisor >= least;
}
