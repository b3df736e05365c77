//===- Scalars.td - Scalar types of the language ---------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One record for each scalar type: its names, and the types that stand for it in memory,
// among the parameters of a kernel, and in computations. ScalarTable.td makes the table
// of lib/IR/Scalars.cpp of them, python/generate_instructions.py that of Python.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_SCALARS_TD
#define TINYTC_SCALARS_TD

/// A scalar type. `type` gets MLIR's type from a `context`; other types are given by
/// their names in the language.
class TinyTC_ScalarRecord<string name, string kind, string mlir, int width, code type> {
  string Name = name;
  /// bool, integer, floating or complex.
  string Kind = kind;
  /// Name in MLIR's assembly.
  string Mlir = mlir;
  /// Bits of an element in memory.
  bits<8> Bits = width;
  code Type = [{[](MLIRContext *context) -> Type { return }] # type # "; }";
  /// Name of NumPy's usual dtype.
  string Numpy = name;
  /// Name of the dtype of ml_dtypes, jax and torch for a type that NumPy does not have,
  /// and DLPack's code for it.
  string Extension = "";
  bits<8> ExtensionCode = 0;
  /// Significant bits of a floating type or of the components of a complex one.
  bits<8> Precision = 0;
  /// The type of elements in memory; that of components for a complex type.
  string Storage = name;
  /// The type of a parameter of a kernel.
  string Parameter = name;
  /// The type in which instructions compute before they round.
  string Compute = name;
  /// The other types that it may be promoted to, separated by spaces. None for index,
  /// whose width depends on the platform.
  string PromotableTo = "";
}

class TinyTC_IntegerRecord<int width, string promotableTo>
    : TinyTC_ScalarRecord<"i" # width, "integer", "i" # width, width,
                          "IntegerType::get(context, " # width # ")"> {
  let Numpy = "int" # width;
  let PromotableTo = promotableTo;
}

class TinyTC_FloatingRecord<string name, int width, int precision, code type,
                            string promotableTo>
    : TinyTC_ScalarRecord<name, "floating", name, width, type> {
  let Numpy = "float" # width;
  let Precision = precision;
  let PromotableTo = promotableTo;
}

class TinyTC_ComplexRecord<int width, int precision, code component, string promotableTo>
    : TinyTC_ScalarRecord<"c" # width, "complex", "complex<f" # width # ">", !mul(2, width),
                          "ComplexType::get(" # component # ")"> {
  let Numpy = "complex" # !mul(2, width);
  let Precision = precision;
  let Storage = "f" # width;
  let PromotableTo = promotableTo;
}

def TinyTC_BoolRecord
    : TinyTC_ScalarRecord<"bool", "bool", "i1", 8, "IntegerType::get(context, 1)"> {
  let Parameter = "i8";
}
def TinyTC_I8Record : TinyTC_IntegerRecord<8, "i16 i32 i64 bf16 f16 f32 f64 c32 c64">;
def TinyTC_I16Record : TinyTC_IntegerRecord<16, "i32 i64 f32 f64 c32 c64">;
def TinyTC_I32Record : TinyTC_IntegerRecord<32, "i64 f64 c32 c64">;
def TinyTC_I64Record : TinyTC_IntegerRecord<64, "">;
def TinyTC_IndexRecord
    : TinyTC_ScalarRecord<"index", "integer", "index", 64, "IndexType::get(context)"> {
  let Numpy = "int64";
  let Storage = "i64";
}
/// Its bits, as there is no arithmetic on them, are an integer for memory and launches.
def TinyTC_BF16Record
    : TinyTC_FloatingRecord<"bf16", 16, 8, "BFloat16Type::get(context)",
                            "f32 f64 c32 c64"> {
  let Numpy = "uint16";
  let Extension = "bfloat16";
  let ExtensionCode = 4;
  let Storage = "i16";
  let Parameter = "i16";
  let Compute = "f32";
}
def TinyTC_F16Record
    : TinyTC_FloatingRecord<"f16", 16, 11, "Float16Type::get(context)",
                            "f32 f64 c32 c64"> {
  let Compute = "f32";
}
def TinyTC_F32Record
    : TinyTC_FloatingRecord<"f32", 32, 24, "Float32Type::get(context)", "f64 c32 c64">;
def TinyTC_F64Record
    : TinyTC_FloatingRecord<"f64", 64, 53, "Float64Type::get(context)", "c64">;
def TinyTC_C32Record
    : TinyTC_ComplexRecord<32, 24, "Float32Type::get(context)", "c64">;
def TinyTC_C64Record : TinyTC_ComplexRecord<64, 53, "Float64Type::get(context)", "">;

#endif // TINYTC_SCALARS_TD
