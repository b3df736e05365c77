//===- Writer.cpp - Tile IR bytecode of a module --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Bytecode/Bytecode.h"
#include "lib/Tile/Bytecode/Encoding.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// Appends numbers to bytes.
class ByteWriter {
public:
  void byte(uint8_t value) { bytes.push_back(static_cast<char>(value)); }
  void append(StringRef text) { bytes.append(text.begin(), text.end()); }

  /// Seven bits in each byte, the lowest first.
  void number(uint64_t value) {
    for (; value > 0x7f; value >>= 7)
      byte(value | 0x80);
    byte(value);
  }
  /// The sign in the lowest bit.
  void signedNumber(uint64_t value) {
    number((value << 1) ^ static_cast<uint64_t>(static_cast<int64_t>(value) >> 63));
  }
  template <typename Int>
  void littleEndian(Int value) {
    char data[sizeof(Int)];
    llvm::support::endian::write<Int, llvm::endianness::little>(data, value);
    append(StringRef(data, sizeof(Int)));
  }
  template <typename Int>
  void list(ArrayRef<Int> values) {
    number(values.size());
    for (Int value : values)
      littleEndian(value);
  }
  void align(uint64_t alignment) {
    while (bytes.size() % alignment != 0)
      byte(kPadding);
  }
  StringRef get() const { return StringRef(bytes.data(), bytes.size()); }

private:
  SmallVector<char, 0> bytes;
};

/// Entries in the order in which they were first used, each with its index.
class Table {
public:
  uint64_t getIndex(StringRef entry) {
    return entries.insert({entry.str(), entries.size()}).first->second;
  }
  bool empty() const { return entries.empty(); }

  /// The number of entries, the offsets of `Offset` type, and the entries.
  template <typename Offset>
  std::string write() const {
    ByteWriter writer;
    writer.number(entries.size());
    writer.align(sizeof(Offset));
    Offset offset = 0;
    for (const auto &[entry, index] : entries) {
      writer.littleEndian(offset);
      offset += entry.size();
    }
    for (const auto &[entry, index] : entries)
      writer.append(entry);
    return writer.get().str();
  }

private:
  llvm::MapVector<std::string, uint64_t, std::map<std::string, unsigned>> entries;
};

class ModuleWriter {
public:
  explicit ModuleWriter(unsigned minor) : minor(minor) {}

  LogicalResult write(TileModuleOp module, SmallVectorImpl<char> &bytes);

private:
  uint64_t getTypeIndex(Type type);
  uint64_t getConstantIndex(DenseElementsAttr constant);
  LogicalResult writeEntry(EntryOp entry, ByteWriter &writer);
  LogicalResult writeOp(Operation *op, ByteWriter &writer);
  uint64_t getFlags(Operation *op, const OpEncoding &encoding);
  LogicalResult writeField(Operation *op, const Field &field, ByteWriter &writer);
  void writeTagged(Attribute attribute, ByteWriter &writer);
  void writeHints(DictionaryAttr dictionary, ByteWriter &writer);
  void writeOperands(Operation *op, const OpEncoding &encoding, ByteWriter &writer);
  LogicalResult writeRegion(Region &region, ByteWriter &writer);
  void define(Value value) { values[value] = nextValue++; }

