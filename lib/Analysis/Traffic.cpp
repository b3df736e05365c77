//===- Traffic.cpp - Bytes that a group moves from and to memory ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Traffic.h"
#include "lib/Analysis/MemoryAccess.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// All values that are computed from the group id, without those of loops.
static llvm::SetVector<Value> getValuesOfGroup(FuncOp func) {
  llvm::SetVector<Value> values;
  func.walk([&](GroupIdOp op) { values.insert(op.getResult()); });
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers())
      values.insert(user->result_begin(), user->result_end());
  return values;
}

/// How often an instruction goes through the elements of an operand.
static int64_t countAccesses(Operation *op, Value operand) {
  AccessSet accesses = AccessSet::of(*op);
  auto isIt = [root = getRoot(operand)](Value other) { return root == other; };
  bool isDestination = operand == op->getOperands().back();
  return isDestination ? accesses.reads(isIt) + accesses.writes(isIt) : 1;
}

int64_t tinytc::estimateTraffic(FuncOp func, int64_t typicalSize) {
  llvm::SetVector<Value> ofGroup = getValuesOfGroup(func);
  llvm::MapVector<Value, int64_t> counts;
  func.walk([&](BlasOpInterface op) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemrefType>(operand.getType());
          type && !type.isLocal() && ofGroup.contains(operand))
        counts[operand] = std::max(counts[operand], countAccesses(op, operand));
  });
  // More than memory holds is all the same.
  uint64_t sum = 0;
  for (auto [operand, count] : counts) {
    auto type = cast<MemrefType>(operand.getType());
    uint64_t bytes = count * getSizeBytes(type.getElementType());
    for (int64_t size : type.getShape())
      bytes = llvm::SaturatingMultiply<uint64_t>(
          bytes, ShapedType::isDynamic(size) ? typicalSize : size);
    sum = llvm::SaturatingAdd(sum, bytes);
  }
  return std::min<uint64_t>(sum, std::numeric_limits<int64_t>::max());
}
