//===- Types.td - Types of the tile dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles, pointers, views and tokens, and the constraints that ops put on operands.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_Pointer : Tile_Type<"Pointer", "ptr"> {
  let summary = "address in global memory";
  let description = [{
    The address of one element. It is a value only as the element of a tile.

    ```mlir
    !tile.tile<!tile.ptr<f32>>
    ```

    Constraints:
    * `ptr_c1`: the pointee is a number type
  }];
  let parameters = (ins "::mlir::Type":$pointeeType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType), [{
      return $_get(pointeeType.getContext(), pointeeType);
    }]>
  ];
  let assemblyFormat = "`<` $pointeeType `>`";
  let genVerifyDecl = 1;
}

def Tile_Tile : Tile_Type<"Tile", "tile", [ShapedTypeInterface]> {
  let summary = "array of numbers or pointers in registers";
  let description = [{
    A value of static shape. A tile without dimensions is a scalar.

    ```mlir
    !tile.tile<f32>
    !tile.tile<16x8xf32>
    !tile.tile<4x!tile.ptr<i32>>
    ```

    Constraints:
    * `tile_c1`: the element type is a number type or a pointer
    * `tile_c2`: sizes are positive powers of two
    * `tile_c3`: there are at most 2^24 elements (`maxTileNumElements` of the public
      dialect)
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), shape, elementType);
    }]>
  ];
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    TileType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                       ::mlir::Type elementType) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_TensorView : Tile_Type<"TensorView", "tensor_view"> {
  let summary = "tensor in global memory";
  let description = [{
    A pointer to the first element with sizes and strides, in elements; `?` is only known
    at run time. The last dimension usually has stride 1.

    ```mlir
    !tile.tensor_view<16x32xf32, strides = [32, 1]>
    !tile.tensor_view<?x32xf32, strides = [?, 1]>
    ```

    Constraints:
    * `tensor_view_c1`: the element type is a number type
    * `tensor_view_c2`: there is one stride for each dimension
    * `tensor_view_c3`: sizes and strides are positive or dynamic
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides);
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::llvm::ArrayRef<int64_t>":$strides), [{
      return $_get(elementType.getContext(), shape, elementType, strides);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_PartitionView : Tile_Type<"PartitionView", "partition_view"> {
  let summary = "tensor in global memory, cut into tiles";
  let description = [{
    Covers a tensor view with a grid of tiles, which are loaded and stored by their place
    in the grid. Dimension i of a tile runs along dimension `dim_map[i]` of the tensor.
    A load outside of the tensor gives the padding value, or anything without one;
    a store outside of it writes nothing.

    ```mlir
    !tile.partition_view<[4, 8], !tile.tensor_view<?x32xf32, strides = [?, 1]>>
    !tile.partition_view<[8, 4], !tile.tensor_view<16x32xf32, strides = [32, 1]>,
                         dim_map = [1, 0], padding = zero>
    ```

    Constraints:
    * `partition_view_c1`: sizes of the tile are positive powers of two
    * `partition_view_c2`: the tile has as many dimensions as the tensor
    * `partition_view_c3`: dim_map is a permutation of the dimensions
    * `partition_view_c4`: a padding value other than zero needs floating elements
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape,
                        "::mlir::tile::TensorViewType":$tensorView,
                        ArrayRefParameter<"int32_t">:$dimMap,
                        OptionalParameter<"std::optional<::mlir::tile::PaddingValue>">:$padding);
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int32_t>":$tileShape,
      "::mlir::tile::TensorViewType":$tensorView,
      "::llvm::ArrayRef<int32_t>":$dimMap,
      CArg<"std::optional<::mlir::tile::PaddingValue>", "std::nullopt">:$padding), [{
      return $_get(tensorView.getContext(), tileShape, tensorView, dimMap, padding);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The type of the tiles that are loaded and stored.
    ::mlir::tile::TileType getTileType() const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Token : Tile_Type<"Token", "token"> {
  let summary = "order between accesses to memory";
  let description = [{
    Exists only while compiling: whatever takes a token comes after what made it.
  }];
  let builderCall = "$_builder.getType<::mlir::tile::TokenType>()";
}

//===----------------------------------------------------------------------===//
// Constraints on operands
//===----------------------------------------------------------------------===//

defvar integers = [I1, I8, I16, I32, I64];
defvar floats = [F16, BF16, F32, F64];
defvar numbers = !listconcat(integers, floats, [TF32, F8E4M3FN, F8E5M2]);

class Tile_TileOf<list<Type> elements>
    : ContainerType<AnyTypeOf<elements>, CPred<"::llvm::isa<::mlir::tile::TileType>($_self)">,
                    "::llvm::cast<::mlir::tile::TileType>($_self).getElementType()", "tile",
                    "::mlir::tile::TileType">;
class Tile_ScalarOf<list<Type> elements>
    : ContainerType<AnyTypeOf<elements>,
                    CPred<"::llvm::isa<::mlir::tile::TileType>($_self) && "
                          "::llvm::cast<::mlir::tile::TileType>($_self).getShape().empty()">,
                    "::llvm::cast<::mlir::tile::TileType>($_self).getElementType()",
                    "tile without dimensions", "::mlir::tile::TileType">;

def Tile_BoolTile : Tile_TileOf<[I1]>;
def Tile_ByteTile : Tile_TileOf<[I8]>;
def Tile_I32Tile : Tile_TileOf<[I32]>;
def Tile_I64Tile : Tile_TileOf<[I64]>;
def Tile_IntegerTile : Tile_TileOf<integers>;
def Tile_FloatTile : Tile_TileOf<floats>;
def Tile_AnyFloatTile : Tile_TileOf<!listconcat(floats, [TF32, F8E4M3FN, F8E5M2])>;
def Tile_AccTile : Tile_TileOf<[F16, F32, F64]>;
def Tile_NumberTile : Tile_TileOf<numbers>;
def Tile_PointerTile : Tile_TileOf<[Tile_Pointer]>;

def Tile_Bool : Tile_ScalarOf<[I1]> {
  let builderCall = "::mlir::tile::TileType::get({}, $_builder.getI1Type())";
}
def Tile_Integer : Tile_ScalarOf<integers>;
def Tile_I32 : Tile_ScalarOf<[I32]> {
  let builderCall = "::mlir::tile::TileType::get({}, $_builder.getI32Type())";
}
def Tile_Address : Tile_ScalarOf<[Tile_Pointer]>;

/// Values that loops carry and branches yield.
def Tile_Carried : AnyTypeOf<[Tile_Tile, Tile_Token], "tile or token">;

#endif // TILE_TYPES_TD
