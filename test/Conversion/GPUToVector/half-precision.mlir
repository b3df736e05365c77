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

    // Conversions of f16 are instructions, sums are not.
    // CHECK-LABEL: llvm.func @sum_of_f16(
    // CHECK-SAME: %[[A:.*]]: i16, %{{.*}}: i16) -> i16
    // CHECK: %[[HALF:.*]] = llvm.bitcast %[[A]] : i16 to f16
    // CHECK: llvm.fpext %[[HALF]] {{.*}}: f16 to f32
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} : f32
    // CHECK: llvm.fptrunc %{{.*}} {{.*}}: f32 to f16
    func.func @sum_of_f16(%a: f16, %b: f16) -> f16 {
      %c = arith.addf %a, %b : f16
      return %c : f16
    }

    // LLVM would call functions to select numbers: it gets their bits.
    // CHECK-LABEL: llvm.func @carried(
    // CHECK-NOT: bf16
    // CHECK: llvm.mlir.constant(dense<16256> : vector<16xi16>)
    // CHECK: llvm.select %{{.*}} : vector<16xi1>, vector<16xi16>
    // CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, i16
    // CHECK: llvm.store %{{.*}} : vector<16xi16>, !llvm.ptr
    // CHECK-NOT: bf16
    // CHECK: llvm.return
    func.func @carried(%a: vector<16xbf16>, %count: index, %lanes: vector<16xi1>,
                       %memory: !llvm.ptr) {
      %zero = arith.constant 0 : index
      %step = arith.constant 1 : index
      %one = arith.constant dense<1.0> : vector<16xbf16>
      %sum = scf.for %i = %zero to %count step %step iter_args(%old = %one)
          -> (vector<16xbf16>) {
        %new = arith.addf %old, %a : vector<16xbf16>
        %some = arith.select %lanes, %new, %old : vector<16xi1>, vector<16xbf16>
        scf.yield %some : vector<16xbf16>
      }
      %place = llvm.getelementptr %memory[1] : (!llvm.ptr) -> !llvm.ptr, bf16
      llvm.store %sum, %place : vector<16xbf16>, !llvm.ptr
      return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "aarch64", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK-LABEL: llvm.func @sum_where_instructions_add_f16(
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} : f16
    func.func @sum_where_instructions_add_f16(%a: f16, %b: f16) -> f16 {
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
    // CHECK-NOT: llvm.fpext
    // CHECK: llvm.fmul %{{.*}}, %{{.*}} : vector<16xf32>
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
    // CHECK-NOT: llvm.fptrunc
    // CHECK: llvm.return %{{.*}} : vector<16xi16>
    func.func @sum_of_f16(%a: vector<16xf16>, %b: vector<16xf16>) -> vector<16xf16> {
      %c = arith.addf %a, %b : vector<16xf16>
      return %c : vector<16xf16>
    }
  }
}
