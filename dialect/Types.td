//===- Types.td - Types of the language -----------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// memref, group and coopmatrix, and the constraints that ops put on their operands.
// Scalars are MLIR's own types.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_TYPES_TD
#define TINYTC_TYPES_TD

//===----------------------------------------------------------------------===//
// Scalar constraints
//===----------------------------------------------------------------------===//

def TinyTC_Bool : TypeAlias<I1, "boolean type">;
def TinyTC_Integer
    : AnyTypeOf<[I8, I16, I32, I64, Index], "integer type (i8, i16, i32, i64, index)">;
defvar TinyTC_FloatingNames =
  !foreach(record, !instances<TinyTC_FloatingRecord>(), record.Mlir);
def TinyTC_Floating
    : AnyTypeOf<!foreach(name, TinyTC_FloatingNames, !cast<Type>(!toupper(name))),
                "floating type (" # !interleave(TinyTC_FloatingNames, ", ") # ")">;
def TinyTC_Complex
    : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex type (c32, c64)">;
def TinyTC_Real
    : AnyTypeOf<[TinyTC_Integer, TinyTC_Floating], "real scalar type">;
def TinyTC_Scalar
    : AnyTypeOf<[TinyTC_Integer, TinyTC_Floating, TinyTC_Complex], "scalar type">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TinyTC_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TinyTC_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def TinyTC_Memref : TinyTC_Type<"Memref", "memref"> {
  let summary = "reference to a tensor in memory";
  let description = [{
    A pointer to the first element of a tensor together with its shape, its strides
    (in elements) and its address space. `?` marks a size or a stride that is only known
    at run time. The packed dense layout and the global address space are the
    defaults and are not printed.

    ```mlir
    !tinytc.memref<f32>                                // order 0
    !tinytc.memref<16x8xf32>                           // strided<1,16>, global
    !tinytc.memref<16x?xf64, strided<1,32>, local>
    ```

    Constraints:
    * `memref_c1`: the element type is a scalar type
    * `memref_c2`: sizes are non-negative or dynamic
    * `memref_c3`: there is one stride for each mode
    * `memref_c4`: 1 <= S_1 and S_{i-1} s_{i-1} <= S_i, where these are known
    * `memref_c5`: the known part of the size is less than 2^63 bytes

    Source: tensor language reference, memref type.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "sizes of the modes">:$shape,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t", "strides in elements">:$stride,
    "::mlir::tinytc::AddressSpace":$addressSpace
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::llvm::ArrayRef<int64_t>":$stride,
      CArg<"::mlir::tinytc::AddressSpace",
           "::mlir::tinytc::AddressSpace::Global">:$addressSpace), [{
      return $_get(elementType.getContext(), shape, elementType, stride, addressSpace);
    }]>,
    /// The packed dense layout.
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      CArg<"::mlir::tinytc::AddressSpace",
           "::mlir::tinytc::AddressSpace::Global">:$addressSpace), [{
      return $_get(elementType.getContext(), shape, elementType,
                   ::mlir::tinytc::packedStride(shape), addressSpace);
    }]>
  ];
  let extraClassDeclaration = [{
    int64_t getOrder() const { return getShape().size(); }
    bool isDynamicSize(int64_t mode) const {
      return ::mlir::ShapedType::isDynamic(getShape()[mode]);
    }
    bool isDynamicStride(int64_t mode) const {
      return ::mlir::ShapedType::isDynamic(getStride()[mode]);
    }
    bool hasStaticShape() const {
      return !::mlir::ShapedType::isDynamicShape(getShape());
    }
    int64_t getNumDynamicSizes() const {
      return ::llvm::count_if(getShape(), ::mlir::ShapedType::isDynamic);
    }
    int64_t getNumDynamicStrides() const {
      return ::llvm::count_if(getStride(), ::mlir::ShapedType::isDynamic);
    }
    bool isLocal() const {
      return getAddressSpace() == ::mlir::tinytc::AddressSpace::Local;
    }
    /// Whether the layout is the packed dense one, where it is static.
    bool hasPackedStride() const {
      return getStride() == ::llvm::ArrayRef<int64_t>(
                                ::mlir::tinytc::packedStride(getShape()));
    }
  }];
}

