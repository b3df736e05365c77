// RUN: tinytc-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics

// expected-error @+1 {{expected one of the attributes tinytc.target, tinytc.subgroup_size, tinytc.work_group_size, tinytc.schedule, tinytc.manifest, tinytc.local_offset, tinytc.strategy, tinytc.unroll, tinytc.fences, tinytc.elements, tinytc.alignment, tinytc.shape_gcd, tinytc.stride_gcd, tinytc.nonzero, tinytc.modes, tinytc.buffer, tinytc.name of the dialect, got "tinytc.nonsense"}}
func.func private @attribute_c1() attributes {tinytc.nonsense}

// -----

// expected-error @+1 {{expected 'tinytc.target' on a module, got it on 'func.func'}}
func.func private @attribute_c2() attributes {tinytc.target = 5}

// -----

// expected-error @+1 {{expected 'tinytc.subgroup_size' on a kernel of another dialect, got it on 'tinytc.func'}}
tinytc.func @attribute_c2_subgroup_size() attributes {tinytc.subgroup_size = 16 : i32} {
}

// -----

// expected-error @+1 {{expected 'tinytc.work_group_size' on a kernel of another dialect, got it on 'builtin.module'}}
module attributes {tinytc.work_group_size = array<i32: 16, 1>} {
}

// -----

// expected-error @+1 {{expected 'tinytc.schedule' on a kernel of another dialect, got it on 'tinytc.func'}}
tinytc.func @attribute_c2_schedule() attributes {tinytc.schedule = #tinytc.schedule<rows = 2>} {
}

// -----

tinytc.func @attribute_c2_local_offset() {
  // expected-error @+1 {{expected 'tinytc.local_offset' on an alloca or a gemm, got it on 'tinytc.constant'}}
  %0 = tinytc.constant 1 : i32 {tinytc.local_offset = 0 : i64}
}

// -----

