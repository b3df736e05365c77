// RUN: tinytc-opt %s --split-input-file --tinytc-convert-vector-to-llvm --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // Sums of bf16 are those of f32, rounded to even by a sum of integers.
    // CHECK-LABEL: llvm.func @sum_of_bf16(
    // CHECK: %[[SUM:.*]] = llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
    // CHECK: llvm.bitcast %[[SUM]] : vector<16xf32> to vector<16xi32>
    // CHECK: llvm.trunc %{{.*}} : vector<16xi32> to vector<16xi16>
    func.func @sum_of_bf16(%a: vector<16xbf16>, %b: vector<16xbf16>) -> vector<16xbf16> {
      %c = arith.addf %a, %b : vector<16xbf16>
      return %c : vector<16xbf16>
    }

    // What f32 does not hold exactly is odd there, so that it is rounded only once.
    // CHECK-LABEL: llvm.func @once(
    // CHECK: %[[NEAR:.*]] = llvm.fptrunc %{{.*}} : f64 to f32
    // CHECK: %[[BITS:.*]] = llvm.bitcast %[[NEAR]] : f32 to i32
    // CHECK: %[[ODD:.*]] = llvm.or %{{.*}}, %{{.*}} : i32
    // CHECK: %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[ODD]], %[[BITS]] : i1, i32
    // CHECK: %[[SINGLE:.*]] = llvm.bitcast %[[CHOSEN]] : i32 to f32
    // CHECK: llvm.fptrunc %[[SINGLE]] : f32 to f16
    func.func @once(%a: f64) -> f16 {
      %b = arith.truncf %a : f64 to f16
      return %b : f16
    }

    // CHECK-LABEL: llvm.func @negative_sum_of_f16(
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} : f16
    func.func @negative_sum_of_f16(%a: f16, %b: f16) -> f16 {
      %c = arith.addf %a, %b : f16
      return %c : f16
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v2", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // This target has no instruction that converts f16.
    // CHECK-LABEL: llvm.func @sum_of_f16(
    // CHECK: llvm.bitcast %{{.*}} : vector<16xf16> to vector<16xi16>
    // CHECK-NOT: llvm.fpext
    // CHECK: llvm.fmul %{{.*}}, %{{.*}} : vector<16xf32>
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
    // CHECK-NOT: llvm.fptrunc
    // CHECK: llvm.bitcast %{{.*}} : vector<16xi16> to vector<16xf16>
    func.func @sum_of_f16(%a: vector<16xf16>, %b: vector<16xf16>) -> vector<16xf16> {
      %c = arith.addf %a, %b : vector<16xf16>
      return %c : vector<16xf16>
    }
  }
}
