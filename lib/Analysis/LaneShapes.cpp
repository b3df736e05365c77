//===- LaneShapes.cpp - How values differ between lanes -------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes only ever become more general, so that the walk ends: it is repeated until no
// loop has changed what it carries.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/LaneShapes.h"
#include "dialect/DiscardableAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

FailureOr<KernelWorkGroup> KernelWorkGroup::get(gpu::GPUFuncOp kernel) {
  IntegerAttr subgroupSize =
      getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!subgroupSize || !block)
    return kernel.emitError(
        "expected a kernel whose subgroup and block size are known, "
        "got one without");
  KernelWorkGroup group{(*block)[0], (*block)[1], subgroupSize.getInt()};
  int64_t lanes = group.getNumLanes(), size = group.subgroupSize;
  // Lanes that exchange values do so in steps of powers of two.
  bool areWhole = lanes < size ? llvm::isPowerOf2_64(lanes) : lanes % size == 0;
  if (!llvm::isPowerOf2_64(size) || !areWhole)
    return kernel.emitError("expected whole subgroups whose size is a power of two, "
                            "got subgroups of ")
           << size << " for " << lanes << " work-items";
  return group;
}

bool tinytc::isPrivate(Type memref) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
      cast<MemRefType>(memref).getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Private;
}

LaneShapes::LaneShapes(gpu::GPUFuncOp kernel, KernelWorkGroup group,
                       AtomicLoads atomicLoads)
    : group(group), atomicLoads(atomicLoads) {
  // A single lane is the same as all lanes.
  if (group.getNumLanes() == 1)
    return;
  while (isChanged) {
    isChanged = false;
    for (Block &block : kernel.getBody())
      visit(block);
  }
}

void LaneShapes::put(Value value, LaneShape shape) {
  auto [known, isNew] = shapes.try_emplace(value, shape);
  LaneShape joined = isNew ? shape : known->second.join(shape);
  isChanged |= isNew || !(joined == known->second);
  known->second = joined;
}

LaneShapes::Shapes LaneShapes::getOperands(Operation *op) const {
  return llvm::map_to_vector(op->getOperands(), [&](Value v) { return get(v); });
}

LaneShapes::Shapes LaneShapes::visit(Block &block) {
  for (Operation &op : block)
    llvm::TypeSwitch<Operation *>(&op)
        .Case<scf::IfOp, scf::ForOp, scf::WhileOp>([&](auto nested) { visit(nested); })
        .Default([&](Operation *other) { visit(other); });
  return getOperands(block.getTerminator());
}

void LaneShapes::visit(scf::IfOp op) {
  Shapes yields = visit(*op.thenBlock());
  if (!op.elseBlock())
    return;
  Shapes others = visit(*op.elseBlock());
  bool isUniform = get(op.getCondition()).isUniform();
  for (auto [result, a, b] : llvm::zip(op.getResults(), yields, others))
    put(result, isUniform ? a.join(b) : LaneShape::varying());
}

void LaneShapes::visit(scf::ForOp op) {
  bool isUniform =
      llvm::all_of(ValueRange{op.getLowerBound(), op.getUpperBound(), op.getStep()},
                   [&](Value bound) { return get(bound).isUniform(); });
  put(op.getInductionVar(), isUniform ? LaneShape::uniform() : LaneShape::varying());
  for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs()))
    put(argument, isUniform ? get(init) : LaneShape::varying());
  Shapes yields = visit(*op.getBody());
  for (auto [argument, result, yield] :
       llvm::zip(op.getRegionIterArgs(), op.getResults(), yields)) {
    put(argument, yield);
    put(result, get(argument));
  }
}

void LaneShapes::visit(scf::WhileOp op) {
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits()))
    put(argument, get(init));
  Shapes condition = visit(*op.getBeforeBody());
  bool isUniform = condition.front().isUniform();
  for (auto [argument, result, shape] : llvm::zip(
           op.getAfterArguments(), op.getResults(), ArrayRef(condition).drop_front())) {
    put(argument, shape);
    put(result, isUniform ? shape : LaneShape::varying());
  }
  Shapes yields = visit(*op.getAfterBody());
  for (auto [argument, shape] : llvm::zip(op.getBeforeArguments(), yields))
    put(argument, isUniform ? shape : LaneShape::varying());
}

