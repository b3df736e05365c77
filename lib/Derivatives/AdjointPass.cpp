//===- AdjointPass.cpp - The kernels of reverse derivatives ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/AdjointPlan.h"
#include "lib/Derivatives/KernelAdjoint.h"
#include "lib/Derivatives/Signature.h"

#include "dialect/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_ADJOINTPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

/// The array with an element, or an array, for each group; the last modes, `gridModes`
/// of them, are those of the grid.
static MemrefType getPartialType(Type type, size_t gridModes) {
  auto memref = dyn_cast<MemrefType>(type);
  SmallVector<int64_t> shape;
  if (memref)
    shape.append(memref.getShape().begin(), memref.getShape().end());
  shape.append(gridModes, ShapedType::kDynamic);
  return MemrefType::get(shape, getScalarType(type));
}

static Type getSumType(Type type) {
  if (isa<MemrefType, GroupType>(type))
    return type;
  return MemrefType::get(ArrayRef<int64_t>(), type);
}

/// Checks that there can be a partial sum for each group.
static LogicalResult checkPartialSums(FuncOp func, unsigned index) {
  Type type = func.getArgumentTypes()[index];
  StringRef name = getParameterName(func, index);
  if (isa<GroupType>(type))
    return func.emitOpError("expected parameter '")
           << name
           << "', which groups share, to be an array or a scalar for partial sums "
           << "of its adjoint, got " << type << "; with 'atomic', groups add to it";
  return success();
}

namespace {

/// A parameter with an adjoint, and the parameter for it.
struct AdjointParameter {
  unsigned index;
  Value parameter;
  Sharing sharing;

  bool isShared() const { return sharing == Sharing::Read; }
};

/// Makes the kernels of the reverse derivative of one kernel.
class AdjointKernel {
public:
  /// `func` is a copy of the kernel, after which others are added.
  AdjointKernel(FuncOp original, FuncOp func, const Activity &activity,
                const AdjointPlan &plan, bool atomic)
      : original(original), func(func), activity(activity), plan(plan), atomic(atomic),
        builder(func.getLoc(), func.getContext()) {}

  LogicalResult run() {
    createKernel();
    if (failed(addParameters()) || failed(emitBody())) {
      kernel.erase();
      return failure();
    }
    YieldOp::create(builder);
    if (failed(simplifyKernel(kernel)))
      return failure();
    return hasPartialSums() ? addSumKernel() : success();
  }

private:
  FuncOp createFunc(const Twine &suffix, ArrayRef<Type> types, ArrayAttr attrs) {
    FuncOp result = FuncOp::create(
        builder, (func.getSymName() + suffix).str(), builder.getFunctionType(types, {}),
        attrs, ArrayAttr(), IntegerAttr(), DenseI32ArrayAttr(), ScheduleAttr());
    result.getBody().emplaceBlock();
    return result;
  }

  void createKernel() {
    builder.setInsertionPointAfter(original);
    kernel = createFunc("_vjp", func.getArgumentTypes(), func.getArgAttrsAttr());
    kernel.setSubgroupSizeAttr(func.getSubgroupSizeAttr());
    kernel.setWorkGroupSizeAttr(func.getWorkGroupSizeAttr());
    Block &body = kernel.getBody().front();
    for (BlockArgument argument : func.getArguments())
      body.addArgument(argument.getType(), argument.getLoc());
  }

  LogicalResult addParameters() {
    for (auto [index, argument] : llvm::enumerate(func.getArguments())) {
      if (!activity.isActive(argument))
        continue;
      Sharing sharing = getSharing(func, index);
      bool isPartial = sharing == Sharing::Read && !atomic;
      if (isPartial && failed(checkPartialSums(func, index)))
        return failure();
      Type type = argument.getType();
      Value parameter =
          addParameter(kernel, func, index, isPartial ? "_partial" : "_adjoint",
                       isPartial ? getPartialType(type, getGridModes(func).size())
                                 : getSumType(type));
      adjoints.push_back({unsigned(index), parameter, sharing});
    }
    return success();
  }

  bool hasPartialSums() const {
    return !atomic && llvm::any_of(adjoints, [](auto &a) { return a.isShared(); });
  }

  Value getPartial(const AdjointParameter &adjoint) {
    Value partial = adjoint.parameter;
    for (Dimension dimension : llvm::reverse(getGridModes(func))) {
      int64_t last = cast<MemrefType>(partial.getType()).getOrder() - 1;
      Value group = GroupIdOp::create(builder, builder.getIndexType(), dimension);
      partial = createEntry(builder, partial, last, group);
    }
    return partial;
  }

  LogicalResult emitBody() {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    KernelAdjoint emitter(activity, plan, kernel, builder);
    SmallVector<Value> copies(kernel.getArguments()); // buffers are more arguments
    for (auto [argument, copy] : llvm::zip(func.getArguments(), copies))
      emitter.mapParameter(argument, copy);
    for (const AdjointParameter &adjoint : adjoints) {
      Value argument = func.getArgument(adjoint.index), shadow = adjoint.parameter;
      if (!isa<MemrefType, GroupType>(argument.getType()))
        continue;
      if (adjoint.isShared() && !atomic) {
        shadow = getPartial(adjoint);
        createFill(builder, shadow);
      }
      if (isBuffer(argument))
        createFill(builder, createPart(builder, shadow));
      bool isAtomic = adjoint.isShared() ? atomic : adjoint.sharing == Sharing::Written;
      emitter.mapShadow(argument, shadow, isAtomic);
    }
    if (failed(emitter.emitBlock(func.getBody().front())))
      return failure();
    builder.setLoc(func.getLoc());
    for (const AdjointParameter &adjoint : adjoints)
      storeScalar(adjoint, emitter);
    return success();
  }

