// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-spirv | FileCheck %s

// The driver takes the imported function as an instruction of LLVM, and must see that its
// address is the same for all lanes. There is none for local memory.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  //       CHECK: spirv.func @llvm.prefetch.p1(!spirv.ptr<i8, CrossWorkgroup>, i32, i32, i32)
  //  CHECK-SAME:   linkage_name = "llvm.prefetch.p1", linkage_type = <Import>
  // CHECK-LABEL: spirv.func @fetch
  //  CHECK-SAME:   (%[[A:[^:]*]]: !spirv.ptr<f32, CrossWorkgroup>, %[[B:[^:]*]]: !spirv.ptr<i8, CrossWorkgroup>, %[[I:[^:]*]]: i64
  //       CHECK:   %[[FIRST:.*]] = spirv.PtrAccessChain %[[A]][%[[I]]]
  //       CHECK:   %[[NUMBER:.*]] = spirv.ConvertPtrToU %[[FIRST]] : !spirv.ptr<f32, CrossWorkgroup> to i64
  //       CHECK:   %[[SAME:.*]] = spirv.GroupBroadcast <Subgroup> %[[NUMBER]],
  //   CHECK-DAG:   %[[BYTE:.*]] = spirv.ConvertUToPtr %[[SAME]] : i64 to !spirv.ptr<i8, CrossWorkgroup>
  //   CHECK-DAG:   %[[READ:.*]] = spirv.Constant 0 : i32
  //   CHECK-DAG:   %[[NEAR:.*]] = spirv.Constant 3 : i32
  //   CHECK-DAG:   %[[DATA:.*]] = spirv.Constant 1 : i32
  //       CHECK:   spirv.FunctionCall @llvm.prefetch.p1(%[[BYTE]], %[[READ]], %[[NEAR]], %[[DATA]])
  //       CHECK:   %[[SECOND:.*]] = spirv.PtrAccessChain %[[B]][%[[I]]]
  //       CHECK:   spirv.ConvertPtrToU %[[SECOND]]
  //       CHECK:   spirv.FunctionCall @llvm.prefetch.p1(
  //   CHECK-NOT:   spirv.FunctionCall
  //       CHECK:   spirv.Return
  gpu.func @fetch(%a: memref<?xf32>, %b: memref<?xi8>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %size = arith.constant 16 : index
    %bytes = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    %local = memref.view %bytes[%zero][%size]
      : memref<64xi8, #gpu.address_space<workgroup>>
        to memref<?xf32, #gpu.address_space<workgroup>>
    memref.prefetch %a[%i], read, locality<3>, data : memref<?xf32>
    memref.prefetch %b[%i], write, locality<2>, data : memref<?xi8>
    memref.prefetch %local[%i], read, locality<3>, data
      : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
}

// -----

// Nothing is fetched where that has not been found to help.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @avx2
  //   CHECK-NOT:   spirv.FunctionCall
  //       CHECK:   spirv.Return
  gpu.func @avx2(%a: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    memref.prefetch %a[%i], read, locality<3>, data : memref<?xf32>
    gpu.return
  }
}
}
