//===- Memory.cpp - memref -> loads and stores of tinytc ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult Raiser::raiseAlloc(Operation &op, MemRefType type) {
  if (!type.hasStaticShape() || op.getNumOperands() != 0)
    return op.emitError("expected local memory of static size, got ") << type;
  if (isSpmd)
    return op.emitError(
        "expected local memory outside of parallel loops, got it in one");
  auto converted =
      convertMemref(op.getLoc(), "the local memory", type, AddressSpace::Local);
  if (failed(converted))
    return failure();
  views[op.getResult(0)] = {AllocaOp::create(builder, op.getLoc(), converted->first,
                                             IntegerAttr(), ArrayAttr()),
                            converted->second};
  return success();
}

LogicalResult Raiser::raiseDim(memref::DimOp op) {
  FailureOr<View> source = getView(*op, op.getSource());
  if (failed(source))
    return failure();
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim || *dim < 0 || *dim >= int64_t(source->modes.size()))
    return op.emitError("expected a constant dimension below ")
           << source->modes.size() << ", got another index";
  scalars.map(op.getResult(), SizeOp::create(builder, op.getLoc(), source->memref,
                                             source->getMode(*dim)));
  return success();
}

LogicalResult Raiser::raiseLoad(memref::LoadOp op) {
  FailureOr<View> source = getView(*op, op.getMemRef());
  if (failed(source))
    return failure();
  SmallVector<Value> indices = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return scalars.lookupOrDefault(index); });
  scalars.map(op.getResult(),
              LoadOp::create(builder, op.getLoc(), source->memref,
                             source->toModes(ArrayRef<Value>(indices))));
  return success();
}

LogicalResult Raiser::raiseStore(memref::StoreOp op) {
  FailureOr<View> dest = getView(*op, op.getMemRef());
  if (failed(dest))
    return failure();
  SmallVector<Value> indices = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return scalars.lookupOrDefault(index); });
  StoreOp::create(builder, op.getLoc(), StoreFlag::Regular,
                  scalars.lookupOrDefault(op.getValue()), dest->memref,
                  dest->toModes(ArrayRef<Value>(indices)));
  return success();
}

LogicalResult Raiser::raiseCopy(memref::CopyOp op) {
  FailureOr<View> source = getView(*op, op.getSource());
  FailureOr<View> target = getView(*op, op.getTarget());
  if (failed(source) || failed(target))
    return failure();
  Location loc = op.getLoc();
  SmallVector<Value> sizes;
  for (unsigned mode = 0; mode < target->modes.size(); ++mode)
    sizes.push_back(SizeOp::create(builder, loc, target->memref, mode));
  bool isElement = sizes.empty();
  if (isElement)
    sizes.push_back(createIndex(loc, 1));
  return createForeach(loc, sizes, [&](ValueRange variables) {
    SmallVector<Value> indices(variables.drop_back(isElement));
    // From the modes of the target over dimensions to those of the source.
    SmallVector<Value> dims(indices.size());
    for (auto [dim, index] : llvm::zip(target->modes, indices))
      dims[dim] = index;
    Value element = LoadOp::create(builder, loc, source->memref,
                                   source->toModes(ArrayRef<Value>(dims)));
    StoreOp::create(builder, loc, StoreFlag::Regular, element, target->memref, indices);
    return success();
  });
}

LogicalResult Raiser::raiseMemoryOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<memref::AllocaOp, memref::AllocOp>(
          [&](auto alloc) { return raiseAlloc(op, alloc.getType()); })
      .Case([&](memref::DeallocOp) { return success(); })
      .Case([&](memref::SubViewOp view) { return raiseSubview(view); })
      .Case([&](memref::TransposeOp view) { return raiseTranspose(view); })
      .Case([&](memref::ExpandShapeOp view) { return raiseExpand(view); })
      .Case([&](memref::CollapseShapeOp view) { return raiseCollapse(view); })
      .Case([&](memref::DimOp dim) { return raiseDim(dim); })
      .Case([&](memref::LoadOp load) { return raiseLoad(load); })
      .Case([&](memref::StoreOp store) { return raiseStore(store); })
      .Case([&](memref::CopyOp copy) { return raiseCopy(copy); })
      .Case([&](memref::CastOp cast) -> LogicalResult {
        FailureOr<View> source = getView(op, cast.getSource());
        if (succeeded(source))
          views[cast.getResult()] = *source;
        return source;
      })
      .Default([](Operation *other) {
        return other->emitError(
                   "expected alloca, alloc, cast, subview, transpose, "
                   "expand_shape, collapse_shape, dim, load, store or copy "
                   "of memref, got '")
               << other->getName() << "'";
      });
}
