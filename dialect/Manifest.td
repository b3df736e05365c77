//===- Manifest.td - What a launch must know of a kernel -----*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The records that the manifest of a program consists of. Each parameter is an entry, and
// its name the key in JSON (docs/file-format.md), so that an entry is added here alone.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_MANIFEST_TD
#define TINYTC_MANIFEST_TD

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The function of lib/IR/Records.h that writes an entry as JSON.
class TinyTC_Entry<string function> {
  string writer = function;
}

/// An entry that is always there.
class TinyTC_Required<string type>
    : AttrParameter<type, "">, TinyTC_Entry<"writeEntry">;

/// An entry that is null in JSON if it is missing.
class TinyTC_Nullable<string type>
    : OptionalParameter<type>, TinyTC_Entry<"writeEntry">;

/// An entry that JSON lacks if it is missing, false or empty.
class TinyTC_Optional<string type>
    : OptionalParameter<type>, TinyTC_Entry<"writeOptionalEntry">;

/// A record whose own entries come in place of it.
class TinyTC_Inlined<string type>
    : OptionalParameter<type>, TinyTC_Entry<"writeEntriesOf">;

/// `[a, b]`; a number that only the launch knows is `?`, and null in JSON.
class TinyTC_List<string type>
    : ArrayRefParameter<type>, TinyTC_Entry<"writeEntry"> {
  let parser = "parseElements<" # type # ">($_parser)";
  let printer = "printElements($_printer, $_self)";
}

class TinyTC_OptionalList<string type>
    : OptionalArrayRefParameter<type>, TinyTC_Entry<"writeOptionalEntry"> {
  let parser = "parseElements<" # type # ">($_parser)";
  let printer = "printElements($_printer, $_self)";
}

/// A type of the language without the dialect's name: a manifest stays on kernels of
/// stages that have no type of the dialect any more.
def TinyTC_LanguageType : AttrOrTypeParameter<"::mlir::Type", "type of the language"> {
  let parser = "parseLanguageType($_parser)";
  let printer = "printLanguageType($_printer, $_self)";
}