def TinyTC_Group : TinyTC_Type<"Group", "group"> {
  let summary = "batch of pointers to memrefs";
  let description = [{
    A pointer to pointers: element i of the group is a memref whose first element
    is `offset` elements after the i-th pointer. Size and offset may be dynamic;
    dynamic sizes and strides of the memref type differ from element to element.

    ```mlir
    !tinytc.group<!tinytc.memref<16x8xf32> x ?>
    !tinytc.group<!tinytc.memref<16x?xf32> x 1000, offset: 4>
    ```

    Constraints:
    * `group_c1`: the size is positive or dynamic
    * `group_c2`: the offset is non-negative or dynamic
    * `group_c3`: the memref type is in the global address space

    Source: tensor language reference, group type.
  }];
  let parameters = (ins
    "::mlir::tinytc::MemrefType":$memrefType,
    "int64_t":$size,
    "int64_t":$offset
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::mlir::tinytc::MemrefType":$memrefType, "int64_t":$size,
      CArg<"int64_t", "0">:$offset), [{
      return $_get(memrefType.getContext(), memrefType, size, offset);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isDynamicSize() const { return ::mlir::ShapedType::isDynamic(getSize()); }
    bool isDynamicOffset() const {
      return ::mlir::ShapedType::isDynamic(getOffset());
    }
  }];
}

def TinyTC_CoopMatrix : TinyTC_Type<"CoopMatrix", "coopmatrix"> {
  let summary = "matrix distributed across a subgroup";
  let description = [{
    Each work-item of a subgroup holds a part of the matrix; the layout says which one
    (docs/decisions/coopmatrices.md). The use names the position of the matrix in a
    matrix product.

    ```mlir
    !tinytc.coopmatrix<8x16xf32, matrix_acc>
    ```

    Constraints:
    * `coopmatrix_c1`: the component type is a scalar type
    * `coopmatrix_c2`: both sizes are positive
    * `coopmatrix_c3`: there are at most 65536 components

    Source: tensor language reference, cooperative matrix type.
  }];
  let parameters = (ins
    "int64_t":$rows,
    "int64_t":$columns,
    "::mlir::Type":$elementType,
    "::mlir::tinytc::MatrixUse":$use
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
      "::mlir::tinytc::MatrixUse":$use), [{
      return $_get(elementType.getContext(), rows, columns, elementType, use);
    }]>
  ];
  let extraClassDeclaration = [{
    /// A subgroup keeps all components in registers.
    static constexpr int64_t kMaxComponents = 65536;
  }];
}

//===----------------------------------------------------------------------===//
// Constraints on coopmatrix components and on unions of types
//===----------------------------------------------------------------------===//

/// A coopmatrix whose component type meets the constraint.
class TinyTC_CoopMatrixOf<TypeConstraint component>
    : Type<And<[TinyTC_CoopMatrix.predicate,
                SubstLeaves<"$_self",
                  "::llvm::cast<::mlir::tinytc::CoopMatrixType>($_self).getElementType()",
                  component.predicate>]>,
           "coopmatrix of " # component.summary,
           "::mlir::tinytc::CoopMatrixType">;

def TinyTC_ScalarOrCoopMatrix
    : AnyTypeOf<[TinyTC_Scalar, TinyTC_CoopMatrix], "scalar or coopmatrix type">;
def TinyTC_BoolOrInteger
    : AnyTypeOf<[TinyTC_Bool, TinyTC_Integer], "boolean or integer type">;
def TinyTC_BoolOrScalar
    : AnyTypeOf<[TinyTC_Bool, TinyTC_Scalar], "boolean or scalar type">;
def TinyTC_IntegerOrCoopMatrix
    : AnyTypeOf<[TinyTC_Integer, TinyTC_CoopMatrixOf<TinyTC_Integer>],
                "integer type or coopmatrix of integer type">;
def TinyTC_BoolOrIntegerOrCoopMatrix
    : AnyTypeOf<[TinyTC_Bool, TinyTC_Integer, TinyTC_CoopMatrixOf<TinyTC_Integer>],
                "boolean or integer type or coopmatrix of integer type">;
def TinyTC_FloatingOrCoopMatrix
    : AnyTypeOf<[TinyTC_Floating, TinyTC_CoopMatrixOf<TinyTC_Floating>],
                "floating type or coopmatrix of floating type">;
def TinyTC_RealOrCoopMatrix
    : AnyTypeOf<[TinyTC_Real, TinyTC_CoopMatrixOf<TinyTC_Real>],
                "real scalar type or coopmatrix of real scalar type">;
def TinyTC_ComplexOrCoopMatrix
    : AnyTypeOf<[TinyTC_Complex, TinyTC_CoopMatrixOf<TinyTC_Complex>],
                "complex type or coopmatrix of complex type">;
def TinyTC_Value
    : AnyTypeOf<[TinyTC_Bool, TinyTC_Scalar, TinyTC_CoopMatrix],
                "boolean, scalar or coopmatrix type">;
def TinyTC_ConstantType
    : AnyTypeOf<[TinyTC_Bool, TinyTC_Scalar, TinyTC_CoopMatrix, TinyTC_Memref],
                "boolean, scalar, coopmatrix or memref type">;
def TinyTC_MemrefOrGroup
    : AnyTypeOf<[TinyTC_Memref, TinyTC_Group], "memref or group type">;

#endif // TINYTC_TYPES_TD
