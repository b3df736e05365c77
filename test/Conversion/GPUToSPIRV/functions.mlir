// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // The native functions of OpenCL have no op and exist only for f32.
  // CHECK-LABEL: @native_functions
  //  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f64,
  //       CHECK:   spirv.FunctionCall @_Z10native_cosf(%[[X]])
  //       CHECK:   spirv.FunctionCall @_Z10native_sinf(
  //       CHECK:   spirv.FunctionCall @_Z10native_logf(
  //       CHECK:   spirv.FunctionCall @_Z11native_log2f(
  //       CHECK:   spirv.FunctionCall @_Z11native_exp2f(
  //       CHECK:   spirv.CL.cos %[[Y]] : f64
  gpu.func @native_functions(%x: f32, %y: f64, %a: memref<?xf32>, %b: memref<?xf64>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = math.cos %x fastmath<afn> : f32
    %1 = math.sin %0 fastmath<afn> : f32
    %2 = math.log %1 fastmath<afn> : f32
    %3 = math.log2 %2 fastmath<afn> : f32
    %4 = math.exp2 %3 fastmath<afn> : f32
    memref.store %4, %a[%zero] : memref<?xf32>
    %5 = math.cos %y fastmath<afn> : f64
    memref.store %5, %b[%zero] : memref<?xf64>
    gpu.return
  }

  // Upstream would compute log2 as a product, whose error is larger.
  // CHECK-LABEL: @base_two
  //  CHECK-SAME:   (%[[H:[^:]*]]: f16, %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f64,
  //       CHECK:   %[[WIDE:.*]] = spirv.FConvert %[[H]] : f16 to f32
  //       CHECK:   %[[POWER:.*]] = spirv.FunctionCall @_Z4exp2f(%[[WIDE]])
  //       CHECK:   spirv.FConvert %[[POWER]] : f32 to f16
  //       CHECK:   spirv.FunctionCall @_Z4log2f(%[[X]])
  //       CHECK:   spirv.FunctionCall @_Z4log2d(%[[Y]])
  gpu.func @base_two(%h: f16, %x: f32, %y: f64, %a: memref<?xf16>, %b: memref<?xf32>,
                     %c: memref<?xf64>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = math.exp2 %h : f16
    memref.store %0, %a[%zero] : memref<?xf16>
    %1 = math.log2 %x : f32
    memref.store %1, %b[%zero] : memref<?xf32>
    %2 = math.log2 %y fastmath<afn> : f64
    memref.store %2, %c[%zero] : memref<?xf64>
    gpu.return
  }

  // Upstream's exp(x) - 1 and log(1 + x) lose the digits of small numbers.
  // CHECK-LABEL: @near_zero
  //       CHECK:   spirv.FunctionCall @_Z5expm1f(
  //       CHECK:   spirv.FunctionCall @_Z5log1pd(
  gpu.func @near_zero(%x: f32, %y: f64, %a: memref<?xf32>, %b: memref<?xf64>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %0 = math.expm1 %x : f32
    memref.store %0, %a[%zero] : memref<?xf32>
    %1 = math.log1p %y : f64
    memref.store %1, %b[%zero] : memref<?xf64>
    gpu.return
  }
}
}
