// RUN: tinytc-opt --split-input-file --tinytc-outline-products=min-ops=1 %s | FileCheck %s
// RUN: tinytc-opt --split-input-file --tinytc-outline-products %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

// With the default of min-ops, none of these functions is worth a call.
// SMALL-NOT: call @
// SMALL-NOT: scf.execute_region

// CHECK-LABEL: func.func private @pointers_and_offsets_product(
// CHECK-SAME:      %[[A:.+]]: memref<?xf32>, %[[OFFSET:.+]]: index)
//       CHECK:   %[[LANE:.+]] = gpu.lane_id
//       CHECK:   %[[I:.+]] = arith.addi %[[LANE]], %[[OFFSET]]
//       CHECK:   %[[V:.+]] = memref.load %[[A]][%[[I]]]
//       CHECK:   memref.store %[[V]], %[[A]][%[[LANE]]]
// CHECK-LABEL: gpu.func @pointers_and_offsets(
// CHECK-SAME:      %[[X:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?xf32>)
//       CHECK:   %[[C16:c16_.+]] = arith.constant 16 : index
//  CHECK-NEXT:   func.call @pointers_and_offsets_product(%[[X]], %[[C16]])
//       CHECK:   %[[C32:c32_.+]] = arith.constant 32 : index
//  CHECK-NEXT:   func.call @pointers_and_offsets_product(%[[Y]], %[[C32]])
gpu.module @m {
  gpu.func @pointers_and_offsets(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %lane = gpu.lane_id
    scf.execute_region {
      %c16 = arith.constant 16 : index
      %i = arith.addi %lane, %c16 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %c32 = arith.constant 32 : index
      %i = arith.addi %lane, %c32 : index
      %v = memref.load %y[%i] : memref<?xf32>
      memref.store %v, %y[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// Offsets that differ by the same number share a parameter. What is computed outside of the
// products keeps its constant.
// CHECK-LABEL: func.func private @one_distance_product(
// CHECK-SAME:      %[[A:.+]]: memref<?xf32>, %[[OFFSET:.+]]: index)
//   CHECK-DAG:   %[[LANE:.+]] = gpu.lane_id
//   CHECK-DAG:   %[[C16:.+]] = arith.constant 16 : index
//   CHECK-DAG:   %[[C32:.+]] = arith.constant 32 : index
//   CHECK-DAG:   %[[FAR:.+]] = arith.addi %[[OFFSET]], %[[C32]]
//   CHECK-DAG:   %[[SAME:.+]] = arith.addi %[[LANE]], %[[C16]]
//       CHECK:   %[[I:.+]] = arith.addi %[[LANE]], %[[OFFSET]]
//       CHECK:   memref.load %[[A]][%[[I]]]
//       CHECK:   %[[J:.+]] = arith.addi %[[LANE]], %[[FAR]]
//       CHECK:   memref.load %[[A]][%[[J]]]
//       CHECK:   memref.store %{{.*}}, %[[A]][%[[SAME]]]
// CHECK-LABEL: gpu.func @one_distance(
//       CHECK:   %[[C16:c16_.+]] = arith.constant 16 : index
//  CHECK-NEXT:   func.call @one_distance_product(%{{.*}}, %[[C16]])
//       CHECK:   %[[C20:c20_.+]] = arith.constant 20 : index
//  CHECK-NEXT:   func.call @one_distance_product(%{{.*}}, %[[C20]])
gpu.module @m {
  gpu.func @one_distance(%x: memref<?xf32>) kernel {
    %lane = gpu.lane_id
    %c16 = arith.constant 16 : index
    %same = arith.addi %lane, %c16 : index
    scf.execute_region {
      %c48 = arith.constant 48 : index
      %i = arith.addi %lane, %c16 : index
      %v = memref.load %x[%i] : memref<?xf32>
      %j = arith.addi %lane, %c48 : index
      %w = memref.load %x[%j] : memref<?xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %x[%same] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %c20 = arith.constant 20 : index
      %c52 = arith.constant 52 : index
      %i = arith.addi %lane, %c20 : index
      %v = memref.load %x[%i] : memref<?xf32>
      %j = arith.addi %lane, %c52 : index
      %w = memref.load %x[%j] : memref<?xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %x[%same] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @negative_factors(
//   CHECK-NOT:   call @
gpu.module @m {
  gpu.func @negative_factors(%x: memref<?xf32>) kernel {
    %lane = gpu.lane_id
    scf.execute_region {
      %c16 = arith.constant 16 : index
      %i = arith.muli %lane, %c16 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %c32 = arith.constant 32 : index
      %i = arith.muli %lane, %c32 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// Only the first product fetches a matrix; the others call its function and fetch the
// same. One constant is the offset of the first two, but the third has another.
// CHECK-LABEL: func.func private @joined_product(
//       CHECK:   memref.prefetch
//   CHECK-NOT:   arith.constant 16
// CHECK-LABEL: gpu.func @joined(
// CHECK-SAME:      %[[X:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?xf32>, %[[NEXT:.+]]: memref<?xf32>, %[[GROUP:.+]]: index)
//       CHECK:   %[[C16:c16_.+]] = arith.constant 16 : index
//  CHECK-NEXT:   func.call @joined_product(%[[X]], %[[GROUP]], %[[NEXT]], %[[C16]])
//       CHECK:   %[[C16:c16_.+]] = arith.constant 16 : index
//  CHECK-NEXT:   func.call @joined_product(%[[Y]], %[[GROUP]], %[[NEXT]], %[[C16]])
//       CHECK:   %[[C32:c32_.+]] = arith.constant 32 : index
//  CHECK-NEXT:   func.call @joined_product(%[[X]], %[[GROUP]], %[[NEXT]], %[[C32]])
gpu.module @m {
  gpu.func @joined(%x: memref<?xf32>, %y: memref<?xf32>, %next: memref<?xf32>, %group: index) kernel {
    %lane = gpu.lane_id
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    scf.execute_region {
      %i = arith.addi %lane, %c16 : index
      %v = memref.load %x[%i] : memref<?xf32>
      %at = arith.muli %group, %c32 : index
      memref.prefetch %next[%at], read, locality<3>, data : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %i = arith.addi %lane, %c16 : index
      %v = memref.load %y[%i] : memref<?xf32>
      memref.store %v, %y[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %i = arith.addi %lane, %c32 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// What is fetched is not known where the first product is.
// CHECK-LABEL: gpu.func @negative_fetched_later(
//   CHECK-NOT:   call @
gpu.module @m {
  gpu.func @negative_fetched_later(%x: memref<?xf32>, %y: memref<?xf32>, %table: memref<?xmemref<?xf32>>) kernel {
    %lane = gpu.lane_id
    %c1 = arith.constant 1 : index
    scf.execute_region {
      %v = memref.load %x[%lane] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    %next = memref.load %table[%c1] : memref<?xmemref<?xf32>>
    scf.execute_region {
      %v = memref.load %y[%lane] : memref<?xf32>
      memref.prefetch %next[%c1], read, locality<3>, data : memref<?xf32>
      memref.store %v, %y[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// A constant of another region is written again where the call needs it.
// CHECK-LABEL: gpu.func @offset_elsewhere(
//       CHECK:   scf.for
//       CHECK:     %[[C16:c16_.+]] = arith.constant 16 : index
//  CHECK-NEXT:     func.call @offset_elsewhere_product({{.*}}, %[[C16]])
//       CHECK:   }
//       CHECK:   %[[C32:c32_.+]] = arith.constant 32 : index
//  CHECK-NEXT:   func.call @offset_elsewhere_product({{.*}}, %[[C32]])
gpu.module @m {
  gpu.func @offset_elsewhere(%x: memref<?xf32>, %n: index) kernel {
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %n step %c1 {
      scf.execute_region {
        %c16 = arith.constant 16 : index
        %i = arith.addi %lane, %c16 : index
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%lane] : memref<?xf32>
        scf.yield
      }
    }
    scf.execute_region {
      %c32 = arith.constant 32 : index
      %i = arith.addi %lane, %c32 : index
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @negative_different(
//   CHECK-NOT:   call @
//   CHECK-NOT:   scf.execute_region
gpu.module @m {
  gpu.func @negative_different(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %lane = gpu.lane_id
    scf.execute_region {
      %v = memref.load %x[%lane] : memref<?xf32>
      %s = arith.addf %v, %v : f32
      memref.store %s, %x[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %v = memref.load %y[%lane] : memref<?xf32>
      %s = arith.mulf %v, %v : f32
      memref.store %s, %y[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// A value that each work-item has for itself cannot be a parameter.
// CHECK-LABEL: gpu.func @negative_own_values(
//   CHECK-NOT:   call @
//   CHECK-NOT:   scf.execute_region
gpu.module @m {
  gpu.func @negative_own_values(%x: memref<?xf32>, %y: memref<?xindex>) kernel {
    %lane = gpu.lane_id
    %own = memref.load %y[%lane] : memref<?xindex>
    scf.execute_region {
      %v = memref.load %x[%own] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %v = memref.load %x[%own] : memref<?xf32>
      memref.store %v, %x[%lane] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

// A region in a product is a part of it.
// CHECK-LABEL: func.func private @nested_product(
//       CHECK:   %[[V:.+]] = memref.load
//  CHECK-NEXT:   memref.store %[[V]]
//  CHECK-NEXT:   return
// CHECK-LABEL: gpu.func @nested(
// CHECK-COUNT-2: func.call @nested_product(
gpu.module @m {
  gpu.func @nested(%x: memref<?xf32>, %i: index) kernel {
    scf.execute_region {
      %v = scf.execute_region -> f32 {
        %w = memref.load %x[%i] : memref<?xf32>
        scf.yield %w : f32
      }
      memref.store %v, %x[%i] : memref<?xf32>
      scf.yield
    }
    scf.execute_region {
      %v = scf.execute_region -> f32 {
        %w = memref.load %x[%i] : memref<?xf32>
        scf.yield %w : f32
      }
      memref.store %v, %x[%i] : memref<?xf32>
      scf.yield
    }
    gpu.return
  }
}
