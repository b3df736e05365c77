//===- BlasRules.cpp - Derivatives of the BLAS-like instructions ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// D := alpha P + beta D, where P is linear in each factor. The tangent is a sum of the
// same instruction with one factor replaced; the adjoint of a factor is an instruction
// of the same family, with transposes flipped.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/ZeroPatterns.h"
#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

//===----------------------------------------------------------------------===//
// The adjoints of factors
//===----------------------------------------------------------------------===//

namespace {

/// Operands of the adjoint of a factor: dest := alpha f(g, other) + beta dest. That of
/// a conjugated factor is the conjugate of what follows, and `alpha` is one already.
struct FactorAdjoint {
  ImplicitLocOpBuilder &b;
  Value alpha, g, other, beta, dest;
  bool atomic;
};

} // namespace

/// C = op_a(A) op_b(B): A' = C' op_b(B)^T, B' = op_a(A)^T C', and their transposes.
static void emitFactor(GemmOp op, unsigned number, const FactorAdjoint &f) {
  TensorForm own = number == 0 ? op.getTransposeA() : op.getTransposeB();
  TensorForm form = number == 0 ? op.getTransposeB() : op.getTransposeA();
  bool isOtherTransposed = isTransposed(form) == isTransposed(own);
  TensorForm ofOther =
      getTensorForm(isOtherTransposed, isConjugated(form) != isConjugated(own));
  // The adjoint of the product comes first for A, and for the transpose of B.
  if ((number == 0) != isTransposed(own))
    GemmOp::create(f.b, own, ofOther, f.atomic, f.alpha, f.g, f.other, f.beta, f.dest);
  else
    GemmOp::create(f.b, ofOther, own, f.atomic, f.alpha, f.other, f.g, f.beta, f.dest);
}

/// C = a b^T: a' = C' b, b' = C'^T a.
static void emitFactor(GerOp, unsigned number, const FactorAdjoint &f) {
  GemvOp::create(f.b, number == 0 ? TensorForm::N : TensorForm::T, f.atomic, f.alpha,
                 f.g, f.other, f.beta, f.dest);
}

static void emitFactor(HadamardProductOp, unsigned, const FactorAdjoint &f) {
  HadamardProductOp::create(f.b, f.atomic, f.alpha, f.g, f.other, f.beta, f.dest);
}

static void emitFactor(AxpbyOp op, unsigned, const FactorAdjoint &f) {
  AxpbyOp::create(f.b, op.getTranspose(), f.atomic, f.alpha, f.g, f.beta, f.dest);
}

/// alpha g as an element of the destination, which beta multiplies: 0 or 1.
static void emitElement(const FactorAdjoint &f, ImplicitLocOpBuilder &nested, Value g,
                        ValueRange indices) {
  Type type = g.getType();
  Value alpha = f.alpha;
  if (alpha.getType() != type)
    alpha = CastOp::create(nested, type, alpha);
  Value term =
      createCast(nested, ArithMulOp::create(nested, alpha, g), getElementType(f.dest));
  if (isZero(f.beta))
    StoreOp::create(nested, StoreFlag::Regular, term, f.dest, indices);
  else
    createAdd(nested, f.atomic, term, f.dest, indices);
}

/// The conjugate of a complex number if `condition` holds, else the number.
static Value conjugateIf(ImplicitLocOpBuilder &builder, bool condition, Value number) {
  if (!condition || !isa<ComplexType>(number.getType()))
    return number;
  return ArithConjOp::create(builder, number);
}

/// c = op(A) b: A' = c' b^T or its transpose, b' = op(A)^T c'.
static void emitFactor(GemvOp op, unsigned number, const FactorAdjoint &f) {
  TensorForm form = op.getTransposeA();
  if (number == 1) {
    TensorForm flipped = getTensorForm(!isTransposed(form), isConjugated(form));
    GemvOp::create(f.b, flipped, f.atomic, f.alpha, f.other, f.g, f.beta, f.dest);
    return;
  }
  Value column = f.g, row = f.other;
  if (isTransposed(form))
    std::swap(column, row);
  if (!isConjugated(form)) {
    GerOp::create(f.b, f.atomic, f.alpha, column, row, f.beta, f.dest);
    return;
  }
  Type type = getElementType(f.dest);
  createForeach(f.b, f.dest, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    auto load = [&](Value vector, unsigned mode) {
      Value element = LoadOp::create(nested, vector, indices.slice(mode, 1));
      return element.getType() == type
                 ? element
                 : CastOp::create(nested, type, element).getResult();
    };
    Value product = ArithMulOp::create(nested, load(column, 0), load(row, 1));
    emitElement(f, nested, conjugateIf(nested, true, product), indices);
  });
}

