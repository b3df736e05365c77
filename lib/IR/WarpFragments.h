//===- WarpFragments.h - How a warp holds matrices of a product -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place in the compiler that knows how the tensor cores of NVIDIA's GPUs take
// their matrices: the fragments of `mma.sync.m16n8k*` in the PTX manual. It is the same
// rule for all types.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_IR_WARPFRAGMENTS_H
#define TINYTC_LIB_IR_WARPFRAGMENTS_H

#include "dialect/Scalars.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tinytc {

/// The fragments of a product of a 16 x K and a K x 8 matrix. Work-item 4 g + t of the
/// warp holds rows g and g + 8 of A and C, the two halves, and column g of B. Of the
/// summed mode it has slots, `packed` adjacent ones at a time: those of t, those that
/// lie 4 `packed` further. Of C it has columns 2 t and 2 t + 1.
struct WarpFragments {
  static constexpr int64_t kLanes = 32, kRows = 16, kColumns = 8;
  /// Work-items with the same g, which have all of the summed mode between them.
  static constexpr int64_t kQuad = 4;
  static constexpr int64_t kHalves = 2;
  static constexpr int64_t kHalfRows = kRows / kHalves;

  /// Columns of A, which are the rows of B, and how many of its numbers fill a register
  /// of 32 bits; 1 if it takes more than one register.
  int64_t depth, packed;
  /// The type of the sums.
  Type sumType;

  /// The fragments of numbers of `type`; nothing if tensor cores do not multiply them
  /// exactly.
  static std::optional<WarpFragments> get(Type type) {
    MLIRContext *context = type.getContext();
    if (isHalf(type))
      return WarpFragments{16, 2, Float32Type::get(context)};
    if (type.isInteger(8))
      return WarpFragments{32, 4, IntegerType::get(context, 32)};
    if (type.isF64())
      return WarpFragments{8, 1, type};
    return std::nullopt;
  }

  int64_t getNumSlots() const { return depth / kQuad; }
  int64_t getNumA() const { return kHalves * getNumSlots(); }
  int64_t getNumB() const { return getNumSlots(); }
  static constexpr int64_t getNumC() { return kHalves * kColumns / kQuad; }

  /// The entry of A in a half and a slot.
  int64_t getEntryOfA(int64_t half, int64_t slot) const {
    return slot % packed + packed * (half + kHalves * (slot / packed));
  }
  /// The slot of step `k` of the summed mode, and the t of the work-items that hold it.
  int64_t getSlot(int64_t k) const {
    return k % packed + k / (kQuad * packed) * packed;
  }
  int64_t getHolder(int64_t k) const { return k / packed % kQuad; }
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_WARPFRAGMENTS_H
