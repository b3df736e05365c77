// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv | FileCheck %s

// The functions of Intel's compilers by their mangled names.

module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16, 32], max_work_group_size = 1024, local_memory_bytes = 131072,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-DAG: spirv.func @[[$F16:.*matrix_mad.*]](i16, vector<8xi32>, f32) -> f32 {{.*}}linkage_name = "_Z38intel_sub_group_f16_f16_matrix_mad_k16sDv8_if", linkage_type = <Import>
  // CHECK-DAG: spirv.func @[[$BF16:.*matrix_mad.*]](vector<2xi16>, vector<8xi32>, vector<2xf32>) -> vector<2xf32> {{.*}}linkage_name = "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv2_sDv8_iDv2_f"
  // CHECK-DAG: spirv.func @[[$TF32:.*matrix_mad.*]](vector<2xi16>, vector<8xi32>, vector<2xf32>) -> vector<2xf32> {{.*}}linkage_name = "_Z43intel_sub_group_tf32_tf32_matrix_mad_k8_f32Dv2_sDv8_iDv2_f"
  // CHECK-DAG: spirv.func @__builtin_IB_subgroup_block_read_flat_u16_m8k16v1(i64, i32, i32, i32, vector<2xi32>) -> vector<8xi16>
  // CHECK-DAG: spirv.func @__builtin_IB_subgroup_block_read_flat_transpose_u32_k8(i64, i32, i32, i32, vector<2xi32>) -> vector<8xi32>

  // CHECK-LABEL: spirv.func @products
  //       CHECK:   %[[A:.*]] = spirv.CompositeConstruct %{{.*}} : (f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16) -> vector<16xf16>
  //       CHECK:   %[[WORDS:.*]] = spirv.Bitcast %[[A]] : vector<16xf16> to vector<8xi32>
  //       CHECK:   spirv.FunctionCall @[[$F16]](%{{.*}}, %[[WORDS]], %{{.*}})
  //       CHECK:   spirv.FunctionCall @[[$BF16]]
  //   A work-item brings one half of a number of f32.
  //       CHECK:   %[[NUMBER:.*]] = spirv.GroupNonUniformShuffle <Subgroup> %{{.*}}, %{{.*}} : f32, i32
  //       CHECK:   %[[BITS:.*]] = spirv.Bitcast %[[NUMBER]] : f32 to i32
  //       CHECK:   %[[SHIFTED:.*]] = spirv.ShiftRightLogical %[[BITS]], %
  //       CHECK:   spirv.UConvert %[[SHIFTED]] : i32 to i16
  //       CHECK:   spirv.GroupNonUniformShuffle
  //       CHECK:   spirv.FunctionCall @[[$TF32]]
  gpu.func @products(%a: f16, %b: bf16, %c: f32, %v: vector<2xf32>, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = tinytc.subgroup_matrix_mul_add
        (%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a), (%a), (%c)
      : f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f16, f32
    memref.store %0, %out[%zero] : memref<?xf32>
    %1 = tinytc.subgroup_matrix_mul_add
        (%b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b, %b), (%b, %b), (%v)
      : bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16,
         bf16, bf16, bf16, bf16, vector<2xf32>
    %2 = tinytc.subgroup_matrix_mul_add (%c, %c, %c, %c, %c, %c, %c, %c), (%c), (%1)
      : f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xf32>
    %3:2 = vector.to_elements %2 : vector<2xf32>
    memref.store %3#1, %out[%zero] : memref<?xf32>
    gpu.return
  }

  // Sizes are in bytes less one; a transposed block consists of pieces of 32 bits.
  // CHECK-LABEL: spirv.func @blocks
  //       CHECK:   %[[POINTER:.*]] = spirv.ConvertPtrToU
  //       CHECK:   %[[BASE:.*]] = spirv.IAdd %[[POINTER]], %{{.*}} : i64
  //       CHECK:   %[[PLACE:.*]] = spirv.CompositeConstruct %{{.*}}, %{{.*}} : (i32, i32) -> vector<2xi32>
  //       CHECK:   spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_u16_m8k16v1(%[[BASE]], %{{.*}}, %{{.*}}, %{{.*}}, %[[PLACE]])
  //       CHECK:   spirv.ShiftRightArithmetic
  //       CHECK:   spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_transpose_u32_k8
  gpu.func @blocks(%a: memref<?xf16>, %n: index, %out: memref<?xf16>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %0:8 = tinytc.subgroup_block_load %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xf16> -> f16, f16, f16, f16, f16, f16, f16, f16
    memref.store %0#7, %out[%n] : memref<?xf16>
    %1:16 = tinytc.subgroup_block_load transposed %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xf16> -> f16, f16, f16, f16, f16, f16, f16, f16,
                         f16, f16, f16, f16, f16, f16, f16, f16
    memref.store %1#15, %out[%n] : memref<?xf16>
    gpu.return
  }

  // Two neighbours of 8 bits are one number of 16 bits, four of 32 bits.
  // CHECK-LABEL: spirv.func @bytes
  //       CHECK:   spirv.ShiftRightArithmetic %{{.*}}, %[[ONE:.*]] : i32
  //       CHECK:   %[[PAIRS:.*]] = spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_u16_m8k16v1
  //       CHECK:   spirv.Bitcast %[[PAIRS]] : vector<8xi16> to vector<16xi8>
  //   CHECK-NOT:   spirv.ShiftRightArithmetic
  //       CHECK:   spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_transform_u8_k32
  //       CHECK:   spirv.ShiftRightArithmetic
  //       CHECK:   spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_transpose_u32_k8
  gpu.func @bytes(%a: memref<?xi8>, %n: index, %out: memref<?xi8>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %0:16 = tinytc.subgroup_block_load %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    memref.store %0#15, %out[%n] : memref<?xi8>
    %1:32 = tinytc.subgroup_block_load %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
                        i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    memref.store %1#31, %out[%n] : memref<?xi8>
    %2:32 = tinytc.subgroup_block_load transposed %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
                        i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    memref.store %2#31, %out[%n] : memref<?xi8>
    gpu.return
  }

  // A number of f32 is two halves of 16 bits, also where the block begins.
  // CHECK-LABEL: spirv.func @halves
  //       CHECK:   %[[TWICE:.*]] = spirv.IMul %{{.*}}, %cst2_i32 : i32
  //       CHECK:   spirv.CompositeConstruct %[[TWICE]], %
  //       CHECK:   %[[HALVES:.*]] = spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_u16_m8k16v1
  //       CHECK:   spirv.CompositeExtract %[[HALVES]][0 : i32] : vector<8xi16>
  //   CHECK-NOT:   spirv.ShiftRightLogical
  //       CHECK:   spirv.FunctionCall @__builtin_IB_subgroup_block_read_flat_transpose_u32_k8
  //   CHECK-NOT:   spirv.GroupNonUniformShuffle
  //       CHECK:   spirv.FunctionCall @[[$TF32]]
  gpu.func @halves(%a: memref<?xf32>, %n: index, %c: vector<2xf32>, %out: memref<?xf32>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %0:8 = tinytc.subgroup_block_load %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xf32> -> i16, i16, i16, i16, i16, i16, i16, i16
    %1:8 = tinytc.subgroup_block_load transposed %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xf32> -> f32, f32, f32, f32, f32, f32, f32, f32
    %2 = tinytc.subgroup_matrix_mul_add
        (%1#0, %1#1, %1#2, %1#3, %1#4, %1#5, %1#6, %1#7), (%0#0, %0#1), (%c)
      : f32, f32, f32, f32, f32, f32, f32, f32, i16, i16, vector<2xf32>
    %3:2 = vector.to_elements %2 : vector<2xf32>
    memref.store %3#1, %out[%n] : memref<?xf32>
    gpu.return
  }

  // Bytes of two words are joined by shifts.
  // CHECK-LABEL: spirv.func @transposed_bytes
  //       CHECK:   %[[LOW:.*]] = spirv.BitwiseAnd %{{.*}}, %cst255_i16 : i16
  //       CHECK:   %[[HIGH:.*]] = spirv.BitwiseAnd %{{.*}}, %cst255_i16{{.*}} : i16
  //       CHECK:   %[[UPPER:.*]] = spirv.ShiftLeftLogical %[[HIGH]], %{{.*}} : i16
  //       CHECK:   %[[PAIR:.*]] = spirv.BitwiseOr %[[LOW]], %[[UPPER]] : i16
  //       CHECK:   spirv.CompositeConstruct %{{.*}} -> vector<8xi32>
  //       CHECK:   spirv.FunctionCall @{{.*}}(%[[PAIR]],
  gpu.func @transposed_bytes(%a: memref<?xi8>, %n: index, %m: index, %c: i32, %out: memref<?xi32>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %0:32 = tinytc.subgroup_block_load transposed %a[%n] sizes(%n, %n) stride %n at(%n, %n)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
                        i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    %1:32 = tinytc.subgroup_block_load transposed %a[%n] sizes(%n, %n) stride %n at(%m, %n)
      : memref<?xi8> -> i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
                        i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
    %2 = tinytc.subgroup_matrix_mul_add
        (%0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %0#10, %0#11, %0#12, %0#13, %0#14, %0#15,
         %0#16, %0#17, %0#18, %0#19, %0#20, %0#21, %0#22, %0#23, %0#24, %0#25, %0#26, %0#27, %0#28, %0#29, %0#30, %0#31),
        (%0#0, %1#0), (%c)
      : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8,
         i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i32
    memref.store %2, %out[%n] : memref<?xi32>
    gpu.return
  }
}
}
