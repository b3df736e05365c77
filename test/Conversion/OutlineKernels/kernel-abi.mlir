// RUN: tinytc-opt %s --split-input-file --tinytc-outline-kernels --cse | FileCheck %s

// Parameters of the kernel ABI, one kind at a time.

// CHECK-LABEL: @scalars
//  CHECK-SAME:   (%[[BOOL:.*]]: i8, %{{.*}}: i8, %{{.*}}: index, %[[BF16:.*]]: i16, %{{.*}}: f16, %{{.*}}: complex<f64>, %{{.*}}: memref<?xf32>) kernel
//  CHECK-SAME:   known_block_size = array<i32: 32, 2, 1>
//  CHECK-SAME:   tinytc.subgroup_size = 16 : i32
//   CHECK-DAG:   %[[TRUE:.*]] = arith.cmpi ne, %[[BOOL]], %c0_i8
//   CHECK-DAG:   %[[X:.*]] = arith.bitcast %[[BF16]] : i16 to bf16
//   CHECK-DAG:   arith.extf %[[X]]
//       CHECK:   scf.if %[[TRUE]]
func.func @scalars(%bool: i1, %byte: i8, %index: index, %bf16: bf16, %half: f16,
                   %complex: complex<f64>, %a: memref<f32, strided<[]>>)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 32, 2>} {
  %x = arith.extf %bf16 : bf16 to f32
  scf.if %bool {
    memref.store %x, %a[] : memref<f32, strided<[]>>
  }
  return
}

// -----

// Only the pointer; sizes and strides are constants.
// CHECK-LABEL: @static_memref
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[I:[^:]*]]: index, %[[J:[^:]*]]: index) kernel
//       CHECK:   %[[COLUMN:.*]] = arith.muli %[[J]], %c5
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[I]], %[[COLUMN]]
//       CHECK:   memref.load %[[A]][%[[ELEMENT]]]
func.func @static_memref(%a: memref<5x3xf32, strided<[1, 5]>>, %i: index, %j: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %x = memref.load %a[%i, %j] : memref<5x3xf32, strided<[1, 5]>>
  memref.store %x, %a[%j, %i] : memref<5x3xf32, strided<[1, 5]>>
  return
}

// -----

// The dynamic sizes, then the dynamic strides.
// CHECK-LABEL: @dynamic_memref
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[SIZE1:[^:]*]]: index, %{{[^:]*}}: index, %[[STRIDE1:[^:]*]]: index, %[[STRIDE2:[^:]*]]: index, %[[I:[^:]*]]: index) kernel
//   CHECK-DAG:   %[[MODE1:.*]] = arith.muli %[[SIZE1]], %[[STRIDE1]]
//   CHECK-DAG:   %[[PLANE:.*]] = arith.addi %[[I]], %[[MODE1]]
//   CHECK-DAG:   %[[MODE2:.*]] = arith.muli %[[I]], %[[STRIDE2]]
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[PLANE]], %[[MODE2]]
//       CHECK:   memref.load %[[A]][%[[ELEMENT]]]
func.func @dynamic_memref(%a: memref<5x?x?xf32, strided<[1, ?, ?]>>, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %one = arith.constant 1 : index
  %size = memref.dim %a, %one : memref<5x?x?xf32, strided<[1, ?, ?]>>
  %x = memref.load %a[%i, %size, %i] : memref<5x?x?xf32, strided<[1, ?, ?]>>
  memref.store %x, %a[%i, %i, %i] : memref<5x?x?xf32, strided<[1, ?, ?]>>
  return
}

// -----

!member = memref<4xf32, strided<[1], offset: 6>>
!view = memref<4xf32, strided<[1], offset: ?>>

// The offset belongs to the index of the element, not to that of the member.
// CHECK-LABEL: @static_group
//  CHECK-SAME:   (%[[GROUP:[^:]*]]: memref<?xmemref<?xf32>>, %{{[^:]*}}: index, %[[I:[^:]*]]: index) kernel
//       CHECK:   %[[A:.*]] = memref.load %[[GROUP]][%[[I]]]
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[I]], %c6
//       CHECK:   memref.load %[[A]][%[[ELEMENT]]]
func.func @static_group(%A: memref<?x!member>, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %a = memref.load %A[%i] : memref<?x!member>
  %view = memref.cast %a : !member to !view
  %x = memref.load %view[%i] : !view
  memref.store %x, %view[%i] : !view
  return
}

