//===- Contractions.cpp - linalg ops that are sums -> BLAS instructions ---===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Addends of an op
//===----------------------------------------------------------------------===//

namespace {
/// The element of an operand, or its conjugate.
struct FactorElement {
  unsigned operand;
  bool isConjugate;
};
} // namespace

/// The element that a value is, perhaps in a wider type: instructions convert their
/// operands to the type of the result.
static std::optional<FactorElement> getFactorElement(Value value, Block &body) {
  Operation *op = value.getDefiningOp();
  bool isConjugate = isa_and_nonnull<complex::ConjOp>(op);
  if (isConjugate || isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op))
    value = op->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &body)
    return std::nullopt;
  return FactorElement{argument.getArgNumber(), isConjugate};
}

/// The value that the body of an op adds to its only output; null for other bodies.
static Value getAddend(linalg::GenericOp op) {
  Block &body = *op.getBody();
  if (op.getNumDpsInits() != 1 || !llvm::all_of(body, [](Operation &nested) {
        return nested.getNumRegions() == 0 && isMemoryEffectFree(&nested);
      }))
    return {};
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, complex::AddOp>(sum) ||
      sum->getBlock() != &body)
    return {};
  Value output = body.getArguments().back();
  Value first = sum->getOperand(0), second = sum->getOperand(1);
  if (first == output)
    return second;
  return second == output ? first : Value();
}

/// Whether each input of an op is conjugated, if the op adds the product of its one or
/// two inputs to its output.
static std::optional<SmallVector<bool>> getConjugates(linalg::GenericOp op) {
  Value addend = getAddend(op);
  unsigned numInputs = op.getNumDpsInputs();
  if (!addend || numInputs == 0 || numInputs > 2)
    return std::nullopt;
  SmallVector<Value> factors = {addend};
  if (numInputs == 2) {
    Operation *product = addend.getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp, complex::MulOp>(product))
      return std::nullopt;
    factors = llvm::to_vector(product->getOperands());
  }
  llvm::SmallBitVector found(numInputs);
  SmallVector<bool> isConjugate(numInputs);
  for (Value factor : factors) {
    std::optional<FactorElement> element = getFactorElement(factor, *op.getBody());
    if (!element || element->operand >= numInputs)
      return std::nullopt;
    found.set(element->operand);
    isConjugate[element->operand] = element->isConjugate;
  }
  return found.all() ? std::optional(isConjugate) : std::nullopt;
}

