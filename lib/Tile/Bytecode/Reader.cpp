//===- Reader.cpp - The module of Tile IR bytecode ------------------------===//
//
// Bytes are not trusted: each number is compared with what it counts before it is used,
// and the module is verified at the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Tile/Bytecode/Bytecode.h"
#include "lib/Tile/Bytecode/Encoding.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::tile;

/// Regions in regions: more than any program has, and less than the stack holds.
static constexpr unsigned kDeepestRegion = 64;

/// The place of a byte, counted from 0: a column counts from 1.
static Location getLocation(MLIRContext *context, uint64_t position) {
  return FileLineColLoc::get(context, "bytecode", 1, position + 1);
}

/// The number of operands of ops that always have the same, as ODS says it.
static unsigned getOperandCount(OperationName name) {
  return name.hasTrait<OpTrait::ZeroOperands>()         ? 0
         : name.hasTrait<OpTrait::OneOperand>()         ? 1
         : name.hasTrait<OpTrait::NOperands<2>::Impl>() ? 2
                                                        : 3;
}

/// The number of results of ops whose results are not counted.
static unsigned getResultCount(OperationName name) {
  return name.hasTrait<OpTrait::ZeroResults>()         ? 0
         : name.hasTrait<OpTrait::OneResult>()         ? 1
         : name.hasTrait<OpTrait::NResults<2>::Impl>() ? 2
                                                       : 3;
}

namespace {

/// Reads numbers from a part of the bytes. The first error is reported, with its place.
class ByteReader {
public:
  ByteReader(MLIRContext *context, ArrayRef<char> file, uint64_t begin, uint64_t end)
      : context(context), file(file), begin(begin), position(begin), end(end) {}

  InFlightDiagnostic error() {
    return emitError(getLocation()) << "byte " << position << ": ";
  }
  Location getLocation() const { return ::getLocation(context, position); }
  uint64_t getOrigin() const { return begin; }
  uint64_t getPosition() const { return position; }
  uint64_t getRest() const { return end - position; }

  LogicalResult byte(uint64_t &value) {
    if (position == end)
      return error() << "expected a byte, got the end";
    value = static_cast<uint8_t>(file[position++]);
    return success();
  }

  LogicalResult number(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      uint64_t next = 0;
      if (failed(byte(next)))
        return failure();
      if (shift == 63 && next > 1)
        break;
      value |= (next & 0x7f) << shift;
      if (next < 0x80)
        return success();
    }
    return error() << "expected a number of 64 bits, got a longer one";
  }

  LogicalResult signedNumber(uint64_t &value) {
    if (failed(number(value)))
      return failure();
    value = (value >> 1) ^ (~(value & 1) + 1);
    return success();
  }

  /// A number less than `limit`; `what` names it.
  LogicalResult index(uint64_t &value, uint64_t limit, StringRef what) {
    if (failed(number(value)))
      return failure();
    if (value >= limit)
      return error() << "expected " << what << " less than " << limit << ", got "
                     << value;
    return success();
  }

  /// The number of things that follow, of at least `size` bytes each.
  LogicalResult count(uint64_t &value, uint64_t size = 1) {
    if (failed(number(value)))
      return failure();
    if (value > getRest() / size)
      return error() << "expected at most " << getRest() / size
                     << " things in the rest, got " << value;
    return success();
  }

  template <typename Int>
  LogicalResult littleEndian(Int &value) {
    if (getRest() < sizeof(Int))
      return error() << "expected " << sizeof(Int) << " bytes, got " << getRest();
    value = llvm::support::endian::read<Int, llvm::endianness::little>(file.data() +
                                                                       position);
    position += sizeof(Int);
    return success();
  }

  template <typename Int>
  LogicalResult list(SmallVectorImpl<Int> &values) {
    uint64_t size;
    if (failed(count(size, sizeof(Int))))
      return failure();
    values.resize(size);
    for (Int &value : values)
      if (failed(littleEndian(value)))
        return failure();
    return success();
  }

