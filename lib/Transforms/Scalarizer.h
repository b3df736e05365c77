//===- Scalarizer.h - Instructions as operations on numbers -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TRANSFORMS_SCALARIZER_H
#define TINYTC_LIB_TRANSFORMS_SCALARIZER_H

#include "lib/IR/Instructions.h"

#include <map>

namespace mlir::tinytc {

/// Writes the instructions of a kernel once more, as operations on single numbers at
/// the end of its body. Local memory becomes numbers. Elements of other memory are
/// loaded when an instruction first needs them, and stored before an element of other
/// memory, which may be the same, is accessed.
class Scalarizer {
public:
  /// `fuses`: whether the target has fused multiply-adds.
  Scalarizer(FuncOp func, bool fuses);

  /// Writes all instructions; fails at one for which there is no such form, or where
  /// too many operations would be written.
  LogicalResult write();
  /// Whether groups next to each other have neighbouring parts of all memory that they
  /// write, and no number but those that vectors are made of is written.
  bool fitsLanes() const;

  /// Remove the instructions, or what has been written for them.
  void replace();
  void discard();

  ArrayRef<Operation *> getInstructions() const { return instructions; }
  iterator_range<Block::iterator> getWritten();

private:
  //===--------------------------------------------------------------------===//
  // Memory (Scalarizer.cpp)
  //===--------------------------------------------------------------------===//

  /// A place in memory that is multiplied by a stride that may not be known.
  struct Place {
    Value index;
    int64_t stride;
    bool operator==(const Place &other) const {
      return index == other.index && stride == other.stride;
    }
  };
  struct Element {
    Value number;
    /// Where it is stored, if that is not done yet.
    Value memref;
    SmallVector<int64_t> indices;
  };
  /// Memory whose elements are apart by constants: of an alloca, or of a parameter from
  /// some places on.
  struct Memory {
    Value root;
    SmallVector<Place> places;
    bool isWritten = false;
    std::map<int64_t, Element> elements;
  };
  struct View {
    /// The memref in the new code; null for local memory.
    Value memref;
    unsigned memory;
    int64_t offset;
    SmallVector<int64_t> shape, strides;
  };

  unsigned findMemory(Value root, ArrayRef<Place> places);
  bool isLocal(const View &view) const { return !view.memref; }
  /// The part of a view at some indices that are no constants.
  FailureOr<View> enter(View view, ArrayRef<OpFoldResult> offsets);
  Value get(const View &view, ArrayRef<int64_t> indices);
  void put(const View &view, ArrayRef<int64_t> indices, Value number);
  void storeAll(unsigned except);
  LogicalResult addView(Operation *op);
  const View *findView(Value memref) const;

  //===--------------------------------------------------------------------===//
  // Control flow and numbers (Scalarizer.cpp)
  //===--------------------------------------------------------------------===//

  LogicalResult write(Block &block);
  LogicalResult write(Operation *op);
  LogicalResult writeAccess(Operation *op);
  LogicalResult writeFor(ForOp op);
  LogicalResult writeForeach(ForeachOp op);
  LogicalResult writeIf(IfOp op);
  LogicalResult clone(Operation *op);
  std::optional<int64_t> getConstant(Value value) const;
  Value index(int64_t number);

  //===--------------------------------------------------------------------===//
  // Instructions on whole arrays (ScalarInstructions.cpp)
  //===--------------------------------------------------------------------===//

  /// The numbers of a matrix, by rows.
  using Numbers = SmallVector<SmallVector<Value>>;

  using Part = function_ref<bool(int64_t, int64_t)>;
  static bool isEverywhere(int64_t, int64_t) { return true; }

  /// The numbers of a matrix, of which a vector is the only column; none where they are
  /// not read.
  Numbers getMatrix(Value memref, bool isTransposed = false,
                    Part isRead = isEverywhere);
  void putMatrix(Value memref, const Numbers &numbers, bool isTransposed = false,
                 Part isWritten = isEverywhere);
  bool isField(Value memref) const;
  bool areFields(Operation *op) const;

  LogicalResult writeBlas(BlasOpInterface op);
  LogicalResult writeCholesky(CholeskyOp op);
  LogicalResult writeLu(LuOp op);
  LogicalResult writeTrsm(TrsmOp op);
  LogicalResult writeTrmm(TrmmOp op);
  LogicalResult writeSyrk(SyrkOp op);
  LogicalResult writeSwapRows(SwapRowsOp op);
  LogicalResult writeSolve(SolveSpdOp op);
  LogicalResult writeSolve(SolveLuOp op);

  Value constant(Type type, double number);
  Value multiply(Value x, Value y);
  Value addProduct(Value x, Value y, Value z);
  Value subtractProduct(Value x, Value y, Value z);
  /// alpha product + beta before, which is asked for unless beta is 0.
  Value update(Value alpha, Value product, Value beta, function_ref<Value()> before);
  /// Where the condition holds for the first time, `place` from 1 on, 0 before.
  Value markFirst(Value info, Value isBad, int64_t place);
  void putInfo(Value memref, Value info);
  /// Replaces the lower triangle of a matrix by its Cholesky factor; returns `info`.
  Value factorCholesky(Numbers &a);
  /// LU factors of the first columns of a matrix, with the rows of all columns swapped.
  struct Pivots {
    SmallVector<Value> places;
    Value info;
  };
  struct Reciprocal {
    Value scale, number;
  };
  Reciprocal getReciprocal(Value number);
  Pivots factorLu(Numbers &a, int64_t columns, bool isPivoted);
  void putPivots(Value memref, const Pivots &pivots);
  void swapRows(Numbers &rows, int64_t first, ArrayRef<Value> isWanted);
  Value choosePivot(Numbers &a, int64_t column);
  void swapByPivots(Numbers &rows, ArrayRef<Value> pivots, bool isReverse);
  struct Triangular {
    Numbers t, x;
    bool isLower, isUnit;
  };
  template <typename OpT>
  Triangular getTriangular(OpT op);
  void solve(const Numbers &t, bool isLower, bool isUnit, Numbers &x);

  FuncOp func;
  bool fuses;
  ImplicitLocOpBuilder b;
  SmallVector<Operation *> instructions;
  /// Numbers and memrefs of the kernel in the new code.
  IRMapping mapping;
  DenseMap<Value, View> views;
  std::vector<Memory> memories;
  std::map<int64_t, Value> indices;
  DenseMap<Attribute, Value> numbers;
  int64_t numSteps = 0;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TRANSFORMS_SCALARIZER_H