/// The loops of an operand's modes, if each index is a loop of its own.
static std::optional<SmallVector<unsigned>>
getModeLoops(const LoopNest::Operand &operand) {
  SmallVector<unsigned> loops;
  for (int64_t dim : operand.view.modes) {
    std::optional<unsigned> loop = LoopNest::getLoop(operand.indices[dim]);
    if (!loop || llvm::is_contained(loops, *loop))
      return std::nullopt;
    loops.push_back(*loop);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

/// An operand, the loop of each mode, and whether its conjugate is meant.
struct Factor {
  Value memref;
  SmallVector<unsigned> loops;
  bool isConjugate = false;

  bool has(unsigned loop) const { return llvm::is_contained(loops, loop); }
  Type getElementType() const {
    return cast<MemrefType>(memref.getType()).getElementType();
  }
  TensorForm getForm(bool isTransposed) const {
    if (isTransposed)
      return isConjugate ? TensorForm::C : TensorForm::T;
    return isConjugate ? TensorForm::R : TensorForm::N;
  }
  /// How to read it as the matrix with these rows and columns, if that is possible.
  std::optional<TensorForm> getForm(unsigned row, unsigned column) const {
    if (ArrayRef(loops) == ArrayRef{row, column})
      return getForm(/*isTransposed=*/false);
    if (ArrayRef(loops) == ArrayRef{column, row})
      return getForm(/*isTransposed=*/true);
    return std::nullopt;
  }
};

/// Emits the instruction for a sum over one loop.
class SumEmitter {
public:
  SumEmitter(OpBuilder &nested, Location loc, Factor result, unsigned summed)
      : builder(loc, nested), result(std::move(result)), summed(summed) {}

  bool emitSum(const Factor &a) {
    ArrayRef<unsigned> c = result.loops;
    std::optional<TensorForm> form = a.getForm(/*isTransposed=*/false);
    if (c.size() == 1)
      form = a.getForm(c[0], summed);
    else if (!c.empty() || ArrayRef(a.loops) != ArrayRef{summed})
      return false;
    if (!form)
      return false;
    SumOp::create(builder, getAttr(*form), UnitAttr(), createOne(a), a.memref,
                  createOne(result), result.memref);
    return true;
  }

  bool emitProduct(Factor a, Factor b) {
    ArrayRef<unsigned> c = result.loops;
    if (c.empty())
      return emitDot(a, b);
    // The first operand has the rows of the result.
    if (!a.has(c[0]))
      std::swap(a, b);
    std::optional<TensorForm> ofA = a.getForm(c[0], summed);
    if (!ofA)
      return false;
    if (c.size() == 1) {
      if (ArrayRef(b.loops) != ArrayRef{summed} || b.isConjugate)
        return false;
      GemvOp::create(builder, getAttr(*ofA), UnitAttr(), createOne(a), a.memref,
                     b.memref, createOne(result), result.memref);
      return true;
    }
    std::optional<TensorForm> ofB = b.getForm(summed, c[1]);
    if (!ofB)
      return false;
    GemmOp::create(builder, getAttr(*ofA), getAttr(*ofB), UnitAttr(), createOne(a),
                   a.memref, b.memref, createOne(result), result.memref);
    return true;
  }

private:
  /// The product of a matrix of one column with a vector, added to a scalar.
  bool emitDot(Factor a, Factor b) {
    if (b.isConjugate)
      std::swap(a, b);
    if (ArrayRef(a.loops) != ArrayRef{summed} ||
        ArrayRef(b.loops) != ArrayRef{summed} || b.isConjugate)
      return false;
    auto vector = cast<MemrefType>(a.memref.getType());
    Type type = result.getElementType();
    MLIRContext *context = builder.getContext();
    int64_t size = vector.getShape()[0];
    SmallVector<Value> sizes;
    if (ShapedType::isDynamic(size))
      sizes.push_back(SizeOp::create(builder, a.memref, 0));
    Value column =
        ExpandOp::create(builder, a.memref, 0, ArrayRef<int64_t>{size, 1}, sizes);
    auto local = MemrefType::get(context, {1}, type, {1}, AddressSpace::Local);
    Value sum = AllocaOp::create(builder, local, IntegerAttr(), ArrayAttr());
    GemvOp::create(builder, getAttr(a.getForm(/*isTransposed=*/true)), UnitAttr(),
                   createOne(a), column, b.memref, ConstantOp::create(builder, type, 0),
                   sum);
    SumOp::create(builder, getAttr(TensorForm::N), UnitAttr(), createOne(result), sum,
                  createOne(result), result.memref);
    return true;
  }

  TensorFormAttr getAttr(TensorForm form) {
    return TensorFormAttr::get(builder.getContext(), form);
  }
  /// The factor 1 in the element type of an operand.
  Value createOne(const Factor &factor) {
    return ConstantOp::create(builder, factor.getElementType(), 1);
  }

  ImplicitLocOpBuilder builder;
  Factor result;
  unsigned summed;
};

} // namespace

bool Raiser::raiseContraction(LoopNest &nest) {
  std::optional<SmallVector<bool>> isConjugate = getConjugates(nest.op);
  if (!isConjugate)
    return false;
  fixUnitLoops(nest);
  if (isSpmd)
    return false;
  SmallVector<Factor> factors;
  for (const LoopNest::Operand &operand : nest.operands) {
    if (!isa<MemrefType>(operand.view.memref.getType()))
      return false;
    std::optional<SmallVector<unsigned>> loops = getModeLoops(operand);
    if (!loops)
      return false;
    factors.push_back({operand.view.memref, *loops});
  }
  Factor result = factors.pop_back_val();
  for (auto [factor, conjugate] : llvm::zip_equal(factors, *isConjugate))
    factor.isConjugate = conjugate;
  SmallVector<unsigned> summed;
  for (unsigned loop = 0; loop < nest.isParallel.size(); ++loop)
    if (!nest.fixed[loop] && !result.has(loop))
      summed.push_back(loop);
  if (summed.size() != 1 || result.loops.size() > 2)
    return false;
  SumEmitter emitter(builder, nest.op.getLoc(), result, summed.front());
  return factors.size() == 2 ? emitter.emitProduct(factors[0], factors[1])
                             : emitter.emitSum(factors[0]);
}
