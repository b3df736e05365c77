// RUN: tinytc-opt %s --tinytc-choose-strategies --tinytc-distribute-linalg | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {

// A loop that reads an array of its own is not an update after a sum.
// CHECK-LABEL: @array_of_a_loop
//   CHECK-NOT:   scf.forall
//       CHECK:   memref.alloca
//       CHECK:   memref.load
func.func @array_of_a_loop(%a: memref<16xf32>, %x: f32)
    attributes {tinytc.subgroup_size = 16 : i32,
                tinytc.work_group_size = array<i32: 16, 1>} {
  %zero = arith.constant 0 : index
  scf.forall (%i) in (16) {
    %array = memref.alloca() : memref<1xf32, #gpu.address_space<private>>
    memref.store %x, %array[%zero] : memref<1xf32, #gpu.address_space<private>>
    %y = memref.load %array[%zero] : memref<1xf32, #gpu.address_space<private>>
    memref.store %y, %a[%i] : memref<16xf32>
  }
  return
}
}
