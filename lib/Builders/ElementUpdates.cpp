//===- ElementUpdates.cpp - Updates and sums at the linalg stage ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ElementUpdates.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/Stores.h"
#include "lib/Builders/WorkItemLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;
using utils::IteratorType;

/// The dimensions of an element of `memref`, in order.
static ElementInput inOrder(Value memref) {
  auto rank = cast<MemRefType>(memref.getType()).getRank();
  return {memref, llvm::to_vector<3>(llvm::seq<unsigned>(0, rank))};
}

linalg::GenericOp tinytc::createGeneric(ImplicitLocOpBuilder &builder,
                                        ArrayRef<ElementInput> inputs,
                                        ElementInput output, unsigned reductions,
                                        EmitElement emit) {
  unsigned rank = cast<MemRefType>(output.memref.getType()).getRank();
  auto getMap = [&](const ElementInput &input) {
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        input.dims, [&](unsigned dim) { return builder.getAffineDimExpr(dim); });
    return AffineMap::get(rank + reductions, 0, exprs, builder.getContext());
  };
  SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, getMap);
  maps.push_back(getMap(output));
  auto operands =
      llvm::map_to_vector(inputs, [](const ElementInput &i) { return i.memref; });
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(reductions, IteratorType::reduction);
  return linalg::GenericOp::create(
      builder, operands, output.memref, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder b(loc, nested);
        linalg::YieldOp::create(b, emit(b, elements));
      });
}

ElementInput tinytc::createSums(ImplicitLocOpBuilder &builder,
                                ArrayRef<ElementInput> inputs, Value dest, Type type,
                                EmitElement emit) {
  ArrayRef<int64_t> shape = cast<MemRefType>(dest.getType()).getShape();
  SmallVector<Value> sizes;
  for (auto [mode, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(builder, dest, mode));
  auto space =
      gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  Value sums = memref::AllocaOp::create(
      builder, MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space), sizes);
  linalg::FillOp::create(builder, ScalarBuilder(builder).constant(type, 0), sums);
  createGeneric(builder, inputs, inOrder(sums), /*reductions=*/1, emit);
  return inOrder(sums);
}

/// The update where each element is written or increased atomically.
static void createAtomicUpdate(ImplicitLocOpBuilder &builder,
                               ArrayRef<ElementInput> inputs, const Update &update,
                               EmitElement emit) {
  int64_t rank = update.getType().getRank();
  SmallVector<Value> upper;
  for (OpFoldResult size :
       memref::getMixedSizes(builder, builder.getLoc(), update.dest))
    upper.push_back(toValue(builder, size));
  Value zero = tinytc::createIndex(builder, 0), one = tinytc::createIndex(builder, 1);
  // A scalar is written by one iteration.
  upper.resize(std::max<int64_t>(rank, 1), one);
  SmallVector<Value> lower(upper.size(), zero), steps(upper.size(), one);
  auto loop = createWorkItemLoop(builder, lower, upper, steps);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices = loop.getInductionVars(), elements;
  for (const ElementInput &input : inputs) {
    auto position =
        llvm::map_to_vector(input.dims, [&](unsigned dim) { return indices[dim]; });
    elements.push_back(memref::LoadOp::create(builder, input.memref, position));
  }
  createStore(builder, update.getFlag(),
              update.emitScaled(builder, emit(builder, elements)), update.dest,
              ValueRange(indices).take_front(rank));
}

void tinytc::createUpdate(ImplicitLocOpBuilder &builder, ArrayRef<ElementInput> inputs,
                          const Update &update, EmitElement emit) {
  if (update.atomic)
    return createAtomicUpdate(builder, inputs, update, emit);
  createGeneric(builder, inputs, inOrder(update.dest), /*reductions=*/0,
                [&](ImplicitLocOpBuilder &b, ValueRange x) {
                  return update.emit(b, emit(b, x.drop_back()), x.back());
                });
}
