// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// Entries fill registers: two of 16 bits, four bytes, in the order of the operands. A
// kernel that adds up products needs no promise of overlap.
module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_90", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 232448,
    f64 = true>} {
gpu.module @kernels {
  //       CHECK: #[[$HALF:[a-z0-9]+]] = #tinytc.manifest<{{.*}}aligned_variant = "half__aligned", variant_may_overlap = true>
  //       CHECK: #[[$DOUBLE:[a-z0-9]+]] = #tinytc.manifest<kernel = <name = "double",{{.*}}]>, local_memory_bytes = 0>
  // CHECK-LABEL: llvm.func @half(
  //  CHECK-SAME:   %[[A:[^:]*]]: f16, %[[B:[^:]*]]: f16, %[[C:[^:]*]]: f32,
  //  CHECK-SAME:   tinytc.manifest = #[[$HALF]]}
  //       CHECK:   %[[LOW:.*]] = llvm.insertelement %[[A]], %{{.*}}[%{{.*}}] : vector<2xf16>
  //       CHECK:   %[[A0:.*]] = llvm.insertelement %[[B]], %[[LOW]][%{{.*}}] : vector<2xf16>
  //       CHECK:   nvvm.mma.sync A[%[[A0]], %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%[[C]], %[[C]], %[[C]], %[[C]]]
  //  CHECK-SAME:     layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>
  //  CHECK-SAME:     shape = #nvvm.shape<m = 16, n = 8, k = 16>
  //       CHECK:   %[[LAST:.*]] = llvm.extractvalue %{{.*}}[3] : !llvm.struct<(f32, f32, f32, f32)>
  //       CHECK:   llvm.store %[[LAST]],
  gpu.func @half(%a: f16, %b: f16, %c: f32, %out: memref<?xf32>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "half", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = f16>,
                    <name = "b", type = f16>,
                    <name = "c", type = f32>,
                    <name = "out", type = memref<4xf32>, is_written = true>,
                    <name = "i", type = index>]>>} {
    %0:4 = tinytc.warp_matrix_mul_add
        (%a, %b, %b, %b, %b, %b, %b, %b), (%b, %b, %b, %b), (%c, %c, %c, %c)
      : f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32, f32, f32, f32
    memref.store %0#3, %out[%i] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @bytes(
  //       CHECK:   llvm.bitcast %{{.*}} : vector<4xi8> to i32
  //       CHECK:   nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>
  gpu.func @bytes(%a: i8, %c: i32, %out: memref<?xi32>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0:4 = tinytc.warp_matrix_mul_add
        (%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a),
        (%a, %a, %a, %a, %a, %a, %a, %a), (%c, %c, %c, %c)
      : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
         i8, i8, i8, i8, i8, i8, i8, i8, i32, i32, i32, i32
    memref.store %0#0, %out[%i] : memref<?xi32>
    gpu.return
  }

  // The whole fragments of f64, without a variant for wide loads.
  // CHECK-LABEL: llvm.func @double(
  //  CHECK-SAME:   tinytc.manifest = #[[$DOUBLE]]}
  //       CHECK:   llvm.inline_asm has_side_effects {{.*}}"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=d,=d,=d,=d,d,d,d,d,d,d,0,1,2,3"
  gpu.func @double(%a: f64, %out: memref<?xf64>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "double", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = f64>,
                    <name = "out", type = memref<4xf64>, is_written = true>,
                    <name = "i", type = index>]>>} {
    %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %a), (%a, %a, %a, %a)
      : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
    %1 = math.fma %0#0, %a, %a : f64
    memref.store %1, %out[%i] : memref<?xf64>
    gpu.return
  }
}
}

// -----

// Older chips: for both slots of the summed mode, both halves of the rows.
module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_80", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 166912,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @double(
  //  CHECK-SAME:   %[[A0:[^:]*]]: f64, %[[A1:[^:]*]]: f64, %[[A2:[^:]*]]: f64, %[[A3:[^:]*]]: f64, %[[B0:[^:]*]]: f64, %[[B1:[^:]*]]: f64, %[[C:[^:]*]]: f64,
  //       CHECK:   %[[UPPER:.*]] = nvvm.mma.sync A[%[[A0]]] B[%[[B0]]] C[%[[C]], %[[C]]] {{.*}}shape = #nvvm.shape<m = 8, n = 8, k = 4>
  //   CHECK-DAG:   %[[S0:.*]] = llvm.extractvalue %[[UPPER]][0]
  //   CHECK-DAG:   %[[S1:.*]] = llvm.extractvalue %[[UPPER]][1]
  //       CHECK:   nvvm.mma.sync A[%[[A1]]] B[%[[B0]]] C[%[[C]], %[[C]]]
  //       CHECK:   nvvm.mma.sync A[%[[A2]]] B[%[[B1]]] C[%[[S0]], %[[S1]]]
  //       CHECK:   nvvm.mma.sync A[%[[A3]]] B[%[[B1]]]
  gpu.func @double(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %b0: f64, %b1: f64, %c: f64,
                   %out: memref<?xf64>, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %0:4 = tinytc.warp_matrix_mul_add (%a0, %a1, %a2, %a3), (%b0, %b1), (%c, %c, %c, %c)
      : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
    memref.store %0#0, %out[%i] : memref<?xf64>
    memref.store %0#2, %out[%i] : memref<?xf64>
    gpu.return
  }
}
}