  void storeScalar(const AdjointParameter &adjoint, KernelAdjoint &emitter) {
    Value argument = func.getArgument(adjoint.index);
    if (isa<MemrefType, GroupType>(argument.getType()))
      return;
    Value value = emitter.getAdjointOrZero(argument);
    if (!atomic) {
      StoreOp::create(builder, StoreFlag::Regular, value, getPartial(adjoint),
                      ValueRange());
      return;
    }
    Value sum = adjoint.parameter;
    createForeach(builder, sum, [&](ImplicitLocOpBuilder &nested, ValueRange) {
      createAdd(nested, true, value, sum, ValueRange());
    });
  }

  LogicalResult addSumKernel() {
    builder.setInsertionPointAfter(kernel);
    FuncOp sums = createFunc("_vjp_sum", {}, ArrayAttr());
    SmallVector<std::pair<Value, Value>> pairs;
    for (const AdjointParameter &adjoint : adjoints) {
      if (!adjoint.isShared())
        continue;
      Type type = func.getArgumentTypes()[adjoint.index];
      Value partial =
          addParameter(sums, func, adjoint.index, "_partial", getPartialType(type, 1));
      Value sum = addParameter(sums, func, adjoint.index, "_adjoint", getSumType(type));
      pairs.push_back({partial, sum});
    }
    builder.setInsertionPointToStart(&sums.getBody().front());
    Value group = GroupIdOp::create(builder, builder.getIndexType(), Dimension::X);
    for (auto [partial, sum] : pairs)
      addPartialSums(group, partial, sum);
    YieldOp::create(builder);
    return simplifyKernel(sums);
  }

  /// sum += the partial sums of all groups, in their order. A group has one column, if
  /// there are as many: an entry of the last mode, and of a packed array, of all modes
  /// but the first.
  void addPartialSums(Value group, Value partial, Value sum) {
    auto type = cast<MemrefType>(sum.getType());
    int64_t last = type.getOrder() - 1;
    if (last > 1 && type.hasStaticShape() && type.hasPackedStride()) {
      partial = createFuse(partial, last);
      sum = createFuse(sum, last);
      last = 1;
    }
    Value columns = last < 0 ? createIndex(builder, 1) : createSize(builder, sum, last);
    Value isOne = CmpLtOp::create(builder, builder.getI1Type(), group, columns);
    auto branch = IfOp::create(builder, TypeRange(), isOne);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch->getRegion(0).emplaceBlock());
    if (last >= 0) {
      partial = createEntry(builder, partial, last, group);
      sum = createEntry(builder, sum, last, group);
    }
    if (last > 1) {
      addEachElement(partial, sum);
    } else {
      Value one = createNumber(builder, type.getElementType(), 1);
      SumOp::create(builder, TensorForm::N, false, one, partial, one, sum);
    }
    YieldOp::create(builder);
  }

  Value createFuse(Value memref, int64_t last) {
    auto type = cast<MemrefType>(memref.getType());
    Type fused = FuseOp::inferResultType(builder.getLoc(), type, 1, last);
    return FuseOp::create(builder, fused, memref, 1, last);
  }

  void addEachElement(Value partial, Value sum) {
    auto type = cast<MemrefType>(sum.getType());
    Value count = createSize(builder, partial, type.getOrder());
    createForeach(builder, sum, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
      auto add = [&](ImplicitLocOpBuilder &b, Value group, ValueRange sums) {
        SmallVector<Value> place(indices);
        place.push_back(group);
        Value term = LoadOp::create(b, partial, place);
        return SmallVector<Value>{ArithAddOp::create(b, sums.front(), term)};
      };
      Value zero = createNumber(nested, type.getElementType(), 0);
      ForOp loop = createFor(nested, createIndex(nested, 0), count, zero, add);
      createAdd(nested, false, loop.getResult(0), sum, indices);
    });
  }

  FuncOp original, func, kernel;
  const Activity &activity;
  const AdjointPlan &plan;
  bool atomic;
  ImplicitLocOpBuilder builder;
  SmallVector<AdjointParameter> adjoints;
};

struct Adjoint final : tinytc::impl::AdjointPassBase<Adjoint> {
  using AdjointPassBase::AdjointPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<TinyTCDialect>();
    attachDerivativeRules(registry);
  }

  void runOnOperation() override {
    auto add = [this](FuncOp func) { return addKernels(func); };
    if (failed(addToKernels(getOperation(), kernel, add)))
      signalPassFailure();
  }

  LogicalResult addKernels(FuncOp func) {
    FailureOr<SmallVector<unsigned>> parameters = selectParameters(func, wrt);
    if (failed(parameters))
      return failure();
    // Equal views of a parameter become one.
    OpBuilder builder(func);
    auto source = cast<FuncOp>(builder.clone(*func));
    decomposeForDerivatives(source);
    OpPassManager manager(FuncOp::getOperationName());
    manager.addPass(createCSEPass());
    manager.addPass(createLoopInvariantCodeMotionPass());
    manager.addPass(createCSEPass());
    LogicalResult status = runPipeline(manager, source);
    if (succeeded(status))
      status = separateParts(source);
    Activity activity(source, *parameters);
    AdjointPlan plan(source, activity, {localMemoryBytes, buffers, report});
    if (succeeded(status))
      status = plan.run();
    if (succeeded(status))
      status = AdjointKernel(func, source, activity, plan, atomic).run();
    source.erase();
    return status;
  }
};

} // namespace
