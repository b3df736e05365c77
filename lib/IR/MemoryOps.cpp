//===- MemoryOps.cpp - alloca, load, store, lifetime_stop, barrier --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// AllocaOp
//===----------------------------------------------------------------------===//

using LocalOffset = TinyTCDialect::LocalOffsetAttrHelper;

// Local memory is smaller than 2^31 bytes on every target.
LogicalResult tinytc::verifyLocalOffset(Operation *op, Type elementType) {
  IntegerAttr attribute = getDiscardable<LocalOffset>(op);
  if (!attribute)
    return success();
  int64_t size = getSizeBytes(elementType), offset = attribute.getInt();
  if (offset >= 0 && offset <= INT32_MAX && offset % size == 0)
    return success();
  return op->emitOpError("expected '")
         << LocalOffset::getNameStr() << "' to be a multiple of the size of "
         << elementType << " = " << size << " from 0 to " << INT32_MAX << ", got "
         << offset;
}

LogicalResult AllocaOp::verify() {
  MemrefType type = getType();
  // alloca_c1
  if (!type.hasStaticShape() || type.getNumDynamicStrides() != 0)
    return emitOpError("expected a memref of static shape and stride, got ") << type;
  // alloca_c2
  if (!type.isLocal())
    return emitOpError("expected a memref in the local address space, got ") << type;
  // alloca_c3
  if (std::optional<int64_t> alignment = getAlignment())
    if (failed(
            verifyAlignment(*this, "'alignment'", *alignment, type.getElementType())))
      return failure();
  // alloca_c4
  if (ArrayAttr boxes = getNonzeroAttr())
    if (failed(verifyNonzero(*this, "'nonzero'", boxes, type.getShape())))
      return failure();
  // attribute_c5
  return verifyLocalOffset(*this, type.getElementType());
}

//===----------------------------------------------------------------------===//
// BarrierOp
//===----------------------------------------------------------------------===//

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

Type tinytc::getLoadedType(Type source) {
  if (auto group = dyn_cast<GroupType>(source))
    return group.getMemrefType();
  return cast<MemrefType>(source).getElementType();
}

LogicalResult tinytc::verifyResultElement(Operation *op, Type element, Type result) {
  if (result == element)
    return success();
  return op->emitOpError("expected 'result' to have the element type ")
         << element << " of 'source', got " << result;
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<Type> source = getFirstType<MemrefType, GroupType>(
      location, adaptor.getOperands(), "a memref or a group");
  if (failed(source))
    return failure();
  types.push_back(getLoadedType(*source));
  return success();
}

LogicalResult LoadOp::verify() {
  // load_c1
  auto memref = dyn_cast<MemrefType>(getSource().getType());
  if (failed(verifyIndexCount(*this, getIndices(), memref ? memref.getOrder() : 1)))
    return failure();
  // load_c2
  if (failed(
          verifyResultElement(*this, getLoadedType(getSource().getType()), getType())))
    return failure();
  // load_c3
  return verifyConstantIndices(*this, getIndices(), getSource().getType());
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  MemrefType dest = getDest().getType();
  // store_c1
  if (getValue().getType() != dest.getElementType())
    return emitOpError("expected 'value' to have the element type ")
           << dest.getElementType() << " of 'dest', got " << getValue().getType();
  // store_c2
  if (failed(verifyIndexCount(*this, getIndices(), dest.getOrder())))
    return failure();
  // store_c3
  return verifyConstantIndices(*this, getIndices(), dest);
}

//===----------------------------------------------------------------------===//
// LifetimeStopOp
//===----------------------------------------------------------------------===//

/// The alloca itself and all views of it.
static SetVector<Value> getAliases(AllocaOp alloca) {
  SetVector<Value> aliases;
  aliases.insert(alloca.getResult());
  for (size_t i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers())
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        aliases.insert(view.getViewDest());
  return aliases;
}

/// Whether `use` runs after `stop`, both in the block `scope` or in regions below.
static bool isLater(Operation *use, Operation *stop, Block *scope) {
  // In each block around the stop: is the use after the op that contains the stop?
  for (Operation *holder = stop;; holder = holder->getParentOp()) {
    Operation *sibling = holder->getBlock()->findAncestorOpInBlock(*use);
    if (sibling)
      return holder->isBeforeInBlock(sibling);
    if (holder->getBlock() == scope)
      return false;
  }
}

LogicalResult LifetimeStopOp::verify() {
  // lifetime_stop_c1
  auto alloca = getMemref().getDefiningOp<AllocaOp>();
  if (!alloca)
    return emitOpError("expected 'memref' to be the result of an alloca, got ")
           << (getMemref().getDefiningOp()
                   ? "the result of '" +
                         getMemref().getDefiningOp()->getName().getStringRef().str() +
                         "'"
                   : std::string("a block argument"));
  // Where the alloca is in another region, MLIR's own verifier comes later.
  Block *scope = alloca->getBlock();
  if (!scope->findAncestorOpInBlock(**this))
    return success();
  // lifetime_stop_c2
  for (Operation *holder = (*this)->getParentOp(); holder != scope->getParentOp();
       holder = holder->getParentOp())
    if (isa<LoopLikeOpInterface>(holder) || holder->hasTrait<SpmdRegion>())
      return emitOpError("expected no loop or SPMD region between the alloca and the "
                         "end of its life, got '")
                 .append(holder->getName().getStringRef(), "'")
                 .attachNote(alloca->getLoc())
             << "alloca is here";
  // lifetime_stop_c3
  for (Value alias : getAliases(alloca))
    for (Operation *user : alias.getUsers())
      if (user != getOperation() && isLater(user, *this, scope))
        return emitOpError("expected no use of the alloca after the end of its life, "
                           "got '")
                   .append(user->getName().getStringRef(), "'")
                   .attachNote(user->getLoc())
               << "later use is here";
  return success();
}