  /// Skips to a multiple of `alignment` from the `origin`.
  LogicalResult align(uint64_t alignment, uint64_t origin = 0) {
    uint64_t padding = -(position - origin) & (alignment - 1);
    if (padding > getRest())
      return error() << "expected " << padding << " bytes of padding, got "
                     << getRest();
    for (char value : file.slice(position, padding))
      if (static_cast<uint8_t>(value) != kPadding)
        return error() << "expected padding of " << unsigned(kPadding) << ", got "
                       << unsigned(static_cast<uint8_t>(value));
    position += padding;
    return success();
  }

  /// The next `size` bytes as a part of their own.
  LogicalResult part(uint64_t size, std::optional<ByteReader> &reader) {
    if (size > getRest())
      return error() << "expected " << size << " bytes, got " << getRest();
    reader.emplace(context, file, position, position + size);
    position += size;
    return success();
  }

  ArrayRef<char> rest() const { return file.slice(position, getRest()); }

  LogicalResult finish() {
    if (position != end)
      return error() << "expected the end, got " << getRest() << " bytes more";
    return success();
  }

private:
  MLIRContext *context;
  ArrayRef<char> file;
  uint64_t begin, position, end;
};

class ModuleReader {
public:
  ModuleReader(MLIRContext *context, ArrayRef<char> file)
      : context(context), file(file), builder(context) {}

  OwningOpRef<TileModuleOp> read();

private:
  LogicalResult readSections();
  template <typename Offset>
  LogicalResult readTable(Section section, SmallVectorImpl<ByteReader> &entries);
  LogicalResult readTypes();
  LogicalResult readType(ByteReader &reader, Type &type);
  LogicalResult readTypeIndex(ByteReader &reader, Type &type);
  LogicalResult readTypeList(ByteReader &reader, SmallVectorImpl<Type> &list);
  LogicalResult readView(ByteReader &reader, Type &type);
  LogicalResult readPartition(ByteReader &reader, Type &type);
  LogicalResult readString(ByteReader &reader, StringRef &string);
  LogicalResult readTagged(ByteReader &reader, Attribute &attribute);
  LogicalResult readDivBy(ByteReader &reader, Attribute &attribute);
  LogicalResult readBounded(ByteReader &reader, Attribute &attribute);
  LogicalResult readHints(ByteReader &reader, DictionaryAttr &hints, unsigned depth);
  LogicalResult readConstant(ByteReader &reader, Type type, Attribute &attribute);
  LogicalResult readField(ByteReader &reader, const Field &field, OperationState &state,
                          uint64_t &flags);
  LogicalResult readOperand(ByteReader &reader, OperationState &state);
  LogicalResult readOperands(ByteReader &reader, const OpEncoding &encoding,
                             OperationState &state, uint64_t flags);
  LogicalResult readRegions(ByteReader &reader, OperationState &state,
                            unsigned expected, unsigned depth);
  LogicalResult readOp(ByteReader &reader, unsigned depth);
  LogicalResult readEntry(ByteReader &reader);
  template <typename T, typename... Args>
  LogicalResult getChecked(ByteReader &reader, T &result, Args &&...args);

  MLIRContext *context;
  ArrayRef<char> file;
  OpBuilder builder;
  unsigned minor = 0;
  std::map<Section, ByteReader> sections;
  SmallVector<ByteReader> strings, constants;
  SmallVector<Type> types;
  SmallVector<Value> values;
};

} // namespace

/// A type or an attribute whose rules may not hold.
template <typename T, typename... Args>
LogicalResult ModuleReader::getChecked(ByteReader &reader, T &result, Args &&...args) {
  result = T::getChecked([&] { return reader.error(); }, context,
                         std::forward<Args>(args)...);
  return success(static_cast<bool>(result));
}

//===----------------------------------------------------------------------===//
// Sections and tables
//===----------------------------------------------------------------------===//

