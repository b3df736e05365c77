//===- CoopMatrixRules.cpp - Derivatives of cooperative matrices ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The adjoint of a matrix of any use is a matrix_acc. That of a factor is a product
// with the transpose of the other one, which is loaded again.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static CoopMatrixType getWithUse(CoopMatrixType type, MatrixUse use) {
  return CoopMatrixType::get(type.getRows(), type.getColumns(), type.getElementType(),
                             use);
}

Type derivatives::getAdjointType(Type type) {
  auto matrix = dyn_cast<CoopMatrixType>(type);
  return matrix ? getWithUse(matrix, MatrixUse::Acc) : type;
}

/// The same check for the transpose of a matrix.
static Checked getTransposed(Checked checked) {
  switch (checked) {
  case Checked::Rows:
    return Checked::Cols;
  case Checked::Cols:
    return Checked::Rows;
  case Checked::None:
  case Checked::Both:
    return checked;
  }
  llvm_unreachable("unknown modes");
}

/// Whether the kernel asks for a work-group of one subgroup.
static bool hasOneSubgroup(Operation *op) {
  auto func = op->getParentOfType<FuncOp>();
  std::optional<uint32_t> subgroup = func.getSubgroupSize();
  std::optional<ArrayRef<int32_t>> group = func.getWorkGroupSize();
  return subgroup && group && (*group)[0] == int32_t(*subgroup) && (*group)[1] == 1;
}

/// Whether an SPMD region writes a memory.
static bool isWrittenInRegion(Operation *op, Value memref) {
  Operation *region = op;
  while (!isa<FuncOp>(region->getParentOp()))
    region = region->getParentOp();
  bool isWritten = false;
  region->walk([&](Operation *nested) {
    for (const MemrefUse &use : getMemrefUses(nested))
      isWritten |= use.isWritten && getStorage(use.memref) == getStorage(memref);
  });
  return isWritten;
}

namespace {

struct MatrixLoadModel
    : DifferentiableOpInterface::ExternalModel<MatrixLoadModel,
                                               CooperativeMatrixLoadOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto load = cast<CooperativeMatrixLoadOp>(op);
    Operation *tangent = emitter.builder.clone(*op);
    cast<CooperativeMatrixLoadOp>(tangent).getSourceMutable().assign(
        emitter.getTangent(load.getSource()));
    emitter.setTangent(load.getResult(), tangent->getResult(0));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    uses.addValue(cast<CooperativeMatrixLoadOp>(op).getX());
    uses.addValue(cast<CooperativeMatrixLoadOp>(op).getY());
  }

  /// Other subgroups may have loaded the same components.
  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto load = cast<CooperativeMatrixLoadOp>(op);
    if (Value adjoint = emitter.getAdjoint(load.getResult()))
      CooperativeMatrixStoreOp::create(
          emitter.builder, load.getTranspose(), load.getChecked(), StoreFlag::AtomicAdd,
          adjoint, emitter.getShadow(load.getSource()), emitter.getPrimal(load.getX()),
          emitter.getPrimal(load.getY()));
    return success();
  }
};

struct MatrixStoreModel
    : DifferentiableOpInterface::ExternalModel<MatrixStoreModel,
                                               CooperativeMatrixStoreOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto store = cast<CooperativeMatrixStoreOp>(op);
    Value tangent = emitter.getTangent(store.getMatrix());
    auto copy = cast<CooperativeMatrixStoreOp>(emitter.builder.clone(*op));
    copy.getMatrixMutable().assign(tangent);
    copy.getDestMutable().assign(emitter.getTangent(store.getDest()));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    uses.addValue(cast<CooperativeMatrixStoreOp>(op).getX());
    uses.addValue(cast<CooperativeMatrixStoreOp>(op).getY());
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto store = cast<CooperativeMatrixStoreOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    bool isAdded = store.getFlag() == StoreFlag::AtomicAdd;
    if (!isAdded && op->getParentOfType<ParallelOp>() && !hasOneSubgroup(op))
      return refuse(op, "several subgroups of a parallel region may write the matrix");
    Type type = getAdjointType(store.getMatrix().getType());
    Value shadow = emitter.getShadow(store.getDest());
    Value x = emitter.getPrimal(store.getX()), y = emitter.getPrimal(store.getY());
    if (emitter.isActive(store.getMatrix()))
      emitter.addAdjoint(store.getMatrix(), CooperativeMatrixLoadOp::create(
                                                builder, type, store.getTranspose(),
                                                store.getChecked(), shadow, x, y));
    if (!isAdded)
      CooperativeMatrixStoreOp::create(builder, store.getTranspose(),
                                       store.getChecked(), store.getFlag(),
                                       createNumber(builder, type, 0), shadow, x, y);
    return success();
  }
};

