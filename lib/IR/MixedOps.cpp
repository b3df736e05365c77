//===- MixedOps.cpp - Views, memory access and barriers -------------------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tinytc;

void BarrierOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // Nothing may be moved across a barrier.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // The pointers of a group do not change while a kernel runs.
  if (isa<MemrefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

LogicalResult
LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr, OpaqueProperties,
                         RegionRange, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return emitOptionalError(location, "expected a memref or a group, got nothing");
  Type source = operands.front().getType();
  if (auto memref = dyn_cast<MemrefType>(source))
    types.push_back(memref.getElementType());
  else if (auto group = dyn_cast<GroupType>(source))
    types.push_back(group.getMemrefType());
  else
    return emitOptionalError(location, "expected a memref or a group, got ", source);
  return success();
}

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult LifetimeStopOp::verify() { return success(); }

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() { return success(); }
LogicalResult FuseOp::verify() { return success(); }
LogicalResult SubviewOp::verify() { return success(); }
LogicalResult SizeOp::verify() { return success(); }
OpFoldResult SubviewOp::fold(FoldAdaptor) { return {}; }
void SubviewOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
OpFoldResult SizeOp::fold(FoldAdaptor) { return {}; }
