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

// CHECK-LABEL: @floating
//       CHECK:   arith.addf
//       CHECK:   arith.subf
//       CHECK:   arith.mulf
//       CHECK:   arith.divf
//       CHECK:   arith.remf
//       CHECK:   arith.minnumf
//       CHECK:   arith.maxnumf
//       CHECK:   math.absf
//       CHECK:   arith.negf
//       CHECK:   math.exp %{{[0-9]+}} : f32
//       CHECK:   math.exp %{{[0-9]+}} fastmath<afn> : f32
tinytc.func @floating(%a: f32, %b: f32, %c: !tinytc.memref<f32>) {
  %0 = tinytc.arith.add %a, %b : f32
  %1 = tinytc.arith.sub %0, %b : f32
  %2 = tinytc.arith.mul %1, %b : f32
  %3 = tinytc.arith.div %2, %b : f32
  %4 = tinytc.arith.rem %3, %b : f32
  %5 = tinytc.arith.min %4, %b : f32
  %6 = tinytc.arith.max %5, %b : f32
  %7 = tinytc.arith.abs %6 : f32
  %8 = tinytc.arith.neg %7 : f32
  %9 = tinytc.math.exp %8 : f32
  %10 = tinytc.math.native_exp %9 : f32
  tinytc.store %10, %c[] : f32, !tinytc.memref<f32>
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

// CHECK-LABEL: @complex
//       CHECK:   complex.add
//       CHECK:   complex.sub
//       CHECK:   complex.mul
//       CHECK:   complex.div
//       CHECK:   complex.neg
//       CHECK:   complex.conj
//       CHECK:   complex.exp
//       CHECK:   complex.abs
//       CHECK:   complex.re
//       CHECK:   complex.im
tinytc.func @complex(%a: complex<f32>, %b: complex<f32>, %c: !tinytc.memref<f32>) {
  %0 = tinytc.arith.add %a, %b : complex<f32>
  %1 = tinytc.arith.sub %0, %b : complex<f32>
  %2 = tinytc.arith.mul %1, %b : complex<f32>
  %3 = tinytc.arith.div %2, %b : complex<f32>
  %4 = tinytc.arith.neg %3 : complex<f32>
  %5 = tinytc.arith.conj %4 : complex<f32>
  %6 = tinytc.math.exp %5 : complex<f32>
  %7 = tinytc.arith.abs %6 : complex<f32>
  %8 = tinytc.arith.re %6 : complex<f32>
  %9 = tinytc.arith.im %6 : complex<f32>
  tinytc.store %7, %c[] : f32, !tinytc.memref<f32>
}

// CHECK-LABEL: @boolean
//       CHECK:   arith.andi %{{.*}} : i1
//       CHECK:   arith.ori %{{.*}} : i1
//       CHECK:   arith.xori %{{.*}} : i1
//       CHECK:   %[[NOT:.*]] = arith.xori %{{.*}}, %true{{.*}} : i1
//       CHECK:   scf.if %[[NOT]] {
tinytc.func @boolean(%a: i1, %b: i1) {
  %true = tinytc.constant true
  %0 = tinytc.arith.and %a, %b : i1
  %1 = tinytc.arith.or %0, %b : i1
  %2 = tinytc.arith.xor %1, %true : i1
  %3 = tinytc.arith.not %2 : i1
  tinytc.if %3 {
    tinytc.barrier
  }
}

// NaN is unequal to everything, itself included; all other comparisons with it are false.
// CHECK-LABEL: @compare
//       CHECK:   arith.cmpi eq
//       CHECK:   arith.cmpf une
//       CHECK:   arith.cmpi slt
//       CHECK:   arith.cmpf ole
//       CHECK:   arith.cmpi sgt
//       CHECK:   arith.cmpf oge
//       CHECK:   complex.eq
//       CHECK:   complex.neq
tinytc.func @compare(%i: i32, %j: i32, %x: f32, %z: complex<f32>) {
  %0 = tinytc.cmp.eq %i, %j : i32
  %1 = tinytc.cmp.ne %x, %x : f32
  %2 = tinytc.cmp.lt %i, %j : i32
  %3 = tinytc.cmp.le %x, %x : f32
  %4 = tinytc.cmp.gt %i, %j : i32
  %5 = tinytc.cmp.ge %x, %x : f32
  %6 = tinytc.cmp.eq %z, %z : complex<f32>
  %7 = tinytc.cmp.ne %z, %z : complex<f32>
}

// CHECK-LABEL: @other_functions
//  CHECK-SAME:   (%[[X:.*]]: f32, %[[H:.*]]: f16, %[[C:.*]]: i1)
//       CHECK:   math.expm1 %[[X]] : f32
//       CHECK:   %[[WIDE:.*]] = arith.extf %[[H]] : f16 to f32
//       CHECK:   %[[ROOT:.*]] = math.sqrt %[[WIDE]] : f32
//       CHECK:   arith.truncf %[[ROOT]] : f32 to f16
//       CHECK:   math.powf %[[X]], %[[X]] : f32
//       CHECK:   %[[VECTOR:.*]] = complex.create %[[X]], %[[X]] : complex<f32>
//       CHECK:   complex.abs %[[VECTOR]] : complex<f32>
//       CHECK:   math.fma %[[H]], %[[H]], %[[H]] : f16
//       CHECK:   arith.select %[[C]], %[[X]], %{{.*}} : f32
tinytc.func @other_functions(%x: f32, %h: f16, %c: i1) {
  %0 = tinytc.expm1 %x : f32
  %1 = tinytc.sqrt %h : f16
  %2 = tinytc.pow %x, %x : f32
  %3 = tinytc.hypot %x, %x : f32
  %4 = tinytc.fma %h, %h, %h : f16
  %5 = tinytc.select %c, %x, %0 : f32
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

// Casts to and from index go through i64.
// CHECK-LABEL: @cast
//  CHECK-SAME:   (%[[I:.*]]: i32, %[[X:.*]]: f32, %[[N:.*]]: index, %[[H:.*]]: f16, %{{.*}}: bf16, %[[Z:.*]]: complex<f32>)
//       CHECK:   arith.extsi %[[I]] : i32 to i64
//       CHECK:   arith.trunci %[[I]] : i32 to i8
//       CHECK:   %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
//       CHECK:   arith.index_cast %[[WIDE]] : i64 to index
//       CHECK:   %[[LONG:.*]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   arith.sitofp %[[LONG]] : i64 to f32
//       CHECK:   arith.fptosi %[[X]] : f32 to i64
//       CHECK:   arith.sitofp %[[I]] : i32 to f64
//       CHECK:   arith.truncf %[[X]] : f32 to f16
//       CHECK:   %[[SINGLE:.*]] = arith.extf %[[H]] : f16 to f32
//       CHECK:   arith.truncf %[[SINGLE]] : f32 to bf16
//       CHECK:   %[[DOUBLE:.*]] = arith.extf %[[X]] : f32 to f64
//       CHECK:   complex.create %[[DOUBLE]], %{{.*}} : complex<f64>
//   CHECK-DAG:   complex.re %[[Z]]
//   CHECK-DAG:   complex.im %[[Z]]
//       CHECK:   complex.create %{{.*}} : complex<f64>
tinytc.func @cast(%i: i32, %x: f32, %n: index, %h: f16, %b: bf16, %z: complex<f32>) {
  %0 = tinytc.cast %i : i32 -> i64
  %1 = tinytc.cast %i : i32 -> i8
  %2 = tinytc.cast %i : i32 -> index
  %3 = tinytc.cast %n : index -> f32
  %4 = tinytc.cast %x : f32 -> i64
  %5 = tinytc.cast %i : i32 -> f64
  %6 = tinytc.cast %x : f32 -> f16
  %7 = tinytc.cast %h : f16 -> bf16
  %8 = tinytc.cast %x : f32 -> complex<f64>
  %9 = tinytc.cast %z : complex<f32> -> complex<f64>
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