/// D = A B + C: A' = D' B^T, B' = A^T D', C' = D'.
struct MatrixMulAddModel
    : DifferentiableOpInterface::ExternalModel<MatrixMulAddModel,
                                               CooperativeMatrixMulAddOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto product = cast<CooperativeMatrixMulAddOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value sum = emitter.isActive(product.getC())
                    ? emitter.getTangent(product.getC())
                    : createNumber(builder, product.getType(), 0);
    if (sum.getType() != product.getType())
      sum = CastOp::create(builder, product.getType(), sum);
    auto add = [&](Value a, Value b) {
      sum = CooperativeMatrixMulAddOp::create(builder, product.getType(), a, b, sum);
    };
    if (emitter.isActive(product.getA()))
      add(emitter.getTangent(product.getA()), product.getB());
    if (emitter.isActive(product.getB()))
      add(product.getA(), emitter.getTangent(product.getB()));
    emitter.setTangent(product.getResult(), sum);
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &activity,
                      AdjointUses &uses) const {
    for (auto [factor, other] : getFactors(op)) {
      auto load = other.getDefiningOp<CooperativeMatrixLoadOp>();
      if (!activity.isActive(factor) || !load)
        continue;
      uses.addContents(load.getSource());
      uses.addValue(load.getX());
      uses.addValue(load.getY());
    }
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto product = cast<CooperativeMatrixMulAddOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value g = emitter.getAdjoint(product.getResult());
    if (!g)
      return success();
    for (auto [number, factors] : llvm::enumerate(getFactors(op))) {
      auto [factor, other] = factors;
      if (!emitter.isActive(factor))
        continue;
      auto load = other.getDefiningOp<CooperativeMatrixLoadOp>();
      bool isConstant = other.getDefiningOp<ConstantOp>() != nullptr;
      if (!isConstant && (!load || isWrittenInRegion(op, load.getSource())))
        return refuse(op, "the transpose of a factor that is not loaded from memory, "
                          "or is overwritten, is not known; that of a factor of "
                          "'gemm' is");
      auto type = cast<CoopMatrixType>(factor.getType());
      auto ofOther = cast<CoopMatrixType>(other.getType());
      if (!llvm::isPowerOf2_64(ofOther.getColumns()))
        return refuse(op,
                      "the transpose of a factor has a number of rows that is not a "
                      "power of two");
      if (type.getElementType() != getScalarType(g.getType()) ||
          ofOther.getElementType() != type.getElementType())
        return refuse(op, "the components of its matrices have several types");
      addFactor(emitter, op, number, type, g, other);
    }
    Value c = product.getC();
    emitter.addAdjoint(c, createCast(builder, g, getAdjointType(c.getType())));
    return success();
  }