LogicalResult ModuleReader::readSections() {
  ByteReader reader(context, file, 0, file.size());
  for (char expected : ArrayRef<char>(kMagic)) {
    uint64_t value = 0;
    if (failed(reader.byte(value)))
      return failure();
    if (value != static_cast<uint8_t>(expected))
      return reader.error()
             << "expected the first bytes of Tile IR bytecode, got another "
                "file";
  }
  uint64_t major, version;
  uint16_t tag;
  if (failed(reader.byte(major)) || failed(reader.byte(version)) ||
      failed(reader.littleEndian(tag)))
    return failure();
  if (major != BytecodeVersion::kMajor || version < BytecodeVersion::kOldest ||
      version > BytecodeVersion::kNewest)
    return reader.error() << "expected a version from 13.1 to 13.3, got " << major
                          << "." << version;
  minor = version;
  while (true) {
    uint64_t head, size, alignment = 1;
    if (failed(reader.byte(head)))
      return failure();
    auto section = static_cast<Section>(head & 0x7f);
    if (section == Section::End)
      return reader.finish();
    if (section > Section::Globals)
      return reader.error() << "expected a section, got " << (head & 0x7f);
    if (failed(reader.number(size)) ||
        (head & 0x80 && failed(reader.index(alignment, 17, "an alignment"))))
      return failure();
    if (!llvm::isPowerOf2_64(alignment))
      return reader.error() << "expected an alignment that is a power of two, got "
                            << alignment;
    std::optional<ByteReader> part;
    if (failed(reader.align(alignment)) || failed(reader.part(size, part)))
      return failure();
    if (section == Section::Globals)
      return reader.error() << "expected no global variables, got a section of them";
    if (!sections.insert({section, *part}).second)
      return reader.error() << "expected each section once, got section "
                            << (head & 0x7f) << " again";
  }
}

template <typename Offset>
LogicalResult ModuleReader::readTable(Section section,
                                      SmallVectorImpl<ByteReader> &entries) {
  auto found = sections.find(section);
  if (found == sections.end())
    return success();
  ByteReader &reader = found->second;
  uint64_t origin = reader.getPosition(), size;
  if (failed(reader.count(size, sizeof(Offset))) ||
      failed(reader.align(sizeof(Offset), origin)))
    return failure();
  SmallVector<Offset> offsets(size);
  for (Offset &offset : offsets)
    if (failed(reader.littleEndian(offset)))
      return failure();
  uint64_t data = reader.getRest();
  for (uint64_t i = 0; i < size; ++i) {
    uint64_t begin = offsets[i], end = i + 1 < size ? offsets[i + 1] : data;
    std::optional<ByteReader> part;
    if (begin + reader.getRest() != data || end < begin || end > data)
      return reader.error() << "expected entries one after the other, got one from "
                            << begin << " to " << end;
    if (failed(reader.part(end - begin, part)))
      return failure();
    entries.push_back(*part);
  }
  return reader.finish();
}

