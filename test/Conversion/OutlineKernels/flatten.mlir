// RUN: tinytc-opt %s --tinytc-outline-kernels --cse | FileCheck %s

// Every access becomes an access through a pointer at a linear index.

// CHECK-LABEL: @reinterpret_cast
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[OFFSET:[^:]*]]: index, %{{[^:]*}}: index, %[[I:[^:]*]]: index)
//   CHECK-NOT:   memref.reinterpret_cast
//       CHECK:   %[[DISTANCE:.*]] = arith.muli %[[I]], %c8
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[DISTANCE]], %[[OFFSET]]
//       CHECK:   memref.load %[[A]][%[[ELEMENT]]]
func.func @reinterpret_cast(%a: memref<8x6xf32, strided<[1, 8]>>, %offset: index,
                            %size: index, %i: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %base, %start, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
    : memref<8x6xf32, strided<[1, 8]>> -> memref<f32>, index, index, index, index, index
  %view = memref.reinterpret_cast %base to offset: [%offset], sizes: [%size], strides: [8]
    : memref<f32> to memref<?xf32, strided<[8], offset: ?>>
  %x = memref.load %view[%i] : memref<?xf32, strided<[8], offset: ?>>
  memref.store %x, %view[%i] : memref<?xf32, strided<[8], offset: ?>>
  return
}

// The sum is of bf16 values; memory holds bits.
// CHECK-LABEL: @atomic_bf16
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xi16>, %[[I:[^:]*]]: index, %[[BITS:[^:]*]]: i16)
//       CHECK:   %[[X:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
//       CHECK:   memref.generic_atomic_rmw %[[A]][%[[I]]]
//  CHECK-NEXT:   ^bb0(%[[OLD_BITS:.*]]: i16):
//  CHECK-NEXT:   %[[OLD:.*]] = arith.bitcast %[[OLD_BITS]] : i16 to bf16
//  CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[OLD]], %[[X]] : bf16
//  CHECK-NEXT:   %[[SUM_BITS:.*]] = arith.bitcast %[[SUM]] : bf16 to i16
//  CHECK-NEXT:   memref.atomic_yield %[[SUM_BITS]]
func.func @atomic_bf16(%a: memref<4xbf16>, %i: index, %x: bf16)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %0 = memref.atomic_rmw addf %x, %a[%i] : (bf16, memref<4xbf16>) -> bf16
  return
}

// The parts of complex numbers: twice as many rows, other strides twice as large.
// CHECK-LABEL: @parts
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[STRIDE:[^:]*]]: index, %[[I:[^:]*]]: index, %[[J:[^:]*]]: index)
//   CHECK-NOT:   complex_parts
//       CHECK:   %[[TWICE:.*]] = arith.muli %[[STRIDE]], %c2
//       CHECK:   %[[DISTANCE:.*]] = arith.muli %[[J]], %[[TWICE]]
//       CHECK:   %[[ELEMENT:.*]] = arith.addi %[[I]], %[[DISTANCE]]
//       CHECK:   %[[INDEX:.*]] = arith.addi %[[ELEMENT]], %c12
//       CHECK:   memref.load %[[A]][%[[INDEX]]]
func.func @parts(%a: memref<8x6xcomplex<f32>, strided<[1, ?], offset: 6>>, %i: index,
                 %j: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %parts = tinytc.complex_parts %a
    : memref<8x6xcomplex<f32>, strided<[1, ?], offset: 6>>
  %x = memref.load %parts[%i, %j] : memref<16x6xf32, strided<[1, ?], offset: 12>>
  memref.store %x, %parts[%i, %j] : memref<16x6xf32, strided<[1, ?], offset: 12>>
  return
}

// What is known outside a loop is added up there, and constants come last, so the steps of an
// unrolled loop differ only by a constant.
// CHECK-LABEL: @hoisted
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[STRIDE:[^:]*]]: index, %[[OFFSET:[^:]*]]: index, %[[B:[^:]*]]: memref<?xf32>, %[[ROW:[^:]*]]: index)
//       CHECK:   %[[A_ROW:.*]] = arith.addi %[[ROW]], %[[OFFSET]]
//       CHECK:   scf.for %[[J:.*]] =
//       CHECK:     %[[B_COLUMN:.*]] = arith.muli %[[J]], %c7
//       CHECK:     scf.for %[[K:.*]] =
//   CHECK-DAG:       %[[A_DISTANCE:.*]] = arith.muli %{{.*}}, %[[STRIDE]]
//   CHECK-DAG:       %[[A_AT:.*]] = arith.addi %[[A_ROW]], %[[A_DISTANCE]]
//   CHECK-DAG:       %[[B_FIRST:.*]] = arith.addi %[[B_COLUMN]], %[[K]]
//       CHECK:       memref.load %[[A]][%[[A_AT]]]
//       CHECK:       %[[B_AT:.*]] = arith.addi %[[B_FIRST]], %c15
//       CHECK:       memref.store %{{.*}}, %[[B]][%[[B_AT]]]
func.func @hoisted(%a: memref<8x6xf32, strided<[1, ?], offset: ?>>, %b: memref<7x6xf32, strided<[1, 7]>>,
                   %row: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  scf.for %j = %c0 to %c6 step %c1 {
    scf.for %k = %c0 to %c6 step %c1 {
      %next = arith.addi %k, %c1 : index
      %column = arith.addi %j, %c2 : index
      %x = memref.load %a[%row, %next] : memref<8x6xf32, strided<[1, ?], offset: ?>>
      memref.store %x, %b[%next, %column] : memref<7x6xf32, strided<[1, 7]>>
    }
  }
  return
}