void LaneShapes::visit(Operation *op) {
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    bool isUniform = get(shuffle.getValue()).isUniform();
    put(shuffle.getShuffleResult(),
        isUniform ? LaneShape::uniform() : LaneShape::varying());
    put(shuffle.getValid(), LaneShape::varying());
    return;
  }
  for (Value result : op->getResults())
    put(result, getResult(op));
}

LaneShape LaneShapes::getThreadId(gpu::Dimension dimension) const {
  if (dimension == gpu::Dimension::x)
    return group.height == 1 ? LaneShape::linear(1) : LaneShape::varying();
  bool isSame = dimension == gpu::Dimension::z || group.height == 1;
  return isSame ? LaneShape::uniform() : LaneShape::varying();
}

/// A product with a constant is linear, too.
LaneShape LaneShapes::getProduct(Operation *op) const {
  LaneShape a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (a.isUniform() && b.isUniform())
    return a;
  APInt factor;
  if (!a.isVarying && matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
    return LaneShape::linear(a.step * factor.getSExtValue());
  if (!b.isVarying && matchPattern(op->getOperand(0), m_ConstantInt(&factor)))
    return LaneShape::linear(b.step * factor.getSExtValue());
  return LaneShape::varying();
}

LaneShape LaneShapes::getResult(Operation *op) const {
  Shapes operands = getOperands(op);
  bool isUniform = llvm::all_of(operands, [](LaneShape s) { return s.isUniform(); });
  LaneShape usual = isUniform ? LaneShape::uniform() : LaneShape::varying();
  LaneShape ofSubgroup =
      group.isOneSubgroup() ? LaneShape::uniform() : LaneShape::varying();
  auto sum = [&](int64_t sign) {
    LaneShape a = operands[0], b = operands[1];
    return a.isVarying || b.isVarying ? LaneShape::varying()
                                      : LaneShape::linear(a.step + sign * b.step);
  };
  return llvm::TypeSwitch<Operation *, LaneShape>(op)
      .Case([&](gpu::LaneIdOp) {
        return group.isOneSubgroup() ? LaneShape::linear(1) : LaneShape::varying();
      })
      .Case([&](gpu::ThreadIdOp id) { return getThreadId(id.getDimension()); })
      .Case([&](gpu::BlockIdOp id) {
        return group.areGroups && id.getDimension() == gpu::Dimension::x
                   ? LaneShape::linear(1)
                   : LaneShape::uniform();
      })
      .Case<gpu::SubgroupIdOp, gpu::SubgroupReduceOp>([&](auto) { return ofSubgroup; })
      .Case([&](gpu::SubgroupBroadcastOp broadcast) {
        bool isOne = group.isOneSubgroup() && get(broadcast.getLane()).isUniform();
        return isOne || get(broadcast.getSrc()).isUniform() ? LaneShape::uniform()
                                                            : LaneShape::varying();
      })
      .Case([&](arith::AddIOp) { return sum(1); })
      .Case([&](arith::SubIOp) { return sum(-1); })
      .Case([&](arith::MulIOp product) { return getProduct(product); })
      .Case([&](arith::IndexCastOp) { return operands[0]; })
      .Case([&](OpaqueIndexOp) { return operands[0]; })
      .Case([&](memref::LoadOp load) {
        return isPrivate(load.getMemRefType()) ? LaneShape::varying() : usual;
      })
      .Case([&](vector::LoadOp load) {
        return isPrivate(load.getMemRefType()) ? LaneShape::varying() : usual;
      })
      .Case([&](AtomicOp atomic) {
        bool isShared = atomic.getKind() == AtomicKind::Load &&
                        atomicLoads == AtomicLoads::Together;
        return isShared ? usual : LaneShape::varying();
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(
          [&](auto) { return LaneShape::varying(); })
      .Default([&](Operation *) { return usual; });
}
