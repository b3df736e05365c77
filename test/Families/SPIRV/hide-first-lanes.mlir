// RUN: tinytc-opt %s --tinytc-hide-first-lanes --tinytc-convert-gpu-to-spirv --canonicalize | FileCheck %s

// A CPU's driver is kept from finding that the first lane alone runs what is under a
// condition that all lanes share.

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true>} {
gpu.module @kernels {
  // CHECK-LABEL: @first
  //   CHECK-DAG:   %[[GROUPS:.*]] = spirv.mlir.addressof @{{.*}}NumWorkgroups
  //       CHECK:   spirv.ShiftRightLogical
  //       CHECK:   %[[HIDDEN:.*]] = spirv.{{[SU]}}Convert
  //       CHECK:   %[[FIRST:.*]] = spirv.IEqual
  //       CHECK:   %[[BIT:.*]] = spirv.Select %[[FIRST]]
  //       CHECK:   %[[RUNS:.*]] = spirv.INotEqual %[[BIT]], %[[HIDDEN]]
  //       CHECK:   spirv.BranchConditional %[[RUNS]]
  gpu.func @first(%shared: i1, %x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %lane = gpu.lane_id
    %first = arith.cmpi eq, %lane, %zero : index
    scf.if %first {
      scf.if %shared {
        memref.store %x, %a[%zero] : memref<?xf32>
      }
    }
    gpu.return
  }

  // So it is where two conditions together, or the other branch, leave the first lane.
  // CHECK-LABEL: @together
  // CHECK-COUNT-1: spirv.ShiftRightLogical
  //       CHECK:   spirv.INotEqual
  //       CHECK:   spirv.Return
  gpu.func @together(%shared: i1, %x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %lane = gpu.lane_id
    %low = arith.cmpi slt, %lane, %two : index
    %bit = arith.remui %lane, %two : index
    %odd = arith.cmpi ne, %bit, %zero : index
    scf.if %low {
      scf.if %odd {
        memref.store %x, %a[%two] : memref<?xf32>
      } else {
        scf.if %shared {
          memref.store %x, %a[%zero] : memref<?xf32>
        }
      }
    }
    gpu.return
  }

  // The number may be one of a loop that the driver unrolls.
  // CHECK-LABEL: @in_turn
  // CHECK-COUNT-1: spirv.ShiftRightLogical
  //       CHECK:   spirv.Return
  gpu.func @in_turn(%shared: i1, %x: f32, %a: memref<?xf32>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %lane = gpu.lane_id
    %last = scf.while (%i = %zero) : (index) -> index {
      %inside = arith.cmpi slt, %i, %four : index
      scf.condition(%inside) %i : index
    } do {
    ^bb0(%i: index):
      %own = arith.cmpi eq, %lane, %i : index
      scf.if %own {
        scf.if %shared {
          memref.store %x, %a[%i] : memref<?xf32>
        }
      }
      %next = arith.addi %i, %one : index
      scf.yield %next : index
    }
    gpu.return
  }

  // Nothing changes where more lanes run, another one does, a number that is loaded
  // decides, or no other condition meets that on the lane.
  // CHECK-LABEL: @others
  //   CHECK-NOT:   spirv.ShiftRightLogical
  //       CHECK:   spirv.Return
  gpu.func @others(%shared: i1, %x: f32, %a: memref<?xf32>, %n: memref<?xindex>) kernel
      attributes {tinytc.subgroup_size = 16 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %lane = gpu.lane_id
    %low = arith.cmpi slt, %lane, %two : index
    scf.if %low {
      scf.if %shared {
        memref.store %x, %a[%lane] : memref<?xf32>
      }
    }
    %second = arith.cmpi eq, %lane, %one : index
    scf.if %second {
      scf.if %shared {
        memref.store %x, %a[%zero] : memref<?xf32>
      }
    }
    %number = memref.load %n[%lane] : memref<?xindex>
    %some = arith.cmpi eq, %number, %zero : index
    scf.if %some {
      scf.if %shared {
        memref.store %x, %a[%lane] : memref<?xf32>
      }
    }
    %first = arith.cmpi eq, %lane, %zero : index
    scf.if %first {
      memref.store %x, %a[%zero] : memref<?xf32>
    }
    gpu.return
  }
}
}
