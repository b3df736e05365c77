//===- Vectorizer.h - A work-group as a vector ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the function that runs work-groups of a kernel. The files beside this one have
// its members: control flow, memory, atomic accesses, exchanges between lanes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_VECTORIZER_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_VECTORIZER_H

#include "lib/Conversion/GPUToVector/GroupsAsLanes.h"
#include "lib/Target/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/SaveAndRestore.h"

namespace mlir::tinytc {

/// A value after the conversion: a scalar, that of lane 0 if it is linear, or a
/// vector with an element for each lane.
struct Lanes {
  LaneShape shape;
  Value value;
};

class Vectorizer {
public:
  Vectorizer(gpu::GPUFuncOp kernel, KernelWorkGroup group, const Machine &machine)
      : kernel(kernel), group(group), registerBytes(machine.registerBytes),
        tiles(machine.tiles), shapes(kernel, group), builder(kernel.getLoc(), kernel) {}

  /// Adds the function beside the kernel. Local memory and arrays of work-items are on
  /// the stack up to `maxStackBytes`; a pointer to more memory is a parameter.
  FailureOr<func::FuncOp> emit(int64_t maxStackBytes);

private:
  using Values = SmallVector<Value, 2>;

  // Vectorizer.cpp
  func::FuncOp createFunction();
  void mapParameters(func::FuncOp function);
  LogicalResult emitGroups(func::FuncOp function);
  LogicalResult emitGroups(Value first, Value end, int64_t atOnce);
  /// Says that there is no way to run an op.
  static LogicalResult refuse(Operation *op);
  /// Checks that an op accesses its memory in a way that pointers can.
  static LogicalResult checkMemory(Operation *op);
  LogicalResult emit(Block &block);
  LogicalResult emit(Operation *op);
  LogicalResult emitElementwise(Operation *op);
  Value emitElementwise(Operation *op, ValueRange operands, bool isVarying);
  void emitCall(func::CallOp call);
  void emitProduct(arith::MulUIExtendedOp op);
  LogicalResult emitComparison(arith::CmpIOp op);
  LogicalResult emitComplex(Operation *op);
  bool emitId(Operation *op);

  /// The type of a value in all lanes.
  VectorType vectorOf(Type type) const;
  Type typeOf(Type type, LaneShape shape) const;
  /// Types of the values that `value` becomes: two of a complex number; of a vector of
  /// one work-item, as many as it has elements, if it varies.
  SmallVector<Type, 2> typesOf(Value value) const;
  Value constantIndex(int64_t value);
  Value constantLanes(Type element, function_ref<int64_t(int64_t)> get);
  Value constantMask(function_ref<bool(int64_t)> get);
  Value splat(Value scalar);
  Value toVector(Lanes lanes);
  /// The only value of `value`.
  Lanes get(Value value);
  /// The converted value, in vectors or as it is.
  Values get(Value value, bool isVarying);
  /// The same in the shape of `like`.
  Values getLike(Value value, Value like);
  void define(Value result, ValueRange parts);
  /// The mask of lanes that run, for instructions that need one.
  Value getMask();
  Value andMask(Value condition);
  Value isAny(Value lanes);
  Value select(Value condition, Value a, Value b);

  // ControlFlow.cpp
  LogicalResult emitIf(scf::IfOp op);
  LogicalResult emitMaskedIf(scf::IfOp op);
  LogicalResult emitMaskedBlock(Block &block, Value lanes, ValueRange likes,
                                Values &results);
  LogicalResult emitFor(scf::ForOp op);
  LogicalResult emitMaskedFor(scf::ForOp op);
  LogicalResult emitWhile(scf::WhileOp op);
  LogicalResult emitMaskedWhile(scf::WhileOp op);
  /// The values of `operands` in the shapes of `likes`, one after the other.
  Values gather(ValueRange operands, ValueRange likes);
  SmallVector<Type> typesOfAll(ValueRange likes);
  /// Defines `likes` by `parts`, which are in their shapes.
  void defineAll(ValueRange likes, ValueRange parts);
  Values selectAll(Value condition, ValueRange a, ValueRange b);

