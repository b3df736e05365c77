// RUN: tinytc-opt %s --tinytc-keep-calls | FileCheck %s

spirv.module Physical64 OpenCL {
  // The driver learns that a pointer and an index are the same for all work-items.
  // CHECK-LABEL: spirv.func @called
  //  CHECK-SAME:   %[[POINTER:.*]]: !spirv.ptr<f32, CrossWorkgroup>, %[[INDEX:.*]]: i64
  //  CHECK-SAME:   "DontInline"
  //       CHECK:   %[[FIRST:.*]] = spirv.Constant 0 : i32
  //       CHECK:   %[[BITS:.*]] = spirv.ConvertPtrToU %[[POINTER]]
  //       CHECK:   %[[SHARED:.*]] = spirv.GroupBroadcast <Subgroup> %[[BITS]], %[[FIRST]]
  //       CHECK:   %[[SAME:.*]] = spirv.ConvertUToPtr %[[SHARED]]
  //       CHECK:   %[[PLACE:.*]] = spirv.GroupBroadcast <Subgroup> %[[INDEX]], %[[FIRST]]
  //       CHECK:   spirv.PtrAccessChain %[[SAME]][%[[PLACE]]]
  spirv.func @called(%p: !spirv.ptr<f32, CrossWorkgroup>, %i: i64) "None" {
    %at = spirv.PtrAccessChain %p[%i] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
    %x = spirv.Load "CrossWorkgroup" %at ["Aligned", 4] : f32
    spirv.Store "CrossWorkgroup" %p, %x ["Aligned", 4] : f32
    spirv.Return
  }

  // CHECK-LABEL: spirv.func @negative_entry_point
  //  CHECK-SAME:   "None"
  //   CHECK-NOT:   spirv.GroupBroadcast
  spirv.func @negative_entry_point(%p: !spirv.ptr<f32, CrossWorkgroup>) "None"
      attributes {spirv.entry_point_abi = #spirv.entry_point_abi<subgroup_size = 16>} {
    spirv.Return
  }
}
