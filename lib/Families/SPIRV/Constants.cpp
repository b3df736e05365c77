//===- Constants.cpp - Variables of SPIR-V that never change --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// MLIR can neither initialize a variable but by an op with a name for each element,
// whose verification takes time quadratic in their number, nor align one. So their
// instructions are added to the words of a module.
//
//===----------------------------------------------------------------------===//

#include "lib/Families/SPIRV/Constants.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LocalMemory.h"

#include "mlir/Target/SPIRV/SPIRVBinaryUtils.h"

#include <map>

using namespace mlir;
using namespace mlir::tinytc;

using Elements = TinyTCDialect::ElementsAttrHelper;

FailureOr<ConstantElements> tinytc::takeElements(spirv::ModuleOp module) {
  ConstantElements all;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    auto elements = getDiscardable<Elements>(variable);
    if (!elements)
      continue;
    auto pointer = cast<spirv::PointerType>(variable.getType());
    auto array = dyn_cast<spirv::ArrayType>(pointer.getPointeeType());
    // No type has an array without elements.
    int64_t count = std::max<int64_t>(elements.getNumElements(), 1);
    if (!array || array.getElementType() != elements.getElementType() ||
        array.getNumElements() != count)
      return variable.emitOpError("expected a pointer to an array of ")
             << count << " elements of type " << elements.getElementType() << ", got "
             << pointer;
    all[variable.getSymName()] = elements;
    removeDiscardable<Elements>(variable);
  }
  return all;
}

namespace {

/// Copies the instructions of a module, with those that elements need.
class ElementWriter {
public:
  ElementWriter(ArrayRef<uint32_t> words, const ConstantElements &elements)
      : words(words), elements(elements), bound(words[kBoundPlace]) {}

  SmallVector<uint32_t, 0> write();

private:
  static constexpr size_t kBoundPlace = 3;
  static constexpr uint32_t kAlignmentDecoration = 44;

  void read(spirv::Opcode opcode, ArrayRef<uint32_t> operands);
  void add(spirv::Opcode opcode, ArrayRef<uint32_t> operands) {
    result.push_back(spirv::getPrefixedOpcode(operands.size() + 1, opcode));
    llvm::append_range(result, operands);
  }
  uint32_t addConstant(uint32_t type, uint64_t bits, bool isWide);
  uint32_t addArray(uint32_t pointer, DenseElementsAttr values);
  void align();

  ArrayRef<uint32_t> words;
  const ConstantElements &elements;
  /// No identifier is as large.
  uint32_t bound;
  SmallVector<uint32_t, 0> result;
  DenseMap<uint32_t, DenseElementsAttr> variables;
  /// The array of a pointer, and the element of an array.
  DenseMap<uint32_t, uint32_t> pointees;
  bool isAligned = false;
};

} // namespace

/// Whether an instruction comes before all decorations of a module, or is one.
static bool isBeforeTypes(spirv::Opcode opcode) {
  using spirv::Opcode;
  return llvm::is_contained(
      {Opcode::OpCapability, Opcode::OpExtension, Opcode::OpExtInstImport,
       Opcode::OpMemoryModel, Opcode::OpEntryPoint, Opcode::OpExecutionMode,
       Opcode::OpString, Opcode::OpSource, Opcode::OpName, Opcode::OpMemberName,
       Opcode::OpModuleProcessed, Opcode::OpDecorate, Opcode::OpMemberDecorate},
      opcode);
}

void ElementWriter::align() {
  for (auto [variable, values] : variables)
    add(spirv::Opcode::OpDecorate,
        {variable, kAlignmentDecoration, uint32_t(kLocalMemoryAlignment)});
  isAligned = true;
}

uint32_t ElementWriter::addConstant(uint32_t type, uint64_t bits, bool isWide) {
  SmallVector<uint32_t, 4> operands = {type, bound, static_cast<uint32_t>(bits)};
  if (isWide)
    operands.push_back(static_cast<uint32_t>(bits >> 32));
  add(spirv::Opcode::OpConstant, operands);
  return bound++;
}

uint32_t ElementWriter::addArray(uint32_t pointer, DenseElementsAttr values) {
  uint32_t array = pointees.at(pointer), element = pointees.at(array);
  unsigned bytes = values.getElementType().getIntOrFloatBitWidth() / 8;
  ArrayRef<char> raw = values.getRawData();
  std::map<uint64_t, uint32_t> known;
  auto getConstant = [&](uint64_t bits) {
    auto [entry, isNew] = known.try_emplace(bits);
    if (isNew)
      entry->second = addConstant(element, bits, bytes > 4);
    return entry->second;
  };
  SmallVector<uint32_t, 0> operands = {array, 0};
  for (int64_t i = 0, count = values.getNumElements(); i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, raw.data() + (values.isSplat() ? 0 : i * bytes), bytes);
    operands.push_back(getConstant(bits));
  }
  if (values.empty())
    operands.push_back(getConstant(0));
  operands[1] = bound;
  add(spirv::Opcode::OpConstantComposite, operands);
  return bound++;
}

void ElementWriter::read(spirv::Opcode opcode, ArrayRef<uint32_t> operands) {
  if (!isAligned && !isBeforeTypes(opcode))
    align();
  if (opcode == spirv::Opcode::OpName) {
    StringRef name(reinterpret_cast<const char *>(operands.data() + 1));
    if (auto found = elements.find(name); found != elements.end())
      variables[operands[0]] = found->second;
  } else if (opcode == spirv::Opcode::OpTypeArray) {
    pointees[operands[0]] = operands[1];
  } else if (opcode == spirv::Opcode::OpTypePointer) {
    pointees[operands[0]] = operands[2];
  } else if (opcode == spirv::Opcode::OpVariable && variables.contains(operands[1])) {
    SmallVector<uint32_t, 4> initialized(operands);
    initialized.push_back(addArray(operands[0], variables.at(operands[1])));
    add(opcode, initialized);
    return;
  }
  add(opcode, operands);
}

SmallVector<uint32_t, 0> ElementWriter::write() {
  llvm::append_range(result, words.take_front(spirv::kHeaderWordCount));
  for (auto rest = words.drop_front(spirv::kHeaderWordCount); !rest.empty();) {
    size_t count = rest.front() >> 16;
    read(static_cast<spirv::Opcode>(rest.front() & 0xffff),
         rest.take_front(count).drop_front());
    rest = rest.drop_front(count);
  }
  result[kBoundPlace] = bound;
  return std::move(result);
}

void tinytc::addElements(SmallVectorImpl<uint32_t> &words,
                         const ConstantElements &elements) {
  if (!elements.empty())
    words = ElementWriter(words, elements).write();
}
