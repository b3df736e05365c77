//===- Vectorizer.cpp - A work-group as a vector --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/Vectorizer.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Conversion/GPUToVector/LaunchParameters.h"
#include "lib/Conversion/GPUToVector/TileUnit.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

VectorType Vectorizer::vectorOf(Type type) const {
  return VectorType::get(group.getNumLanes(), type);
}

static Type convertType(Type type) {
  return isa<MemRefType>(type) ? LLVM::LLVMPointerType::get(type.getContext()) : type;
}

Type Vectorizer::typeOf(Type type, LaneShape shape) const {
  return shape.isVarying ? Type(vectorOf(convertType(type))) : convertType(type);
}

SmallVector<Type, 2> Vectorizer::typesOf(Value value) const {
  LaneShape shape = shapes.get(value);
  Type type = value.getType();
  if (auto complex = dyn_cast<ComplexType>(type))
    return SmallVector<Type, 2>(2, typeOf(complex.getElementType(), shape));
  auto vector = dyn_cast<VectorType>(type);
  if (vector && shape.isVarying)
    return SmallVector<Type, 2>(vector.getNumElements(),
                                typeOf(vector.getElementType(), shape));
  return {typeOf(type, shape)};
}

Value Vectorizer::constantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value Vectorizer::constantLanes(Type element, function_ref<int64_t(int64_t)> get) {
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < group.getNumLanes(); ++lane)
    numbers.push_back(APInt(width, get(lane), /*isSigned=*/true,
                            /*implicitTrunc=*/true));
  return arith::ConstantOp::create(builder,
                                   DenseElementsAttr::get(vectorOf(element), numbers));
}

Value Vectorizer::constantMask(function_ref<bool(int64_t)> get) {
  return constantLanes(builder.getI1Type(),
                       [&](int64_t lane) -> int64_t { return get(lane); });
}

Value Vectorizer::splat(Value scalar) {
  TypedAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(vectorOf(scalar.getType()), constant));
  return vector::BroadcastOp::create(builder, vectorOf(scalar.getType()), scalar);
}

Value Vectorizer::toVector(Lanes lanes) {
  if (lanes.shape.isVarying)
    return lanes.value;
  Value same = splat(lanes.value);
  if (lanes.shape.isUniform())
    return same;
  int64_t step = lanes.shape.step;
  Value distance =
      constantLanes(lanes.value.getType(), [&](int64_t lane) { return lane * step; });
  return arith::AddIOp::create(builder, same, distance);
}

Lanes Vectorizer::get(Value value) { return values.at(value).front(); }

Vectorizer::Values Vectorizer::get(Value value, bool isVarying) {
  Values parts;
  for (Lanes lanes : values.at(value)) {
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!isVarying)
      parts.push_back(lanes.value);
    else if (!vector || lanes.shape.isVarying)
      parts.push_back(toVector(lanes));
    else
      for (int64_t i = 0; i < vector.getNumElements(); ++i)
        parts.push_back(splat(vector::ExtractOp::create(builder, lanes.value, i)));
  }
  return parts;
}

Vectorizer::Values Vectorizer::getLike(Value value, Value like) {
  return get(value, shapes.get(like).isVarying);
}

void Vectorizer::define(Value result, ValueRange parts) {
  SmallVector<Lanes, 1> &lanes = values[result];
  lanes.clear();
  for (Value part : parts)
    lanes.push_back({shapes.get(result), part});
}

Value Vectorizer::getMask() {
  return mask ? mask : constantMask([](int64_t) { return true; });
}

Value Vectorizer::andMask(Value condition) {
  return mask ? arith::AndIOp::create(builder, mask, condition).getResult() : condition;
}

Value Vectorizer::isAny(Value lanes) {
  return vector::ReductionOp::create(builder, vector::CombiningKind::OR, lanes);
}

Value Vectorizer::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, condition, a, b);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The C types of a parameter: f16 is passed as its bits, a complex number as two.
static SmallVector<Type, 2> getParameterTypes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return SmallVector<Type, 2>(2, complex.getElementType());
  if (type.isF16())
    return {IntegerType::get(type.getContext(), 16)};
  return {convertType(type)};
}