// Terms of a sum may be parameters, which the kernel's own parameters replace.
// CHECK-LABEL: @sum_of_parameters
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xf32>, %[[I:[^:]*]]: index, %[[J:[^:]*]]: index)
//       CHECK:   %[[COLUMN:.*]] = arith.muli %[[J]], %c7
//       CHECK:   %[[FIRST:.*]] = arith.addi %[[I]], %[[COLUMN]]
//       CHECK:   %[[AT:.*]] = arith.addi %[[FIRST]], %c16
//       CHECK:   memref.load %[[A]][%[[AT]]]
func.func @sum_of_parameters(%a: memref<7x6xf32, strided<[1, 7]>>, %i: index, %j: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %c2 = arith.constant 2 : index
  %row = arith.addi %i, %c2 : index
  %column = arith.addi %j, %c2 : index
  %x = memref.load %a[%row, %column] : memref<7x6xf32, strided<[1, 7]>>
  memref.store %x, %a[%row, %column] : memref<7x6xf32, strided<[1, 7]>>
  return
}

// An array in private memory is a pointer as it is.
// CHECK-LABEL: @private_array
//       CHECK:   %[[A:.*]] = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
//       CHECK:   memref.store %{{.*}}, %[[A]][%{{.*}}] : memref<4xf32, #gpu.address_space<private>>
//       CHECK:   memref.load %[[A]][%{{.*}}] : memref<4xf32, #gpu.address_space<private>>
func.func @private_array(%b: memref<4xf32>, %i: index, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %a = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
  memref.store %x, %a[%i] : memref<4xf32, #gpu.address_space<private>>
  %y = memref.load %a[%i] : memref<4xf32, #gpu.address_space<private>>
  memref.store %y, %b[%i] : memref<4xf32>
  return
}

// The parts of a complex number are updated one by one; an index is an i64, and the
// values of bf16 are those of its bits.
// CHECK-LABEL: @atomic_order
//       CHECK:   %[[RE:.*]] = tinytc.atomic add work_group acquire %[[A:.*]][%{{.*}}], %{{.*}} : memref<?xf32>, f32 -> f32
//       CHECK:   %[[IM:.*]] = tinytc.atomic add work_group acquire %[[A]][%{{.*}}], %{{.*}} : memref<?xf32>, f32 -> f32
//       CHECK:   complex.create %[[RE]], %[[IM]]
//       CHECK:   tinytc.atomic min device relaxed %{{.*}} : memref<?xi64>, i64 -> i64
//       CHECK:   tinytc.atomic add subgroup release %{{.*}} : memref<?xi16>, bf16 -> bf16
//       CHECK:   %[[BITS:.*]] = tinytc.atomic load device relaxed %{{.*}} : memref<?xi16> -> i16
//       CHECK:   %[[X:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
//       CHECK:   tinytc.atomic store device relaxed %{{.*}} : memref<?xi16>, i16
func.func @atomic_order(%a: memref<4xcomplex<f32>>, %b: memref<4xindex>,
                        %c: memref<4xbf16>, %i: index, %z: complex<f32>, %x: bf16)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %0 = tinytc.atomic add work_group acquire %a[%i], %z
    : memref<4xcomplex<f32>>, complex<f32> -> complex<f32>
  memref.store %0, %a[%i] : memref<4xcomplex<f32>>
  %1 = tinytc.atomic min device relaxed %b[%i], %i : memref<4xindex>, index -> index
  %2 = tinytc.atomic add subgroup release %c[%i], %x : memref<4xbf16>, bf16 -> bf16
  %3 = tinytc.atomic load device relaxed %c[%i] : memref<4xbf16> -> bf16
  %4 = arith.addf %3, %2 : bf16
  tinytc.atomic store device relaxed %c[%i], %4 : memref<4xbf16>, bf16
  return
}

// A block load counts from the pointer.
// CHECK-LABEL: gpu.func @block_load
//  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xi16>, %[[N:[^:]*]]: index
//       CHECK:   tinytc.subgroup_block_load %[[A]][%{{.*}}] sizes(%[[N]], %[[N]]) stride %c4 at(%[[N]], %[[N]]) : memref<?xi16> -> bf16,
func.func @block_load(%a: memref<4x3xbf16, strided<[1, 4]>>, %n: index)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a
    : memref<4x3xbf16, strided<[1, 4]>> -> memref<bf16>, index, index, index, index, index
  %0:8 = tinytc.subgroup_block_load %base[%offset] sizes(%n, %n) stride %strides#1 at(%n, %n)
    : memref<bf16> -> bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
  memref.store %0#0, %a[%n, %n] : memref<4x3xbf16, strided<[1, 4]>>
  return
}