LogicalResult ModuleReader::readString(ByteReader &reader, StringRef &string) {
  uint64_t index;
  if (failed(reader.index(index, strings.size(), "a string")))
    return failure();
  ArrayRef<char> bytes = strings[index].rest();
  string = StringRef(bytes.data(), bytes.size());
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult ModuleReader::readTypeIndex(ByteReader &reader, Type &type) {
  uint64_t index;
  if (failed(reader.index(index, types.size(), "a type")))
    return failure();
  type = types[index];
  return success();
}

LogicalResult ModuleReader::readTypeList(ByteReader &reader,
                                         SmallVectorImpl<Type> &list) {
  uint64_t size;
  if (failed(reader.count(size)))
    return failure();
  list.resize(size);
  for (Type &type : list)
    if (failed(readTypeIndex(reader, type)))
      return failure();
  return success();
}

LogicalResult ModuleReader::readView(ByteReader &reader, Type &type) {
  Type element;
  SmallVector<int64_t> shape, strides;
  TensorViewType view;
  if (failed(readTypeIndex(reader, element)) || failed(reader.list(shape)) ||
      failed(reader.list(strides)) ||
      failed(getChecked(reader, view, ArrayRef<int64_t>(shape), element,
                        ArrayRef<int64_t>(strides))))
    return failure();
  type = view;
  return success();
}

LogicalResult ModuleReader::readPartition(ByteReader &reader, Type &type) {
  SmallVector<int32_t> shape, dimMap;
  Type tensor;
  uint64_t hasPadding, number;
  bool isFlagFirst = minor >= 3;
  std::optional<PaddingValue> padding;
  PartitionViewType view;
  if ((isFlagFirst && failed(reader.index(hasPadding, 2, "flags"))) ||
      failed(reader.list(shape)) || failed(readTypeIndex(reader, tensor)) ||
      failed(reader.list(dimMap)) ||
      (!isFlagFirst && failed(reader.index(hasPadding, 2, "a flag"))))
    return failure();
  auto tensorView = dyn_cast<TensorViewType>(tensor);
  if (!tensorView)
    return reader.error() << "expected a tensor view, got " << tensor;
  if (hasPadding) {
    if (failed(reader.index(number, getMaxEnumValForPaddingValue() + 1,
                            "a padding value")))
      return failure();
    padding = static_cast<PaddingValue>(number);
  }
  if (failed(getChecked(reader, view, ArrayRef<int32_t>(shape), tensorView,
                        ArrayRef<int32_t>(dimMap), padding)))
    return failure();
  type = view;
  return success();
}

LogicalResult ModuleReader::readType(ByteReader &reader, Type &type) {
  uint64_t tag;
  if (failed(reader.number(tag)))
    return failure();
  if (tag < getNumberTypes().size()) {
    type = getNumberTypes()[tag](context);
    return success();
  }
  Type element;
  switch (static_cast<TypeTag>(tag)) {
  case TypeTag::Pointer: {
    PointerType pointer;
    if (failed(readTypeIndex(reader, element)) ||
        failed(getChecked(reader, pointer, element)))
      return failure();
    type = pointer;
    return success();
  }
  case TypeTag::Tile: {
    TileType tile;
    SmallVector<int64_t> shape;
    if (failed(readTypeIndex(reader, element)) || failed(reader.list(shape)) ||
        failed(getChecked(reader, tile, ArrayRef<int64_t>(shape), element)))
      return failure();
    type = tile;
    return success();
  }
  case TypeTag::TensorView:
    return readView(reader, type);
  case TypeTag::PartitionView:
    return readPartition(reader, type);
  case TypeTag::Function: {
    SmallVector<Type> inputs, results;
    if (failed(readTypeList(reader, inputs)) || failed(readTypeList(reader, results)))
      return failure();
    type = builder.getFunctionType(inputs, results);
    return success();
  }
  case TypeTag::Token:
    type = TokenType::get(context);
    return success();
  default:
    return reader.error() << "expected the tag of a type, got " << tag;
  }
}

LogicalResult ModuleReader::readTypes() {
  SmallVector<ByteReader> entries;
  if (failed(readTable<uint32_t>(Section::Types, entries)))
    return failure();
  for (ByteReader &entry : entries) {
    Type type;
    if (failed(readType(entry, type)) || failed(entry.finish()))
      return failure();
    types.push_back(type);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult ModuleReader::readDivBy(ByteReader &reader, Attribute &attribute) {
  using Number = std::optional<int64_t>;
  uint64_t divisor, flags;
  if (failed(reader.number(divisor)) || failed(reader.byte(flags)))
    return failure();
  if (flags != 0 && flags != 3)
    return reader.error() << "expected flags 0 or 3, got " << flags;
  Number every, along;
  for (Number *number : {&every, &along}) {
    uint64_t value = 0;
    if (flags == 0)
      continue;
    if (failed(reader.signedNumber(value)))
      return failure();
    *number = value;
  }
  DivByAttr promise;
  if (failed(getChecked(reader, promise, static_cast<int64_t>(divisor), every, along)))
    return failure();
  attribute = promise;
  return success();
}

LogicalResult ModuleReader::readBounded(ByteReader &reader, Attribute &attribute) {
  uint64_t flags, number;
  if (failed(reader.byte(flags)))
    return failure();
  if (flags > 3)
    return reader.error() << "expected flags less than 4, got " << flags;
  std::optional<int64_t> bounds[2];
  for (unsigned i = 0; i < 2; ++i) {
    if (!(flags & 1 << i))
      continue;
    if (failed(reader.signedNumber(number)))
      return failure();
    bounds[i] = number;
  }
  BoundedAttr promise;
  if (failed(getChecked(reader, promise, bounds[0], bounds[1])))
    return failure();
  attribute = promise;
  return success();
}

LogicalResult ModuleReader::readTagged(ByteReader &reader, Attribute &attribute) {
  uint64_t tag, number;
  Type type;
  if (failed(reader.number(tag)))
    return failure();
  switch (static_cast<AttributeTag>(tag)) {
  case AttributeTag::Integer:
    if (failed(readTypeIndex(reader, type)) || failed(reader.number(number)))
      return failure();
    if (!type.isInteger() ||
        (type.getIntOrFloatBitWidth() < 64 && number >> type.getIntOrFloatBitWidth()))
      return reader.error() << "expected an integer of its type, got " << number
                            << " and " << type;
    attribute = IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), number));
    return success();
  case AttributeTag::Float: {
    if (failed(readTypeIndex(reader, type)))
      return failure();
    auto floatType = dyn_cast<FloatType>(type);
    if (!floatType)
      return reader.error() << "expected a floating-point type, got " << type;
    unsigned width = floatType.getWidth();
    if (failed(width <= 8 ? reader.byte(number) : reader.signedNumber(number)))
      return failure();
    if (width < 64 && number >> width)
      return reader.error() << "expected a number of " << width << " bits, got "
                            << number;
    attribute = FloatAttr::get(
        floatType, APFloat(floatType.getFloatSemantics(), APInt(width, number)));
    return success();
  }
  case AttributeTag::DivBy:
    return readDivBy(reader, attribute);
  case AttributeTag::SameElements: {
    SmallVector<int64_t> numbers;
    if (failed(reader.list(numbers)))
      return failure();
    attribute = SameElementsAttr::get(context, builder.getDenseI64ArrayAttr(numbers));
    return success();
  }
  case AttributeTag::Bounded:
    return readBounded(reader, attribute);
  default:
    return reader.error() << "expected the tag of an attribute, got " << tag;
  }
}

