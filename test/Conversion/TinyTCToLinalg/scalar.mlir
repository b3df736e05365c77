// RUN: tinytc-opt %s --split-input-file --tinytc-attach-target \
// RUN:   --tinytc-choose-work-group-size --tinytc-convert-to-linalg | FileCheck %s

// Scalar instructions become ops of arith, math and complex.

// CHECK-LABEL: @integer
//  CHECK-SAME:   (%[[A:[^:]*]]: i32, %[[B:[^:]*]]: i32,
//       CHECK:   %[[ADD:.*]] = arith.addi %[[A]], %[[B]] : i32
//       CHECK:   %[[SUB:.*]] = arith.subi %[[ADD]], %[[B]]
//       CHECK:   %[[MUL:.*]] = arith.muli %[[SUB]], %[[B]]
//       CHECK:   %[[DIV:.*]] = arith.divsi %[[MUL]], %[[B]]
//       CHECK:   %[[REM:.*]] = arith.remsi %[[DIV]], %[[B]]
//       CHECK:   %[[DISTANCE:.*]] = arith.andi %[[B]], %c31{{.*}}
//       CHECK:   %[[SHL:.*]] = arith.shli %[[REM]], %[[DISTANCE]]
//       CHECK:   %[[SHR:.*]] = arith.shrsi %[[SHL]], %{{.*}}
//       CHECK:   %[[AND:.*]] = arith.andi %[[SHR]], %[[B]]
//       CHECK:   %[[OR:.*]] = arith.ori %[[AND]], %[[B]]
//       CHECK:   %[[XOR:.*]] = arith.xori %[[OR]], %[[B]]
//       CHECK:   %[[MIN:.*]] = arith.minsi %[[XOR]], %[[B]]
//       CHECK:   %[[MAX:.*]] = arith.maxsi %[[MIN]], %[[B]]
//       CHECK:   %[[MINUS:.*]] = arith.subi %{{.*}}, %[[MAX]]
//       CHECK:   %[[ABS:.*]] = arith.maxsi %[[MAX]], %[[MINUS]]
//       CHECK:   %[[NEG:.*]] = arith.subi %c0{{.*}}, %[[ABS]]
//       CHECK:   arith.xori %[[NEG]], %c-1
tinytc.func @integer(%a: i32, %b: i32, %c: !tinytc.memref<i32>) {
  %0 = tinytc.arith.add %a, %b : i32
  %1 = tinytc.arith.sub %0, %b : i32
  %2 = tinytc.arith.mul %1, %b : i32
  %3 = tinytc.arith.div %2, %b : i32
  %4 = tinytc.arith.rem %3, %b : i32
  %5 = tinytc.arith.shl %4, %b : i32
  %6 = tinytc.arith.shr %5, %b : i32
  %7 = tinytc.arith.and %6, %b : i32
  %8 = tinytc.arith.or %7, %b : i32
  %9 = tinytc.arith.xor %8, %b : i32
  %10 = tinytc.arith.min %9, %b : i32
  %11 = tinytc.arith.max %10, %b : i32
  %12 = tinytc.arith.abs %11 : i32
  %13 = tinytc.arith.neg %12 : i32
  %14 = tinytc.arith.not %13 : i32
  tinytc.store %14, %c[] : i32, !tinytc.memref<i32>
}

// CHECK-LABEL: @functions
//       CHECK:   math.cos %{{[^ ]+}} : f32
//       CHECK:   math.log2 %{{[^ ]+}} fastmath<afn> : f32
//       CHECK:   arith.extf %{{.*}} : bf16 to f32
//       CHECK:   math.sin
//       CHECK:   arith.truncf %{{.*}} : f32 to bf16
tinytc.func @functions(%a: f32, %b: bf16, %c: !tinytc.memref<f32>,
                       %d: !tinytc.memref<bf16>) {
  %0 = tinytc.cos %a : f32
  %1 = tinytc.native_log2 %0 : f32
  tinytc.store %1, %c[] : f32, !tinytc.memref<f32>
  %2 = tinytc.sin %b : bf16
  tinytc.store %2, %d[] : bf16, !tinytc.memref<bf16>
}

