//===- LocalMemory.h - Places of allocas in local memory --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_LOCALMEMORY_H
#define TINYTC_LIB_ANALYSIS_LOCALMEMORY_H

#include "dialect/TinyTC.h"

#include <optional>

namespace mlir::tinytc {

/// Alignment in bytes of an alloca that asks for less: a vector register of the widest
/// target.
inline constexpr int64_t kAllocaAlignment = 64;

/// Alignment in bytes of the local memory of a kernel, which no alloca can exceed.
inline constexpr int64_t kLocalMemoryAlignment = 128;

/// Bytes [offset, offset + bytes) of local memory.
struct LocalRange {
  int64_t offset, bytes;
  bool overlaps(LocalRange other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Bytes from the first to the last element of a memref of static size.
int64_t getLocalBytes(MemrefType type);

/// The range of an alloca, once tinytc-allocate-local-memory has chosen it.
std::optional<LocalRange> getLocalRange(AllocaOp op);

/// The offset in bytes of an alloca, or of the factors of a product, once it is chosen.
std::optional<int64_t> getLocalOffset(Operation *op);

/// Puts an alloca, or the factors of a product, at an offset in bytes.
void setLocalOffset(Operation *op, int64_t offset);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_LOCALMEMORY_H
