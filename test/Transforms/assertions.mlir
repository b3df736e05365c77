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

// CHECK-LABEL: @negative_constant
//  CHECK-SAME:   ()
//   CHECK-NOT:   tinytc.report
tinytc.func @negative_constant() {
  %holds = tinytc.constant true
  tinytc.assert %holds, "true"
}