// The rounding error of the phase y log 2 is applied to cosine and sine.
// CHECK-LABEL: @complex_exp2
//       CHECK:   %[[PHASE:.*]] = arith.mulf %[[Y:.*]], %{{.*}} : f64
//       CHECK:   math.cos %[[PHASE]] : f64
//       CHECK:   math.sin %[[PHASE]] : f64
//       CHECK:   %[[MINUS:.*]] = arith.negf %[[PHASE]]
//       CHECK:   math.fma %[[Y]], %{{.*}}, %[[MINUS]] : f64
//       CHECK:   math.exp2 %{{.*}} : f64
//       CHECK:   math.cos %{{[^ ]+}} fastmath<afn> : f64
//   CHECK-NOT:   math.fma
//       CHECK:   return
tinytc.func @complex_exp2(%a: complex<f64>, %b: !tinytc.memref<complex<f64>>) {
  %0 = tinytc.exp2 %a : complex<f64>
  %1 = tinytc.native_exp2 %0 : complex<f64>
  tinytc.store %1, %b[] : complex<f64>, !tinytc.memref<complex<f64>>
}

// NaN is kept, and of zeros the negative one is the minimum.
// CHECK-LABEL: @extrema
//  CHECK-SAME:   (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[N:.*]]: i8)
//       CHECK:   %[[NAN:.*]] = arith.cmpf une, %[[X]], %[[X]] : f32
//       CHECK:   %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[Y]] : f32
//       CHECK:   %[[FIRST:.*]] = arith.ori %[[LESS]], %[[NAN]] : i1
//       CHECK:   %[[CHOSEN:.*]] = arith.select %[[FIRST]], %[[X]], %[[Y]] : f32
//       CHECK:   %[[BITS:.*]] = arith.ori %{{.*}}, %{{.*}} : i32
//       CHECK:   %[[EQUAL:.*]] = arith.cmpf oeq, %[[X]], %[[Y]] : f32
//       CHECK:   %[[ZERO:.*]] = arith.bitcast %[[BITS]] : i32 to f32
//       CHECK:   arith.select %[[EQUAL]], %[[ZERO]], %[[CHOSEN]] : f32
//       CHECK:   arith.maxsi %[[N]], %[[N]] : i8
tinytc.func @extrema(%x: f32, %y: f32, %n: i8) {
  %0 = tinytc.minimum %x, %y : f32
  %1 = tinytc.maximum %n, %n : i8
}

// Through f32, which holds 24 bits: the bits that bf16 has no room for are first combined into
// one. Narrower types do not need this.
// CHECK-LABEL: @cast_to_bf16
//  CHECK-SAME:   (%[[I:.*]]: i32, %[[B:.*]]: i8)
//       CHECK:   %[[FEW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]] : i32
//  CHECK-NEXT:   %[[SINGLE:.*]] = arith.sitofp %[[FEW]] : i32 to f32
//  CHECK-NEXT:   arith.truncf %[[SINGLE]] : f32 to bf16
//   CHECK-NOT:   arith.select
//       CHECK:   arith.sitofp %[[B]] : i8 to f32
tinytc.func @cast_to_bf16(%i: i32, %b: i8) {
  %0 = tinytc.cast %i : i32 -> bf16
  %1 = tinytc.cast %b : i8 -> bf16
}

// CHECK-LABEL: @constant
//       CHECK:   arith.constant 42 : i8
//       CHECK:   arith.constant 42 : index
//       CHECK:   arith.constant 1.500000e+00 : bf16
//       CHECK:   complex.constant [1.000000e+00, -2.000000e+00] : complex<f64>
tinytc.func @constant() {
  %0 = tinytc.constant 42 : i8
  %1 = tinytc.constant 42 : index
  %2 = tinytc.constant 1.5 : bf16
  %3 = tinytc.constant [1.0 : f64, -2.0 : f64] -> complex<f64>
}
