// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Types of memory, load, store, alloca, parameters.

// CHECK-LABEL: @parameters
//  CHECK-SAME:   (%{{.*}}: i1, %{{.*}}: index, %{{.*}}: memref<5x3xf32, strided<[1, 5]>>,
//  CHECK-SAME:   memref<?x3xf32, strided<[1, ?]>>, %{{.*}}: memref<5x?xf32, strided<[2, ?]>>,
//  CHECK-SAME:   memref<?xmemref<5x?xf32, strided<[1, 5], offset: ?>>>,
//  CHECK-SAME:   memref<8xmemref<5xbf16, strided<[1], offset: 4>>>)
//  CHECK-SAME:   tinytc.subgroup_size = 16 : i32, tinytc.work_group_size = array<i32: 16, 1>
tinytc.func @parameters(%bool: i1, %index: index, %a: !tinytc.memref<5x3xf32>,
                        %b: !tinytc.memref<?x3xf32>,
                        %c: !tinytc.memref<5x?xf32, strided<2,?>>,
                        %d: !tinytc.group<!tinytc.memref<5x?xf32> x ?, offset: ?>,
                        %e: !tinytc.group<!tinytc.memref<5xbf16> x 8, offset: 4>) {
  tinytc.yield
}


// CHECK-LABEL: @load_and_store
//  CHECK-SAME:   (%[[A:.*]]: memref<5x3xf32, strided<[1, 5]>>, %[[I:.*]]: index, %[[J:.*]]: index)
//       CHECK:   %[[VIEW:.*]] = memref.cast %[[A]] : {{.*}} to memref<5x3xf32, strided<[1, 5], offset: ?>>
//  CHECK-NEXT:   %[[X:.*]] = memref.load %[[VIEW]][%[[I]], %[[J]]]
//  CHECK-NEXT:   memref.store %[[X]], %[[VIEW]][%[[J]], %[[I]]]
tinytc.func @load_and_store(%a: !tinytc.memref<5x3xf32>, %i: index, %j: index) {
  %x = tinytc.load %a[%i, %j] : !tinytc.memref<5x3xf32>
  tinytc.store %x, %a[%j, %i] : f32, !tinytc.memref<5x3xf32>
}

// CHECK-LABEL: @load_from_a_group
//  CHECK-SAME:   (%[[GROUP:.*]]: memref<?xmemref<5xf32, strided<[1], offset: 4>>>, %[[I:.*]]: index)
//       CHECK:   %[[A:.*]] = memref.load %[[GROUP]][%[[I]]]
//  CHECK-NEXT:   %[[VIEW:.*]] = memref.cast %[[A]] : {{.*}} to memref<5xf32, strided<[1], offset: ?>>
//  CHECK-NEXT:   memref.load %[[VIEW]][%[[I]]]
tinytc.func @load_from_a_group(
    %A: !tinytc.group<!tinytc.memref<5xf32> x ?, offset: 4>, %i: index) {
  %a = tinytc.load %A[%i] : !tinytc.group<!tinytc.memref<5xf32> x ?, offset: 4>
  %x = tinytc.load %a[%i] : !tinytc.memref<5xf32>
  tinytc.store %x, %a[%i] : f32, !tinytc.memref<5xf32>
}

// CHECK-LABEL: @store_atomic
//       CHECK:   tinytc.atomic store device relaxed %{{.*}} : memref<f32, strided<[], offset: ?>>, f32
//       CHECK:   tinytc.atomic add device relaxed %{{.*}} : memref<f32, strided<[], offset: ?>>, f32 -> f32
//       CHECK:   tinytc.atomic add device relaxed %{{.*}} : memref<i32, strided<[], offset: ?>>, i32 -> i32
tinytc.func @store_atomic(%x: f32, %a: !tinytc.memref<f32>, %n: i32,
                          %b: !tinytc.memref<i32>) {
  tinytc.store atomic %x, %a[] : f32, !tinytc.memref<f32>
  tinytc.store atomic_add %x, %a[] : f32, !tinytc.memref<f32>
  tinytc.store atomic_add %n, %b[] : i32, !tinytc.memref<i32>
}


// CHECK-LABEL: @atomic
//       CHECK:   %[[L:.*]] = tinytc.atomic load work_group acquire %[[A:.*]][%[[I:.*]]] : memref<4xf32, strided<[1], offset: ?>> -> f32
//       CHECK:   tinytc.atomic store device release %[[A]][%[[I]]], %[[L]] : memref<4xf32, strided<[1], offset: ?>>, f32
//       CHECK:   %[[M:.*]] = tinytc.atomic min subgroup relaxed %[[A]][%[[I]]], %[[L]] : memref<4xf32, strided<[1], offset: ?>>, f32 -> f32
//       CHECK:   tinytc.atomic max cross_device sequentially_consistent %[[A]][%[[I]]], %[[M]]
//       CHECK:   tinytc.atomic add work_group relaxed %{{.*}} : memref<4xcomplex<f32>, {{.*}}>, complex<f32> -> complex<f32>
tinytc.func @atomic(%a: !tinytc.memref<4xf32>, %i: index,
                    %z: complex<f32>, %c: !tinytc.memref<4xcomplex<f32>>) {
  %0 = tinytc.atomic_load acquire %a[%i] : !tinytc.memref<4xf32>
  tinytc.atomic_store device release %0, %a[%i] : f32, !tinytc.memref<4xf32>
  %1 = tinytc.atomic_min subgroup %0, %a[%i] : f32, !tinytc.memref<4xf32>
  %2 = tinytc.atomic_max cross_device sequentially_consistent %1, %a[%i]
    : f32, !tinytc.memref<4xf32>
  %3 = tinytc.atomic_add %z, %c[%i] : complex<f32>, !tinytc.memref<4xcomplex<f32>>
}

// -----

// Elements are in the order of memory, and equal constants are one global.
// CHECK: memref.global "private" constant @[[$GLOBAL:.*]] : memref<4xf32> = dense<[1.000000e+00, 3.000000e+00, 2.000000e+00, 4.000000e+00]> {alignment = 128 : i64}
// CHECK-LABEL: @constant
// CHECK: %[[MEMORY:.*]] = memref.get_global @[[$GLOBAL]] : memref<4xf32>
// CHECK: memref.reinterpret_cast %[[MEMORY]] to offset: [0], sizes: [2, 2], strides: [1, 2]
// CHECK-LABEL: @same
// CHECK: memref.get_global @[[$GLOBAL]] : memref<4xf32>
tinytc.func @constant(%i: index, %x: !tinytc.memref<2xf32>) {
  %a = tinytc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    -> !tinytc.memref<2x2xf32>
  %0 = tinytc.load %a[%i, %i] : !tinytc.memref<2x2xf32>
  tinytc.store %0, %x[%i] : f32, !tinytc.memref<2xf32>
}
tinytc.func @same(%i: index, %x: !tinytc.memref<2xf32>) {
  %a = tinytc.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    -> !tinytc.memref<2x2xf32>
  %0 = tinytc.load %a[%i, %i] : !tinytc.memref<2x2xf32>
  tinytc.store %0, %x[%i] : f32, !tinytc.memref<2xf32>
}
