// RUN: tinytc-opt %s --tinytc-attach-target --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// The first work-item that adds to the count fills in the report.
// CHECK-LABEL: @report
//       CHECK:   %[[WEIGHT:.*]] = arith.constant 16 : i64
//       CHECK:   %[[OLD:.*]] = tinytc.atomic add device relaxed %[[BUFFER:.*]][%{{.*}}], %[[WEIGHT]] : memref<
//       CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[OLD]],
//       CHECK:   scf.if %[[FIRST]] {
//       CHECK:     gpu.block_id y
//       CHECK:     gpu.block_id z
//       CHECK:     %[[SUBGROUP:.*]] = gpu.subgroup_id
//       CHECK:     %[[LANE:.*]] = gpu.lane_id
//       CHECK:     %[[SUBGROUP_BITS:.*]] = arith.index_cast %[[SUBGROUP]] : index to i64
//       CHECK:     memref.store %[[SUBGROUP_BITS]], %[[BUFFER]]
//       CHECK:     %[[LANE_BITS:.*]] = arith.index_cast %[[LANE]] : index to i64
//       CHECK:     memref.store %[[LANE_BITS]], %[[BUFFER]]
//       CHECK:     arith.extsi %{{.*}} : i8 to i64
//       CHECK:     %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
//       CHECK:     %[[BITS:.*]] = arith.bitcast %[[WIDE]] : f32 to i32
//       CHECK:     arith.extsi %[[BITS]] : i32 to i64
//       CHECK:     arith.bitcast %{{.*}} : f64 to i64
tinytc.func @report(%buffer: !tinytc.memref<16xi64>, %g: index, %i: i8, %x: bf16, %y: f64) {
  tinytc.report 0 "got {0}, {1}, {2}"(%i, %x, %y : i8, bf16, f64) of %g weight 16
    to %buffer : !tinytc.memref<16xi64>
}

// CHECK-LABEL: @stride
//       CHECK:   memref.extract_strided_metadata
tinytc.func @stride(%a: !tinytc.memref<?x?xf32>, %r: !tinytc.memref<index>) {
  %0 = tinytc.stride %a[1] : !tinytc.memref<?x?xf32>
  tinytc.store %0, %r[] : index, !tinytc.memref<index>
}

// CHECK-LABEL: @is_divisible
//   CHECK-DAG:   %[[SMALLEST:.*]] = arith.constant -32768 : i16
//   CHECK-DAG:   %[[MINUS_ONE:.*]] = arith.constant -1 : i16
//   CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0 : i16
//   CHECK-DAG:   arith.cmpi ne, %{{.*}}, %[[SMALLEST]]
//   CHECK-DAG:   arith.cmpi ne, %{{.*}}, %[[MINUS_ONE]]
//   CHECK-DAG:   arith.cmpi ne, %{{.*}}, %[[ZERO]]
tinytc.func @is_divisible(%a: i16, %b: i16) {
  %0 = tinytc.is_divisible %a, %b : i16
}

// The limits are numbers of the type: -2^15 - 1 is not an f16 and 2^31 is too large for one.
// CHECK-LABEL: @is_convertible
//       CHECK:   %[[BELOW:.*]] = arith.constant -1.290000e+02 : f32
//       CHECK:   arith.cmpf ogt, %{{.*}}, %[[BELOW]]
//       CHECK:   %[[ABOVE:.*]] = arith.constant 1.280000e+02 : f32
//       CHECK:   arith.cmpf olt, %{{.*}}, %[[ABOVE]]
//       CHECK:   %[[SMALLEST:.*]] = arith.constant -3.276800e+04 : f16
//       CHECK:   arith.cmpf oge, %{{.*}}, %[[SMALLEST]]
//       CHECK:   arith.constant 0xFC00 : f16
//       CHECK:   arith.cmpf ogt
//       CHECK:   arith.constant 0x7C00 : f16
//       CHECK:   arith.cmpf olt
tinytc.func @is_convertible(%x: f32, %y: f16) {
  %0 = tinytc.is_convertible %x to i8 : f32
  %1 = tinytc.is_convertible %y to i16 : f16
  %2 = tinytc.is_convertible %y to i32 : f16
}
