// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-spirv | FileCheck %s

// The driver takes the imported functions as instructions of LLVM, in less time than OpenCL's.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
gpu.module @kernels {
  //   CHECK-DAG: spirv.func @llvm.fma.f64(f64, f64, f64) -> f64{{.*}}linkage_name = "llvm.fma.f64", linkage_type = <Import>
  //   CHECK-DAG: spirv.func @llvm.fma.f32(f32, f32, f32) -> f32{{.*}}linkage_name = "llvm.fma.f32", linkage_type = <Import>
  // CHECK-LABEL: spirv.func @multiply_add
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f64, %[[Z:[^:]*]]: f16
  //       CHECK:   spirv.FunctionCall @llvm.fma.f32(%[[X]], %[[X]], %[[X]])
  //       CHECK:   spirv.FunctionCall @llvm.fma.f64(%[[Y]], %[[Y]], %[[Y]])
  //       CHECK:   spirv.CL.fma %[[Z]], %[[Z]], %[[Z]] : f16
  gpu.func @multiply_add(%x: f32, %y: f64, %z: f16, %a: memref<?xf32>, %b: memref<?xf64>,
      %c: memref<?xf16>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = math.fma %x, %x, %x : f32
    memref.store %0, %a[%i] : memref<?xf32>
    %1 = math.fma %y, %y, %y : f64
    memref.store %1, %b[%i] : memref<?xf64>
    %2 = math.fma %z, %z, %z : f16
    memref.store %2, %c[%i] : memref<?xf16>
    gpu.return
  }
}
}

// -----

// A processor with 16 bytes in a register has no such instruction.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 16>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @narrow
  //       CHECK:   spirv.CL.fma
  gpu.func @narrow(%x: f32, %a: memref<?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = math.fma %x, %x, %x : f32
    memref.store %0, %a[%i] : memref<?xf32>
    gpu.return
  }
}
}

// -----

// Nor may the one that the code meets.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @any
  //       CHECK:   spirv.CL.fma
  gpu.func @any(%x: f32, %a: memref<?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = math.fma %x, %x, %x : f32
    memref.store %0, %a[%i] : memref<?xf32>
    gpu.return
  }
}
}