/// b = op(A) 1: A' = b' 1^T or its transpose, a broadcast.
static void emitFactor(SumOp op, unsigned, const FactorAdjoint &f) {
  bool isVector = op.getDestination().getType().getOrder() == 1;
  TensorForm form = op.getTranspose();
  createForeach(f.b, f.dest, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    ValueRange row = isVector ? indices.slice(isTransposed(form), 1) : ValueRange();
    Value g = LoadOp::create(nested, f.g, row);
    emitElement(f, nested, conjugateIf(nested, isConjugated(form), g), indices);
  });
}

/// The transpose of running sums are running sums from the other end.
static void emitFactor(CumsumOp op, unsigned, const FactorAdjoint &f) {
  CumsumOp::create(f.b, !op.getReverse(), f.atomic, f.alpha, f.g, op.getMode(), f.beta,
                   f.dest);
}

FailureOr<Value> derivatives::createMemory(AdjointEmitter &emitter, Operation *op,
                                           Value memref, Type element) {
  if (Value memory = emitter.createMemory(memref, element))
    return memory;
  return refuse(op, "its adjoint needs memory with the shape of an operand whose size "
                    "no launch knows; write a view of known size");
}

/// Adds the adjoint of a part of a factor, through memory if the type of the factor
/// cannot hold the product. `getPart` is that part of a memref with the factor's shape.
template <typename OpT>
static LogicalResult addPartOfFactor(OpT op, unsigned number, FactorAdjoint f,
                                     Value memref, AdjointEmitter &emitter,
                                     function_ref<Value(Value)> getPart) {
  Value shadow = getPart(emitter.getShadow(memref));
  Type product = getElementType(f.g);
  if (f.other)
    product = promote(product, getElementType(f.other));
  auto type = cast<MemrefType>(shadow.getType());
  if (isPromotable(product, type.getElementType())) {
    f.dest = shadow;
    f.beta = createNumber(f.b, type.getElementType(), 1);
    emitFactor(op, number, f);
    return success();
  }
  FailureOr<Value> memory = createMemory(emitter, op, memref, product);
  if (failed(memory))
    return failure();
  bool atomic = std::exchange(f.atomic, false);
  f.dest = getPart(*memory);
  f.beta = createNumber(f.b, product, 0);
  emitFactor(op, number, f);
  createForeach(f.b, f.dest, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    Value wide = LoadOp::create(nested, f.dest, indices);
    Value term = createCast(nested, wide, type.getElementType());
    createAdd(nested, atomic, term, shadow, indices);
  });
  return success();
}

/// The part of an operand with `modes` that a box of the product has.
static Value createPartOf(ImplicitLocOpBuilder &builder, Value memref,
                          ArrayRef<unsigned> modes, const Box &product) {
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [number, mode] : llvm::enumerate(modes)) {
    ModeRange range = product[mode];
    offsets.push_back(builder.getIndexAttr(range.begin));
    if (range.end == ModeRange::kUnbounded)
      sizes.push_back(createSize(builder, memref, number));
    else
      sizes.push_back(builder.getIndexAttr(range.getSize()));
  }
  return createBlock(builder, memref, offsets, sizes);
}

