//===- CompareAndSwap.h - Atomic updates as loops ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// For updates that a target has no instruction for: a loop around a compare-and-swap of
// the word that holds the element. What differs between the stages that emit it is how
// a word is accessed, and how small it may be.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_BUILDERS_COMPAREANDSWAP_H
#define TINYTC_LIB_BUILDERS_COMPAREANDSWAP_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// How a stage accesses the word around an element.
class WordAccess {
public:
  virtual ~WordAccess() = default;
  /// Bits of the smallest word that can be compared and swapped.
  virtual unsigned getMinBits() const { return 32; }
  /// The same pointer as one to words.
  virtual Value castPointer(ImplicitLocOpBuilder &builder, Value pointer,
                            IntegerType word) = 0;
  /// The address of a pointer as i64.
  virtual Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) = 0;
  /// The pointer to a word that begins `bytes` after what `pointer` points to.
  virtual Value getWordAt(ImplicitLocOpBuilder &builder, Value pointer, Value bytes,
                          IntegerType word) = 0;
  /// Reads a word that others may write at the same time.
  virtual Value load(ImplicitLocOpBuilder &builder, Value pointer,
                     IntegerType word) = 0;
  /// Writes `next` if the word is `expected`; returns the word before.
  virtual Value compareAndSwap(ImplicitLocOpBuilder &builder, Value pointer,
                               Value expected, Value next) = 0;
};

/// The word around one element.
class CompareAndSwap {
public:
  /// Computes the new element from the old one, in the element's own type.
  using Update = function_ref<Value(ImplicitLocOpBuilder &, Value)>;
  /// Returns a word from the pointer to it and its type.
  using ReadWord = function_ref<Value(Value, IntegerType)>;

  /// `pointer` points to an element of type `element`. The access must outlive this.
  CompareAndSwap(ImplicitLocOpBuilder &builder, WordAccess &access, Value pointer,
                 Type element);

  /// Replaces the element by a function of its old value; returns the old one.
  Value emit(Update update);

  /// Returns the element in a word that `read` returns.
  Value emitRead(ReadWord read);

private:
  bool isNarrow() const { return bits.getWidth() < access.getMinBits(); }
  Value constant(Type type, int64_t value);
  /// Finds the word around the element, and the shift of the element in it.
  void prepareWord(Value pointer);
  Value extract(Value wordValue);
  Value replace(Value wordValue, Value value);

  ImplicitLocOpBuilder &builder;
  WordAccess &access;
  Type element;
  IntegerType bits, word;
  Value wordPointer, shift;
};

/// The bits of a number as one of `type`; an index has those of an integer.
Value castBits(ImplicitLocOpBuilder &builder, Value value, Type type);

/// The new element of an update of `kind`; extrema are those of the language.
Value createUpdated(ImplicitLocOpBuilder &builder, AtomicKind kind, Value old,
                    Value value);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_COMPAREANDSWAP_H