tinytc.func @attribute_c2_strategy() {
  // expected-error @+1 {{expected 'tinytc.strategy' on a BLAS-like instruction, a cooperative_matrix_mul_add, a cooperative_matrix_load, a linalg.generic or an scf.forall, got it on 'tinytc.constant'}}
  %0 = tinytc.constant 1 : i32 {tinytc.strategy = #tinytc.strategy<kind = scan>}
}

// -----

tinytc.func @attribute_c2_unroll(%n: index) {
  // expected-error @+1 {{expected 'tinytc.unroll' on a loop of another dialect, got it on 'tinytc.for'}}
  tinytc.for %i = %n, %n {
  } {tinytc.unroll = true}
}

// -----

func.func @attribute_c2_fences() {
  // expected-error @+1 {{expected 'tinytc.fences' on a gpu.barrier, got it on 'func.return'}}
  return {tinytc.fences = []}
}

// -----

// expected-error @+1 {{expected 'tinytc.elements' on a spirv.GlobalVariable, got it on 'func.func'}}
func.func private @attribute_c2_elements() attributes {tinytc.elements = dense<1> : tensor<2xi32>}

// -----

// expected-error @+1 {{expected 'tinytc.alignment' on a parameter of a kernel, got it on 'func.func'}}
func.func private @attribute_c2_parameter() attributes {tinytc.alignment = 4 : i64}

// -----

// expected-error @+1 {{expected no attribute of the dialect on result 0, got "tinytc.alignment"}}
func.func private @attribute_c2_result() -> (memref<f32> {tinytc.alignment = 4 : i64})

// -----

// expected-error @+1 {{expected 'tinytc.target' to be a target, got 5 : i64}}
module attributes {tinytc.target = 5} {
}

// -----

// expected-error @+1 {{expected 'tinytc.subgroup_size' to be an i32, got 16 : si32}}
func.func private @attribute_c3() attributes {tinytc.subgroup_size = 16 : si32}

// -----

// The rule of the manifest, which comes first, checks the sizes.
// expected-error @+1 {{expected 'tinytc.subgroup_size' to be an i32, got 16 : si32}}
func.func private @attribute_c3_order() attributes {tinytc.manifest = #tinytc.manifest<>, tinytc.subgroup_size = 16 : si32}

// -----

// expected-error @+1 {{expected 'tinytc.work_group_size' to be an array of i32, got array<i64: 16, 1>}}
func.func private @attribute_c3_work_group_size() attributes {tinytc.work_group_size = array<i64: 16, 1>}

// -----

// expected-error @+1 {{expected 'tinytc.schedule' to be a schedule, got 2 : i64}}
func.func private @attribute_c3_schedule() attributes {tinytc.schedule = 2}

// -----

tinytc.func @attribute_c3_local_offset() {
  // expected-error @+1 {{expected 'tinytc.local_offset' to be an i64, got "hello"}}
  %0 = tinytc.alloca {tinytc.local_offset = "hello"} : !tinytc.memref<4xf32, local>
}

// -----

func.func @attribute_c3_unroll(%n: index) {
  // expected-error @+1 {{expected 'tinytc.unroll' to be true, false or a positive i64, got 0 : i64}}
  scf.for %i = %n to %n step %n {
  } {tinytc.unroll = 0}
  return
}

// -----

func.func @attribute_c3_unroll_signed(%n: index) {
  // expected-error @+1 {{expected 'tinytc.unroll' to be true, false or a positive i64, got 4 : si64}}
  scf.for %i = %n to %n step %n {
  } {tinytc.unroll = 4 : si64}
  return
}

// -----

func.func @attribute_c3_fences() {
  // expected-error @+1 {{expected 'tinytc.fences' to be an array of address spaces, got [1]}}
  gpu.barrier {tinytc.fences = [1]}
  return
}

// -----

// expected-error @+1 {{expected 'subgroup_size' to be positive, got 0}}
func.func private @attribute_c4() attributes {tinytc.subgroup_size = 0 : i32}

// -----

// expected-error @+1 {{expected 'work_group_size' to have 2 entries, got 1}}
func.func private @attribute_c4_count() attributes {tinytc.work_group_size = array<i32: 16>}

// -----

// expected-error @+1 {{expected the first entry of 'work_group_size' to be a multiple of 'subgroup_size' = 16, got 8}}
func.func private @attribute_c4_multiple() attributes {
    tinytc.subgroup_size = 16 : i32, tinytc.work_group_size = array<i32: 8, 1>}

// -----

tinytc.func @attribute_c5() {
  // expected-error @+1 {{expected 'tinytc.local_offset' to be a multiple of the size of 'f32' = 4 from 0 to 2147483647, got 6}}
  %0 = tinytc.alloca {tinytc.local_offset = 6 : i64} : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @attribute_c5_negative() {
  // expected-error @+1 {{expected 'tinytc.local_offset' to be a multiple of the size of 'f32' = 4 from 0 to 2147483647, got -4}}
  %0 = tinytc.alloca {tinytc.local_offset = -4 : i64} : !tinytc.memref<4xf32, local>
}

// -----

tinytc.func @attribute_c5_gemm(%alpha: f16, %a: !tinytc.memref<4x4xf16>) {
  // expected-error @+1 {{expected 'tinytc.local_offset' to be a multiple of the size of 'f16' = 2 from 0 to 2147483647, got 3}}
  tinytc.gemm n n %alpha, %a, %a, %alpha, %a {tinytc.local_offset = 3 : i64}
    : f16, !tinytc.memref<4x4xf16>, !tinytc.memref<4x4xf16>, f16, !tinytc.memref<4x4xf16>
}

// -----

tinytc.func @attribute_c5_large() {
  // expected-error @+1 {{expected 'tinytc.local_offset' to be a multiple of the size of 'f32' = 4 from 0 to 2147483647, got 1099511627776}}
  %0 = tinytc.alloca {tinytc.local_offset = 1099511627776 : i64} : !tinytc.memref<4xf32, local>
}

// -----

// Attributes are verified before the op that they are on.
// expected-error @+1 {{requires one result}}
"tinytc.alloca"() {tinytc.local_offset = 0 : i64} : () -> ()

// -----

// expected-error @+1 {{must be reference to a tensor in memory}}
%0 = "tinytc.alloca"() {tinytc.local_offset = 0 : i64} : () -> i32

// -----

// An op of no registered dialect is one of another dialect.
// expected-error @+1 {{expected 'tinytc.unroll' on a loop of another dialect, got it on 'foo.bar'}}
"foo.bar"() {tinytc.unroll = true} : () -> ()

// -----

// expected-error @+1 {{expected 'tinytc.schedule' on a kernel of another dialect, got it on 'foo.bar'}}
"foo.bar"() {tinytc.schedule = #tinytc.schedule<rows = 1>} : () -> ()

// -----

// Parameters of other dialects keep the rules of ours.
// expected-error @+1 {{expected 'tinytc.alignment' of parameter 0 to be a positive multiple of the size of 'f32' = 4, got 6}}
func.func private @func_c7_builtin(%0: memref<?xf32> {tinytc.alignment = 6 : i64})

// -----

// expected-error @+1 {{expected entry 1 of 'tinytc.stride_gcd' of parameter 0 to divide 6, got 4}}
func.func private @func_c9_group(
    %0: memref<?xmemref<?x?xf32, strided<[1, 6]>>> {tinytc.stride_gcd = array<i64: 1, 4>})

// -----

// expected-error @+1 {{expected 'tinytc.shape_gcd' on a memref or group parameter, got it on parameter 0 of type 'memref<?xvector<4xf32>>'}}
func.func private @func_c6_vector(%0: memref<?xvector<4xf32>> {tinytc.shape_gcd = array<i64: 4>})
