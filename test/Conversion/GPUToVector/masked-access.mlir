// RUN: tinytc-opt %s --tinytc-convert-vector-to-llvm --cse | FileCheck %s

// Lanes that a constant mask selects are loaded and stored as a shorter vector, with a
// mask if they are no power of two.
module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK-LABEL: llvm.func @four_lanes(
    // CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[12] : (!llvm.ptr) -> !llvm.ptr, f32
    // CHECK: %[[LOADED:.*]] = llvm.load %[[ADDRESS]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
    // CHECK: llvm.shufflevector %[[LOADED]], %{{.*}} [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 1, 2, 3]
    // CHECK: %[[VALUE:.*]] = llvm.shufflevector {{.*}} [12, 13, 14, 15]
    // CHECK: llvm.store %[[VALUE]], %{{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    func.func @four_lanes(%a: !llvm.ptr) {
      %mask = arith.constant dense<[false, false, false, false, false, false, false, false, false, false, false, false, true, true, true, true]> : vector<16xi1>
      %zero = arith.constant dense<0.0> : vector<16xf32>
      %0 = llvm.intr.masked.load %a, %mask, %zero {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
      %1 = arith.addf %0, %0 : vector<16xf32>
      llvm.intr.masked.store %1, %a, %mask {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
      return
    }

    // CHECK-LABEL: llvm.func @three_lanes(
    // CHECK-DAG: %[[MASK:.*]] = llvm.mlir.constant(dense<[false, true, true, true]>
    // CHECK-DAG: %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[4]
    // CHECK: llvm.intr.masked.store %{{.*}}, %[[ADDRESS]], %[[MASK]] {alignment = 4 : i32} : vector<4xf32>
    func.func @three_lanes(%a: !llvm.ptr, %value: vector<8xf32>) {
      %mask = arith.constant dense<[false, false, false, false, false, true, true, true]> : vector<8xi1>
      llvm.intr.masked.store %value, %a, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
      return
    }

    // CHECK-LABEL: llvm.func @others_are_kept(
    // CHECK: llvm.intr.masked.load {{.*}} -> vector<8xf32>
    // CHECK: llvm.intr.masked.store {{.*}} : vector<8xf32>
    // CHECK: llvm.intr.masked.store {{.*}} : vector<8xf32>
    func.func @others_are_kept(%a: !llvm.ptr, %others: vector<8xf32>, %mask: vector<8xi1>) {
      %short = arith.constant dense<[true, false, false, false, false, false, false, false]> : vector<8xi1>
      %long = arith.constant dense<[true, true, true, true, true, false, false, false]> : vector<8xi1>
      %0 = llvm.intr.masked.load %a, %short, %others {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
      llvm.intr.masked.store %0, %a, %long {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
      llvm.intr.masked.store %0, %a, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
      return
    }
  }
}