LogicalResult ModuleReader::readHints(ByteReader &reader, DictionaryAttr &hints,
                                      unsigned depth) {
  uint64_t size;
  if (failed(reader.count(size, 2)))
    return failure();
  NamedAttrList entries;
  for (uint64_t i = 0; i < size; ++i) {
    StringRef name;
    Attribute value;
    if (failed(readString(reader, name)))
      return failure();
    if (name.empty() || entries.get(name))
      return reader.error() << "expected hints with different names, got '" << name
                            << "'";
    if (depth == 0) {
      uint64_t tag;
      DictionaryAttr inner;
      if (failed(reader.number(tag)))
        return failure();
      if (static_cast<AttributeTag>(tag) != AttributeTag::Dictionary)
        return reader.error() << "expected the tag of a dictionary, got " << tag;
      if (failed(readHints(reader, inner, 1)))
        return failure();
      value = inner;
    } else if (failed(readTagged(reader, value))) {
      return failure();
    }
    entries.append(name, value);
  }
  hints = entries.getDictionary(context);
  return success();
}

LogicalResult ModuleReader::readConstant(ByteReader &reader, Type type,
                                         Attribute &attribute) {
  uint64_t index, size;
  if (failed(reader.index(index, constants.size(), "a constant")))
    return failure();
  ByteReader constant = constants[index];
  auto tile = dyn_cast_or_null<TileType>(type);
  if (!tile || isa<PointerType>(tile.getElementType()))
    return reader.error() << "expected a tile of numbers for a constant, got " << type;
  if (failed(constant.count(size)))
    return failure();
  if (size != constant.getRest())
    return constant.error() << "expected " << constant.getRest() << " bytes, got "
                            << size;
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(tile, constant.rest(), isSplat))
    return constant.error() << "expected the numbers of a " << tile << ", got " << size
                            << " bytes";
  attribute = DenseElementsAttr::getFromRawBuffer(tile, constant.rest());
  return success();
}

