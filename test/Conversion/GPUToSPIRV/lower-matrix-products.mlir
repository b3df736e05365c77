// RUN: tinytc-opt %s --split-input-file --tinytc-lower-matrix-products | FileCheck %s

// A target with a matrix unit: the sums become vectors, in the loop and around it.
module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:dg2", family = intel_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 65536,
    f64 = false>} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @loop
  //  CHECK-SAME:   (%[[A:[^:]*]]: i8, %[[B:[^:]*]]: i8, %[[C:[^:]*]]: i32, %[[N:[^:]*]]: index, %[[OUT:[^:]*]]: memref<?xi32>)
  //       CHECK:   %[[INIT:.*]] = vector.from_elements %[[C]], %[[C]] : vector<2xi32>
  //       CHECK:   %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUMS:.*]] = %[[INIT]], %[[COUNT:.*]] = %[[N]]) -> (vector<2xi32>, index) {
  //  CHECK-NEXT:     %[[FIRST:.*]] = tinytc.subgroup_matrix_mul_add{{.*}}, (%[[SUMS]])
  //       CHECK:     %[[SECOND:.*]] = tinytc.subgroup_matrix_mul_add{{.*}}, (%[[FIRST]])
  //       CHECK:     %[[NEXT:.*]] = arith.addi %[[COUNT]], %[[I]]
  //       CHECK:     scf.yield %[[SECOND]], %[[NEXT]] : vector<2xi32>, index
  //  CHECK-NEXT:   } {tinytc.unroll = false}
  //       CHECK:   %[[RESULT:.*]]:2 = vector.to_elements %[[LOOP]]#0
  //       CHECK:   memref.store %[[RESULT]]#1, %[[OUT]][%[[LOOP]]#1]
  gpu.func @loop(%a: i8, %b: i8, %c: i32, %n: index, %out: memref<?xi32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0:3 = scf.for %i = %zero to %n step %one iter_args(%s = %c, %m = %n, %t = %c)
        -> (i32, index, i32) {
      %1:2 = tinytc.subgroup_matrix_mul_add
          (%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a,
           %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a),
          (%b, %b, %b, %b, %b, %b, %b, %b), (%s, %t)
        : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i32, i32
      %2:2 = tinytc.subgroup_matrix_mul_add
          (%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a,
           %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a),
          (%b, %b, %b, %b, %b, %b, %b, %b), (%1#0, %1#1)
        : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i32, i32
      %next = arith.addi %m, %i : index
      scf.yield %2#0, %next, %2#1 : i32, index, i32
    } {tinytc.unroll = false}
    memref.store %0#2, %out[%0#1] : memref<?xi32>
    gpu.return
  }
  // The sums have another use.
  // CHECK-LABEL: gpu.func @negative_used
  //       CHECK:   scf.for {{.*}} -> (i32, i32)
  gpu.func @negative_used(%a: i8, %b: i8, %c: i32, %n: index, %out: memref<?xi32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0:2 = scf.for %i = %zero to %n step %one iter_args(%s = %c, %t = %c) -> (i32, i32) {
      memref.store %s, %out[%i] : memref<?xi32>
      %1:2 = tinytc.subgroup_matrix_mul_add
          (%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a,
           %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a),
          (%b, %b, %b, %b, %b, %b, %b, %b), (%s, %t)
        : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
           i8, i8, i8, i8, i8, i8, i8, i8, i32, i32
      scf.yield %1#0, %1#1 : i32, i32
    }
    memref.store %0#0, %out[%n] : memref<?xi32>
    gpu.return
  }
  // Each iteration yields the vector that it begins with.
  // CHECK-LABEL: gpu.func @unchanged
  //       CHECK:   scf.for %[[I:.*]] = {{.*}} iter_args(%[[V:.*]] = %{{.*}}) -> (vector<2xi32>) {
  //  CHECK-NEXT:     memref.store %[[V]], %{{.*}}[%[[I]]]
  //  CHECK-NEXT:     scf.yield %[[V]] : vector<2xi32>
  gpu.func @unchanged(%c: i32, %n: index, %out: memref<?xvector<2xi32>>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0:2 = scf.for %i = %zero to %n step %one iter_args(%s = %c, %t = %c) -> (i32, i32) {
      %v = vector.from_elements %s, %t : vector<2xi32>
      memref.store %v, %out[%i] : memref<?xvector<2xi32>>
      %1:2 = vector.to_elements %v : vector<2xi32>
      scf.yield %1#0, %1#1 : i32, i32
    }
    gpu.return
  }
}
}

