//===- ZeroPatterns.h - Where elements are known to be zero -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Patterns of zeros begin as promises on parameters and allocas (`nonzero`), and go
// through chains of BLAS-like instructions: a product is zero where a factor is.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_ZEROPATTERNS_H
#define TINYTC_LIB_ANALYSIS_ZEROPATTERNS_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Indices of a mode from `begin` to before `end`, which is kUnbounded for a mode of
/// dynamic size.
struct ModeRange {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  int64_t begin = 0, end = kUnbounded;

  bool isEmpty() const { return begin >= end; }
  int64_t getSize() const { return end - begin; }
  bool contains(ModeRange other) const {
    return begin <= other.begin && other.end <= end;
  }
  ModeRange intersect(ModeRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  bool operator==(ModeRange other) const {
    return begin == other.begin && end == other.end;
  }
};

/// A range for each mode.
using Box = SmallVector<ModeRange, 3>;
/// Boxes that may overlap; elements outside of all of them are zero.
using Boxes = SmallVector<Box, 4>;

/// All indices of a shape.
Box getWholeBox(ArrayRef<int64_t> shape);
bool isEmpty(const Box &box);
Box intersect(const Box &a, const Box &b);
/// What is left of a box, as disjoint boxes.
Boxes subtract(const Box &box, ArrayRef<Box> others);
/// The same elements in boxes that do not overlap.
Boxes makeDisjoint(ArrayRef<Box> boxes);
/// `[0:8, 4:8]`
std::string formatBox(const Box &box);

/// The attribute `nonzero` of a parameter, of the group that a member is loaded from,
/// or of an alloca; null if there is none.
ArrayAttr getNonzero(Value root);

/// The boxes of a memref that has a promise, or is a constant; nothing of others.
std::optional<Boxes> getKnownBoxes(Value root);

/// The boxes of a view by the promise on the memref that it goes back to; all of it if
/// there is none. Where an offset is a value, a box has all indices of the mode.
Boxes getPromisedBoxes(Value memref);

/// The modes of the memref that a chain of `subview` begins with, as a view has them.
struct RootBlock {
  struct Mode {
    /// The mode of the view; nothing if it has been removed.
    std::optional<unsigned> mode;
    /// Nothing if it is a value.
    std::optional<int64_t> begin;
    /// Dynamic if it is a value.
    int64_t size;
  };

  Value root;
  SmallVector<Mode> modes;

  /// Nothing for views that are not made by `subview` alone.
  static std::optional<RootBlock> get(Value view);

  /// Whether the view is exactly one box of the root, which is known.
  bool isStatic() const;
  /// The boxes of the view for some of the root.
  Boxes toView(ArrayRef<Box> boxes, ArrayRef<int64_t> shape) const;
  /// The boxes of the root for some of the view.
  Boxes toRoot(ArrayRef<Box> boxes) const;
  /// The part of the root that the view has, or may have.
  Box getBox() const;
};

/// The patterns of the operands of all BLAS-like instructions of a kernel. That of
/// local memory depends on what has been written before; other memory has what is
/// promised, since parameters may overlap.
class ZeroPatterns {
public:
  /// Whether a kernel has any.
  static bool hasPromise(FuncOp func);

  explicit ZeroPatterns(FuncOp func);

  /// Where an operand may be other than zero before the instruction.
  const Boxes &get(OpOperand &operand) const { return patterns.at(&operand); }
  /// Whether the instruction has been visited.
  bool contains(BlasOpInterface op) const {
    return patterns.contains(&op.getDestinationMutable());
  }

  /// Where the product of the factors may be other than zero: boxes of the modes of the
  /// product.
  Boxes getProduct(BlasOpInterface op) const;

private:
  void visit(Region &region);
  void visit(BlasOpInterface op);
  void forgetWrites(Operation &op);
  Boxes getRootBoxes(Value root) const;
  Boxes getBoxes(Value memref) const;

  DenseMap<OpOperand *, Boxes> patterns;
  /// What is known of allocas at the place of the walk.
  DenseMap<Value, Boxes> known;
  SmallVector<Value> allocas;
};

/// Where a product with `factors` may be other than zero, by the boxes of each factor.
Boxes getProductBoxes(BlasOpInterface op, ArrayRef<Boxes> ofFactors);
/// The boxes of the destination for some of the product.
Boxes getDestinationBoxes(BlasOpInterface op, ArrayRef<Box> ofProduct);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_ZEROPATTERNS_H
