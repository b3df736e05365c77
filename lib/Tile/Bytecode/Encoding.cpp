//===- Encoding.cpp - How each op is written ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Bytecode/Encoding.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

template <typename FloatT>
static Type getFloat(MLIRContext *context) {
  return FloatT::get(context);
}
template <unsigned width>
static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width);
}

ArrayRef<Type (*)(MLIRContext *)> tile::getNumberTypes() {
  static constexpr Type (*types[])(MLIRContext *) = {getInteger<1>,
                                                     getInteger<8>,
                                                     getInteger<16>,
                                                     getInteger<32>,
                                                     getInteger<64>,
                                                     getFloat<Float16Type>,
                                                     getFloat<BFloat16Type>,
                                                     getFloat<Float32Type>,
                                                     getFloat<FloatTF32Type>,
                                                     getFloat<Float64Type>,
                                                     getFloat<Float8E4M3FNType>,
                                                     getFloat<Float8E5M2Type>};
  return types;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// The number of a case of an enum.
template <typename AttrT>
static uint64_t getNumber(Attribute attribute) {
  return static_cast<uint64_t>(cast<AttrT>(attribute).getValue());
}

static Field flag(StringRef name, unsigned since = 1) {
  return {name, FieldKind::Unit, nullptr, 0, since};
}
static Field rounding(RoundingMode mode, unsigned since = 1) {
  return {"rounding_mode", FieldKind::Enum, getNumber<RoundingModeAttr>,
          static_cast<uint64_t>(mode), since};
}
static Field overflow(unsigned since = 1) {
  return {"overflow", FieldKind::Enum, getNumber<IntegerOverflowAttr>, 0, since};
}
static Field signedness(StringRef name = "signedness") {
  return {name, FieldKind::Enum, getNumber<SignednessAttr>};
}
static Field ordering() {
  return {"memory_ordering_semantics", FieldKind::Enum, getNumber<MemoryOrderingAttr>};
}
static Field optionalScope() {
  return {"memory_scope", FieldKind::OptionalEnum, getNumber<MemoryScopeAttr>};
}
static Field scope() {
  return {"memory_scope", FieldKind::Enum, getNumber<MemoryScopeAttr>};
}
static Field mode() { return {"mode", FieldKind::Enum, getNumber<AtomicModeAttr>}; }
static Field hints() { return {"optimization_hints", FieldKind::Hints}; }

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The encodings, in the order of the codes.
static ArrayRef<OpEncoding> getEncodings() {
  const auto nearest = RoundingMode::NearestEven, full = RoundingMode::Full;
  const auto Counted = OperandLayout::Counted, Groups = OperandLayout::Groups;
  const Field ftz = flag("flush_to_zero"), nan = flag("propagate_nan");
  const Field predicate = {"comparison_predicate", FieldKind::Enum,
                           getNumber<ComparisonPredicateAttr>};
  static const std::vector<OpEncoding> encodings = {
      {"absf", 0x00, {}},
      {"absi", 0x01, {}},
      {"addf", 0x02, {rounding(nearest), ftz}},
      {"addi", 0x03, {overflow()}},
      {"andi", 0x04, {}},
      {"assume", 0x06, {{"predicate", FieldKind::Promise}}},
      {"atomic_cas_tko", 0x07, {ordering(), scope()}, Groups, "111??"},
      {"atomic_rmw_tko", 0x08, {ordering(), scope(), mode()}, Groups, "11??"},
      {"bitcast", 0x09, {}},
      {"break", 0x0a, {}, Counted, "", true},
      {"broadcast", 0x0b, {}},
      {"cat", 0x0c, {{"dim", FieldKind::Integer}}},
      {"ceil", 0x0d, {}},
      {"cmpf",
       0x0e,
       {predicate,
        {"comparison_ordering", FieldKind::Enum, getNumber<ComparisonOrderingAttr>}}},
      {"cmpi", 0x0f, {predicate, signedness()}},
      {"constant", 0x10, {{"value", FieldKind::Constant}}},
      {"continue", 0x11, {}, Counted, "", true},
      {"cos", 0x12, {}},
      {"cosh", 0x13, {}},
      {"divf", 0x14, {rounding(nearest), ftz}},
      {"divi",
       0x15,
       {signedness(), {"rounding", FieldKind::Enum, getNumber<RoundingModeAttr>, 1}}},
      {"exp", 0x17, {rounding(full, 3)}},
      {"exp2", 0x18, {ftz}},
      {"exti", 0x25, {signedness()}},
      {"extract", 0x26, {}, Counted, "", true},
      {"floor", 0x27, {}},
      {"fma", 0x28, {rounding(nearest), ftz}},
      {"for", 0x29, {flag("unsigned_cmp", 2)}, Counted, "", true},
      {"ftof", 0x2a, {rounding(nearest)}},
      {"ftoi", 0x2b, {signedness(), rounding(RoundingMode::NearestIntToZero)}},
      {"get_index_space_shape", 0x2d, {}, OperandLayout::Fixed, "", true},
      {"get_num_tile_blocks", 0x2e, {}},
      {"get_tensor_shape", 0x2f, {}, OperandLayout::Fixed, "", true},
      {"get_tile_block_id", 0x30, {}},
      {"if", 0x32, {}, OperandLayout::Fixed, "", true},
      {"int_to_ptr", 0x33, {}},
      {"iota", 0x3a, {}},
      {"itof", 0x3b, {signedness(), rounding(nearest)}},
      {"join_tokens", 0x3c, {}, Counted, "", true},
      {"load_ptr_tko", 0x3d, {ordering(), optionalScope(), hints()}, Groups, "1???"},
      {"load_view_tko",
       0x3e,
       {ordering(), optionalScope(), hints()},
       Groups,
       "1*?",
       true},
      {"log", 0x3f, {}},
      {"log2", 0x40, {}},
      {"loop", 0x41, {}, Counted, "", true},
      {"make_partition_view", 0x42, {}},
      {"make_tensor_view", 0x43, {}, Groups, "1**", true},
      {"make_token", 0x44, {}},
      {"maxf", 0x45, {nan, ftz}},
      {"maxi", 0x46, {signedness()}},
      {"minf", 0x47, {nan, ftz}},
      {"mini", 0x48, {signedness()}},
      {"mmaf", 0x49, {}, OperandLayout::Fixed, "", false, 1, 3},
      {"mmai", 0x4a, {signedness("signedness_lhs"), signedness("signedness_rhs")}},
      {"mulf", 0x4c, {rounding(nearest), ftz}},
      {"muli", 0x4e, {overflow()}},
      {"negf", 0x4f, {}},
      {"negi", 0x50, {overflow(2)}},
      {"offset", 0x51, {}},
      {"ori", 0x52, {}},
      {"permute", 0x53, {{"permutation", FieldKind::Integers}}},
      {"pow", 0x54, {}},
      {"ptr_to_int", 0x56, {}},
      {"ptr_to_ptr", 0x57, {}},
      {"reduce",
       0x58,
       {{"dim", FieldKind::Integer}, {"identities", FieldKind::Identities}},
       Counted,
       "",
       true},
      {"remf", 0x59, {}},
      {"remi", 0x5a, {signedness()}},
      {"reshape", 0x5b, {}},
      {"return", 0x5c, {}, Counted, "", true},
      {"rsqrt", 0x5d, {ftz}},
      {"scan",
       0x5e,
       {{"dim", FieldKind::Integer},
        {"reverse", FieldKind::Bool},
        {"identities", FieldKind::Identities}},
       Counted,
       "",
       true},
      {"select", 0x5f, {}},
      {"shli", 0x60, {overflow()}},
      {"shri", 0x61, {signedness()}},
      {"sin", 0x62, {}},
      {"sinh", 0x63, {}},
      {"sqrt", 0x64, {rounding(nearest), ftz}},
      {"store_ptr_tko", 0x65, {ordering(), optionalScope(), hints()}, Groups, "11??"},
      {"store_view_tko",
       0x66,
       {ordering(), optionalScope(), hints()},
       Groups,
       "11*?",
       true},
      {"subf", 0x67, {rounding(nearest), ftz}},
      {"subi", 0x68, {overflow()}},
      {"tan", 0x69, {}},
      {"tanh", 0x6a, {rounding(full, 2)}},
      {"trunci", 0x6b, {overflow()}},
      {"xori", 0x6c, {}},
      {"yield", 0x6d, {}, Counted, "", true},
      {"alloca",
       0x71,
       {{"num_elem", FieldKind::Integer},
        {"alignment", FieldKind::Integer},
        flag("global")},
       OperandLayout::Fixed,
       "",
       false,
       3},
      {"atomic_red_view_tko",
       0x75,
       {ordering(), scope(), mode()},
       Groups,
       "1*1?",
       true,
       3}};
  return encodings;
}

bool OpEncoding::hasFlags(unsigned minor) const {
  auto isFlag = [&](const Field &field) {
    return field.since <= minor &&
           llvm::is_contained(
               {FieldKind::Unit, FieldKind::OptionalEnum, FieldKind::Hints},
               field.kind);
  };
  return minor >= emptyFlagsSince || groups.contains('?') ||
         llvm::any_of(fields, isFlag);
}

const OpEncoding *tile::getEncoding(StringRef name) {
  const OpEncoding *found = llvm::find_if(
      getEncodings(), [&](const OpEncoding &op) { return op.name == name; });
  return found == getEncodings().end() ? nullptr : found;
}

unsigned tile::getTypesVersion(Operation *op) {
  // Sums of bf16 in memory came later than those of other types.
  auto update = dyn_cast<AtomicRMWTkoOp>(op);
  bool isNew = update && update.getMode() == AtomicMode::AddF &&
               update.getArg().getType().getElementType().isBF16();
  return isNew ? 3 : 1;
}
