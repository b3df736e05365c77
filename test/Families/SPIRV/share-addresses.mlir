// RUN: tinytc-opt %s --split-input-file --tinytc-share-addresses | FileCheck %s

// Two equal addresses become one value.
module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc",
    family = intel_gpu, subgroup_sizes = [16, 32], max_work_group_size = 1024,
    local_memory_bytes = 131072, f64 = true>} {
spirv.module Physical64 OpenCL {
  // CHECK-LABEL: spirv.func @twice
  //       CHECK:   %[[AT:.*]] = spirv.PtrAccessChain
  //   CHECK-NOT:   spirv.PtrAccessChain
  //       CHECK:   spirv.Load "CrossWorkgroup" %[[AT]]
  //       CHECK:   spirv.Store "CrossWorkgroup" %[[AT]]
  spirv.func @twice(%p: !spirv.ptr<f32, CrossWorkgroup>, %i: i64) "None" {
    %from = spirv.PtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    %x = spirv.Load "CrossWorkgroup" %from ["Aligned", 4] : f32
    %to = spirv.PtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    spirv.Store "CrossWorkgroup" %to, %x ["Aligned", 4] : f32
    spirv.Return
  }
}
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
spirv.module Physical64 OpenCL {
  // CHECK-LABEL: spirv.func @negative_cpu
  // CHECK-COUNT-2: spirv.PtrAccessChain
  spirv.func @negative_cpu(%p: !spirv.ptr<f32, CrossWorkgroup>, %i: i64) "None" {
    %from = spirv.PtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    %x = spirv.Load "CrossWorkgroup" %from ["Aligned", 4] : f32
    %to = spirv.PtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    spirv.Store "CrossWorkgroup" %to, %x ["Aligned", 4] : f32
    spirv.Return
  }
}
}
