"""Tests the type classes and the generated enums of the dialect."""

import pytest
from mlir import ir

from tinytc_mlir.dialects import tinytc


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context, ir.Location.unknown():
        tinytc.register_dialect(context)
        yield context


@pytest.fixture
def f32():
    return ir.F32Type.get()


def test_memref_has_packed_strides_by_default(f32):
    memref = tinytc.MemrefType.get([5, 6, 7], f32)
    assert str(memref) == "!tinytc.memref<5x6x7xf32>"
    assert memref.order == 3
    assert memref.shape == [5, 6, 7]
    assert memref.stride == [1, 5, 30]
    assert memref.element_type == f32
    assert memref.address_space == "global"


def test_none_is_dynamic(f32):
    memref = tinytc.MemrefType.get([None, 4, 2], f32)
    assert str(memref) == "!tinytc.memref<?x4x2xf32>"
    assert memref.shape == [None, 4, 2]
    assert memref.stride == [1, None, None]
    assert tinytc.MemrefType.get([4], f32, [None]).stride == [None]


def test_memref_of_order_0(f32):
    memref = tinytc.MemrefType.get([], f32)
    assert (memref.order, memref.shape, memref.stride) == (0, [], [])


def test_explicit_packed_stride_is_the_same_type(f32):
    packed = tinytc.MemrefType.get([4, 8], f32)
    assert packed == tinytc.MemrefType.get([4, 8], f32, stride=[1, 4])
    assert packed != tinytc.MemrefType.get([4, 8], f32, stride=[1, 8])
    assert packed != tinytc.MemrefType.get([4, 8], f32, address_space="local")
    assert hash(packed) == hash(tinytc.MemrefType.get([4, 8], f32, stride=[1, 4]))


def test_local_memref(f32):
    memref = tinytc.MemrefType.get([4], f32, address_space="local")
    assert memref.address_space == "local"
    assert str(memref) == "!tinytc.memref<4xf32, local>"


def test_group(f32):
    memref = tinytc.MemrefType.get([16, 8], f32)
    group = tinytc.GroupType.get(memref)
    assert str(group) == "!tinytc.group<!tinytc.memref<16x8xf32> x ?>"
    assert (group.memref_type, group.size, group.offset) == (memref, None, 0)
    group = tinytc.GroupType.get(memref, 1000, offset=None)
    assert (group.size, group.offset) == (1000, None)
    assert group != tinytc.GroupType.get(memref, 1000)


def test_coopmatrix(f32):
    matrix = tinytc.CoopMatrixType.get(8, 16, f32, "matrix_acc")
    assert str(matrix) == "!tinytc.coopmatrix<8x16xf32, matrix_acc>"
    assert (matrix.rows, matrix.columns, matrix.use) == (8, 16, "matrix_acc")
    assert matrix.element_type == f32
    assert matrix != tinytc.CoopMatrixType.get(8, 16, f32, "matrix_a")


def test_parsed_types_have_their_classes():
    group = ir.Type.parse("!tinytc.group<!tinytc.memref<16x?xf64> x 4, offset: 2>")
    assert isinstance(group, tinytc.GroupType)
    assert isinstance(group.memref_type, tinytc.MemrefType)
    assert group.memref_type.shape == [16, None]
    assert not isinstance(group, tinytc.MemrefType)
    matrix = ir.Type.parse("!tinytc.coopmatrix<8x8xi8, matrix_b>")
    assert isinstance(matrix, tinytc.CoopMatrixType)


def test_casting_from_a_type(f32):
    memref = tinytc.MemrefType.get([4], f32)
    assert tinytc.MemrefType(ir.Type.parse("!tinytc.memref<4xf32>")) == memref
    with pytest.raises(ValueError, match="MemrefType"):
        tinytc.MemrefType(f32)


def test_memref_c2(f32):
    with pytest.raises(ValueError, match="expected the size of mode 1 to be non-negative, got -1"):
        tinytc.MemrefType.get([4, -1], f32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([4, 4], [1]), "one entry for each mode"),
        (([4, 4], [1, 3]), r"at least stride times size of mode 0 = 1 \* 4, got 3"),
        (([4, 4], [0, 4]), "stride of mode 0 to be positive, got 0"),
    ],
)
def test_memref_errors(f32, arguments, message):
    shape, stride = arguments
    with pytest.raises(ValueError, match=message):
        tinytc.MemrefType.get(shape, f32, stride)


def test_errors_name_the_value(f32):
    memref = tinytc.MemrefType.get([4], f32)
    with pytest.raises(ValueError, match="'global' or 'local', got 'shared'"):
        tinytc.MemrefType.get([4], f32, address_space="shared")
    with pytest.raises(ValueError, match="expected a scalar element type .*, got 'i1'"):
        tinytc.MemrefType.get([4], ir.IntegerType.get_signless(1))
    with pytest.raises(ValueError, match="group size to be positive, got 0"):
        tinytc.GroupType.get(memref, 0)
    with pytest.raises(ValueError, match="group offset to be non-negative, got -1"):
        tinytc.GroupType.get(memref, 4, -1)
    with pytest.raises(ValueError, match="expected memref_type to be a MemrefType"):
        tinytc.GroupType.get(f32)
    with pytest.raises(ValueError, match="expected positive sizes, got 0x8"):
        tinytc.CoopMatrixType.get(0, 8, f32, "matrix_a")
    with pytest.raises(ValueError, match="got 'matrix_c'"):
        tinytc.CoopMatrixType.get(8, 8, f32, "matrix_c")


def test_enums():
    assert str(tinytc.Transpose.T) == "t"
    assert {str(use) for use in tinytc.MatrixUse} == {"matrix_a", "matrix_b", "matrix_acc"}
    assert str(tinytc.StoreFlag.AtomicAdd) == "atomic_add"
    assert str(tinytc.Checked.Both) == "both_checked"
    assert str(tinytc.GroupOperation.Reduce) == "reduce"
    assert str(tinytc.AddressSpace.Local) == "local"


def test_ops_are_built_and_verified(f32):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        one = tinytc.ConstantOp(f32, ir.FloatAttr.get(f32, 1.0))
        total = tinytc.ArithAddOp(one.result, one.result)
    assert module.operation.verify()
    assert total.result.type == f32
    assert "tinytc.arith.add" in str(module)