// -----

// Without one: lane k of 8 has row k of B, and what is outside of a matrix is not read.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [8], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @product
  //  CHECK-SAME:   (%[[A:[^:]*]]: f32, %[[B:[^:]*]]: f32, %[[C:[^:]*]]: f32, %{{.*}}: memref<?xf32>)
  //       CHECK:   %[[B0:.*]] = gpu.subgroup_broadcast %[[B]], {{ *}}specific_lane %c0
  //       CHECK:   %[[P0:.*]] = arith.mulf %[[A]], %[[B0]]
  //       CHECK:   %[[S0:.*]] = arith.addf %[[C]], %[[P0]]
  //       CHECK:   gpu.subgroup_broadcast %[[B]], {{ *}}specific_lane %c1
  //   CHECK-NOT:   tinytc.subgroup_matrix_mul_add
  gpu.func @product(%a: f32, %b: f32, %c: f32, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %zero = arith.constant 0 : index
    %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c)
      : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
    memref.store %0, %out[%zero] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @block
  //  CHECK-SAME:   (%[[A:[^:]*]]: memref<?xi16>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index, %[[LD:[^:]*]]: index, %[[X:[^:]*]]: index, %[[Y:[^:]*]]: index
  //       CHECK:   %[[LANE:.*]] = gpu.lane_id
  //       CHECK:   %[[ROW:.*]] = arith.addi %[[X]], %[[LANE]]
  //       CHECK:   %[[IS_ROW:.*]] = arith.cmpi ult, %[[ROW]], %[[M]]
  //       CHECK:   %[[LAST:.*]] = arith.subi %[[M]],
  //       CHECK:   arith.select %[[IS_ROW]], %[[ROW]], %[[LAST]]
  //       CHECK:   %[[COLUMN:.*]] = arith.addi %[[Y]], %
  //       CHECK:   %[[IS_COLUMN:.*]] = arith.cmpi ult, %[[COLUMN]], %[[N]]
  //       CHECK:   %[[BITS:.*]] = memref.load %[[A]]
  //       CHECK:   %[[ELEMENT:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
  //       CHECK:   %[[INSIDE:.*]] = arith.andi %[[IS_ROW]], %[[IS_COLUMN]]
  //       CHECK:   arith.select %[[INSIDE]], %[[ELEMENT]], %
  gpu.func @block(%a: memref<?xi16>, %m: index, %n: index, %ld: index, %x: index, %y: index,
                  %out: memref<?xbf16>) kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %0:8 = tinytc.subgroup_block_load %a[%m] sizes(%m, %n) stride %ld at(%x, %y)
      : memref<?xi16> -> bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16
    memref.store %0#0, %out[%m] : memref<?xbf16>
    gpu.return
  }

  // Two work-items have the halves of a number of f32.
  // CHECK-LABEL: gpu.func @halves
  //  CHECK-SAME:   (%[[A:[^:]*]]: f32, %[[M:[^:]*]]: memref<?xf32>
  //       CHECK:   %[[LANE:.*]] = gpu.lane_id
  //       CHECK:   %[[PAIR:.*]] = arith.divui %[[LANE]], %c2
  //       CHECK:   arith.addi %{{.*}}, %[[PAIR]]
  //       CHECK:   memref.load %[[M]]
  //       CHECK:   %[[SHIFTED:.*]] = arith.shrui
  //       CHECK:   arith.trunci %[[SHIFTED]] : i32 to i16
  //       CHECK:   %[[BITS:.*]] = arith.extui %{{.*}} : i16 to i32
  //       CHECK:   %[[LOW:.*]] = gpu.subgroup_broadcast %[[BITS]],
  //       CHECK:   %[[HIGH:.*]] = gpu.subgroup_broadcast %[[BITS]],
  //       CHECK:   %[[UPPER:.*]] = arith.shli %[[HIGH]], %c16
  //       CHECK:   %[[BOTH:.*]] = arith.ori %[[UPPER]], %[[LOW]]
  //       CHECK:   %[[NUMBER:.*]] = arith.bitcast %[[BOTH]] : i32 to f32
  //       CHECK:   arith.mulf %[[A]], %[[NUMBER]]
  //   CHECK-NOT:   tinytc.subgroup
  gpu.func @halves(%a: f32, %m: memref<?xf32>, %n: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0:8 = tinytc.subgroup_block_load %m[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xf32> -> i16, i16, i16, i16, i16, i16, i16, i16
    %1 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%0#0), (%a)
      : f32, f32, f32, f32, f32, f32, f32, f32, i16, f32
    memref.store %1, %m[%n] : memref<?xf32>
    gpu.return
  }

  // Neighbours of 8 bits come in pairs.
  // CHECK-LABEL: gpu.func @pairs
  //  CHECK-SAME:   (%{{.*}}: memref<?xi8>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index, %[[LD:[^:]*]]: index, %[[X:[^:]*]]: index, %[[Y:[^:]*]]: index
  //       CHECK:   %[[LANE:.*]] = gpu.lane_id
  //       CHECK:   %[[TWICE:.*]] = arith.muli %[[LANE]], %c2
  //       CHECK:   arith.addi %[[X]], %[[TWICE]]
  //       CHECK:   arith.addi %[[Y]], %c0
  //       CHECK:   %[[NEXT:.*]] = arith.addi %[[TWICE]], %c1
  //       CHECK:   arith.addi %[[X]], %[[NEXT]]
  //       CHECK:   arith.addi %[[Y]], %c0
  gpu.func @pairs(%a: memref<?xi8>, %m: index, %n: index, %ld: index, %x: index, %y: index,
                  %out: memref<?xi8>) kernel attributes {tinytc.subgroup_size = 8 : i32} {
    %0:16 = tinytc.subgroup_block_load %a[%m] sizes(%m, %n) stride %ld at(%x, %y)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    memref.store %0#15, %out[%m] : memref<?xi8>
    gpu.return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [8, 16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // Sums that are a vector already are taken apart.
  // CHECK-LABEL: gpu.func @vector
  //       CHECK:   %[[SUMS:.*]]:2 = vector.to_elements
  //       CHECK:   arith.addf %[[SUMS]]#0
  //       CHECK:   arith.addf %[[SUMS]]#1
  //       CHECK:   vector.from_elements
  gpu.func @vector(%a: f32, %b: f32, %out: memref<?xf32>, %i: index) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>, tinytc.subgroup_size = 8 : i32} {
    %c = arith.constant dense<1.0> : vector<2xf32>
    %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b, %b), (%c)
      : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>
    %1:2 = vector.to_elements %0 : vector<2xf32>
    memref.store %1#1, %out[%i] : memref<?xf32>
    gpu.return
  }
}
}