  // Memory.cpp
  struct Address {
    enum Kind { Scalar, Contiguous, Scattered } kind;
    Value pointer;
  };
  Address getAddress(Value memref, ValueRange indices, int64_t extra = 0);
  Lanes addOffset(Type element, Lanes base, Lanes index);
  Value load(Address address, Type element);
  void store(Address address, Lanes value);
  void storeLast(Address address, Value lanes);
  bool isMaskWritten() const;
  Value getAccessMask();
  Address separate(Address address, Type stored);
  Value getSpare();
  Value createAlloca(Type element, int64_t count, int64_t alignment);
  /// Memory where a call or a loop over lanes finds values of all lanes.
  Value getPassed(unsigned place);
  Value passLanes(Value lanes, unsigned place);
  /// Chooses what is on the stack.
  LogicalResult placeMemory(int64_t maxStackBytes);
  Value createMemory(Operation *op, bool isPassed, Type element, int64_t count,
                     int64_t alignment);
  LogicalResult emitMemory(Operation *op);
  void emitAlloc(memref::AllocOp op);
  void emitAlloca(memref::AllocaOp op);
  void emitView(memref::ViewOp op);
  void emitPrefetch(memref::PrefetchOp op);
  void emitLoad(vector::LoadOp op);
  void emitStore(vector::StoreOp op);
  void emitShuffle(vector::ShuffleOp op);
  /// Accesses to tables of constants, which functions of math have.
  LogicalResult emitTable(Operation *op);

  // GroupsAsLanes.cpp
  void transpose(MutableArrayRef<Value> rows);
  Value collect(ArrayRef<Value> sources, function_ref<int64_t(int64_t)> at);
  SmallVector<Value> getLaneStarts(const AccessRun &run);
  void loadRun(const AccessRun &run, Type stored, MutableArrayRef<Value> numbers);
  void storeRun(const AccessRun &run, Type stored, ArrayRef<Value> numbers);
  /// Accesses all elements of a run.
  void emitRun(const AccessRun &run);

  // Atomics.cpp
  /// Whether the values of lanes stay in registers where one of them is taken.
  bool areInRegisters() const;
  Address getLaneAddress(Value memory, Type element, Value lane);
  /// The value of a lane that is not known.
  Value extractLane(Value lanes, Value lane);
  /// Runs `body` for one lane after the other; it gets the values of that lane.
  using LaneValue = function_ref<Value(Value)>;
  void emitForLanes(Operation *op, function_ref<Value(LaneValue)> body);
  LogicalResult emitAtomic(AtomicOp op);
  void emitAtomic(memref::AtomicRMWOp op);
  void emitAtomic(memref::GenericAtomicRMWOp op);

  // Exchange.cpp
  LogicalResult emitExchange(Operation *op);
  Value reduceHalves(vector::CombiningKind kind, Value value);
  LogicalResult emitReduce(gpu::SubgroupReduceOp op);
  LogicalResult emitShuffle(gpu::ShuffleOp op);
  LogicalResult emitBroadcast(gpu::SubgroupBroadcastOp op);
  Value permute(Value vector, function_ref<int64_t(int64_t)> source);
  Value permute(Value vector, Value sources);

  // TileProducts.cpp
  LogicalResult emitTileProduct(TileProductOp op);

  gpu::GPUFuncOp kernel;
  KernelWorkGroup group;
  int64_t registerBytes;
  TileRegisters tiles;
  LaneShapes shapes;
  ImplicitLocOpBuilder builder;
  /// Accesses that are part of a run.
  DenseMap<Operation *, const AccessRun *> runs;
  /// The lanes that run; null if all do.
  Value mask;
  DenseMap<Value, SmallVector<Lanes, 1>> values;
  /// The start of the function, the ids of the group and the numbers of groups.
  Block *entry = nullptr;
  Value localMemory, blockIds[3], gridSizes[3];
  /// Bytes of local memory, with arrays that are in the same memory of the thread.
  int64_t localBytes = 0, usedLocalBytes = 0;
  /// Whether local memory and arrays of work-items are in memory that the caller
  /// passes.
  bool isLocalPassed = false, areArraysPassed = false;
  /// Memory for what lanes exchange, and for accesses of lanes that are switched off.
  Value exchanged, spare;
  /// Memory for the operands and results of a call or a loop over lanes.
  SmallVector<Value, 2> passed;
};

/// The type of an element in memory.
Type getMemoryType(Type type);
/// Converts between elements and what is in memory, for scalars and vectors.
Value toMemory(ImplicitLocOpBuilder &builder, Value value);
Value fromMemory(ImplicitLocOpBuilder &builder, Value value, Type element);
/// One vector of as many as a power of two, which are of one length.
Value concatenate(ImplicitLocOpBuilder &builder, SmallVector<Value> parts);
/// An integer or index, or a vector of them, with another type of elements.
Value castIndex(ImplicitLocOpBuilder &builder, Value value, Type element);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_VECTORIZER_H
