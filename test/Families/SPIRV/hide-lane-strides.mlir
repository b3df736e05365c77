// RUN: tinytc-opt %s --split-input-file --tinytc-hide-lane-strides --tinytc-convert-gpu-to-spirv | FileCheck %s

// The driver must not know how far apart lanes load elements of 8 and 16 bits.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @strided_bytes
  //       CHECK:   %[[THREE:.*]] = spirv.Constant 3 : i64
  //       CHECK:   %[[INDEX:.*]] = spirv.IMul %{{.*}}, %[[THREE]] : i64
  //       CHECK:   %[[ONE:.*]] = spirv.GroupBroadcast <Subgroup> %{{.*}}, %{{.*}} : i64, i32
  //       CHECK:   %[[HIDDEN:.*]] = spirv.IMul %[[INDEX]], %[[ONE]] : i64
  //       CHECK:   spirv.PtrAccessChain %{{.*}}[%[[HIDDEN]]]
  gpu.func @strided_bytes(%a: memref<?xi8>, %b: memref<?xi8>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %three = arith.constant 3 : index
    %lane = gpu.lane_id
    %i = arith.muli %lane, %three : index
    %x = memref.load %a[%i] : memref<?xi8>
    memref.store %x, %b[%lane] : memref<?xi8>
    gpu.return
  }

  // What a loop adds is the same for all lanes, so they load neighbours.
  // CHECK-LABEL: spirv.func @negative_neighbours
  //   CHECK-NOT:   spirv.GroupBroadcast
  //       CHECK:   spirv.Return
  gpu.func @negative_neighbours(%a: memref<?xi8>, %b: memref<?xi8>, %n: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %width = arith.constant 16 : index
    %lane = gpu.lane_id
    %end = scf.while (%i = %lane) : (index) -> index {
      %is_inside = arith.cmpi slt, %i, %n : index
      scf.condition(%is_inside) %i : index
    } do {
    ^bb0(%i: index):
      %x = memref.load %a[%i] : memref<?xi8>
      memref.store %x, %b[%i] : memref<?xi8>
      %next = arith.addi %i, %width : index
      scf.yield %next : index
    }
    gpu.return
  }

  // Wider elements are safe, and all lanes may load the same.
  // CHECK-LABEL: spirv.func @negative_others
  //   CHECK-NOT:   spirv.GroupBroadcast
  //       CHECK:   spirv.Return
  gpu.func @negative_others(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xi8>,
                            %d: memref<?xi8>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %three = arith.constant 3 : index
    %lane = gpu.lane_id
    %j = arith.muli %lane, %three : index
    %x = memref.load %a[%j] : memref<?xf32>
    memref.store %x, %b[%lane] : memref<?xf32>
    %y = memref.load %c[%i] : memref<?xi8>
    memref.store %y, %d[%lane] : memref<?xi8>
    gpu.return
  }
}
}

// -----

// GPUs have no such driver.
module attributes {tinytc.target = #tinytc.target<name = "intel-gpu:pvc", family = intel_gpu,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 131072,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @negative_gpu
  //   CHECK-NOT:   spirv.GroupBroadcast
  //       CHECK:   spirv.Return
  gpu.func @negative_gpu(%a: memref<?xi8>, %b: memref<?xi8>)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %three = arith.constant 3 : index
    %lane = gpu.lane_id
    %i = arith.muli %lane, %three : index
    %x = memref.load %a[%i] : memref<?xi8>
    memref.store %x, %b[%lane] : memref<?xi8>
    gpu.return
  }
}
}
