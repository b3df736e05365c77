// RUN: tinytc-opt %s --pass-pipeline='builtin.module(tinytc.func(tinytc-pack-operands))' --verify-diagnostics --split-input-file

// expected-error @below {{expected the module to have a target, got none: run tinytc-attach-target first}}
tinytc.func @product() {}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64, local_memory_bytes = 4096, f64 = true>} {
  tinytc.func @size_that_nobody_knows(%a: !tinytc.memref<?x8xf32>, %b: !tinytc.memref<8x8xf32>,
                                      %c: !tinytc.memref<?x8xf32>) {
    %one = tinytc.constant 1.0 : f32
    // expected-error @below {{expected a strategy for an op of this form, in this work-group, got local_copies}}
    tinytc.gemm n n %one, %a, %b, %one, %c {tinytc.strategy = #tinytc.strategy<kind = local_copies, copies_a = true>}
      : f32, !tinytc.memref<?x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<?x8xf32>
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64, local_memory_bytes = 4096, f64 = true>} {
  tinytc.func @bytes(%a: !tinytc.memref<8x8xf32>, %c: !tinytc.memref<8x8xf32>) {
    %one = tinytc.constant 1.0 : f32
    // expected-error @below {{expected the strategy to have the 256 bytes of local memory that its copies need, got 0}}
    tinytc.gemm n n %one, %a, %a, %one, %c {tinytc.strategy = #tinytc.strategy<kind = local_copies, copies_a = true>}
      : f32, !tinytc.memref<8x8xf32>, !tinytc.memref<8x8xf32>, f32, !tinytc.memref<8x8xf32>
  }
}
