//===- PackOperands.cpp - Operands of products into local memory ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// As the strategies of products say, A is first copied into local memory
// - if it is transposed: its rows, along which the work-items lie, are then far apart;
// - if its columns fall on so few sets of the cache that they evict each other: every
//   tile of columns reads all of A again.
// Columns of the copy use different banks of local memory, or sets of the cache.
//
// B is read element by element. Where such an element would be converted by itself, for
// each tile of rows again, B is first copied into local memory in the type of the sums.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Strategies/Products.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct PackOperands final : tinytc::impl::PackOperandsPassBase<PackOperands> {
  using PackOperandsPassBase::PackOperandsPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    FailureOr<TargetAttr> target = getTarget(func);
    if (failed(target))
      return signalPassFailure();
    const Machine &machine = getMachine(*target);
    // Assume that no allocas share memory.
    int64_t free = target->getLocalMemoryBytes() / machine.launches.workGroupsPerCore;
    func.walk([&](AllocaOp op) { free -= getLocalBytes(op.getType()); });
    WalkResult result = func.walk([&](GemmOp op) {
      std::optional<Strategy> strategy = Strategy::find(op);
      bool isPacked = strategy && strategy->kind == StrategyKind::LocalCopies;
      return isPacked && failed(pack(op, *strategy, machine, free))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Copies the factors that the strategy of a product says; which of them fit the
  /// bytes that are `free` is found out here.
  static LogicalResult pack(GemmOp op, const Strategy &strategy, const Machine &machine,
                            int64_t &free) {
    auto isStatic = [](Value factor) {
      return cast<MemrefType>(factor.getType()).hasStaticShape();
    };
    if ((strategy.copiesA && !isStatic(op.getA())) ||
        (strategy.copiesB && !isStatic(op.getB())))
      return emitFormError(op, strategy);
    // What remains is a sum at the linalg stage.
    removeDiscardable<TinyTCDialect::StrategyAttrHelper>(op);
    if (strategy.copiesA) {
      MemrefType type = getPackedType(op, machine);
      MemrefType spread = spreadOverBanks(type, op->getParentOfType<FuncOp>(), machine);
      if (getLocalBytes(spread) <= free)
        type = spread;
      if (copy(op, op.getAMutable(), op.getTransposeA(), type, free))
        op.setTransposeA(Transpose::N);
    }
    if (strategy.copiesB) {
      auto b = cast<MemrefType>(op.getB().getType());
      Type wide = cast<MemrefType>(op.getC().getType()).getElementType();
      auto type = MemrefType::get(b.getShape(), wide, AddressSpace::Local);
      copy(op, op.getBMutable(), Transpose::N, type, free);
    }
    return success();
  }

  /// The type of op(A) in local memory, with space between its columns if that keeps
  /// them in the cache.
  static MemrefType getPackedType(GemmOp op, const Machine &machine) {
    auto a = cast<MemrefType>(op.getA().getType());
    SmallVector<int64_t> shape(a.getShape());
    if (op.getTransposeA() == Transpose::T)
      std::swap(shape[0], shape[1]);
    Type element = a.getElementType();
    auto type = MemrefType::get(shape, element, AddressSpace::Local);
    if (!collidesInCache(type, machine))
      return type;
    int64_t perLine = machine.cache.lineBytes / getSizeBytes(element);
    // An odd number of lines: the columns then visit all sets.
    int64_t lines = llvm::divideCeil(shape[0], perLine) | 1;
    return MemrefType::get(shape, element, {1, lines * perLine}, AddressSpace::Local);
  }

  /// The type with space between its columns where the lanes of a work-group write
  /// parts of several columns at once: columns that are an odd multiple of these parts
  /// apart use different banks.
  static MemrefType spreadOverBanks(MemrefType type, FuncOp func,
                                    const Machine &machine) {
    std::optional<ArrayRef<int32_t>> lanes = func.getWorkGroupSize();
    Type element = type.getElementType();
    if (!lanes || lanes->back() == 1 ||
        lanes->front() * getSizeBytes(element) >= machine.localBankBytes)
      return type;
    int64_t rows = lanes->front();
    int64_t stride = (llvm::divideCeil(type.getStride()[1], rows) | 1) * rows;
    return MemrefType::get(type.getShape(), element, {1, stride}, AddressSpace::Local);
  }

  /// Copies a factor of a product into local memory for as long as the product runs, if
  /// it fits the bytes that are `free`, and says whether it did.
  static bool copy(GemmOp op, OpOperand &factor, Transpose transpose, MemrefType type,
                   int64_t &free) {
    if (getLocalBytes(type) > free)
      return false;
    free -= getLocalBytes(type);
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Value memref = factor.get();
    Value packed = AllocaOp::create(builder, type, /*alignment=*/IntegerAttr());
    Value one = ConstantOp::create(
        builder, cast<MemrefType>(memref.getType()).getElementType(), 1);
    Value zero = ConstantOp::create(builder, type.getElementType(), 0);
    AxpbyOp::create(builder, transpose, /*atomic=*/false, one, memref, zero, packed);
    factor.set(packed);
    builder.setInsertionPointAfter(op);
    LifetimeStopOp::create(builder, packed);
    return true;
  }
};
} // namespace
