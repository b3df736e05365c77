// RUN: tinytc-opt %s --tinytc-tangent=wrt=x | FileCheck %s

// What a loop asserts stays with what it reads, even if nobody reads what it writes.
// CHECK-LABEL: @checked_jvp(
//       CHECK:   tinytc.foreach
//       CHECK:     %[[A:.*]] = tinytc.load %{{.*}}[
//       CHECK:     %[[C:.*]] = tinytc.cmp.gt %[[A]]
//       CHECK:     tinytc.assert %[[C]], "positive"
//   CHECK-NOT:   tinytc.alloca
//       CHECK:   tinytc.foreach
//   CHECK-NOT:   tinytc.assert
//       CHECK:   }
tinytc.func @checked(%x: !tinytc.memref<4xf64>, %y: !tinytc.memref<4xf64>) {
  %begin = tinytc.constant 0 : index -> index
  %end = tinytc.constant 4 : index -> index
  %zero = tinytc.constant 0.0 : f64
  %unread = tinytc.alloca : !tinytc.memref<4xf64, local>
  tinytc.foreach (%i) = (%begin), (%end) {
    %a = tinytc.load %x[%i] : !tinytc.memref<4xf64>
    %positive = tinytc.cmp.gt %a, %zero : f64
    tinytc.assert %positive, "positive"
    tinytc.store %a, %unread[%i] : f64, !tinytc.memref<4xf64, local>
  }
  tinytc.foreach (%i) = (%begin), (%end) {
    %a = tinytc.load %x[%i] : !tinytc.memref<4xf64>
    %b = tinytc.arith.mul %a, %a : f64
    tinytc.store %b, %y[%i] : f64, !tinytc.memref<4xf64>
  }
}
