//===- CoopMatrixLoop.cpp - Loops over the components of a work-item ------===//

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
  array = PrivateArray::find(entries);
  if (array)
    return;
  array.emplace(builder, entries.front().getType(), entries.size());
  for (auto [entry, component] : llvm::enumerate(entries))
    array->store(builder, component, createIndex(builder, entry));
}

Value IndexedComponents::load(ImplicitLocOpBuilder &builder, Value entry) const {
  return array ? array->load(builder, entry) : same;
}

SmallVector<Value> tinytc::emitComponentLoop(
    ImplicitLocOpBuilder &builder, const CoopMatrixLayout &layout,
    ArrayRef<MatrixOperand> operands, Type type,
    function_ref<Value(Value, Value, ArrayRef<Value>)> emit) {
  SmallVector<IndexedComponents> sources;
  for (const auto &[operandLayout, components] : operands)
    sources.emplace_back(builder, operandLayout, components);
  int64_t count = layout.getNumComponents();
  std::optional<PrivateArray> results;
  if (type)
    results.emplace(builder, type, count);
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, count), createIndex(builder, 1));
  setUnroll(loop, false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value entry = loop.getInductionVar(), steps = createIndex(builder, layout.steps);
    Value block = arith::DivUIOp::create(builder, entry, steps);
    Value step = arith::RemUIOp::create(builder, entry, steps);
    SmallVector<Value> components;
    for (const IndexedComponents &source : sources)
      components.push_back(source.load(builder, entry));
    Value result = emit(block, step, components);
    if (results)
      results->store(builder, result, entry);
  }
  SmallVector<Value> values(results ? count : 0);
  for (int64_t entry = 0; entry < int64_t(values.size()); ++entry)
    values[getPosition(layout, entry)] =
        results->load(builder, createIndex(builder, entry));
  return values;
}