LogicalResult ModuleReader::readField(ByteReader &reader, const Field &field,
                                      OperationState &state, uint64_t &flags) {
  if (minor < field.since)
    return success();
  Attribute attribute;
  bool isFlag = llvm::is_contained(
      {FieldKind::Unit, FieldKind::OptionalEnum, FieldKind::Hints}, field.kind);
  if (isFlag) {
    bool isSet = flags & 1;
    flags >>= 1;
    if (!isSet)
      return success();
  }
  uint64_t number;
  switch (field.kind) {
  case FieldKind::Unit:
    attribute = builder.getUnitAttr();
    break;
  case FieldKind::Enum:
  case FieldKind::OptionalEnum:
    if (failed(reader.number(number)))
      return failure();
    attribute = field.codec->getAttribute(context, number);
    if (!attribute)
      return reader.error() << "expected a case of '" << field.name << "', got "
                            << number;
    break;
  case FieldKind::Integer:
    if (failed(reader.number(number)))
      return failure();
    if (number > INT32_MAX)
      return reader.error() << "expected a number of 31 bits, got " << number;
    attribute = builder.getI64IntegerAttr(number);
    if (field.name == "dim" && state.name.getStringRef() != "tile.cat")
      attribute = builder.getI32IntegerAttr(number);
    break;
  case FieldKind::Bool:
    if (failed(reader.byte(number)))
      return failure();
    if (number > 1)
      return reader.error() << "expected 0 or 1, got " << number;
    attribute = builder.getBoolAttr(number);
    break;
  case FieldKind::Constant:
    if (failed(readConstant(reader, state.types.front(), attribute)))
      return failure();
    break;
  case FieldKind::Integers: {
    SmallVector<int32_t> numbers;
    if (failed(reader.list(numbers)))
      return failure();
    attribute = builder.getDenseI32ArrayAttr(numbers);
    break;
  }
  case FieldKind::Identities: {
    if (failed(reader.count(number)))
      return failure();
    SmallVector<Attribute> identities(number);
    for (Attribute &identity : identities)
      if (failed(readTagged(reader, identity)))
        return failure();
    attribute = builder.getArrayAttr(identities);
    break;
  }
  case FieldKind::Promise:
    if (failed(readTagged(reader, attribute)))
      return failure();
    break;
  case FieldKind::Hints: {
    DictionaryAttr hints;
    if (failed(readHints(reader, hints, 0)))
      return failure();
    attribute = hints;
    break;
  }
  }
  state.addAttribute(field.name, attribute);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult ModuleReader::readOperand(ByteReader &reader, OperationState &state) {
  uint64_t index;
  if (failed(reader.index(index, values.size(), "a value")))
    return failure();
  state.addOperands(values[index]);
  return success();
}

LogicalResult ModuleReader::readOperands(ByteReader &reader, const OpEncoding &encoding,
                                         OperationState &state, uint64_t flags) {
  uint64_t count = 0;
  if (encoding.layout == OperandLayout::Groups) {
    SmallVector<int32_t> sizes;
    for (char group : encoding.groups) {
      count = 1;
      if (group == '*' && failed(reader.count(count)))
        return failure();
      if (group == '?') {
        count = flags & 1;
        flags >>= 1;
      }
      for (uint64_t i = 0; i < count; ++i)
        if (failed(readOperand(reader, state)))
          return failure();
      sizes.push_back(count);
    }
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
  } else {
    if (encoding.layout == OperandLayout::Counted) {
      if (failed(reader.count(count)))
        return failure();
    } else {
      count = getOperandCount(state.name);
    }
    for (uint64_t i = 0; i < count; ++i)
      if (failed(readOperand(reader, state)))
        return failure();
  }
  if (flags != 0)
    return reader.error() << "expected no more flags, got " << flags;
  return success();
}

LogicalResult ModuleReader::readRegions(ByteReader &reader, OperationState &state,
                                        unsigned expected, unsigned depth) {
  uint64_t count, blocks, ops;
  if (expected == 0)
    return success();
  if (failed(reader.number(count)))
    return failure();
  if (count != expected)
    return reader.error() << "expected " << expected << " regions, got " << count;
  if (depth == kDeepestRegion)
    return reader.error() << "expected at most " << kDeepestRegion
                          << " regions in each other, got more";
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned i = 0; i < expected; ++i) {
    size_t firstValue = values.size();
    Region *region = state.addRegion();
    SmallVector<Type> arguments;
    if (failed(reader.number(blocks)))
      return failure();
    if (blocks == 0 && i == 1)
      continue;
    if (blocks != 1)
      return reader.error() << "expected one block in a region, got " << blocks;
    if (failed(readTypeList(reader, arguments)) || failed(reader.count(ops)))
      return failure();
    Block *block = builder.createBlock(region);
    for (Type type : arguments)
      values.push_back(block->addArgument(type, state.location));
    for (uint64_t op = 0; op < ops; ++op)
      if (failed(readOp(reader, depth + 1)))
        return failure();
    values.truncate(firstValue);
  }
  return success();
}