defvar TinyTC_Name = TinyTC_Required<"::mlir::StringAttr">;
defvar TinyTC_Number = TinyTC_Required<"int64_t">;
defvar TinyTC_NullableNumber = TinyTC_Nullable<"std::optional<int64_t>">;
defvar TinyTC_OptionalNumber = TinyTC_Optional<"std::optional<int64_t>">;
defvar TinyTC_OptionalText = TinyTC_Optional<"::mlir::StringAttr">;
defvar TinyTC_OptionalFlag = TinyTC_Optional<"bool">;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// some_name -> SomeName
class TinyTC_CamelCase<string name> {
  string value = !foldl("", !range(!size(name)), camel, i, camel
    # !cond(!eq(!substr(name, i, 1), "_"): "",
            !eq(!substr("_" # name, i, 1), "_"): !toupper(!substr(name, i, 1)),
            true: !substr(name, i, 1)));
}

/// Records are the same in C++, in text and in JSON. One that passes edit has withers, which
/// return a copy with another entry: withLocalSize, withLocalMemoryBytes, ...
class TinyTC_Record<string name, string word, dag entries, bit hasWithers = 0>
    : AttrDef<TinyTC_Dialect, name> {
  let mnemonic = word;
  let parameters = entries;
  let assemblyFormat = "`<` struct(params) `>`";

  defvar numbers = !range(!size(entries));
  defvar withers = !foreach(i, !if(hasWithers, numbers, []<int>),
    "with" # TinyTC_CamelCase<!getdagname(entries, i)>.value # "("
    # !getdagarg<AttrOrTypeParameter>(entries, i).cppType # " value) const");
  let extraClassDeclaration = "::llvm::json::Object toJson() const;\n"
    # !interleave(!foreach(wither, withers, name # "Attr " # wither # ";\n"), "");
  let extraClassDefinition = "::llvm::json::Object $cppClass::toJson() const {\n"
    # "  ::llvm::json::Object object;\n"
    # !interleave(!foreach(i, numbers,
        "  " # !getdagarg<TinyTC_Entry>(entries, i).writer # "(object, \""
        # !getdagname(entries, i) # "\", getImpl()->" # !getdagname(entries, i) # ");\n"),
      "")
    # "  return object;\n}\n"
    # !interleave(!foreach(i, !range(!size(withers)),
        "$cppClass $cppClass::" # withers[i] # " {\n  auto entries = getImpl()->getAsKey();"
        # "\n  std::get<" # i # ">(entries) = value;\n"
        # "  return withEntries(*this, entries);\n}\n"), "");
}

def TinyTC_SumAttr : AttrDef<TinyTC_Dialect, "Sum"> {
  let mnemonic = "sum";
  let summary = "an integer that the launch knows";
  let description = [{
    A list of products, each an integer and values of the launch: `["n"]` is a scalar or
    the number of members of a group, `["A", 0]` the size of a mode, `["A", 0, "stride"]`
    a stride, `["A", unit, "associated"]` whether memory is given, and `["/", [...], 4]`
    the quotient of a sum and an integer.

    ```mlir
    // 2 n + 1
    func.func private @f() attributes {example = #tinytc.sum<[[2, ["n"]], [1]]>}
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$terms);
  let assemblyFormat = "`<` $terms `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = "::llvm::json::Value toJson() const;";
}

def TinyTC_LinearAttr : TinyTC_Record<"Linear", "linear", (ins
    TinyTC_Required<"SumAttr">:$slope,
    TinyTC_Required<"SumAttr">:$start)> {
  let summary = "slope * group id + start";
}

def TinyTC_InstructionAttr : TinyTC_Record<"Instruction", "instruction", (ins
    TinyTC_Name:$instruction,
    TinyTC_NullableNumber:$line)> {
  let summary = "an instruction and its line in the source";
}

//===----------------------------------------------------------------------===//
// Bounds of groups
//===----------------------------------------------------------------------===//

def TinyTC_BlockAccessAttr : TinyTC_Record<"BlockAccess", "block_access", (ins
    TinyTC_Name:$instruction,
    TinyTC_NullableNumber:$line,
    TinyTC_Name:$checked,
    TinyTC_Optional<"::mlir::ArrayAttr">:$reach)> {
  let summary = "an access to a block that is not checked";
  let description = [{
    `checked` is the modifier with which it would be. `reach` has, for the first and the
    last element, what each group id adds to its place in memory, and the place for the
    first group.
  }];
}

def TinyTC_BoundAttr : TinyTC_Record<"Bound", "bound", (ins
    TinyTC_Name:$argument,
    TinyTC_List<"int64_t">:$modes,
    TinyTC_Number:$dimension,
    TinyTC_Required<"LinearAttr">:$index,
    TinyTC_Nullable<"SumAttr">:$size,
    TinyTC_List<"LinearAttr">:$conditions,
    TinyTC_Optional<"::mlir::ArrayAttr">:$others,
    TinyTC_Optional<"BlockAccessAttr">:$block)> {
  let summary = "an index that groups access";
  let description = [{
    Groups for whose id in the dimension no condition is negative access an element with
    the index, which must be less than the size; without a size, it must not be negative.
    `others` has pairs of another dimension and what multiplies its id.
  }];
  let genVerifyDecl = 1;
}

def TinyTC_EqualSizesAttr : TinyTC_Record<"EqualSizes", "equal_sizes", (ins
    TinyTC_Required<"SumAttr">:$size,
    TinyTC_Required<"SumAttr">:$expected,
    TinyTC_Name:$instruction,
    TinyTC_NullableNumber:$line,
    TinyTC_OptionalList<"SumAttr">:$conditions,
    TinyTC_OptionalText:$reason)> {
  let summary = "sizes that an instruction requires to be equal";
}

def TinyTC_DisjointBlocksAttr : TinyTC_Record<"DisjointBlocks", "disjoint_blocks", (ins
    TinyTC_Name:$written,
    TinyTC_Name:$read,
    TinyTC_List<"int64_t">:$written_sizes,
    TinyTC_List<"int64_t">:$read_sizes,
    TinyTC_List<"int64_t">:$moved,
    TinyTC_Required<"bool">:$in_place,
    TinyTC_OptionalNumber:$member_mode,
    TinyTC_Name:$instruction,
    TinyTC_NullableNumber:$line)> {
  let summary = "blocks of two parameters that must not overlap";
}

def TinyTC_UncheckedUseAttr : TinyTC_Record<"UncheckedUse", "unchecked_use", (ins
    TinyTC_Name:$argument,
    TinyTC_List<"int64_t">:$modes,
    TinyTC_Name:$reason,
    TinyTC_Optional<"BoundAttr">:$bound)> {
  let summary = "modes with accesses that no bound covers";
}

def TinyTC_OtherIndexAttr : TinyTC_Record<"OtherIndex", "other_index", (ins
    TinyTC_Name:$reason,
    TinyTC_NullableNumber:$line)> {
  let summary = "an index that is neither the group id nor the same for all groups";
}

def TinyTC_GroupAccessAttr : TinyTC_Record<"GroupAccess", "group_access", (ins
    TinyTC_Name:$argument,
    TinyTC_List<"int64_t">:$modes,
    TinyTC_Name:$index,
    TinyTC_Inlined<"OtherIndexAttr">:$other)> {
  let summary = "how the groups of a launch share some modes";
  let description = "The index is `group_id`, `shared` or `other`.";
  let genVerifyDecl = 1;
}

def TinyTC_GroupBoundsAttr : TinyTC_Record<"GroupBounds", "group_bounds", (ins
    TinyTC_NullableNumber:$flops_per_group,
    TinyTC_NullableNumber:$bytes_per_group,
    TinyTC_List<"BoundAttr">:$group_bounds,
    TinyTC_List<"EqualSizesAttr">:$equal_sizes,
    TinyTC_List<"DisjointBlocksAttr">:$disjoint_blocks,
    TinyTC_List<"UncheckedUseAttr">:$unchecked_uses,
    TinyTC_List<"GroupAccessAttr">:$group_accesses,
    TinyTC_List<"InstructionAttr">:$launch_dependent,
    TinyTC_List<"int64_t">:$grid_dimensions)> {
  let summary = "which groups fit the arrays, and what a group computes and moves";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def TinyTC_ParameterAttr : AttrDef<TinyTC_Dialect, "Parameter"> {
  let mnemonic = "parameter";
  let summary = "a parameter of a kernel";
  let description = [{
    Its type is that in the language. Only a memref or a group has other entries: whether
    its elements are read and written, whether the launch may pass null, and what the
    attributes of the parameter say. `buffer` has a dimension of groups or a sum for each
    size that is not known.

    ```mlir
    func.func private @f() attributes {example = #tinytc.parameter<
      name = "A", type = memref<4x?xf32>, is_read = true, alignment = 16>}
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    TinyTC_LanguageType:$type,
    DefaultValuedParameter<"bool", "false">:$is_read,
    DefaultValuedParameter<"bool", "false">:$is_written,
    DefaultValuedParameter<"bool", "false">:$is_optional,
    OptionalParameter<"std::optional<int64_t>">:$alignment,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$shape_gcd,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$stride_gcd,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$modes,
    OptionalParameter<"::mlir::ArrayAttr">:$buffer,
    OptionalParameter<"::mlir::ArrayAttr">:$nonzero
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of the parameter or of the members of a group; null for a scalar.
    MemrefType getMemref() const;
    ::llvm::json::Object toJson() const;
  }];
}

def TinyTC_DiagnosticAttr : TinyTC_Record<"Diagnostic", "diagnostic", (ins
    TinyTC_Name:$severity,
    TinyTC_Name:$message,
    TinyTC_OptionalText:$filename,
    TinyTC_OptionalNumber:$line,
    TinyTC_OptionalNumber:$column,
    TinyTC_OptionalNumber:$length,
    TinyTC_Optional<"::mlir::ArrayAttr">:$notes)> {
  let summary = "a message with its place in the source";
}

def TinyTC_CheckAttr : TinyTC_Record<"Check", "check", (ins
    TinyTC_List<"::mlir::StringAttr">:$types,
    TinyTC_Required<"DiagnosticAttr">:$diagnostic,
    TinyTC_OptionalFlag:$print)> {
  let summary = "what a debug build reports, with the types of its values";
}

def TinyTC_KernelAttr : TinyTC_Record<"Kernel", "kernel", (ins
    TinyTC_Name:$name,
    TinyTC_Number:$subgroup_size,
    TinyTC_List<"::mlir::StringAttr">:$requires,
    TinyTC_List<"ParameterAttr">:$arguments,
    TinyTC_OptionalList<"CheckAttr">:$checks)> {
  let summary = "name, parameters and requirements of a kernel";
}

def TinyTC_ManifestAttr : TinyTC_Record<"Manifest", "manifest", (ins
    TinyTC_Inlined<"KernelAttr">:$kernel,
    TinyTC_OptionalList<"int64_t">:$local_size,
    TinyTC_OptionalNumber:$groups_per_work_group,
    TinyTC_OptionalNumber:$groups_of_block,
    TinyTC_OptionalNumber:$local_memory_bytes,
    TinyTC_OptionalText:$aligned_variant,
    TinyTC_OptionalText:$aligned_members_variant,
    TinyTC_OptionalFlag:$aligned_strides,
    TinyTC_OptionalFlag:$variant_may_overlap,
    TinyTC_OptionalFlag:$complex_parts,
    TinyTC_Inlined<"GroupBoundsAttr">:$bounds), /*hasWithers=*/1> {
  let summary = "what a launch must know of a kernel";
  let description = [{
    The attribute `tinytc.manifest`. `tinytc-describe-group-bounds` begins it with
    `bounds`, `tinytc-describe-kernels` adds `kernel`, and the conversions say how the
    code is launched.

    ```mlir
    func.func private @f() attributes {tinytc.manifest = #tinytc.manifest<
      kernel = <name = "f", subgroup_size = 16, requires = [], arguments = []>,
      local_size = [16, 1, 1], groups_per_work_group = 1>}
    ```
  }];
  let genVerifyDecl = 1;
  let genMnemonicAlias = 1;
}

#endif // TINYTC_MANIFEST_TD