/// Adds the adjoint of a factor where the factor is not promised to be zero.
template <typename OpT>
static LogicalResult addFactor(OpT op, unsigned number, const FactorAdjoint &f,
                               Value memref, AdjointEmitter &emitter) {
  Box whole = getWholeBox(cast<MemrefType>(memref.getType()).getShape());
  Boxes boxes = makeDisjoint(getPromisedBoxes(memref));
  if (isa<CumsumOp>(op) || (boxes.size() == 1 && boxes.front() == whole))
    return addPartOfFactor(op, number, f, memref, emitter,
                           [](Value all) { return all; });
  auto blas = cast<BlasOpInterface>(op.getOperation());
  SmallVector<BlasFactor, 2> factors = blas.getFactors();
  unsigned order = blas.getDestination().getType().getOrder();
  for (const Box &box : boxes) {
    Box product = getWholeBox(blas.getProductShape());
    for (auto [mode, range] : llvm::zip_equal(factors[number].modes, box))
      product[mode] = range;
    FactorAdjoint part = f;
    part.g = createPartOf(f.b, f.g, llvm::to_vector(llvm::seq(order)), product);
    if (f.other)
      part.other = createPartOf(f.b, f.other, factors[1 - number].modes, product);
    auto getPart = [&](Value all) {
      return createPartOf(f.b, all, factors[number].modes, product);
    };
    if (failed(addPartOfFactor(op, number, part, memref, emitter, getPart)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {

template <typename OpT>
struct BlasModel : DifferentiableOpInterface::ExternalModel<BlasModel<OpT>, OpT> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto blas = cast<BlasOpInterface>(op);
    Value dest = blas.getDestination(), beta = blas.getBeta();
    Value shadow = emitter.getTangent(dest);
    SmallVector<OpOperand *> inPlace, inputs;
    for (const BlasFactor &factor : blas.getFactors()) {
      Value memref = factor.operand->get();
      if (!emitter.isActive(memref))
        continue;
      // Of instructions with two factors, no other may update one of them.
      bool isDest =
          isa<HadamardProductOp>(op) && getStorage(memref) == getStorage(dest);
      (isDest ? inPlace : inputs).push_back(factor.operand);
    }
    if (emitter.isActive(blas.getAlpha()))
      inputs.push_back(&op->getOpOperand(0));
    // The first term may read the tangent that it updates; a second one cannot.
    inputs.insert(inputs.begin(), inPlace.begin(), inPlace.end());
    SmallVector<Value> tangents;
    for (OpOperand *input : inputs)
      tangents.push_back(emitter.getTangent(input->get()));
    if (inPlace.size() > 1) {
      auto type = cast<MemrefType>(tangents[1].getType());
      if (!type.hasStaticShape())
        return refuse(op, "the tangent of a factor that may overlap the destination is "
                          "copied to local memory, for which its shape must be static");
      Value copy = createLocalLike(builder, type);
      createCopy(builder, tangents[1], copy);
      tangents[1] = copy;
    }
    for (auto [number, input] : llvm::enumerate(inputs))
      addTerm(emitter, blas, *input, tangents[number], /*isFirst=*/number == 0);
    if (inputs.empty())
      scale(builder, beta, shadow);
    if (emitter.isActive(beta))
      addBeta(builder, emitter.getTangent(beta), dest, shadow);
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &activity,
                      AdjointUses &uses) const {
    auto blas = cast<BlasOpInterface>(op);
    SmallVector<BlasFactor, 2> factors = blas.getFactors();
    bool isAlphaActive = activity.isActive(blas.getAlpha());
    for (auto [number, factor] : llvm::enumerate(factors)) {
      bool isOtherActive =
          factors.size() > 1 && activity.isActive(factors[1 - number].operand->get());
      if (isAlphaActive || isOtherActive)
        uses.addContents(factor.operand->get());
    }
    uses.addValue(blas.getAlpha());
    uses.addValue(blas.getBeta());
    if (activity.isActive(blas.getBeta()))
      uses.addContents(blas.getDestination());
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto blas = cast<BlasOpInterface>(op);
    Value dest = blas.getDestination(), shadow = emitter.getShadow(dest), g = shadow;
    SmallVector<BlasFactor, 2> factors = blas.getFactors();
    Value beta = emitter.getPrimal(blas.getBeta());
    bool isInPlace = llvm::any_of(factors, [&](const BlasFactor &factor) {
      Value memref = factor.operand->get();
      return emitter.isActive(memref) && getStorage(memref) == getStorage(dest);
    });
    if (isInPlace) {
      FailureOr<Value> copy = createMemory(emitter, op, dest, getElementType(dest));
      if (failed(copy))
        return failure();
      g = *copy;
      createCopy(builder, shadow, g);
      scale(builder, beta, shadow);
    }
    for (auto [number, factor] : llvm::enumerate(factors)) {
      Value memref = factor.operand->get();
      if (!emitter.isActive(memref))
        continue;
      Value alpha = emitter.getPrimal(blas.getAlpha());
      alpha = conjugateIf(builder, factor.isConjugated, alpha);
      FactorAdjoint f{builder, alpha, g, {}, {}, {}, emitter.isAtomic(op, memref)};
      if (factors.size() > 1)
        f.other = emitter.getContents(op, factors[1 - number].operand->get());
      if (failed(addFactor(cast<OpT>(op), number, f, memref, emitter)))
        return failure();
    }
    if (failed(addScalars(blas, g, emitter)))
      return failure();
    if (!isInPlace)
      scale(builder, beta, shadow);
    return success();
  }

private:
  /// Emits the instruction with the tangent of one operand in its place.
  static void addTerm(TangentEmitter &emitter, BlasOpInterface op, OpOperand &input,
                      Value tangent, bool isFirst) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value dest = op.getDestination();
    Value beta =
        isFirst ? op.getBeta() : createNumber(builder, getElementType(dest), 1);
    auto term = cast<BlasOpInterface>(builder.clone(*op.getOperation()));
    term->setOperand(term->getNumOperands() - 2, beta);
    term->setOperand(input.getOperandNumber(), tangent);
    term.getDestinationMutable().set(emitter.getTangent(dest));
  }

  /// memref := beta memref
  static void scale(ImplicitLocOpBuilder &builder, Value beta, Value memref) {
    if (isZero(beta))
      createFill(builder, memref);
    else if (!isConstant(beta, 1))
      createScale(builder, beta, memref);
  }

  /// shadow += tangent dest
  static void addBeta(ImplicitLocOpBuilder &builder, Value tangent, Value dest,
                      Value shadow) {
    Type element = getElementType(dest);
    if (tangent.getType() != element)
      tangent = CastOp::create(builder, element, tangent);
    createForeach(builder, dest, [&](ImplicitLocOpBuilder &b, ValueRange indices) {
      Value old = LoadOp::create(b, dest, indices);
      createAdd(b, false, ArithMulOp::create(b, tangent, old), shadow, indices);
    });
  }

  /// The adjoints of alpha and beta are inner products with `g`.
  static LogicalResult addScalars(BlasOpInterface op, Value g,
                                  AdjointEmitter &emitter) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value alpha = op.getAlpha(), beta = op.getBeta();
    if (!emitter.isActive(alpha) && !emitter.isActive(beta))
      return success();
    Value dest = op.getDestination();
    Type element = getElementType(dest);
    FailureOr<Value> products = createMemory(emitter, op, dest, element);
    if (failed(products))
      return failure();
    if (emitter.isActive(beta)) {
      Value dot = createDot(builder, emitter.getContents(op, dest), g, *products);
      emitter.addAdjoint(beta, createCast(builder, dot, beta.getType()));
    }
    if (!emitter.isActive(alpha))
      return success();
    Operation *copy = builder.clone(*op.getOperation());
    auto term = cast<BlasOpInterface>(copy);
    copy->removeAttr("atomic");
    for (const BlasFactor &factor : term.getFactors())
      factor.operand->set(emitter.getContents(op, factor.operand->get()));
    copy->setOperand(0, createNumberBefore(copy, builder, alpha.getType(), 1));
    copy->setOperand(copy->getNumOperands() - 2,
                     createNumberBefore(copy, builder, element, 0));
    term.getDestinationMutable().set(*products);
    Value dot = createDot(builder, *products, g, *products);
    emitter.addAdjoint(alpha, createCast(builder, dot, alpha.getType()));
    return success();
  }

  static Value createNumberBefore(Operation *op, ImplicitLocOpBuilder &builder,
                                  Type type, double number) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    return createNumber(builder, type, number);
  }
};

} // namespace

template <typename... Ops>
static void attachBlasModels(MLIRContext *context) {
  (Ops::template attachInterface<BlasModel<Ops>>(*context), ...);
}

void derivatives::attachBlasRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    attachBlasModels<AxpbyOp, CumsumOp, GemmOp, GemvOp, GerOp, HadamardProductOp,
                     SumOp>(context);
  });
}