// -----

// Row g of A and column 2 t of B are with other work-items of the warp.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [32], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @warp
  //  CHECK-SAME:   (%[[A:[^:]*]]: f64, %[[B:[^:]*]]: f64, %[[C:[^:]*]]: f64,
  //       CHECK:   %[[IN_QUAD:.*]] = arith.remui %[[LANE:.*]], %c4
  //       CHECK:   %[[ROWS:.*]] = arith.subi %[[LANE]], %[[IN_QUAD]]
  //       CHECK:   %[[COLUMNS:.*]] = arith.muli %[[IN_QUAD]], %c8
  //       CHECK:   %[[HOLDER:.*]] = arith.addi %[[ROWS]], %c0
  //       CHECK:   %[[ROW:.*]], %{{.*}} = gpu.shuffle idx %[[A]], %[[HOLDER]], %c32
  //       CHECK:   %[[COLUMN:.*]], %{{.*}} = gpu.shuffle idx %[[B]],
  //       CHECK:   %[[PRODUCT:.*]] = arith.mulf %[[ROW]], %[[COLUMN]]
  //       CHECK:   arith.addf %[[C]], %[[PRODUCT]]
  //   CHECK-NOT:   tinytc.warp_matrix_mul_add
  gpu.func @warp(%a: f64, %b: f64, %c: f64, %out: memref<?xf64>, %i: index)
      kernel attributes {tinytc.subgroup_size = 32 : i32} {
    %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%b, %b), (%c, %c, %c, %c)
      : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
    memref.store %0#0, %out[%i] : memref<?xf64>
    gpu.return
  }
}
}
