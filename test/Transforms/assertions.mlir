// RUN: tinytc-opt %s --prepare=debug | FileCheck %s
// RUN: tinytc-opt %s --prepare | FileCheck %s --check-prefix=RELEASE
// RUN: tinytc-opt %s --lower-to-tile | FileCheck %s --check-prefix=TILE
// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc.func(tinytc-remove-assertions))' | FileCheck %s --check-prefix=REMOVED

// TILE-NOT: tinytc.assert

// The report is in the branch where the condition does not hold; a brace of the text is no
// value.
// CHECK-LABEL: @assertion
//  CHECK-SAME:   (%[[N:[^:]*]]: index, %{{[^:]*}}: !tinytc.memref<8xf32>, %[[BUFFER:[^:]*]]: !tinytc.memref<16xi64>)
//       CHECK:   %[[HOLDS:.*]] = tinytc.cmp.gt %[[N]]
//   CHECK-NOT:   tinytc.assert
//       CHECK:   tinytc.if %[[HOLDS]] {
//  CHECK-NEXT:   } else {
//       CHECK:     tinytc.report 0 "expected 'n in {{[{][{]}}1, ...{{[}][}]}}' to be true, got false"() of %{{.*}} weight 1 to %[[BUFFER]]
// RELEASE-LABEL: @assertion
//   RELEASE-NOT:   tinytc.cmp
//   RELEASE-NOT:   tinytc.assert
// Nor does a release build load what only the assertion needs.
// REMOVED-LABEL: @assertion
//  REMOVED-NEXT: }
tinytc.func @assertion(%n: index, %a: !tinytc.memref<8xf32>) {
  %zero = tinytc.constant 0 : index
  %holds = tinytc.cmp.gt %n, %zero : index
  tinytc.assert %holds, "n in {1, ...}"
  %x = tinytc.load %a[%zero] : !tinytc.memref<8xf32>
  %one = tinytc.constant 1.0 : f32
  %below = tinytc.cmp.lt %x, %one : f32
  tinytc.assert %below, "below 1"
}

// A print is no rule. The buffer has room for lines.
// CHECK-LABEL: @prints
//  CHECK-SAME:   (%[[X:[^:]*]]: f32, %[[Z:[^:]*]]: complex<f32>, %[[C:[^:]*]]: i1, %[[BUFFER:[^:]*]]: !tinytc.memref<16384xi64>)
//       CHECK:   %[[RE:.*]] = tinytc.arith.re %[[Z]]
//       CHECK:   %[[IM:.*]] = tinytc.arith.im %[[Z]]
//       CHECK:   %[[BIT:.*]] = tinytc.select %[[C]]
//       CHECK:   tinytc.report print 0 "{{[{][{][}][}]}}: {0}, [{1}, {2}], {3}"(%[[X]], %[[RE]], %[[IM]], %[[BIT]] : f32, f32, f32, i8) of %{{.*}} weight 1 to %[[BUFFER]]
// REMOVED-LABEL: @prints
//  REMOVED-NEXT: }
tinytc.func @prints(%x: f32, %z: complex<f32>, %c: i1) {
  tinytc.print "{}", %x, %z, %c : f32, complex<f32>, i1
}

// CHECK-LABEL: @negative_constant
//  CHECK-SAME:   ()
//   CHECK-NOT:   tinytc.report
tinytc.func @negative_constant() {
  %holds = tinytc.constant true
  tinytc.assert %holds, "true"
}
