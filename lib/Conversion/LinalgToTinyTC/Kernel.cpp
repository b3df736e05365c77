//===- Kernel.cpp - func.func -> tinytc.func ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_RAISELINALGPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

static bool isScalar(Type type) { return type.isInteger(1) || isScalarType(type); }

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Emits an error at the first tensor of a function.
static LogicalResult checkBufferized(func::FuncOp func) {
  WalkResult result = func->walk([](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    if (auto kernel = dyn_cast<func::FuncOp>(op))
      llvm::append_range(types, kernel.getArgumentTypes());
    auto tensor = llvm::find_if(types, llvm::IsaPred<TensorType>);
    if (tensor == types.end())
      return WalkResult::advance();
    return op->emitError("expected memrefs, got ")
           << *tensor
           << "; --one-shot-bufferize=\"bufferize-function-boundaries\" makes memrefs "
              "of tensors";
  });
  return failure(result.wasInterrupted());
}

/// Whether a memref is a parameter, if by another type.
static bool isParameter(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return isa<MemRefType>(value.getType()) && isa<BlockArgument>(value);
}

LogicalResult Raiser::checkFunction(func::FuncOp func) {
  if (getDiscardable<TinyTCDialect::ManifestAttrHelper>(func))
    return func.emitError("expected a kernel that has not been lowered yet, got the "
                          "output of --lower-to-linalg: continue with --linalg-to-gpu "
                          "or --linalg-to-spirv");
  if (!func.getBody().hasOneBlock())
    return func.emitError("expected a kernel of one block, got ")
           << func.getBody().getBlocks().size();
  if (failed(checkBufferized(func)))
    return failure();
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    if (!isParameter(value))
      return func.emitError("expected a kernel that returns no more than parameters, "
                            "got a result of type ")
             << value.getType()
             << "; after bufferization, "
                "--buffer-results-to-out-params=\"hoist-static-allocs=true "
                "modify-public-functions=true\" makes parameters of results";
  return success();
}

/// Divisors of sizes or strides, in the order of the modes; 1 where none is given.
static Attribute permute(DenseI64ArrayAttr divisors, ArrayRef<int64_t> modes) {
  SmallVector<int64_t> all(modes.size(), 1);
  for (auto [own, given] : llvm::zip(all, divisors.asArrayRef()))
    own = given;
  return DenseI64ArrayAttr::get(divisors.getContext(),
                                applyPermutation(ArrayRef<int64_t>(all), modes));
}

/// The attributes of the dialect on a parameter whose modes are in another order.
static DictionaryAttr getAttrs(func::FuncOp func, unsigned index,
                               ArrayRef<int64_t> modes) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attrs;
  DictionaryAttr given = func.getArgAttrDict(index);
  for (NamedAttribute attr : given ? given.getValue() : ArrayRef<NamedAttribute>()) {
    if (!isa_and_nonnull<TinyTCDialect>(attr.getNameDialect()))
      continue;
    bool isGcd = attr.getName() == TinyTCDialect::ShapeGcdAttrHelper::getNameStr() ||
                 attr.getName() == TinyTCDialect::StrideGcdAttrHelper::getNameStr();
    if (isGcd)
      attr.setValue(permute(cast<DenseI64ArrayAttr>(attr.getValue()), modes));
    attrs.push_back(attr);
  }
  if (!llvm::is_sorted(modes))
    attrs.push_back(builder.getNamedAttr(TinyTCDialect::ModesAttrHelper::getNameStr(),
                                         builder.getDenseI64ArrayAttr(modes)));
  return builder.getDictionaryAttr(attrs);
}

FuncOp Raiser::createKernel(func::FuncOp func, ArrayRef<Type> types,
                            ArrayRef<DictionaryAttr> attrs) {
  OperationState state(func.getLoc(), FuncOp::getOperationName());
  state.addRegion();
  FuncOp::Properties &entries = state.getOrAddProperties<FuncOp::Properties>();
  entries.sym_name = func.getSymNameAttr();
  entries.function_type = TypeAttr::get(builder.getFunctionType(types, {}));
  entries.subgroup_size = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(func);
  entries.work_group_size =
      getDiscardable<TinyTCDialect::WorkGroupSizeAttrHelper>(func);
  entries.schedule = getDiscardable<TinyTCDialect::ScheduleAttrHelper>(func);
  bool hasAttrs =
      llvm::any_of(attrs, [](DictionaryAttr attr) { return !attr.empty(); });
  if (hasAttrs)
    entries.arg_attrs =
        builder.getArrayAttr(SmallVector<Attribute>(attrs.begin(), attrs.end()));
  return cast<FuncOp>(builder.create(state));
}

LogicalResult Raiser::raise(func::FuncOp func) {
  if (failed(checkFunction(func)))
    return failure();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  SmallVector<SmallVector<int64_t>> modes;
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    Type type = argument.getType();
    modes.emplace_back();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      auto converted = convertMemref(func.getLoc(), ("parameter " + Twine(index)).str(),
                                     memref, AddressSpace::Global);
      if (failed(converted))
        return failure();
      type = converted->first;
      modes.back() = converted->second;
    } else if (!isScalar(type)) {
      return func.emitError("expected parameter ")
             << index << " to be a memref or a scalar, got " << type;
    }
    types.push_back(type);
    attrs.push_back(getAttrs(func, index, modes.back()));
  }
  builder.setInsertionPoint(func);
  FuncOp kernel = createKernel(func, types, attrs);
  auto locations = llvm::map_to_vector(
      func.getArguments(), [](BlockArgument argument) { return argument.getLoc(); });
  builder.createBlock(&kernel.getBody(), {}, types, locations);
  for (auto [argument, own, order] :
       llvm::zip(func.getArguments(), kernel.getArguments(), modes)) {
    if (isa<MemRefType>(argument.getType()))
      views[argument] = {own, order};
    else
      scalars.map(argument, own);
  }
  if (isBatch(func))
    group = GroupIdOp::create(builder, func.getLoc(), builder.getIndexType());
  if (failed(raiseBlock(func.getBody().front())))
    return failure();
  YieldOp::create(builder, func.getLoc());
  func.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Raiser::raiseBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(raiseOp(op)))
      return failure();
  return success();
}