func::FuncOp Vectorizer::createFunction() {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    llvm::append_range(types, getParameterTypes(type));
  types.append(kNumLaunchParameters, builder.getI64Type());
  if (isLocalPassed)
    types.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
  auto function = func::FuncOp::create(builder, kernel.getName(),
                                       builder.getFunctionType(types, {}));
  if (!kernel.isKernel())
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(builder.getContext(),
                                                             LLVM::Linkage::Internal));
  if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
    setManifest(function,
                manifest.withLocalMemoryBytes(localBytes)
                    .withComplexParts(llvm::any_of(kernel.getArgumentTypes(),
                                                   llvm::IsaPred<ComplexType>)));
  return function;
}

void Vectorizer::mapParameters(func::FuncOp function) {
  unsigned next = 0;
  for (BlockArgument parameter : kernel.getArguments()) {
    Values parts;
    for (size_t i = 0; i < getParameterTypes(parameter.getType()).size(); ++i)
      parts.push_back(entry->getArgument(next++));
    if (parameter.getType().isF16())
      parts[0] = arith::BitcastOp::create(builder, parameter.getType(), parts[0]);
    define(parameter, parts);
  }
  auto toIndex = [&](unsigned place) -> Value {
    return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                      entry->getArgument(next + place));
  };
  for (unsigned i : {1, 2})
    blockIds[i] = toIndex(kGroupY - 1 + i);
  for (unsigned i : {0, 1, 2})
    gridSizes[i] = toIndex(kNumGroups + i);
  if (isLocalPassed)
    localMemory = entry->getArgument(next + kNumLaunchParameters);
}

LogicalResult Vectorizer::emitGroups(func::FuncOp function) {
  unsigned begin = getLaunchBegin(function);
  auto bound = [&](LaunchParameter place) -> Value {
    return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                      entry->getArgument(begin + place));
  };
  Value first = bound(kFirstGroup), end = bound(kEndGroup);
  if (std::optional<GroupsAsLanes> lanes = GroupsAsLanes::find(kernel, registerBytes)) {
    llvm::SaveAndRestore ofGroup(group, lanes->group);
    llvm::SaveAndRestore ofValues(shapes, lanes->shapes);
    for (const AccessRun &run : lanes->runs)
      for (Operation *access : run.accesses)
        runs[access] = &run;
    int64_t count = group.getNumLanes();
    Value rest = arith::RemSIOp::create(
        builder, arith::SubIOp::create(builder, end, first), constantIndex(count));
    Value whole = arith::SubIOp::create(builder, end, rest);
    if (failed(emitGroups(first, whole, count)))
      return failure();
    first = whole;
    runs.clear();
  }
  return emitGroups(first, end, /*atOnce=*/1);
}

LogicalResult Vectorizer::emitGroups(Value first, Value end, int64_t atOnce) {
  auto loop = scf::ForOp::create(builder, first, end, constantIndex(atOnce));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  blockIds[0] = loop.getInductionVar();
  return emit(kernel.getBody().front());
}

FailureOr<func::FuncOp> Vectorizer::emit(int64_t maxStackBytes) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("expected structured control flow, got ")
           << kernel.getBody().getBlocks().size() << " blocks";
  FailureOr<DenseI64ArrayAttr> tile = findConfiguredTile(kernel, tiles);
  if (failed(tile) || failed(placeMemory(maxStackBytes)))
    return failure();
  func::FuncOp function = createFunction();
  entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  mapParameters(function);
  if (*tile)
    configureTiles(builder, kernel, *tile);
  if (failed(emitGroups(function)))
    return failure();
  if (*tile)
    releaseTiles(builder);
  func::ReturnOp::create(builder);
  return function;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Vectorizer::refuse(Operation *op) {
  return op->emitError("expected an op that lanes of a vector can run, got '")
         << op->getName() << "'";
}

LogicalResult Vectorizer::emit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    builder.setLoc(op.getLoc());
    if (const AccessRun *run = runs.lookup(&op)) {
      if (&op == run->getPlace())
        emitRun(*run);
      continue;
    }
    if (failed(checkMemory(&op)) || failed(emit(&op)))
      return failure();
  }
  return success();
}