LogicalResult ModuleReader::readOp(ByteReader &reader, unsigned depth) {
  uint64_t code, flags = 0;
  if (failed(reader.number(code)))
    return failure();
  const OpEncoding *encoding = getEncoding(code);
  if (!encoding)
    return reader.error() << "expected the code of an op, got " << code;
  if (minor < encoding->since)
    return reader.error() << "expected bytecode 13." << encoding->since << " for tile."
                          << encoding->name << ", got 13." << minor;
  OperationState state(reader.getLocation(), ("tile." + encoding->name).str());
  if (encoding->countsResults) {
    if (failed(readTypeList(reader, state.types)))
      return failure();
  } else {
    state.types.resize(getResultCount(state.name));
    for (Type &type : state.types)
      if (failed(readTypeIndex(reader, type)))
        return failure();
  }
  if (encoding->hasFlags(minor) && failed(reader.number(flags)))
    return failure();
  for (const Field &field : encoding->fields)
    if (failed(readField(reader, field, state, flags)))
      return failure();
  if (failed(readOperands(reader, *encoding, state, flags)) ||
      failed(readRegions(reader, state, encoding->getRegionCount(), depth)))
    return failure();
  Operation *op = builder.create(state);
  llvm::append_range(values, op->getResults());
  return success();
}

LogicalResult ModuleReader::readEntry(ByteReader &reader) {
  StringRef name;
  Type type;
  uint64_t flags, location, size;
  if (failed(readString(reader, name)) || failed(readTypeIndex(reader, type)) ||
      failed(reader.byte(flags)) || failed(reader.number(location)))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function || function.getNumResults() != 0)
    return reader.error() << "expected the type of a kernel, got " << type;
  if ((flags & ~kHasHints) != kIsKernel)
    return reader.error() << "expected the flags of a kernel, got " << flags;
  auto entry =
      EntryOp::create(builder, reader.getLocation(), name, function.getInputs());
  if (flags & kHasHints) {
    uint64_t tag;
    DictionaryAttr hints;
    if (failed(reader.number(tag)))
      return failure();
    if (static_cast<AttributeTag>(tag) != AttributeTag::Hints)
      return reader.error() << "expected the tag of hints, got " << tag;
    if (failed(readHints(reader, hints, 0)))
      return failure();
    entry.setOptimizationHintsAttr(hints);
  }
  std::optional<ByteReader> body;
  if (failed(reader.number(size)) || failed(reader.part(size, body)))
    return failure();
  values.assign(entry.getArguments().begin(), entry.getArguments().end());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&entry.getBody().front());
  while (body->getRest() != 0)
    if (failed(readOp(*body, 0)))
      return failure();
  return success();
}

OwningOpRef<TileModuleOp> ModuleReader::read() {
  if (failed(readSections()) ||
      failed(readTable<uint32_t>(Section::Strings, strings)) ||
      failed(readTable<uint64_t>(Section::Constants, constants)) || failed(readTypes()))
    return {};
  auto functions = sections.find(Section::Functions);
  OwningOpRef<TileModuleOp> module =
      TileModuleOp::create(builder, UnknownLoc::get(context), "kernels");
  builder.setInsertionPointToEnd(&module->getBody().front());
  if (functions != sections.end()) {
    ByteReader &reader = functions->second;
    uint64_t count;
    if (failed(reader.count(count)))
      return {};
    for (uint64_t i = 0; i < count; ++i)
      if (failed(readEntry(reader)))
        return {};
    if (failed(reader.align(8, reader.getOrigin())) || failed(reader.finish()))
      return {};
  }
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<TileModuleOp> tile::readBytecode(ArrayRef<char> bytes,
                                             MLIRContext *context) {
  context->loadDialect<TileDialect>();
  return ModuleReader(context, bytes).read();
}
