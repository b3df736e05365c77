//===- CheckInserter.h - Where the language leaves things undefined -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One function for each family of instructions computes the conditions under which an
// instruction is defined. A memref carries the rules that its views could break: these
// are checked where it is accessed.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TRANSFORMS_CHECKINSERTER_H
#define TINYTC_LIB_TRANSFORMS_CHECKINSERTER_H

#include "lib/Transforms/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

namespace mlir::tinytc {

/// A text in a message, where a brace stands for a value unless it is doubled.
std::string escapeBraces(StringRef text);

/// ` of 'A'` if the source names the value, else nothing.
std::string ofSource(Value value);

/// Computes conditions at one place.
class Conditions {
public:
  Conditions(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value get(OpFoldResult entry) {
    return getValueOrCreateConstantIndexOp(builder, loc, entry);
  }
  Value size(Value source, int64_t mode) {
    return builder.createOrFold<SizeOp>(loc, builder.getIndexType(), source, mode);
  }
  Value stride(Value memref, int64_t mode) {
    return builder.createOrFold<StrideOp>(loc, builder.getIndexType(), memref, mode);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  template <typename Op>
  Value apply(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value both(Value a, Value b) { return apply<arith::AndIOp>(a, b); }
  /// Where a slice begins, and its size.
  std::pair<Value, Value> slice(SubviewOp op, int64_t mode);
  /// Where the block of a view begins in each mode of a memref in its chain, and its
  /// sizes. Nothing for a part of a view with other modes, as `expand` and `fuse` make:
  /// its elements need not be a block of the memref.
  std::optional<SmallVector<std::pair<Value, Value>>> block(Value view, Value source);

private:
  /// Takes slices of a block. Returns the mode of the block for each mode of the view;
  /// `positions` has it for each mode of the view's source.
  SmallVector<size_t> addSlices(MutableArrayRef<std::pair<Value, Value>> modes,
                                SubviewOp view, ArrayRef<size_t> positions);

  OpBuilder &builder;
  Location loc;
};

/// Walks over a kernel in the order of execution.
class CheckInserter {
public:
  explicit CheckInserter(FuncOp func);

  void run(FuncOp func);

private:
  void visit(Region &region);
  void visit(Operation *op);
  void addAssociation(FuncOp func, BlockArgument parameter);

  void check(OpBuilder &builder, LoadOp op);
  void check(OpBuilder &builder, StoreOp op);
  void check(OpBuilder &builder, AtomicOpInterface op);
  void check(OpBuilder &builder, SubviewOp op);
  void check(OpBuilder &builder, ExpandOp op);
  void check(OpBuilder &builder, ExpandC2ROp op);
  void check(OpBuilder &builder, FuseOp op);
  void check(OpBuilder &builder, BlasOpInterface op);
  void check(OpBuilder &builder, CooperativeMatrixLoadOp op);
  void check(OpBuilder &builder, CooperativeMatrixStoreOp op);
  void check(OpBuilder &builder, CooperativeMatrixMulAddOp op);
  void check(OpBuilder &builder, ForOp op);
  void check(OpBuilder &builder, ArithDivOp op) { checkDivision(builder, op); }
  void check(OpBuilder &builder, ArithRemOp op) { checkDivision(builder, op); }
  void check(OpBuilder &builder, CastOp op);
  void check(OpBuilder &builder, AssertOp op);
  void check(OpBuilder &builder, PrintOp op);

  template <typename Op>
  void checkDivision(OpBuilder &builder, Op op);
  void addIndices(OpBuilder &builder, Location loc, Rules &rules, Value source,
                  ValueRange indices);
  void addOverlap(OpBuilder &builder, Rules &rules, BlasOpInterface op);
  /// Adds that a number is zero, if a pattern of zeros says so of the element.
  void addZero(OpBuilder &builder, Location loc, Rules &rules, Value memref,
               ValueRange indices, Value number);
  void checkZeros(OpBuilder &builder, Location loc, Value memref);
  /// The same for a block of a matrix, in an SPMD region.
  void checkZeros(OpBuilder &builder, Location loc, Value matrix,
                  ArrayRef<Value> position, ArrayRef<int64_t> sizes);
  void addBlock(OpBuilder &builder, Location loc, Rules &rules, Value matrix,
                int64_t mode, Value begin, int64_t size);
  void checkBlock(OpBuilder &builder, Operation *op, Value memref,
                  CoopMatrixType matrix, ArrayRef<Value> position, bool isTransposed,
                  Checked checked, bool isWritten);

  /// The rules that a memref or a group depends on, none for a parameter that a launch
  /// has to pass.
  DenseMap<Value, Rules> rulesOf;
  /// From groups that a launch may do without.
  SmallVector<LoadOp> loadsOfMembers;
  Guard guard;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_CHECKINSERTER_H
