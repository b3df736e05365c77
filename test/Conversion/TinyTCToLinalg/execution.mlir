// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Builtins, barriers and subgroup operations become ops of the gpu dialect.

// CHECK-LABEL: @builtins
//       CHECK:   gpu.block_id {{ *}}x
//       CHECK:   gpu.grid_dim {{ *}}x
//       CHECK:   %[[SUBGROUPS:.*]] = gpu.num_subgroups : index
//       CHECK:   arith.index_cast %[[SUBGROUPS]] : index to i32
//       CHECK:   gpu.subgroup_size : index
//       CHECK:   gpu.subgroup_id : index
//       CHECK:   %[[LANE:.*]] = gpu.lane_id
//       CHECK:   arith.index_cast %[[LANE]] : index to i32
tinytc.func @builtins(%a: !tinytc.memref<8xi32>) {
  %0 = tinytc.builtin.group_id : index
  %1 = tinytc.builtin.group_size : index
  %2 = tinytc.builtin.num_subgroups : i32
  %3 = tinytc.builtin.subgroup_size : i32
  tinytc.parallel {
    %4 = tinytc.builtin.subgroup_id : i32
    %5 = tinytc.builtin.subgroup_local_id : i32
    tinytc.store %5, %a[%0] : i32, !tinytc.memref<8xi32>
  }
}

// CHECK-LABEL: @grid
//       CHECK:   gpu.block_id {{ *}}y
//       CHECK:   gpu.block_id {{ *}}z
//       CHECK:   gpu.grid_dim {{ *}}y
//       CHECK:   gpu.grid_dim {{ *}}z
tinytc.func @grid() {
  %0 = tinytc.builtin.group_id y : index
  %1 = tinytc.builtin.group_id z : index
  %2 = tinytc.builtin.group_size y : index
  %3 = tinytc.builtin.group_size z : index
}

// Subgroups lie along the first mode of the work-group.
// CHECK-LABEL: @subgroup_grid
//       CHECK:   %[[X:.*]] = arith.constant 2 : i32
//       CHECK:   memref.store %[[X]]
//       CHECK:   %[[Y:.*]] = arith.constant 3 : i32
//       CHECK:   memref.store %[[Y]]
//       CHECK:   %[[Z:.*]] = arith.constant 1 : i32
//       CHECK:   memref.store %[[Z]]
//       CHECK:   %[[ID:.*]] = gpu.subgroup_id : index
//       CHECK:   %[[TWO:.*]] = arith.constant 2 : index
//       CHECK:   arith.remui %[[ID]], %[[TWO]] : index
//       CHECK:   %[[ID2:.*]] = gpu.subgroup_id : index
//       CHECK:   %[[TWO2:.*]] = arith.constant 2 : index
//       CHECK:   arith.divui %[[ID2]], %[[TWO2]] : index
tinytc.func @subgroup_grid(%a: !tinytc.memref<6xi32>)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 3>} {
  %i = tinytc.constant 0 : index
  %0 = tinytc.builtin.num_subgroups x : i32
  tinytc.store %0, %a[%i] : i32, !tinytc.memref<6xi32>
  %1 = tinytc.builtin.num_subgroups y : i32
  tinytc.store %1, %a[%i] : i32, !tinytc.memref<6xi32>
  %2 = tinytc.builtin.num_subgroups z : i32
  tinytc.store %2, %a[%i] : i32, !tinytc.memref<6xi32>
  tinytc.parallel {
    %3 = tinytc.builtin.subgroup_id x : i32
    tinytc.store %3, %a[%i] : i32, !tinytc.memref<6xi32>
    %4 = tinytc.builtin.subgroup_id y : i32
    tinytc.store %4, %a[%i] : i32, !tinytc.memref<6xi32>
  }
}

// In one row of subgroups x is the index, in one column y; the other one is 0.
// CHECK-LABEL: @row_of_subgroups
//       CHECK:   gpu.subgroup_id
//   CHECK-NOT:   gpu.subgroup_id
//   CHECK-NOT:   arith.{{rem|div}}ui
// CHECK-LABEL: @column_of_subgroups
//       CHECK:   gpu.subgroup_id
//   CHECK-NOT:   gpu.subgroup_id
//   CHECK-NOT:   arith.{{rem|div}}ui
tinytc.func @row_of_subgroups(%a: !tinytc.memref<6xi32>, %i: index)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 1>} {
  tinytc.parallel {
    %0 = tinytc.builtin.subgroup_id x : i32
    %1 = tinytc.builtin.subgroup_id y : i32
    %2 = tinytc.builtin.subgroup_id z : i32
    %3 = tinytc.arith.add %0, %1 : i32
    %4 = tinytc.arith.add %3, %2 : i32
    tinytc.store %4, %a[%i] : i32, !tinytc.memref<6xi32>
  }
}
tinytc.func @column_of_subgroups(%a: !tinytc.memref<6xi32>, %i: index)
    attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 16, 2>} {
  tinytc.parallel {
    %0 = tinytc.builtin.subgroup_id x : i32
    %1 = tinytc.builtin.subgroup_id y : i32
    %2 = tinytc.arith.add %0, %1 : i32
    tinytc.store %2, %a[%i] : i32, !tinytc.memref<6xi32>
  }
}