LogicalResult Vectorizer::emit(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::IfOp nested) { return emitIf(nested); })
      .Case([&](scf::ForOp nested) { return emitFor(nested); })
      .Case([&](scf::WhileOp nested) { return emitWhile(nested); })
      .Case([&](func::CallOp call) {
        emitCall(call);
        return success();
      })
      .Case([&](arith::CmpIOp comparison) { return emitComparison(comparison); })
      .Case([&](AtomicOp atomic) { return emitAtomic(atomic); })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([&](auto atomic) {
        emitAtomic(atomic);
        return success();
      })
      .Case([&](TileProductOp product) { return emitTileProduct(product); })
      .Case([&](gpu::BarrierOp) { return success(); })
      .Case([&](OpaqueIndexOp opaque) {
        define(opaque.getResult(), get(opaque.getIndex()).value);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (emitId(other))
          return success();
        StringRef dialect = other->getName().getDialectNamespace();
        if (dialect == "complex")
          return emitComplex(other);
        if (dialect == "gpu")
          return emitExchange(other);
        if (dialect == "memref" || dialect == "vector")
          return emitMemory(other);
        if (dialect == "llvm")
          return emitTable(other);
        if (isa<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
                other->getDialect()) ||
            isa<PackedMulAddOp>(other))
          return emitElementwise(other);
        return refuse(other);
      });
}

/// The op with other operands, as scalars or vectors.
Value Vectorizer::emitElementwise(Operation *op, ValueRange operands, bool isVarying) {
  OperationState state(builder.getLoc(), op->getName());
  state.addOperands(operands);
  Type type = op->getResult(0).getType();
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  auto vector = dyn_cast<VectorType>(type);
  if (vector && isVarying)
    type = vector.getElementType();
  state.addTypes(isVarying ? Type(vectorOf(convertType(type))) : convertType(type));
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}

/// Calls a function of all lanes, by way of memory.
void Vectorizer::emitCall(func::CallOp call) {
  auto callee = cast<gpu::GPUFuncOp>(
      SymbolTable::lookupNearestSymbolFrom(kernel, call.getCalleeAttr()));
  SmallVector<Value> arguments;
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    arguments.push_back(passLanes(toVector(get(operand)), i));
  // A result may replace an operand of its size only.
  bool isReplaced = call.getNumResults() == 1 && call.getNumOperands() > 0 &&
                    call.getResult(0).getType() == call.getOperand(0).getType();
  size_t first = isReplaced ? 0 : arguments.size();
  for (size_t i : llvm::seq(size_t(call.getNumResults())))
    arguments.push_back(getPassed(first + i));
  int64_t count = group.getNumLanes() / callee.getKnownBlockSize()->front();
  std::array<int64_t, kNumLaunchParameters> numbers = {0, count, 0, 0, count, 1, 1};
  for (int64_t number : numbers)
    arguments.push_back(arith::ConstantIntOp::create(builder, number, /*width=*/64));
  func::CallOp::create(builder, call.getCallee(), TypeRange(), arguments);
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    Value lanes =
        LLVM::LoadOp::create(builder, vectorOf(result.getType()), getPassed(first + i));
    define(result, shapes.get(result).isVarying
                       ? lanes
                       : vector::ExtractOp::create(builder, lanes, 0).getResult());
  }
}

/// A product of unsigned integers in two halves.
void Vectorizer::emitProduct(arith::MulUIExtendedOp op) {
  bool isVarying = shapes.get(op.getHigh()).isVarying;
  Value a = get(op.getLhs(), isVarying).front(),
        b = get(op.getRhs(), isVarying).front();
  auto product = arith::MulUIExtendedOp::create(builder, a, b);
  define(op.getLow(), product.getLow());
  define(op.getHigh(), product.getHigh());
}

