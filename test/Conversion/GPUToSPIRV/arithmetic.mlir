// RUN: tinytc-opt %s --tinytc-convert-gpu-to-spirv --canonicalize \
// RUN:   | FileCheck %s

// Ops that upstream's patterns get wrong, or whose types they do not support.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {

  // CHECK-LABEL: @remainder
  //  CHECK-SAME:   (%[[A:[^:]*]]: i32, %[[B:[^:]*]]: i32
  //       CHECK:   %[[REST:.*]] = spirv.SRem %[[A]], %[[B]] : i32
  //  CHECK-NEXT:   %[[P:.*]] = spirv.PtrAccessChain
  //  CHECK-NEXT:   spirv.Store "CrossWorkgroup" %[[P]], %[[REST]] : i32
  gpu.func @remainder(%a: i32, %b: i32, %c: memref<?xi32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = arith.remsi %a, %b : i32
    memref.store %0, %c[%i] : memref<?xi32>
    gpu.return
  }

  // 1.5 as bf16 is 0x3fc0.
  // CHECK-LABEL: @bf16_constant
  //       CHECK:   %[[BITS:.*]] = spirv.Constant 16320 : i16
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[BITS]] : i16
  gpu.func @bf16_constant(%c: memref<?xi16>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %x = arith.constant 1.5 : bf16
    %bits = arith.bitcast %x : bf16 to i16
    memref.store %bits, %c[%i] : memref<?xi16>
    gpu.return
  }

  // Parts of a complex number are those of a vector of two.
  // CHECK-LABEL: @complex_parameter
  //  CHECK-SAME:   (%[[Z:[^:]*]]: vector<2xf32>
  //       CHECK:   %[[IM:.*]] = spirv.CompositeExtract %[[Z]][1 : i32] : vector<2xf32>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[IM]] : f32
  gpu.func @complex_parameter(%z: complex<f32>, %c: memref<?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = complex.im %z : complex<f32>
    memref.store %0, %c[%i] : memref<?xf32>
    gpu.return
  }

  // A fused multiply-add stays fused.
  // CHECK-LABEL: @fma
  //       CHECK:   spirv.CL.fma
  gpu.func @fma(%x: f32, %c: memref<?xf32>, %i: index) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %0 = math.fma %x, %x, %x : f32
    memref.store %0, %c[%i] : memref<?xf32>
    gpu.return
  }

  // Integer minimum and maximum are selects: the CPU driver assumes that the results of the
  // OpenCL functions differ between work-items.
  // CHECK-LABEL: @min_max
  //  CHECK-SAME:   (%[[A:[^:]*]]: i32, %[[B:[^:]*]]: i32,
  //       CHECK:   %[[LESS:.*]] = spirv.SLessThan %[[A]], %[[B]] : i32
  //       CHECK:   %[[MIN:.*]] = spirv.Select %[[LESS]], %[[A]], %[[B]] : i1, i32
  //       CHECK:   %[[GREATER:.*]] = spirv.SGreaterThan %[[MIN]], %[[A]] : i32
  //       CHECK:   spirv.Select %[[GREATER]], %[[MIN]], %[[A]] : i1, i32
  gpu.func @min_max(%a: i32, %b: i32, %c: memref<?xi32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %min = arith.minsi %a, %b : i32
    %max = arith.maxsi %min, %a : i32
    memref.store %max, %c[%zero] : memref<?xi32>
    gpu.return
  }
}
}
