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
    WalkResult result = func.walk([&](GemmOp op) {
      std::optional<Strategy> strategy = Strategy::find(op);
      bool isPacked = strategy && strategy->kind == StrategyKind::LocalCopies;
      return isPacked && failed(pack(op, *strategy, machine)) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Copies the factors that the strategy of a product says.
  static LogicalResult pack(GemmOp op, const Strategy &strategy,
                            const Machine &machine) {
    auto isStatic = [](Value factor) {
      return cast<MemrefType>(factor.getType()).hasStaticShape();
    };
    if ((strategy.copiesA && !isStatic(op.getA())) ||
        (strategy.copiesB && !isStatic(op.getB())))
      return emitFormError(op, strategy);
    LocalCopies copies = LocalCopies::get(op, strategy, machine);
    if (copies.getBytes() != strategy.localBytes)
      return emitLocalBytesError(op, strategy, copies.getBytes(), "its copies need");
    // What remains is a sum at the linalg stage.
    removeDiscardable<TinyTCDialect::StrategyAttrHelper>(op);
    if (copies.a) {
      copy(op, op.getAMutable(), op.getTransposeA(), copies.a);
      op.setTransposeA(TensorForm::N);
    }
    if (copies.b)
      copy(op, op.getBMutable(), TensorForm::N, copies.b);
    return success();
  }

  /// Copies a factor of a product into local memory for as long as the product runs.
  static void copy(GemmOp op, OpOperand &factor, TensorForm form, MemrefType type) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Value memref = factor.get();
    Value packed = AllocaOp::create(builder, type, /*alignment=*/IntegerAttr(),
                                    /*nonzero=*/ArrayAttr());
    Value one = ConstantOp::create(
        builder, cast<MemrefType>(memref.getType()).getElementType(), 1);
    Value zero = ConstantOp::create(builder, type.getElementType(), 0);
    AxpbyOp::create(builder, form, /*atomic=*/false, one, memref, zero, packed);
    factor.set(packed);
    builder.setInsertionPointAfter(op);
    LifetimeStopOp::create(builder, packed);
  }
};
} // namespace
