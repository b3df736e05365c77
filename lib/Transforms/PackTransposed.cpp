//===- PackTransposed.cpp - Transposed matrices into local memory ---------===//
//
// The work-items of a matrix product lie along the rows of op(A). Where A is transposed,
// these are far apart in memory, and every column of the product reads them anew: A is
// then transposed into local memory first.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"

#include "mlir/IR/Builders.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_PACKTRANSPOSEDPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Columns that a tile of the product has anyway: up to here A is read once.
static constexpr int64_t kMinColumns = 12;

namespace {
struct PackTransposed final : tinytc::impl::PackTransposedPassBase<PackTransposed> {
  using PackTransposedPassBase::PackTransposedPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    FailureOr<TargetAttr> target = getTarget(func);
    if (failed(target))
      return signalPassFailure();
    // As if nothing could share memory, and half of it only: more work-groups fit.
    int64_t free = target->getLocalMemoryBytes() / 2;
    func.walk([&](AllocaOp op) { free -= getLocalBytes(op); });
    func.walk([&](GemmOp op) {
      MemrefType type = getPackedType(op);
      if (!type)
        return;
      int64_t bytes = type.getShape()[0] * type.getShape()[1] *
                      getSizeBytes(type.getElementType());
      if (bytes > free)
        return;
      free -= bytes;
      pack(op, type);
    });
  }

private:
  /// The type of op(A) in local memory; null if packing it does not pay.
  static MemrefType getPackedType(GemmOp op) {
    auto a = cast<MemrefType>(op.getA().getType());
    auto c = cast<MemrefType>(op.getC().getType());
    if (op.getTransposeA() != Transpose::T || !a.hasStaticShape() ||
        c.isDynamicSize(1) || c.getShape()[1] < kMinColumns)
      return {};
    return MemrefType::get({a.getShape()[1], a.getShape()[0]}, a.getElementType(),
                           AddressSpace::Local);
  }

  static void pack(GemmOp op, MemrefType type) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type element = type.getElementType();
    Value packed = AllocaOp::create(builder, loc, type, /*alignment=*/IntegerAttr());
    Value one = createConstant(builder, loc, element, 1);
    Value zero = createConstant(builder, loc, element, 0);
    AxpbyOp::create(builder, loc, Transpose::T, /*atomic=*/false, one, op.getA(), zero,
                    packed);
    op.getAMutable().assign(packed);
    op.setTransposeA(Transpose::N);
    builder.setInsertionPointAfter(op);
    LifetimeStopOp::create(builder, loc, packed);
  }

  static Value createConstant(OpBuilder &builder, Location loc, Type type,
                              int64_t value) {
    auto get = [&](Type part, int64_t number) -> Attribute {
      if (isa<FloatType>(part))
        return builder.getFloatAttr(part, number);
      return builder.getIntegerAttr(part, number);
    };
    Attribute attr;
    if (auto complexType = dyn_cast<ComplexType>(type))
      attr = builder.getArrayAttr({get(complexType.getElementType(), value),
                                   get(complexType.getElementType(), 0)});
    else
      attr = get(type, value);
    return ConstantOp::create(builder, loc, type, attr);
  }
};
} // namespace