// -----

!member = memref<4x?xf32, strided<[1, ?], offset: ?>>

// Arrays of the members' dynamic sizes and strides, the size, the offset.
// CHECK-LABEL: @dynamic_group
//  CHECK-SAME:   (%[[GROUP:[^:]*]]: memref<?xmemref<?xf32>>, %{{[^:]*}}: memref<?xi64>, %[[STRIDES:[^:]*]]: memref<?xi64>, %[[SIZE:[^:]*]]: index, %[[OFFSET:[^:]*]]: index, %[[I:[^:]*]]: index) kernel
//       CHECK:   %[[A:.*]] = memref.load %[[GROUP]][%[[I]]]
//       CHECK:   %[[STRIDE_I64:.*]] = memref.load %[[STRIDES]][%[[I]]]
//       CHECK:   %[[STRIDE:.*]] = arith.index_cast %[[STRIDE_I64]]
//       CHECK:   %[[COLUMN:.*]] = arith.muli %[[SIZE]], %[[STRIDE]]
//       CHECK:   %[[START:.*]] = arith.addi %[[I]], %[[COLUMN]]
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[START]], %[[OFFSET]]
//       CHECK:   memref.load %[[A]][%[[ELEMENT]]]
func.func @dynamic_group(%A: memref<?x!member>, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0 : index
  %size = memref.dim %A, %zero : memref<?x!member>
  %a = memref.load %A[%i] : memref<?x!member>
  %x = memref.load %a[%i, %size] : !member
  memref.store %x, %a[%i, %i] : !member
  return
}

// -----

// Complex numbers are two reals, bf16 is i16, index is i64.
// CHECK-LABEL: @storage_types
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[B:[^:]*]]: memref<?xi16>, %[[C:[^:]*]]: memref<?xi64>, %[[I:[^:]*]]: index) kernel
//       CHECK:   %[[RE_AT:.*]] = arith.muli %[[I]], %c2
//       CHECK:   %[[IM_AT:.*]] = arith.addi %[[RE_AT]], %c1
//       CHECK:   %[[RE:.*]] = memref.load %[[A]][%[[RE_AT]]]
//       CHECK:   %[[IM:.*]] = memref.load %[[A]][%[[IM_AT]]]
//       CHECK:   complex.create %[[RE]], %[[IM]]
//       CHECK:   %[[BITS:.*]] = memref.load %[[B]][%[[I]]]
//       CHECK:   arith.bitcast %[[BITS]] : i16 to bf16
//       CHECK:   %[[LONG:.*]] = memref.load %[[C]][%[[I]]]
//       CHECK:   arith.index_cast %[[LONG]] : i64 to index
func.func @storage_types(%a: memref<4xcomplex<f32>>, %b: memref<4xbf16>,
                         %c: memref<4xindex>, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %x = memref.load %a[%i] : memref<4xcomplex<f32>>
  memref.store %x, %a[%i] : memref<4xcomplex<f32>>
  %y = memref.load %b[%i] : memref<4xbf16>
  memref.store %y, %b[%i] : memref<4xbf16>
  %z = memref.load %c[%i] : memref<4xindex>
  memref.store %z, %c[%i] : memref<4xindex>
  return
}

// -----

// All kernels of a module go into one gpu.module, each with its own sizes.
// CHECK-LABEL: gpu.module @kernels
//       CHECK:   gpu.func @first() kernel
//  CHECK-SAME:     known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16
//       CHECK:   gpu.func @second() kernel
//  CHECK-SAME:     known_block_size = array<i32: 8, 4, 1>, tinytc.subgroup_size = 8
//   CHECK-NOT: func.func
func.func @first() attributes {tinytc.subgroup_size = 16 : i32,
                               tinytc.work_group_size = array<i32: 16, 1>} {
  return
}
func.func @second() attributes {tinytc.subgroup_size = 8 : i32,
                                tinytc.work_group_size = array<i32: 8, 4>} {
  return
}
