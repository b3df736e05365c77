//===- MaskedAccess.cpp - Loads and stores under known masks --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A processor compares the address of a load with those of earlier stores before it
// knows their masks: a load of the next column waits for the masked store of the last
// rows of this one, which reaches into it. A shorter vector reaches less far. Vectors
// of all running lanes need no mask: where the elements of a single lane come from
// wider integers, LLVM's masked store for x86 stores the wider ones, over those that
// follow.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/MaskedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Adjacent lanes, in a vector of a power of two of them.
struct RunningLanes {
  int64_t begin, count;
  /// The lanes of the vector that run.
  SmallVector<bool> mask;

  bool areAll() const {
    return llvm::all_of(mask, [](bool runs) { return runs; });
  }
};

} // namespace

/// The shortest vector that has all lanes of a constant mask, if it is shorter than the
/// vector of all lanes.
static std::optional<RunningLanes> findRunningLanes(Value mask) {
  DenseElementsAttr constant;
  if (!matchPattern(mask, m_Constant(&constant)))
    return std::nullopt;
  auto lanes = llvm::to_vector(constant.getValues<bool>());
  const bool *first = llvm::find(lanes, true);
  if (first == lanes.end())
    return std::nullopt;
  int64_t end = lanes.size();
  while (!lanes[end - 1])
    --end;
  int64_t begin = first - lanes.begin();
  int64_t count = llvm::PowerOf2Ceil(end - begin);
  if (count >= int64_t(lanes.size()))
    return std::nullopt;
  begin = std::min<int64_t>(begin, lanes.size() - count);
  RunningLanes running{begin, count, {}};
  for (int64_t lane : llvm::seq(begin, begin + count))
    running.mask.push_back(lanes[lane]);
  return running;
}

static Value createAddress(ImplicitLocOpBuilder &builder, Value pointer, Type element,
                           int64_t begin) {
  return LLVM::GEPOp::create(builder, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(begin)});
}

static Value createMask(ImplicitLocOpBuilder &builder, const RunningLanes &lanes) {
  auto type = VectorType::get(lanes.count, builder.getI1Type());
  return arith::ConstantOp::create(builder, DenseElementsAttr::get(type, lanes.mask));
}

static void narrow(LLVM::MaskedLoadOp op) {
  std::optional<RunningLanes> lanes = findRunningLanes(op.getMask());
  Value others = op.getPassThru();
  bool isZero =
      matchPattern(others, m_Zero()) || matchPattern(others, m_PosZeroFloat());
  if (!lanes || !isZero)
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = cast<VectorType>(op.getType());
  auto shorter = VectorType::get(lanes->count, type.getElementType());
  Value address =
      createAddress(builder, op.getData(), type.getElementType(), lanes->begin);
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(shorter)), loaded;
  if (lanes->areAll())
    loaded = LLVM::LoadOp::create(builder, shorter, address, op.getAlignment());
  else
    loaded = LLVM::MaskedLoadOp::create(builder, shorter, address,
                                        createMask(builder, *lanes), zero,
                                        op.getAlignment());
  SmallVector<int64_t> sources;
  for (int64_t lane : llvm::seq(type.getNumElements())) {
    int64_t source = lane - lanes->begin;
    sources.push_back(source >= 0 && source < lanes->count ? source : lanes->count);
  }
  Value wide = vector::ShuffleOp::create(builder, loaded, zero, sources);
  op.replaceAllUsesWith(wide);
  op.erase();
}

static void narrow(LLVM::MaskedStoreOp op) {
  std::optional<RunningLanes> lanes = findRunningLanes(op.getMask());
  if (!lanes)
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = cast<VectorType>(op.getValue().getType());
  Value address =
      createAddress(builder, op.getData(), type.getElementType(), lanes->begin);
  auto sources = llvm::to_vector(llvm::seq(lanes->begin, lanes->begin + lanes->count));
  Value value =
      vector::ShuffleOp::create(builder, op.getValue(), op.getValue(), sources);
  if (lanes->areAll())
    LLVM::StoreOp::create(builder, value, address, op.getAlignment());
  else
    LLVM::MaskedStoreOp::create(builder, value, address, createMask(builder, *lanes),
                                op.getAlignment());
  op.erase();
}

void tinytc::narrowMaskedAccess(gpu::GPUModuleOp kernels) {
  kernels.walk([](LLVM::MaskedLoadOp op) { narrow(op); });
  kernels.walk([](LLVM::MaskedStoreOp op) { narrow(op); });
}