private:
  /// Each factor, and the other one.
  static std::array<std::pair<Value, Value>, 2> getFactors(Operation *op) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    return {std::pair(a, b), std::pair(b, a)};
  }

  /// The transpose of a factor, which is constant or loaded from memory.
  static Value createTransposed(AdjointEmitter &emitter, Operation *op, Value factor,
                                MatrixUse use) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto type = cast<CoopMatrixType>(factor.getType());
    auto transposed = CoopMatrixType::get(type.getColumns(), type.getRows(),
                                          type.getElementType(), use);
    if (auto constant = factor.getDefiningOp<ConstantOp>())
      return ConstantOp::create(builder, transposed, constant.getValue());
    auto load = factor.getDefiningOp<CooperativeMatrixLoadOp>();
    Transpose flipped =
        load.getTranspose() == Transpose::N ? Transpose::T : Transpose::N;
    return CooperativeMatrixLoadOp::create(
        builder, transposed, flipped, getTransposed(load.getChecked()),
        emitter.getContents(op, load.getSource()), emitter.getPrimal(load.getX()),
        emitter.getPrimal(load.getY()));
  }

  static void addFactor(AdjointEmitter &emitter, Operation *op, size_t number,
                        CoopMatrixType type, Value g, Value other) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    MatrixUse use = number == 0 ? MatrixUse::A : MatrixUse::B;
    MatrixUse ofOther = number == 0 ? MatrixUse::B : MatrixUse::A;
    Value matrix = createTransposed(emitter, op, other, ofOther);
    Value factor =
        CastOp::create(builder, getWithUse(cast<CoopMatrixType>(g.getType()), use), g);
    Type result = getAdjointType(type);
    Value zero = createNumber(builder, result, 0);
    Value term = CooperativeMatrixMulAddOp::create(builder, result,
                                                   number == 0 ? factor : matrix,
                                                   number == 0 ? matrix : factor, zero);
    emitter.addAdjoint(op->getOperand(number), term);
  }
};

struct MatrixScaleModel
    : DifferentiableOpInterface::ExternalModel<MatrixScaleModel,
                                               CooperativeMatrixScaleOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto scale = cast<CooperativeMatrixScaleOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value sum;
    if (emitter.isActive(scale.getMatrix()))
      sum = CooperativeMatrixScaleOp::create(builder, scale.getScalar(),
                                             emitter.getTangent(scale.getMatrix()));
    if (emitter.isActive(scale.getScalar())) {
      Value term = CooperativeMatrixScaleOp::create(
          builder, emitter.getTangent(scale.getScalar()), scale.getMatrix());
      sum = sum ? Value(ArithAddOp::create(builder, sum, term)) : term;
    }
    emitter.setTangent(scale.getResult(), sum);
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &activity,
                      AdjointUses &uses) const {
    auto scale = cast<CooperativeMatrixScaleOp>(op);
    uses.addValue(scale.getScalar());
    if (activity.isActive(scale.getScalar()))
      uses.addValue(scale.getMatrix());
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto scale = cast<CooperativeMatrixScaleOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value adjoint = emitter.getAdjoint(scale.getResult());
    if (!adjoint)
      return success();
    if (emitter.isActive(scale.getMatrix()))
      emitter.addAdjoint(scale.getMatrix(),
                         CooperativeMatrixScaleOp::create(
                             builder, emitter.getPrimal(scale.getScalar()), adjoint));
    if (!emitter.isActive(scale.getScalar()))
      return success();
    Value matrix = emitter.getPrimal(scale.getMatrix());
    if (matrix.getType() != adjoint.getType())
      return refuse(op, "it multiplies a matrix that is not matrix_acc");
    Value products = ArithMulOp::create(builder, adjoint, matrix);
    emitter.addAdjoint(scale.getScalar(), createComponentSum(builder, products));
    return success();
  }
};

} // namespace

void derivatives::attachCoopMatrixRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    CooperativeMatrixLoadOp::attachInterface<MatrixLoadModel>(*context);
    CooperativeMatrixStoreOp::attachInterface<MatrixStoreModel>(*context);
    CooperativeMatrixMulAddOp::attachInterface<MatrixMulAddModel>(*context);
    CooperativeMatrixScaleOp::attachInterface<MatrixScaleModel>(*context);
  });
}