LogicalResult Vectorizer::emitElementwise(Operation *op) {
  if (auto product = dyn_cast<arith::MulUIExtendedOp>(op)) {
    emitProduct(product);
    return success();
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return refuse(op);
  bool isVarying = shapes.get(op->getResult(0)).isVarying;
  SmallVector<Values> operands;
  size_t count = 1;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isCondition = isa<arith::SelectOp>(op) && i == 0;
    bool stays = isCondition && shapes.get(operand).isUniform();
    operands.push_back(get(operand, isVarying && !stays));
    if (!isCondition)
      count = std::max(count, operands.back().size());
  }
  // Lanes that are switched off must not trap.
  if (isVarying && mask &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    for (Value &divisor : operands[1]) {
      Type element = cast<VectorType>(divisor.getType()).getElementType();
      Value one = constantLanes(element, [](int64_t) { return 1; });
      divisor = select(mask, divisor, one);
    }
  Values results;
  for (size_t part = 0; part < count; ++part) {
    Values chosen;
    for (Values &operand : operands)
      chosen.push_back(operand.size() == 1 ? operand[0] : operand[part]);
    results.push_back(emitElementwise(op, chosen, isVarying));
  }
  if (results.size() == 1 && typesOf(op->getResult(0)).size() > 1)
    results.resize(typesOf(op->getResult(0)).size(), results[0]);
  define(op->getResult(0), results);
  return success();
}

/// Lanes compare the numbers of their lane with one number of 32 bits, which is what
/// both sides differ by.
LogicalResult Vectorizer::emitComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  bool isVarying = shapes.get(op.getResult()).isVarying;
  LaneShape a = shapes.get(op.getLhs()), b = shapes.get(op.getRhs());
  bool isSigned = llvm::is_contained({Predicate::eq, Predicate::ne, Predicate::slt,
                                      Predicate::sle, Predicate::sgt, Predicate::sge},
                                     op.getPredicate());
  if (!isVarying || a.isVarying || b.isVarying || !isSigned ||
      !op.getLhs().getType().isIndex())
    return emitElementwise(op);
  int64_t step = a.step - b.step;
  int64_t far = std::abs(step) * group.getNumLanes() + 1;
  if (far > std::numeric_limits<int32_t>::max())
    return emitElementwise(op);
  Value distance =
      arith::SubIOp::create(builder, get(op.getRhs()).value, get(op.getLhs()).value);
  distance = arith::MinSIOp::create(builder, distance, constantIndex(far));
  distance = arith::MaxSIOp::create(builder, distance, constantIndex(-far));
  Type i32 = builder.getI32Type();
  distance = arith::IndexCastOp::create(builder, i32, distance);
  Value numbers = constantLanes(i32, [&](int64_t lane) { return lane * step; });
  define(op.getResult(),
         arith::CmpIOp::create(builder, op.getPredicate(), numbers, splat(distance))
             .getResult());
  return success();
}

/// Complex numbers are pairs.
LogicalResult Vectorizer::emitComplex(Operation *op) {
  Value result = op->getResult(0);
  bool isVarying = shapes.get(result).isVarying;
  if (auto constant = dyn_cast<complex::ConstantOp>(op)) {
    Values parts;
    for (Attribute part : constant.getValue())
      parts.push_back(arith::ConstantOp::create(builder, cast<TypedAttr>(part)));
    define(result, parts);
    return success();
  }
  if (auto create = dyn_cast<complex::CreateOp>(op)) {
    Value re = get(create.getReal(), isVarying).front();
    Value im = get(create.getImaginary(), isVarying).front();
    define(result, {re, im});
    return success();
  }
  if (isa<complex::ReOp, complex::ImOp>(op)) {
    Values parts = get(op->getOperand(0), isVarying);
    define(result, parts[isa<complex::ImOp>(op) ? 1 : 0]);
    return success();
  }
  return refuse(op);
}

/// Ids and sizes; false if `op` is none.
bool Vectorizer::emitId(Operation *op) {
  auto put = [&](Value value) {
    define(op->getResult(0), value);
    return true;
  };
  auto putLanes = [&](function_ref<int64_t(int64_t)> number) {
    LaneShape shape = shapes.get(op->getResult(0));
    return put(shape.isVarying ? constantLanes(builder.getIndexType(), number)
                               : constantIndex(number(0)));
  };
  KernelWorkGroup sizes = group;
  int64_t numSubgroups = llvm::divideCeil(sizes.getNumLanes(), sizes.subgroupSize);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](gpu::LaneIdOp) {
        return putLanes([&](int64_t lane) { return lane % sizes.subgroupSize; });
      })
      .Case([&](gpu::SubgroupIdOp) {
        return putLanes([&](int64_t lane) { return lane / sizes.subgroupSize; });
      })
      .Case([&](gpu::ThreadIdOp id) {
        return putLanes([&](int64_t lane) {
          if (id.getDimension() == gpu::Dimension::x)
            return lane % sizes.width;
          return id.getDimension() == gpu::Dimension::y ? lane / sizes.width : 0;
        });
      })
      .Case([&](gpu::BlockIdOp id) {
        return put(blockIds[static_cast<unsigned>(id.getDimension())]);
      })
      .Case([&](gpu::GridDimOp size) {
        return put(gridSizes[static_cast<unsigned>(size.getDimension())]);
      })
      .Case([&](gpu::BlockDimOp size) {
        int64_t block[] = {sizes.width, sizes.height, 1};
        return put(constantIndex(block[static_cast<unsigned>(size.getDimension())]));
      })
      .Case([&](gpu::NumSubgroupsOp) { return put(constantIndex(numSubgroups)); })
      .Case([&](gpu::SubgroupSizeOp) { return put(constantIndex(sizes.subgroupSize)); })
      .Default([](Operation *) { return false; });
}
