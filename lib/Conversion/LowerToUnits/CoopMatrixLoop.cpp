//===- CoopMatrixLoop.cpp - Loops over the components of a work-item ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The place in the vector of an entry.
static int64_t getPosition(const CoopMatrixLayout &layout, int64_t entry) {
  return layout.getPosition(entry / layout.steps, entry % layout.steps);
}

IndexedComponents::IndexedComponents(ImplicitLocOpBuilder &builder,
                                     const CoopMatrixLayout &layout,
                                     ValueRange components) {
  if (llvm::all_equal(components)) {
    same = components.front();
    return;
  }
  SmallVector<Value> entries;
  for (int64_t entry = 0; entry < layout.getNumComponents(); ++entry)
    entries.push_back(components[getPosition(layout, entry)]);
  array = PrivateArray::findOrStore(builder, entries);
}

Value IndexedComponents::load(ImplicitLocOpBuilder &builder, Value entry) const {
  return array ? array->load(builder, entry) : same;
}

SmallVector<Value> tinytc::emitArrayLoop(ImplicitLocOpBuilder &builder, int64_t count,
                                         Type type, function_ref<Value(Value)> emit) {
  std::optional<PrivateArray> results;
  if (type)
    results.emplace(builder, type, count);
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, count), createIndex(builder, 1));
  setUnroll(loop, false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value result = emit(loop.getInductionVar());
    if (results)
      results->store(builder, result, loop.getInductionVar());
  }
  SmallVector<Value> values;
  for (int64_t number = 0; results && number < count; ++number)
    values.push_back(results->load(builder, createIndex(builder, number)));
  return values;
}

SmallVector<Value>
tinytc::emitComponentLoop(ImplicitLocOpBuilder &builder, const CoopMatrixLayout &layout,
                          ArrayRef<MatrixOperand> operands, Type type,
                          function_ref<Value(Value, Value, ArrayRef<Value>)> emit) {
  SmallVector<IndexedComponents> sources;
  for (const auto &[operandLayout, components] : operands)
    sources.emplace_back(builder, operandLayout, components);
  auto emitEntry = [&](Value entry) {
    Value steps = createIndex(builder, layout.steps);
    Value block = arith::DivUIOp::create(builder, entry, steps);
    Value step = arith::RemUIOp::create(builder, entry, steps);
    SmallVector<Value> components;
    for (const IndexedComponents &source : sources)
      components.push_back(source.load(builder, entry));
    return emit(block, step, components);
  };
  SmallVector<Value> entries =
      emitArrayLoop(builder, layout.getNumComponents(), type, emitEntry);
  SmallVector<Value> values(entries.size());
  for (auto [entry, value] : llvm::enumerate(entries))
    values[getPosition(layout, int64_t(entry))] = value;
  return values;
}
