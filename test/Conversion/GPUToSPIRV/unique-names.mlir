// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv | FileCheck %s

// Symbols that the pass makes give way to kernels of the same name.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-DAG: spirv.GlobalVariable @f_local_memory_1 :
  // CHECK-DAG: spirv.func @_Z10native_expf_0(f32) -> f32 {{.*}}linkage_name = "_Z10native_expf"

  // CHECK-LABEL: spirv.func @f(
  //       CHECK:   spirv.mlir.addressof @f_local_memory_1 :
  gpu.func @f(%x: f32, %i: index) kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %buffer = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    %a = memref.view %buffer[%zero][]
      : memref<64xi8, #gpu.address_space<workgroup>>
        to memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @f_local_memory(
  gpu.func @f_local_memory() kernel attributes {tinytc.subgroup_size = 16 : i32} {
    gpu.return
  }

  // CHECK-LABEL: spirv.func @f_local_memory_0(
  gpu.func @f_local_memory_0() kernel attributes {tinytc.subgroup_size = 16 : i32} {
    gpu.return
  }

  // CHECK-LABEL: spirv.func @_Z10native_expf(
  //       CHECK:   spirv.FunctionCall @_Z10native_expf_0(
  //       CHECK:   spirv.FunctionCall @_Z10native_expf_0(
  gpu.func @_Z10native_expf(%x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.exp %0 fastmath<afn> : f32
    memref.store %1, %a[%zero] : memref<?xf32>
    gpu.return
  }
}
}
