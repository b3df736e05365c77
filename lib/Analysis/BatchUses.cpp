//===- BatchUses.cpp - What a kernel computes from its batch --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/BatchUses.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

static bool isIn(OpOperand &use, OperandRange range) {
  if (range.empty())
    return false;
  unsigned number = use.getOperandNumber(), begin = range.getBeginOperandIndex();
  return begin <= number && number < begin + range.size();
}

/// Whether an integer operand says which element is accessed.
static bool isIndex(OpOperand &use) {
  return TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<LoadOp, CooperativeMatrixLoadOp, CooperativeMatrixStoreOp>(
          [](Operation *) { return true; })
      .Case([&](StoreOp op) { return isIn(use, op.getIndices()); })
      .Case([&](SubviewOp op) { return isIn(use, op.getOffsets()); })
      .Case([&](AtomicOpInterface op) { return isIn(use, op.getAccessedIndices()); })
      .Default([](Operation *) { return false; });
}

static bool isComparison(Operation *op) {
  return isa<CmpEqOp, CmpNeOp, CmpLtOp, CmpLeOp, CmpGtOp, CmpGeOp>(op);
}

namespace {

/// Follows the group id, the number of groups and the sizes of the batch.
class Follower {
public:
  Follower(const LaunchIntegers &integers, ArrayRef<Variable> batchSizes)
      : integers(integers), batchSizes(batchSizes) {}

  void addResult(Operation *op);
  std::vector<Operation *> takeOthers() { return others.getArrayRef().vec(); }

private:
  void addUses(Value value);
  bool isId(Value value) const {
    return integers.get(value).value == Polynomial(getGroupId(0));
  }
  bool isCount(Value value) const;
  bool isAllowed(OpOperand &use) const;

  const LaunchIntegers &integers;
  ArrayRef<Variable> batchSizes;
  llvm::SetVector<Operation *> others;
};

} // namespace

/// Whether a value is the number of groups or, where each group has an element, a
/// number of elements.
bool Follower::isCount(Value value) const {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getOperand();
  if (value.getDefiningOp<GroupSizeOp>())
    return true;
  const Polynomial &number = integers.get(value).value;
  return llvm::any_of(batchSizes,
                      [&](Variable size) { return number == Polynomial(size); });
}

/// Whether a use has the same effect in each launch.
bool Follower::isAllowed(OpOperand &use) const {
  Operation *user = use.getOwner();
  bool isOfId = isId(use.get());
  if (isComparison(user)) {
    Value other = user->getOperand(1 - use.getOperandNumber());
    return isOfId ? isCount(other) : isId(other) || isCount(other);
  }
  return isOfId && isIndex(use);
}

void Follower::addUses(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    bool isSame = user->getNumResults() == 1 && user->getNumRegions() == 0 &&
                  (isId(user->getResult(0)) ||
                   (isa<CastOp>(user) && isCount(user->getResult(0))));
    if (isSame)
      addUses(user->getResult(0));
    else if (!isAllowed(use))
      others.insert(user);
  }
}

void Follower::addResult(Operation *op) {
  if (isa<GroupIdOp, GroupSizeOp>(op))
    return addUses(op->getResult(0));
  auto size = dyn_cast<SizeOp>(op);
  if (!size)
    return;
  const Polynomial &number = integers.get(size).value;
  if (llvm::any_of(batchSizes, [&](Variable batch) { return number.contains(batch); }))
    addUses(size);
}

std::vector<Operation *> tinytc::getLaunchDependent(FuncOp func,
                                                    const LaunchIntegers &integers,
                                                    ArrayRef<Variable> batchSizes) {
  Follower follower(integers, batchSizes);
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { follower.addResult(op); });
  return follower.takeOthers();
}
