// RUN: tinytc-opt %s --tinytc-expand-bf16 --tinytc-convert-gpu-to-spirv --canonicalize \
// RUN:   | FileCheck %s

// Pointers to pointers, bf16, index, local memory.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
// Emission replaces the vectors by ones of 128 bytes, which align the variable.
// CHECK: spirv.GlobalVariable @local_memory_local_memory : !spirv.ptr<!spirv.array<8 x vector<4xi64>>, Workgroup>
gpu.module @kernels {

  // CHECK-LABEL: spirv.func @local_memory
  //       CHECK:   %[[BUFFER:.*]] = spirv.mlir.addressof @local_memory_local_memory
  //       CHECK:   %[[BASE:.*]] = spirv.Bitcast %[[BUFFER]] : {{.*}} to !spirv.ptr<f32, Workgroup>
  //       CHECK:   spirv.PtrAccessChain %[[BASE]][%cst16_i64]
  gpu.func @local_memory(%x: f32, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %place = arith.constant 64 : index
    %size = arith.constant 17 : index
    %buffer = memref.alloc() : memref<132xi8, #gpu.address_space<workgroup>>
    %a = memref.view %buffer[%place][%size]
      : memref<132xi8, #gpu.address_space<workgroup>>
        to memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: @pointer_to_pointer
  //  CHECK-SAME:   (%[[GROUP:[^:]*]]: !spirv.ptr<!spirv.ptr<f32, CrossWorkgroup>, CrossWorkgroup>, %[[I:[^:]*]]: i64)
  //       CHECK:   %[[MEMBER:.*]] = spirv.PtrAccessChain %[[GROUP]][%[[I]]]
  //  CHECK-NEXT:   %[[A:.*]] = spirv.Load "CrossWorkgroup" %[[MEMBER]] ["Aligned", 8]
  //  CHECK-NEXT:   %[[ELEMENT:.*]] = spirv.PtrAccessChain %[[A]][%[[I]]]
  //  CHECK-NEXT:   spirv.Load "CrossWorkgroup" %[[ELEMENT]]
  gpu.func @pointer_to_pointer(%A: memref<?xmemref<?xf32>>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %a = memref.load %A[%i] : memref<?xmemref<?xf32>>
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
    gpu.return
  }

  // Arithmetic is that of f32; the result is rounded to nearest even.
  // CHECK-LABEL: @bf16
  //  CHECK-SAME:   (%[[A:[^:]*]]: !spirv.ptr<i16, CrossWorkgroup>,
  //       CHECK:   %[[BITS:.*]] = spirv.Load {{.*}} : i16
  //       CHECK:   %[[WIDE:.*]] = spirv.UConvert %[[BITS]] : i16 to i32
  //       CHECK:   %[[SHIFTED:.*]] = spirv.ShiftLeftLogical %[[WIDE]], %cst16_i32
  //       CHECK:   %[[X:.*]] = spirv.Bitcast %[[SHIFTED]] : i32 to f32
  //       CHECK:   %[[SUM:.*]] = spirv.FAdd %[[X]], %[[X]] : f32
  //       CHECK:   spirv.Bitcast %[[SUM]] : f32 to i32
  //       CHECK:   spirv.Store {{.*}} : i16
  gpu.func @bf16(%a: memref<?xi16>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %bits = memref.load %a[%i] : memref<?xi16>
    %x = arith.bitcast %bits : i16 to bf16
    %sum = arith.addf %x, %x : bf16
    %result = arith.bitcast %sum : bf16 to i16
    memref.store %result, %a[%i] : memref<?xi16>
    gpu.return
  }
}
}
