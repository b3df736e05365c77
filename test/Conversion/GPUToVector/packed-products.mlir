// RUN: tinytc-opt %s --tinytc-attach-target=target=x86-64-v3 --tinytc-convert-vector-to-llvm \
// RUN:   | FileCheck %s
// RUN: tinytc-opt %s --tinytc-attach-target=target=aarch64 --tinytc-convert-vector-to-llvm \
// RUN:   | FileCheck %s --check-prefix=ARM

gpu.module @kernels {
// Two registers of 32 bytes.
// CHECK-LABEL: @i16
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
//   CHECK-NOT:   llvm.mul
//   ARM-LABEL: @i16
//     ARM-NOT:   llvm.call_intrinsic
//         ARM:   llvm.mul
func.func @i16(%a: vector<16xi32>, %c: vector<16xi32>) -> vector<16xi32> {
  %0 = tinytc.packed_mul_add i16 %a, %a, %c : vector<16xi32>, vector<16xi32>
  return %0 : vector<16xi32>
}

// CHECK-LABEL: @i8
//   CHECK-NOT:   llvm.call_intrinsic
// CHECK-COUNT-4: llvm.mul
//   ARM-LABEL: @i8
// ARM-COUNT-2:   llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
//     ARM-NOT:   llvm.mul
//   ARM-LABEL: @ui8
func.func @i8(%a: vector<8xi32>, %c: vector<8xi32>) -> vector<8xi32> {
  %0 = tinytc.packed_mul_add i8 %a, %a, %c : vector<8xi32>, vector<8xi32>
  return %0 : vector<8xi32>
}

// Numbers of `a` are unsigned.
// CHECK-LABEL: @ui8
//       CHECK:   llvm.lshr
//       CHECK:   llvm.ashr
//   CHECK-NOT:   llvm.call_intrinsic
func.func @ui8(%a: i32, %c: i32) -> i32 {
  %0 = tinytc.packed_mul_add ui8 %a, %a, %c : i32, i32
  return %0 : i32
}

// The upper half of a word is a number of f32.
// CHECK-LABEL: @bf16
//   CHECK-NOT:   llvm.call_intrinsic
// CHECK-COUNT-2: llvm.fmul
func.func @bf16(%a: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> {
  %0 = tinytc.packed_mul_add bf16 %a, %a, %c : vector<8xi32>, vector<8xf32>
  return %0 : vector<8xf32>
}
}