  unsigned minor;
  Table strings, types, constants;
  DenseMap<Value, uint64_t> values;
  uint64_t nextValue = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

uint64_t ModuleWriter::getTypeIndex(Type type) {
  ByteWriter writer;
  auto tag = [&](TypeTag value) { writer.number(static_cast<uint64_t>(value)); };
  TypeSwitch<Type>(type)
      .Case([&](PointerType pointer) {
        uint64_t pointee = getTypeIndex(pointer.getPointeeType());
        tag(TypeTag::Pointer);
        writer.number(pointee);
      })
      .Case([&](TileType tile) {
        uint64_t element = getTypeIndex(tile.getElementType());
        tag(TypeTag::Tile);
        writer.number(element);
        writer.list(tile.getShape());
      })
      .Case([&](TensorViewType view) {
        uint64_t element = getTypeIndex(view.getElementType());
        tag(TypeTag::TensorView);
        writer.number(element);
        writer.list(view.getShape());
        writer.list(view.getStrides());
      })
      .Case([&](PartitionViewType view) {
        uint64_t tensorView = getTypeIndex(view.getTensorView());
        tag(TypeTag::PartitionView);
        bool isFlagFirst = minor >= 3;
        if (isFlagFirst)
          writer.number(view.getPadding().has_value());
        writer.list(view.getTileShape());
        writer.number(tensorView);
        writer.list(view.getDimMap());
        if (!isFlagFirst)
          writer.number(view.getPadding().has_value());
        if (view.getPadding())
          writer.number(static_cast<uint64_t>(*view.getPadding()));
      })
      .Case([&](FunctionType function) {
        SmallVector<uint64_t> inputs;
        for (Type input : function.getInputs())
          inputs.push_back(getTypeIndex(input));
        tag(TypeTag::Function);
        writer.number(inputs.size());
        for (uint64_t input : inputs)
          writer.number(input);
        writer.number(0); // no results
      })
      .Case([&](TokenType) { tag(TypeTag::Token); })
      .Default([&](Type number) {
        for (auto [index, get] : llvm::enumerate(getNumberTypes()))
          if (get(number.getContext()) == number)
            tag(static_cast<TypeTag>(index));
      });
  return types.getIndex(writer.get());
}

uint64_t ModuleWriter::getConstantIndex(DenseElementsAttr constant) {
  ByteWriter writer;
  ArrayRef<char> data = constant.getRawData();
  writer.number(data.size());
  writer.append(StringRef(data.data(), data.size()));
  return constants.getIndex(writer.get());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void ModuleWriter::writeTagged(Attribute attribute, ByteWriter &writer) {
  auto tag = [&](AttributeTag value) { writer.number(static_cast<uint64_t>(value)); };
  TypeSwitch<Attribute>(attribute)
      .Case([&](IntegerAttr integer) {
        tag(AttributeTag::Integer);
        writer.number(getTypeIndex(integer.getType()));
        writer.number(integer.getValue().getZExtValue());
      })
      .Case([&](FloatAttr number) {
        tag(AttributeTag::Float);
        writer.number(getTypeIndex(number.getType()));
        APInt bits = number.getValue().bitcastToAPInt();
        if (bits.getBitWidth() <= 8)
          writer.byte(bits.getZExtValue());
        else
          writer.signedNumber(bits.getZExtValue());
      })
      .Case([&](DivByAttr promise) {
        tag(AttributeTag::DivBy);
        writer.number(promise.getDivisor());
        writer.byte(promise.getEvery() ? 3 : 0);
        if (promise.getEvery()) {
          writer.signedNumber(*promise.getEvery());
          writer.signedNumber(*promise.getAlong());
        }
      })
      .Case([&](SameElementsAttr promise) {
        tag(AttributeTag::SameElements);
        writer.list(promise.getValues().asArrayRef());
      })
      .Case([&](BoundedAttr promise) {
        tag(AttributeTag::Bounded);
        writer.byte(promise.getLower().has_value() | promise.getUpper().has_value()
                                                         << 1);
        for (std::optional<int64_t> bound : {promise.getLower(), promise.getUpper()})
          if (bound)
            writer.signedNumber(*bound);
      });
}

/// Hints are dictionaries by architecture, each of integers.
void ModuleWriter::writeHints(DictionaryAttr dictionary, ByteWriter &writer) {
  writer.number(dictionary.size());
  for (NamedAttribute entry : dictionary) {
    writer.number(strings.getIndex(entry.getName()));
    if (auto inner = dyn_cast<DictionaryAttr>(entry.getValue())) {
      writer.number(static_cast<uint64_t>(AttributeTag::Dictionary));
      writeHints(inner, writer);
    } else {
      writeTagged(entry.getValue(), writer);
    }
  }
}

uint64_t ModuleWriter::getFlags(Operation *op, const OpEncoding &encoding) {
  uint64_t flags = 0, bit = 1;
  auto add = [&](bool isSet) {
    flags |= isSet ? bit : 0;
    bit <<= 1;
  };
  for (const Field &field : encoding.fields)
    if (llvm::is_contained({FieldKind::Unit, FieldKind::OptionalEnum, FieldKind::Hints},
                           field.kind))
      add(static_cast<bool>(op->getAttr(field.name)));
  if (encoding.layout == OperandLayout::Groups) {
    auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    for (auto [group, size] : llvm::zip(encoding.groups, sizes.asArrayRef()))
      if (group == '?')
        add(size != 0);
  }
  return flags;
}

LogicalResult ModuleWriter::writeField(Operation *op, const Field &field,
                                       ByteWriter &writer) {
  Attribute attribute = op->getAttr(field.name);
  switch (field.kind) {
  case FieldKind::Unit:
    if (attribute && minor < field.since)
      return op->emitOpError() << "expected bytecode 13." << field.since << " for '"
                               << field.name << "', got 13." << minor;
    return success();
  case FieldKind::Enum: {
    uint64_t number = attribute ? field.getNumber(attribute) : field.defaultCase;
    if (minor >= field.since)
      writer.number(number);
    else if (number != field.defaultCase)
      return op->emitOpError()
             << "expected bytecode 13." << field.since << " for '" << field.name
             << "' = " << attribute << ", got 13." << minor;
    return success();
  }
  case FieldKind::OptionalEnum:
    if (attribute)
      writer.number(field.getNumber(attribute));
    return success();
  case FieldKind::Integer:
    writer.number(cast<IntegerAttr>(attribute).getValue().getZExtValue());
    return success();
  case FieldKind::Bool:
    writer.byte(cast<BoolAttr>(attribute).getValue());
    return success();
  case FieldKind::Constant:
    writer.number(getConstantIndex(cast<DenseElementsAttr>(attribute)));
    return success();
  case FieldKind::Integers:
    writer.list(cast<DenseI32ArrayAttr>(attribute).asArrayRef());
    return success();
  case FieldKind::Identities:
    writer.number(cast<ArrayAttr>(attribute).size());
    for (Attribute identity : cast<ArrayAttr>(attribute))
      writeTagged(identity, writer);
    return success();
  case FieldKind::Promise:
    writeTagged(attribute, writer);
    return success();
  case FieldKind::Hints:
    if (attribute)
      writeHints(cast<DictionaryAttr>(attribute), writer);
    return success();
  }
  llvm_unreachable("a kind of field without a case");
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ModuleWriter::writeOperands(Operation *op, const OpEncoding &encoding,
                                 ByteWriter &writer) {
  auto write = [&](ValueRange operands) {
    for (Value operand : operands)
      writer.number(values.lookup(operand));
  };
  if (encoding.layout != OperandLayout::Groups) {
    if (encoding.layout == OperandLayout::Counted)
      writer.number(op->getNumOperands());
    return write(op->getOperands());
  }
  ValueRange rest = op->getOperands();
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  for (auto [group, size] : llvm::zip(encoding.groups, sizes.asArrayRef())) {
    if (group == '*')
      writer.number(size);
    write(rest.take_front(size));
    rest = rest.drop_front(size);
  }
}

LogicalResult ModuleWriter::writeOp(Operation *op, ByteWriter &writer) {
  const OpEncoding *encoding = isa<TileDialect>(op->getDialect())
                                   ? getEncoding(op->getName().stripDialect())
                                   : nullptr;
  if (!encoding)
    return op->emitOpError() << "expected an op of the tile dialect, got "
                             << op->getName();
  unsigned since = std::max(encoding->since, getTypesVersion(op));
  if (minor < since)
    return op->emitOpError() << "expected bytecode 13." << since << ", got 13."
                             << minor;
  writer.number(encoding->code);
  if (encoding->countsResults)
    writer.number(op->getNumResults());
  for (Type type : op->getResultTypes())
    writer.number(getTypeIndex(type));
  if (encoding->hasFlags(minor))
    writer.number(getFlags(op, *encoding));
  for (const Field &field : encoding->fields)
    if (failed(writeField(op, field, writer)))
      return failure();
  writeOperands(op, *encoding, writer);
  if (op->getNumRegions() != 0)
    writer.number(op->getNumRegions());
  for (Region &region : op->getRegions())
    if (failed(writeRegion(region, writer)))
      return failure();
  for (Value result : op->getResults())
    define(result);
  return success();
}

/// Values of a region have no numbers after it.
LogicalResult ModuleWriter::writeRegion(Region &region, ByteWriter &writer) {
  uint64_t firstValue = nextValue;
  writer.number(region.empty() ? 0 : 1);
  if (region.empty())
    return success();
  Block &block = region.front();
  writer.number(block.getNumArguments());
  for (BlockArgument argument : block.getArguments()) {
    writer.number(getTypeIndex(argument.getType()));
    define(argument);
  }
  writer.number(block.getOperations().size());
  for (Operation &op : block)
    if (failed(writeOp(&op, writer)))
      return failure();
  nextValue = firstValue;
  return success();
}

LogicalResult ModuleWriter::writeEntry(EntryOp entry, ByteWriter &writer) {
  writer.number(strings.getIndex(entry.getSymName()));
  writer.number(getTypeIndex(entry.getFunctionType()));
  DictionaryAttr hints = entry.getOptimizationHintsAttr();
  writer.byte(kIsKernel | (hints ? kHasHints : 0));
  writer.number(0); // no location
  if (hints) {
    writer.number(static_cast<uint64_t>(AttributeTag::Hints));
    writeHints(hints, writer);
  }
  nextValue = 0;
  for (BlockArgument argument : entry.getBody().getArguments())
    define(argument);
  ByteWriter body;
  for (Operation &op : entry.getBody().front())
    if (failed(writeOp(&op, body)))
      return failure();
  writer.number(body.get().size());
  writer.append(body.get());
  return success();
}

LogicalResult ModuleWriter::write(TileModuleOp module, SmallVectorImpl<char> &bytes) {
  ByteWriter functions;
  auto entries = llvm::to_vector(module.getBody().getOps<EntryOp>());
  functions.number(entries.size());
  for (EntryOp entry : entries)
    if (failed(writeEntry(entry, functions)))
      return failure();
  functions.align(8);

  ByteWriter writer;
  writer.append(StringRef(kMagic, sizeof(kMagic)));
  writer.byte(BytecodeVersion::kMajor);
  writer.byte(minor);
  writer.littleEndian<uint16_t>(0); // no tag
  auto writeSection = [&](Section section, unsigned alignment, StringRef data) {
    writer.byte(static_cast<uint8_t>(section) | 0x80);
    writer.number(data.size());
    writer.number(alignment);
    writer.align(alignment);
    writer.append(data);
  };
  writeSection(Section::Functions, 8, functions.get());
  if (!constants.empty())
    writeSection(Section::Constants, 8, constants.write<uint64_t>());
  writeSection(Section::Types, 4, types.write<uint32_t>());
  writeSection(Section::Strings, 4, strings.write<uint32_t>());
  writer.byte(static_cast<uint8_t>(Section::End));
  bytes.append(writer.get().begin(), writer.get().end());
  return success();
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

BytecodeVersion tile::getRequiredVersion(TileModuleOp module) {
  unsigned minor = BytecodeVersion::kOldest;
  module.walk([&](Operation *op) {
    const OpEncoding *encoding = getEncoding(op->getName().stripDialect());
    if (!encoding)
      return;
    minor = std::max({minor, encoding->since, getTypesVersion(op)});
    for (const Field &field : encoding->fields) {
      Attribute attribute = op->getAttr(field.name);
      if (attribute && (field.kind != FieldKind::Enum ||
                        field.getNumber(attribute) != field.defaultCase))
        minor = std::max(minor, field.since);
    }
  });
  return {minor};
}

std::optional<BytecodeVersion> tile::parseVersion(StringRef text) {
  for (unsigned minor = BytecodeVersion::kOldest; minor <= BytecodeVersion::kNewest;
       ++minor)
    if (text == (Twine(BytecodeVersion::kMajor) + "." + Twine(minor)).str())
      return BytecodeVersion{minor};
  return std::nullopt;
}

LogicalResult tile::writeBytecode(TileModuleOp module, BytecodeVersion version,
                                  SmallVectorImpl<char> &bytes) {
  return ModuleWriter(version.minor).write(module, bytes);
}

/// The tile.module that `op` is, or the one that it is around.
static FailureOr<TileModuleOp> findModule(Operation *op) {
  if (auto module = dyn_cast<TileModuleOp>(op))
    return module;
  SmallVector<TileModuleOp> modules;
  op->walk([&](TileModuleOp module) { modules.push_back(module); });
  if (modules.size() == 1)
    return modules.front();
  return op->emitError() << "expected one tile.module, got " << modules.size();
}

LogicalResult tile::writeBytecode(Operation *op, StringRef version,
                                  SmallVectorImpl<char> &bytes) {
  FailureOr<TileModuleOp> module = findModule(op);
  if (failed(module))
    return failure();
  std::optional<BytecodeVersion> chosen =
      version.empty() ? getRequiredVersion(*module) : parseVersion(version);
  if (!chosen)
    return op->emitError()
           << "expected a version of the bytecode (13.1, 13.2, 13.3), got " << version;
  return writeBytecode(*module, *chosen, bytes);
}