/// Whether an op, with all that is in it, is sequential code that writes memory.
static bool isSequentialWrite(Operation &op) {
  bool writes = false;
  WalkResult result = op.walk([&](Operation *nested) {
    writes |= isa<memref::StoreOp>(nested);
    return isa<linalg::LinalgOp, memref::AllocaOp, memref::AllocOp, memref::CopyOp,
               scf::ParallelOp, scf::ForallOp>(nested)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return writes && !result.wasInterrupted() && op.use_empty();
}

LogicalResult Raiser::raiseOnOneWorkItem(Operation &op) {
  return createForeach(op.getLoc(), createIndex(op.getLoc(), 1),
                       [&](ValueRange) { return raiseOp(op); });
}

LogicalResult Raiser::raiseOp(Operation &op) {
  if (!isSpmd && isSequentialWrite(op))
    return raiseOnOneWorkItem(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return raiseLinalg(linalgOp);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return raiseFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return raiseIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return raiseWhile(loop);
  if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
    if (loop.getNumReductions() != 0)
      return op.emitError("expected a parallel loop without reductions, got ")
             << loop.getNumReductions();
    return raiseParallel(op, getAsOpFoldResult(loop.getLowerBound()),
                         getAsOpFoldResult(loop.getUpperBound()),
                         getAsOpFoldResult(loop.getStep()), loop.getInductionVars(),
                         *loop.getBody());
  }
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return raiseForall(loop);
  if (isa_and_nonnull<memref::MemRefDialect>(op.getDialect()))
    return raiseMemoryOp(op);
  return raiseScalarOp(op);
}

LogicalResult Raiser::raiseScalarOp(Operation &op) {
  Location loc = op.getLoc();
  if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
    auto dimension = static_cast<Dimension>(id.getDimension());
    scalars.map(id.getResult(),
                GroupIdOp::create(builder, loc, builder.getIndexType(), dimension));
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    scalars.map(index.getResult(), linalgIndices[index.getDim()]);
    return success();
  }
  // Bounds of the batch are derived from these.
  auto replace = [&](auto created) {
    scalars.map(op.getResult(0), created->getResult(0));
    return success();
  };
  auto mapped = [&](unsigned i) { return scalars.lookupOrDefault(op.getOperand(i)); };
  bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
  if (isIndex && isa<arith::AddIOp>(op))
    return replace(ArithAddOp::create(builder, loc, mapped(0), mapped(1)));
  if (isIndex && isa<arith::SubIOp>(op))
    return replace(ArithSubOp::create(builder, loc, mapped(0), mapped(1)));
  if (isIndex && isa<arith::MulIOp>(op))
    return replace(ArithMulOp::create(builder, loc, mapped(0), mapped(1)));
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isIndex)
    return replace(ConstantOp::create(builder, loc, builder.getIndexType(),
                                      cast<Attribute>(constant.getValue())));
  bool isKnown =
      isa_and_nonnull<arith::ArithDialect, math::MathDialect, complex::ComplexDialect>(
          op.getDialect());
  if (isa_and_nonnull<linalg::LinalgDialect>(op.getDialect()))
    return op.emitError("expected an op that has a linalg.generic form, got '")
           << op.getName() << "'";
  if (!isKnown)
    return op.emitError(
               "expected ops of linalg, memref, scf, arith, math and complex on "
               "memrefs and scalars, got '")
           << op.getName() << "'";
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op.getOperandTypes()),
                                            llvm::to_vector(op.getResultTypes())))
    if (!isScalar(type))
      return op.emitError("expected '")
             << op.getName() << "' on scalars of the language, got " << type;
  // Targets differ in NaN and zeros; the instructions do not.
  if (isa<arith::MinimumFOp>(op))
    return replace(MinimumOp::create(builder, loc, mapped(0), mapped(1)));
  if (isa<arith::MaximumFOp>(op))
    return replace(MaximumOp::create(builder, loc, mapped(0), mapped(1)));
  if (isa<arith::MinNumFOp>(op))
    return replace(ArithMinOp::create(builder, loc, mapped(0), mapped(1)));
  if (isa<arith::MaxNumFOp>(op))
    return replace(ArithMaxOp::create(builder, loc, mapped(0), mapped(1)));
  builder.clone(op, scalars);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RaiseLinalg final : tinytc::impl::RaiseLinalgPassBase<RaiseLinalg> {
  using RaiseLinalgPassBase::RaiseLinalgPassBase;

  void runOnOperation() override {
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      // A declaration is not a kernel: it stays where it is.
      if (!func.isDeclaration() && failed(Raiser(&getContext()).raise(func)))
        return signalPassFailure();
  }
};
} // namespace
