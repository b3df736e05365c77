// RUN: tinytc-opt %s | tinytc-opt | FileCheck %s
// RUN: tinytc-opt %s --mlir-print-op-generic | tinytc-opt | FileCheck %s

// CHECK-LABEL: @assertion
//       CHECK:   tinytc.assert %{{.*}}, "n is \22positive\22"
tinytc.func @assertion(%holds: i1) {
  tinytc.assert %holds, "n is \"positive\""
}

// CHECK-LABEL: @prints
//       CHECK:   tinytc.print "begin"
//       CHECK:   tinytc.print "x", %{{.*}}, %{{.*}} : complex<f32>, i1
//       CHECK:   tinytc.report print 0 "x: {0}"(%{{.*}} : index) of %{{.*}} weight 1 to %{{.*}} : !tinytc.memref<16384xi64>
tinytc.func @prints(%z: complex<f32>, %c: i1, %g: index, %buffer: !tinytc.memref<16384xi64>) {
  tinytc.print "begin"
  tinytc.print "x", %z, %c : complex<f32>, i1
  tinytc.report print 0 "x: {0}"(%g : index) of %g weight 1 to %buffer
    : !tinytc.memref<16384xi64>
}

// CHECK-LABEL: @check_ops
//       CHECK:   tinytc.report 3 "nothing"() of %{{.*}} weight 32 to %{{.*}} : !tinytc.memref<16xi64>
//       CHECK:   tinytc.report 4 "got {0} and {1}"(%{{.*}}, %{{.*}} : index, bf16) of %{{.*}} weight 1 to
//       CHECK:   tinytc.stride %{{.*}}[1] : !tinytc.memref<?x?xf32>
//       CHECK:   tinytc.is_divisible %{{.*}}, %{{.*}} : i32
//       CHECK:   tinytc.is_convertible %{{.*}} to index : bf16
tinytc.func @check_ops(%buffer: !tinytc.memref<16xi64>, %g: index, %x: bf16, %i: i32,
                       %a: !tinytc.memref<?x?xf32>) {
  tinytc.report 3 "nothing"() of %g weight 32 to %buffer : !tinytc.memref<16xi64>
  tinytc.report 4 "got {0} and {1}"(%g, %x : index, bf16) of %g weight 1 to %buffer
    : !tinytc.memref<16xi64>
  %0 = tinytc.stride %a[1] : !tinytc.memref<?x?xf32>
  %1 = tinytc.is_divisible %i, %i : i32
  %2 = tinytc.is_convertible %x to index : bf16
}
