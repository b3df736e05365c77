//===- Overlap.cpp - Operands of one instruction that overlap -------------===//
//
// Work-items of a group would read elements that others write.
//
//===----------------------------------------------------------------------===//

#include "lib/IR/Verify.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The memref with the same elements from which this one was made.
static Value getSameElements(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<ExpandOp, ExpandC2ROp, FuseOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

static bool isEmpty(Value memref) {
  return llvm::is_contained(cast<MemrefType>(memref.getType()).getShape(), 0);
}

namespace {

/// The elements of a view in one mode of its source.
struct Slice {
  OpFoldResult offset, size;

  static Slice of(SubviewOp view, int64_t mode) {
    Builder builder(view.getContext());
    auto get = [&](ArrayRef<int64_t> entries, ValueRange values) {
      return getMixedValues(entries, values, view.getContext())[mode];
    };
    OpFoldResult size = get(view.getStaticSizes(), view.getSizes());
    if (view.isRemoved(mode))
      size = builder.getI64IntegerAttr(1);
    return {get(view.getStaticOffsets(), view.getOffsets()), size};
  }

  /// Whether both certainly have an element; no slice is empty.
  bool meets(const Slice &other) const {
    if (offset == other.offset)
      return true;
    std::optional<int64_t> begin = getConstantIntValue(offset);
    std::optional<int64_t> otherBegin = getConstantIntValue(other.offset);
    if (!begin || !otherBegin)
      return false;
    const Slice &first = *begin < *otherBegin ? *this : other;
    std::optional<int64_t> count = getConstantIntValue(first.size);
    return count && std::abs(*begin - *otherBegin) < *count;
  }
};

} // namespace

/// Whether two views of the same shape begin at different elements for certain; others
/// may be the same view.
static bool beginElsewhere(Value a, Value b) {
  auto first = a.getDefiningOp<SubviewOp>(), second = b.getDefiningOp<SubviewOp>();
  if (!first || !second || first.getSource() != second.getSource())
    return false;
  int64_t order = first.getSource().getType().getOrder();
  return llvm::any_of(llvm::seq(order), [&](int64_t mode) {
    std::optional<int64_t> begin = getConstantIntValue(Slice::of(first, mode).offset);
    std::optional<int64_t> other = getConstantIntValue(Slice::of(second, mode).offset);
    return begin && other && *begin != *other;
  });
}

/// Whether two views have a common element, whatever the values are at run time.
static bool certainlyOverlap(Value a, Value b) {
  if (isEmpty(a) || isEmpty(b))
    return false;
  a = getSameElements(a);
  b = getSameElements(b);
  if (a == b)
    return true;
  auto first = a.getDefiningOp<SubviewOp>(), second = b.getDefiningOp<SubviewOp>();
  if (first && getSameElements(first.getSource()) == b)
    return true;
  if (second && getSameElements(second.getSource()) == a)
    return true;
  if (!first || !second || first.getSource() != second.getSource())
    return false;
  int64_t order = first.getSource().getType().getOrder();
  return llvm::all_of(llvm::seq(order), [&](int64_t mode) {
    return Slice::of(first, mode).meets(Slice::of(second, mode));
  });
}

bool tinytc::mayUpdateInPlace(BlasOpInterface op) {
  auto sum = dyn_cast<AxpbyOp>(*op);
  return isa<HadamardProductOp>(op) || (sum && sum.getTranspose() == Transpose::N);
}

LogicalResult tinytc::verifyOverlap(BlasOpInterface op, StringRef destination) {
  // axpby_c6, cumsum_c7, gemm_c8, gemv_c8, ger_c8, hadamard_product_c6, sum_c7
  static constexpr StringLiteral names[] = {"a", "b"};
  Value written = op.getDestination();
  SmallVector<BlasFactor, 2> factors = op.getFactors();
  for (auto [name, factor] : llvm::zip(names, factors)) {
    Value read = factor.operand->get();
    if (mayUpdateInPlace(op) && !beginElsewhere(read, written))
      continue;
    if (certainlyOverlap(read, written))
      return op->emitOpError("expected '")
             << destination << "' not to overlap '" << name
             << "', got operands with common elements";
  }
  return success();
}
