//===- PackOperands.cpp - Operands of products into local memory ----------===//
//
// The work-items of a matrix product lie along the rows of op(A), and every tile of
// columns reads all of A anew. A is first copied into local memory
// - if it is transposed: its rows are then far apart;
// - if its columns fall on so few sets of the cache that they push each other out.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/Schedule.h"

#include "mlir/IR/Builders.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Fewer columns read A hardly more than once: a tile of the product has as many. The
/// second number is for an A that is not transposed, which is read more cheaply.
static constexpr int64_t kMinColumns = 12, kMinColumnsPlain = 32;

namespace {
struct PackOperands final : tinytc::impl::PackOperandsPassBase<PackOperands> {
  using PackOperandsPassBase::PackOperandsPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    FailureOr<TargetAttr> target = getTarget(func);
    if (failed(target))
      return signalPassFailure();
    // As if nothing could share memory. A core of a GPU runs several work-groups, which
    // share its memory.
    int64_t free = target->getLocalMemoryBytes();
    if (target->getName() != "cpu")
      free /= 2;
    func.walk([&](AllocaOp op) { free -= getLocalBytes(op.getType()); });
    func.walk([&](GemmOp op) {
      if (!isWorthwhile(op, *target))
        return;
      bool isSwapped = canSwap(op);
      MemrefType type =
          isSwapped ? getProductType(op, *target) : getPackedType(op, *target);
      if (getLocalBytes(type) > free)
        return;
      free -= getLocalBytes(type);
      goThroughLocal(op, type, isSwapped);
    });
  }

private:
  static bool isWorthwhile(GemmOp op, TargetAttr target) {
    auto a = cast<MemrefType>(op.getA().getType());
    auto c = cast<MemrefType>(op.getC().getType());
    if (!a.hasStaticShape() || c.isDynamicSize(1))
      return false;
    int64_t columns = c.getShape()[1];
    if (op.getTransposeA() == Transpose::T)
      return columns >= kMinColumns;
    return columns >= kMinColumnsPlain && collidesInCache(target, a);
  }

  /// Whether the columns of a matrix push each other out of the cache.
  static bool collidesInCache(TargetAttr target, MemrefType type) {
    int64_t stride = type.getStride()[1];
    return !ShapedType::isDynamic(stride) &&
           tinytc::collidesInCache(target, type.getShape()[1],
                                   stride * getSizeBytes(type.getElementType()));
  }

  /// Whether A^T B^T can be computed as (B A)^T: B A has to have a type that holds the
  /// sums as they are, and not many more elements than A.
  static bool canSwap(GemmOp op) {
    auto a = cast<MemrefType>(op.getA().getType());
    auto c = cast<MemrefType>(op.getC().getType());
    Type type = c.getElementType();
    bool isOneType = a.getElementType() == type &&
                     getScalarType(op.getB().getType()) == type &&
                     op.getAlpha().getType() == type;
    return op.getTransposeA() == Transpose::T && op.getTransposeB() == Transpose::T &&
           isOneType && (type.isF32() || type.isF64()) && c.hasStaticShape() &&
           c.getShape()[1] <= 2 * a.getShape()[0];
  }

  /// The type of op(A) in local memory.
  static MemrefType getPackedType(GemmOp op, TargetAttr target) {
    auto a = cast<MemrefType>(op.getA().getType());
    SmallVector<int64_t> shape(a.getShape());
    if (op.getTransposeA() == Transpose::T)
      std::swap(shape[0], shape[1]);
    return getLocalType(shape, a.getElementType(), target);
  }

  /// The type of B A in local memory.
  static MemrefType getProductType(GemmOp op, TargetAttr target) {
    auto c = cast<MemrefType>(op.getC().getType());
    return getLocalType({c.getShape()[1], c.getShape()[0]}, c.getElementType(), target);
  }

  /// A matrix in local memory, with space between its columns where that keeps them in
  /// the cache.
  static MemrefType getLocalType(ArrayRef<int64_t> shape, Type element,
                                 TargetAttr target) {
    auto type = MemrefType::get(shape, element, AddressSpace::Local);
    if (!collidesInCache(target, type))
      return type;
    int64_t perLine = kCacheLineBytes / getSizeBytes(element);
    // An odd number of lines: the columns then visit all sets.
    int64_t lines = llvm::divideCeil(shape[0], perLine) | 1;
    return MemrefType::get(shape, element, {1, lines * perLine}, AddressSpace::Local);
  }

  /// Copies op(A) into local memory or, swapped, computes B A there and adds it,
  /// transposed, to C.
  static void goThroughLocal(GemmOp op, MemrefType type, bool isSwapped) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type element = type.getElementType();
    Value local = AllocaOp::create(builder, loc, type, /*alignment=*/IntegerAttr());
    Value one = createConstant(builder, loc, element, 1);
    Value zero = createConstant(builder, loc, element, 0);
    if (isSwapped) {
      GemmOp::create(builder, loc, Transpose::N, Transpose::N, /*atomic=*/false, one,
                     op.getB(), op.getA(), zero, local);
      AxpbyOp::create(builder, loc, Transpose::T, op.getAtomic(), op.getAlpha(), local,
                      op.getBeta(), op.getC());
    } else {
      AxpbyOp::create(builder, loc, op.getTransposeA(), /*atomic=*/false, one,
                      op.getA(), zero, local);
      op.getAMutable().assign(local);
      op.setTransposeA(Transpose::N);
    }
    builder.setInsertionPointAfter(op);
    LifetimeStopOp::create(builder, loc, local);
    if (isSwapped)
      op.erase();
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