// CHECK-LABEL: @barriers
//       CHECK:   gpu.barrier {tinytc.fences = []}
//  CHECK-NEXT:   gpu.barrier {tinytc.fences = [#tinytc<address_space global>]}
//  CHECK-NEXT:   gpu.barrier {tinytc.fences = [#tinytc<address_space local>]}
//  CHECK-NEXT:   gpu.barrier {tinytc.fences = [#tinytc<address_space global>, #tinytc<address_space local>]}
tinytc.func @barriers() {
  tinytc.barrier
  tinytc.barrier global
  tinytc.barrier local
  tinytc.barrier global local
}

// Smaller integers need an extension.
// CHECK-LABEL: @small_integers
//       CHECK:   %[[WORD:.*]] = arith.extsi %{{.*}} : i8 to i32
//       CHECK:   %[[MAX:.*]] = gpu.subgroup_reduce {{ *}}maxsi %[[WORD]] uniform : (i32) -> i32
//       CHECK:   arith.trunci %[[MAX]] : i32 to i8
//       CHECK:   %[[OTHER:.*]] = arith.extsi %{{.*}} : i16 to i32
//       CHECK:   %[[SAME:.*]] = gpu.subgroup_broadcast %[[OTHER]], {{.*}} : i32
//       CHECK:   arith.trunci %[[SAME]] : i32 to i16
tinytc.func @small_integers(%x: i8, %y: i16, %lane: i32) {
  tinytc.parallel {
    %0 = tinytc.subgroup_max reduce %x : i8
    %1 = tinytc.subgroup_broadcast %y, %lane : i16
  }
}

// CHECK-LABEL: @reduce
//       CHECK:   gpu.subgroup_reduce {{ *}}add %{{.*}} uniform : (f32) -> f32
//       CHECK:   gpu.subgroup_reduce {{ *}}maxsi %{{.*}} uniform : (i32) -> i32
//       CHECK:   %[[LONG:.*]] = arith.index_cast %{{.*}} : index to i64
//       CHECK:   gpu.subgroup_reduce {{ *}}minsi %[[LONG]] uniform : (i64) -> i64
//       CHECK:   %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
//       CHECK:   %[[MAX:.*]] = gpu.subgroup_reduce {{ *}}maxnumf %[[WIDE]] uniform : (f32) -> f32
//       CHECK:   arith.truncf %[[MAX]] : f32 to bf16
tinytc.func @reduce(%x: f32, %n: i32, %i: index, %h: bf16) {
  tinytc.parallel {
    %0 = tinytc.subgroup_add reduce %x : f32
    %1 = tinytc.subgroup_max reduce %n : i32
    %2 = tinytc.subgroup_min reduce %i : index
    %3 = tinytc.subgroup_max reduce %h : bf16
  }
}

// One shuffle for each doubling of the distance.
// CHECK-LABEL: @inclusive_scan
//  CHECK-SAME:   (%[[X:.*]]: f32)
//       CHECK:   %[[UP1:.*]], %[[VALID1:.*]] = gpu.shuffle {{ *}}up %[[X]], %c1
//       CHECK:   %[[BELOW1:.*]] = arith.select %[[VALID1]], %[[UP1]], %cst
//       CHECK:   %[[SUM1:.*]] = arith.addf %[[BELOW1]], %[[X]]
//       CHECK:   %[[UP2:.*]], %[[VALID2:.*]] = gpu.shuffle {{ *}}up %[[SUM1]], %c2
//       CHECK:   %[[BELOW2:.*]] = arith.select %[[VALID2]], %[[UP2]], %cst
//       CHECK:   arith.addf %[[BELOW2]], %[[SUM1]]
//   CHECK-NOT:   gpu.shuffle
tinytc.func @inclusive_scan(%x: f32) attributes {subgroup_size = 4 : i32} {
  tinytc.parallel {
    %0 = tinytc.subgroup_add inclusive_scan %x : f32
  }
}

// NaN below the first work-item loses to all numbers, and is the minimum of NaN alone.
// CHECK-LABEL: @scan_of_minima
//       CHECK:   %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
//       CHECK:   %[[UP:.*]], %[[VALID:.*]] = gpu.shuffle {{ *}}up %{{.*}}
//       CHECK:   %[[BELOW:.*]] = arith.select %[[VALID]], %[[UP]], %[[NAN]]
//       CHECK:   arith.minnumf %[[BELOW]]
tinytc.func @scan_of_minima(%x: f32) attributes {subgroup_size = 4 : i32} {
  tinytc.parallel {
    %0 = tinytc.subgroup_min inclusive_scan %x : f32
  }
}

// The inclusive scan of the work-item below; the identity for the first one.
// CHECK-LABEL: @exclusive_scan
//       CHECK:   %[[LOWEST:.*]] = arith.constant -2147483648 : i32
// CHECK-COUNT-2:   gpu.shuffle {{ *}}up
//       CHECK:   %[[MAX:.*]] = arith.maxsi
//       CHECK:   %[[UP:.*]], %[[VALID:.*]] = gpu.shuffle {{ *}}up %[[MAX]], %c1
//       CHECK:   arith.select %[[VALID]], %[[UP]], %[[LOWEST]]
tinytc.func @exclusive_scan(%n: i32) attributes {subgroup_size = 4 : i32} {
  tinytc.parallel {
    %0 = tinytc.subgroup_max exclusive_scan %n : i32
  }
}
