// RUN: tinytc-opt %s --tinytc-lower-matrix-products | FileCheck %s

// What a work-item brings to an operation, in an order that the unit permits, is one
// load of 32 bytes where it lies side by side and begins at a multiple of them.
module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:dg2", family = intel_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 65536,
    f64 = false>} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @words
  //  CHECK-SAME:   (%[[I:[^:]*]]: index
  //       CHECK:   %[[TIMES:.*]] = arith.muli %[[I]], %c3
  //       CHECK:   %[[PIECE:.*]] = arith.addi %[[TIMES]], %c1
  //       CHECK:   %[[WORD:.*]] = arith.muli %[[PIECE]], %c4
  //       CHECK:   %[[VIEW:.*]] = memref.view %{{.*}}[%c64]{{.*}} to memref<?xi64
  //       CHECK:   %[[LOADED:.*]] = vector.load %[[VIEW]][%[[WORD]]] {alignment = 32 : i64} : {{.*}}, vector<4xi64>
  //       CHECK:   %[[REGISTERS:.*]] = vector.bitcast %[[LOADED]] : vector<4xi64> to vector<8xi32>
  //       CHECK:   %[[HALVES:.*]] = vector.bitcast %[[REGISTERS]] : vector<8xi32> to vector<16xf16>
  //       CHECK:   %[[E:.*]]:16 = vector.to_elements %[[HALVES]]
  //   CHECK-NOT:   memref.load
  //       CHECK:   tinytc.subgroup_matrix_mul_add(%[[E]]#0, %[[E]]#2,
  gpu.func @words(%i: index, %b: f16, %c: f32, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %shift = arith.constant 64 : index
    %size = arith.constant 512 : index
    %scale = arith.constant 48 : index
    %alloc = memref.alloc() : memref<4096xi8, #gpu.address_space<workgroup>>
    %view = memref.view %alloc[%shift][%size] : memref<4096xi8, #gpu.address_space<workgroup>> to memref<?xf16, #gpu.address_space<workgroup>>
    %base = arith.muli %i, %scale : index
    %d0 = arith.constant 16 : index
    %p0 = arith.addi %base, %d0 : index
    %e0 = memref.load %view[%p0] : memref<?xf16, #gpu.address_space<workgroup>>
    %d1 = arith.constant 17 : index
    %p1 = arith.addi %base, %d1 : index
    %e1 = memref.load %view[%p1] : memref<?xf16, #gpu.address_space<workgroup>>
    %d2 = arith.constant 18 : index
    %p2 = arith.addi %base, %d2 : index
    %e2 = memref.load %view[%p2] : memref<?xf16, #gpu.address_space<workgroup>>
    %d3 = arith.constant 19 : index
    %p3 = arith.addi %base, %d3 : index
    %e3 = memref.load %view[%p3] : memref<?xf16, #gpu.address_space<workgroup>>
    %d4 = arith.constant 20 : index
    %p4 = arith.addi %base, %d4 : index
    %e4 = memref.load %view[%p4] : memref<?xf16, #gpu.address_space<workgroup>>
    %d5 = arith.constant 21 : index
    %p5 = arith.addi %base, %d5 : index
    %e5 = memref.load %view[%p5] : memref<?xf16, #gpu.address_space<workgroup>>
    %d6 = arith.constant 22 : index
    %p6 = arith.addi %base, %d6 : index
    %e6 = memref.load %view[%p6] : memref<?xf16, #gpu.address_space<workgroup>>
    %d7 = arith.constant 23 : index
    %p7 = arith.addi %base, %d7 : index
    %e7 = memref.load %view[%p7] : memref<?xf16, #gpu.address_space<workgroup>>
    %d8 = arith.constant 24 : index
    %p8 = arith.addi %base, %d8 : index
    %e8 = memref.load %view[%p8] : memref<?xf16, #gpu.address_space<workgroup>>
    %d9 = arith.constant 25 : index
    %p9 = arith.addi %base, %d9 : index
    %e9 = memref.load %view[%p9] : memref<?xf16, #gpu.address_space<workgroup>>
    %d10 = arith.constant 26 : index
    %p10 = arith.addi %base, %d10 : index
    %e10 = memref.load %view[%p10] : memref<?xf16, #gpu.address_space<workgroup>>
    %d11 = arith.constant 27 : index
    %p11 = arith.addi %base, %d11 : index
    %e11 = memref.load %view[%p11] : memref<?xf16, #gpu.address_space<workgroup>>
    %d12 = arith.constant 28 : index
    %p12 = arith.addi %base, %d12 : index
    %e12 = memref.load %view[%p12] : memref<?xf16, #gpu.address_space<workgroup>>
    %d13 = arith.constant 29 : index
    %p13 = arith.addi %base, %d13 : index
    %e13 = memref.load %view[%p13] : memref<?xf16, #gpu.address_space<workgroup>>
    %d14 = arith.constant 30 : index
    %p14 = arith.addi %base, %d14 : index
    %e14 = memref.load %view[%p14] : memref<?xf16, #gpu.address_space<workgroup>>
    %d15 = arith.constant 31 : index
    %p15 = arith.addi %base, %d15 : index
    %e15 = memref.load %view[%p15] : memref<?xf16, #gpu.address_space<workgroup>>
    %0 = tinytc.subgroup_matrix_mul_add (%e0, %e2, %e4, %e6, %e8, %e10, %e12, %e14, %e1, %e3, %e5, %e7, %e9, %e11, %e13, %e15),
        (%b, %b), (%c)
      : f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32
    memref.store %0, %out[%i] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @negative_gap
  //   CHECK-NOT:   vector.load
  gpu.func @negative_gap(%i: index, %b: f16, %c: f32, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %shift = arith.constant 64 : index
    %size = arith.constant 512 : index
    %scale = arith.constant 48 : index
    %alloc = memref.alloc() : memref<4096xi8, #gpu.address_space<workgroup>>
    %view = memref.view %alloc[%shift][%size] : memref<4096xi8, #gpu.address_space<workgroup>> to memref<?xf16, #gpu.address_space<workgroup>>
    %base = arith.muli %i, %scale : index
    %d0 = arith.constant 16 : index
    %p0 = arith.addi %base, %d0 : index
    %e0 = memref.load %view[%p0] : memref<?xf16, #gpu.address_space<workgroup>>
    %d1 = arith.constant 17 : index
    %p1 = arith.addi %base, %d1 : index
    %e1 = memref.load %view[%p1] : memref<?xf16, #gpu.address_space<workgroup>>
    %d2 = arith.constant 18 : index
    %p2 = arith.addi %base, %d2 : index
    %e2 = memref.load %view[%p2] : memref<?xf16, #gpu.address_space<workgroup>>
    %d3 = arith.constant 19 : index
    %p3 = arith.addi %base, %d3 : index
    %e3 = memref.load %view[%p3] : memref<?xf16, #gpu.address_space<workgroup>>
    %d4 = arith.constant 20 : index
    %p4 = arith.addi %base, %d4 : index
    %e4 = memref.load %view[%p4] : memref<?xf16, #gpu.address_space<workgroup>>
    %d5 = arith.constant 21 : index
    %p5 = arith.addi %base, %d5 : index
    %e5 = memref.load %view[%p5] : memref<?xf16, #gpu.address_space<workgroup>>
    %d6 = arith.constant 22 : index
    %p6 = arith.addi %base, %d6 : index
    %e6 = memref.load %view[%p6] : memref<?xf16, #gpu.address_space<workgroup>>
    %d7 = arith.constant 23 : index
    %p7 = arith.addi %base, %d7 : index
    %e7 = memref.load %view[%p7] : memref<?xf16, #gpu.address_space<workgroup>>
    %d8 = arith.constant 24 : index
    %p8 = arith.addi %base, %d8 : index
    %e8 = memref.load %view[%p8] : memref<?xf16, #gpu.address_space<workgroup>>
    %d9 = arith.constant 25 : index
    %p9 = arith.addi %base, %d9 : index
    %e9 = memref.load %view[%p9] : memref<?xf16, #gpu.address_space<workgroup>>
    %d10 = arith.constant 26 : index
    %p10 = arith.addi %base, %d10 : index
    %e10 = memref.load %view[%p10] : memref<?xf16, #gpu.address_space<workgroup>>
    %d11 = arith.constant 27 : index
    %p11 = arith.addi %base, %d11 : index
    %e11 = memref.load %view[%p11] : memref<?xf16, #gpu.address_space<workgroup>>
    %d12 = arith.constant 28 : index
    %p12 = arith.addi %base, %d12 : index
    %e12 = memref.load %view[%p12] : memref<?xf16, #gpu.address_space<workgroup>>
    %d13 = arith.constant 29 : index
    %p13 = arith.addi %base, %d13 : index
    %e13 = memref.load %view[%p13] : memref<?xf16, #gpu.address_space<workgroup>>
    %d14 = arith.constant 30 : index
    %p14 = arith.addi %base, %d14 : index
    %e14 = memref.load %view[%p14] : memref<?xf16, #gpu.address_space<workgroup>>
    %d15 = arith.constant 32 : index
    %p15 = arith.addi %base, %d15 : index
    %e15 = memref.load %view[%p15] : memref<?xf16, #gpu.address_space<workgroup>>
    %0 = tinytc.subgroup_matrix_mul_add (%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15),
        (%b, %b), (%c)
      : f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32
    memref.store %0, %out[%i] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @negative_unaligned
  //   CHECK-NOT:   vector.load
  gpu.func @negative_unaligned(%i: index, %b: f16, %c: f32, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %shift = arith.constant 64 : index
    %size = arith.constant 512 : index
    %scale = arith.constant 24 : index
    %alloc = memref.alloc() : memref<4096xi8, #gpu.address_space<workgroup>>
    %view = memref.view %alloc[%shift][%size] : memref<4096xi8, #gpu.address_space<workgroup>> to memref<?xf16, #gpu.address_space<workgroup>>
    %base = arith.muli %i, %scale : index
    %d0 = arith.constant 16 : index
    %p0 = arith.addi %base, %d0 : index
    %e0 = memref.load %view[%p0] : memref<?xf16, #gpu.address_space<workgroup>>
    %d1 = arith.constant 17 : index
    %p1 = arith.addi %base, %d1 : index
    %e1 = memref.load %view[%p1] : memref<?xf16, #gpu.address_space<workgroup>>
    %d2 = arith.constant 18 : index
    %p2 = arith.addi %base, %d2 : index
    %e2 = memref.load %view[%p2] : memref<?xf16, #gpu.address_space<workgroup>>
    %d3 = arith.constant 19 : index
    %p3 = arith.addi %base, %d3 : index
    %e3 = memref.load %view[%p3] : memref<?xf16, #gpu.address_space<workgroup>>
    %d4 = arith.constant 20 : index
    %p4 = arith.addi %base, %d4 : index
    %e4 = memref.load %view[%p4] : memref<?xf16, #gpu.address_space<workgroup>>
    %d5 = arith.constant 21 : index
    %p5 = arith.addi %base, %d5 : index
    %e5 = memref.load %view[%p5] : memref<?xf16, #gpu.address_space<workgroup>>
    %d6 = arith.constant 22 : index
    %p6 = arith.addi %base, %d6 : index
    %e6 = memref.load %view[%p6] : memref<?xf16, #gpu.address_space<workgroup>>
    %d7 = arith.constant 23 : index
    %p7 = arith.addi %base, %d7 : index
    %e7 = memref.load %view[%p7] : memref<?xf16, #gpu.address_space<workgroup>>
    %d8 = arith.constant 24 : index
    %p8 = arith.addi %base, %d8 : index
    %e8 = memref.load %view[%p8] : memref<?xf16, #gpu.address_space<workgroup>>
    %d9 = arith.constant 25 : index
    %p9 = arith.addi %base, %d9 : index
    %e9 = memref.load %view[%p9] : memref<?xf16, #gpu.address_space<workgroup>>
    %d10 = arith.constant 26 : index
    %p10 = arith.addi %base, %d10 : index
    %e10 = memref.load %view[%p10] : memref<?xf16, #gpu.address_space<workgroup>>
    %d11 = arith.constant 27 : index
    %p11 = arith.addi %base, %d11 : index
    %e11 = memref.load %view[%p11] : memref<?xf16, #gpu.address_space<workgroup>>
    %d12 = arith.constant 28 : index
    %p12 = arith.addi %base, %d12 : index
    %e12 = memref.load %view[%p12] : memref<?xf16, #gpu.address_space<workgroup>>
    %d13 = arith.constant 29 : index
    %p13 = arith.addi %base, %d13 : index
    %e13 = memref.load %view[%p13] : memref<?xf16, #gpu.address_space<workgroup>>
    %d14 = arith.constant 30 : index
    %p14 = arith.addi %base, %d14 : index
    %e14 = memref.load %view[%p14] : memref<?xf16, #gpu.address_space<workgroup>>
    %d15 = arith.constant 31 : index
    %p15 = arith.addi %base, %d15 : index
    %e15 = memref.load %view[%p15] : memref<?xf16, #gpu.address_space<workgroup>>
    %0 = tinytc.subgroup_matrix_mul_add (%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8, %e9, %e10, %e11, %e12, %e13, %e14, %e15),
        (%b, %b), (%c)
      : f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32
    memref.store %0, %out[%i] : memref<?xf32>
    gpu.return
  }
}
}
