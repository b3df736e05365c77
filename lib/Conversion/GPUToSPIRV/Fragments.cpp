//===- Fragments.cpp - Pieces of factors that are loaded at once ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A work-item's operand of the matrix unit fills eight registers. If
// it lies side by side in local memory, one load of 32 bytes brings it: of loads of 16
// bytes or of elements, Intel's compilers would move each register to its place.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"
#include "lib/Families/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

/// A work-item's operand, also as words of 64 bits, since MLIR reads pointers to
/// vectors of four numbers at most, and as registers of 32 bits.
static constexpr int64_t kOperandBytes = 32, kWords = 4, kRegisters = 8;
/// The most elements of a vector in OpenCL.
static constexpr int64_t kMaxVectorElements = 16;

/// A sum of products with constants divided by `divisor`, which divides all of them;
/// null if `index` is something else.
static Value divide(ImplicitLocOpBuilder &builder, Value index, int64_t divisor) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    int64_t value = constant.getSExtValue();
    return value % divisor == 0 ? createIndex(builder, value / divisor) : Value();
  }
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    Value lhs = divide(builder, sum.getLhs(), divisor);
    Value rhs = lhs ? divide(builder, sum.getRhs(), divisor) : Value();
    return rhs ? arith::AddIOp::create(builder, lhs, rhs).getResult() : Value();
  }
  auto product = index.getDefiningOp<arith::MulIOp>();
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&constant)) ||
      constant.getSExtValue() % divisor != 0)
    return {};
  return arith::MulIOp::create(builder, product.getLhs(),
                               createIndex(builder, constant.getSExtValue() / divisor));
}

/// The loads of the entries, by ascending addresses. Empty unless they load adjacent
/// elements, in this order, and no op between them may write.
static SmallVector<memref::LoadOp> findPiece(ValueRange entries) {
  SmallVector<std::pair<int64_t, memref::LoadOp>> loads;
  Value base, memory;
  for (Value entry : entries) {
    if (auto cast = entry.getDefiningOp<arith::BitcastOp>())
      entry = cast.getIn();
    auto load = entry.getDefiningOp<memref::LoadOp>();
    if (!load || load.getIndices().size() != 1)
      return {};
    auto [index, distance] = splitConstant(load.getIndices().front());
    if (loads.empty()) {
      base = index;
      memory = load.getMemref();
    }
    if (index != base || load.getMemref() != memory ||
        (!loads.empty() && load->getBlock() != loads.front().second->getBlock()))
      return {};
    loads.emplace_back(distance, load);
  }
  llvm::sort(loads, [](auto &a, auto &b) { return a.first < b.first; });
  SmallVector<memref::LoadOp> piece;
  for (auto [distance, load] : loads) {
    if (distance != loads.front().first + int64_t(piece.size()) ||
        (!piece.empty() && !piece.back()->isBeforeInBlock(load)))
      return {};
    piece.push_back(load);
  }
  for (Operation *op = piece.front(); op != piece.back(); op = op->getNextNode())
    if (!isa<memref::LoadOp>(op) && !isPure(op))
      return {};
  return piece;
}

void tinytc::loadFragmentAtOnce(ValueRange entries) {
  SmallVector<memref::LoadOp> piece = findPiece(entries);
  if (piece.empty() || !piece.front().getType().isIntOrFloat())
    return;
  Type type = piece.front().getType();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8, count = piece.size();
  auto view = piece.front().getMemref().getDefiningOp<memref::ViewOp>();
  APInt shift;
  if (count * bytes != kOperandBytes || !view ||
      !matchPattern(view.getByteShift(), m_ConstantInt(&shift)) ||
      shift.getSExtValue() % kOperandBytes != 0)
    return;
  ImplicitLocOpBuilder builder(piece.front().getLoc(), piece.front());
  Value index = divide(builder, piece.front().getIndices().front(), count);
  if (!index)
    return;
  index = arith::MulIOp::create(builder, index, createIndex(builder, kWords));
  Type word = builder.getI64Type();
  auto wordsType = MemRefType::get(ShapedType::kDynamic, word, AffineMap(),
                                   view.getType().getMemorySpace());
  // Only the address counts.
  Value size = createIndex(builder, 0);
  Value memory = memref::ViewOp::create(builder, wordsType, view.getSource(),
                                        view.getByteShift(), size);
  Value words =
      vector::LoadOp::create(builder, VectorType::get(kWords, word), memory, index,
                             /*nontemporal=*/false, llvm::Align(kOperandBytes));
  words = vector::BitCastOp::create(
      builder, VectorType::get(kRegisters, builder.getI32Type()), words);
  int64_t perVector = std::min(count, kMaxVectorElements);
  for (int64_t first = 0; first < count; first += perVector) {
    Value part = words;
    int64_t length = kRegisters * perVector / count;
    if (perVector < count)
      part = vector::ExtractStridedSliceOp::create(
          builder, words, ArrayRef<int64_t>{first * kRegisters / count},
          ArrayRef<int64_t>{length}, ArrayRef<int64_t>{1});
    part = vector::BitCastOp::create(builder, VectorType::get(perVector, type), part);
    auto elements = vector::ToElementsOp::create(builder, part);
    for (auto [load, element] : llvm::zip(
             MutableArrayRef(piece).slice(first, perVector), elements.getResults()))
      load.replaceAllUsesWith(element);
  }
  for (memref::LoadOp load : piece)
    load.erase();
}
