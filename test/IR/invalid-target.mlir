// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error-re @+1 {{expected 'name' to be one of {{.*}}, got 'toaster'}}
module attributes {tinytc.target = #tinytc.target<
  name = "toaster", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

module attributes {tinytc.target = #tinytc.target<
  // expected-error @+1 {{expected the family to be one of cpu, intel_gpu, nvidia_gpu, native, got 'toaster'}}
  name = "cpu", family = toaster, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'family' of target 'cpu' to be cpu, got intel_gpu}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = intel_gpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'subgroup_sizes' to have an entry, got none}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'subgroup_sizes' to be positive and in ascending order, got -16 after 0}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [-16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'subgroup_sizes' to be positive and in ascending order, got 8 after 16}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16, 8], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'max_work_group_size' to be positive, got -64}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = -64,
  local_memory_bytes = 64, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'local_memory_bytes' not to be negative, got -1}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = -1, f64 = true>} {}

// -----

// expected-error @+1 {{expected 'vector_bytes' of target 'cpu' to be one of 0, 64, 32, 16, got 7}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true, vector_bytes = 7>} {}

// -----

// expected-error @+1 {{expected 'vector_bytes' of target 'intel-gpu:dg2' to be one of 0, 64, got 32}}
module attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:dg2", family = intel_gpu, subgroup_sizes = [16],
  max_work_group_size = 64, local_memory_bytes = 64, f64 = false, vector_bytes = 32>} {}

// -----

// expected-error @+1 {{expected 'registers' of target 'cpu' to be 0, got 256}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true, registers = 256>} {}

// -----

// expected-error @+1 {{expected 'registers' of target 'intel-gpu:dg2' to be one of 0, 128, 256, got 64}}
module attributes {tinytc.target = #tinytc.target<
  name = "intel-gpu:dg2", family = intel_gpu, subgroup_sizes = [16],
  max_work_group_size = 64, local_memory_bytes = 64, f64 = false, registers = 64>} {}

// -----

// expected-error @+1 {{expected a target whose matrix unit multiplies tf32 for 'allow_tf32', one of intel-gpu:pvc, intel-gpu:bmg, got 'cpu'}}
module attributes {tinytc.target = #tinytc.target<
  name = "cpu", family = cpu, subgroup_sizes = [16], max_work_group_size = 64,
  local_memory_bytes = 64, f64 = true, allow_tf32 = true>} {}
