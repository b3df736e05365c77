// RUN: tinytc-opt %s --split-input-file --tinytc-serialize-to-object --verify-diagnostics

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  gpu.module @kernels {
    llvm.func @right() {
      llvm.return
    }
    // expected-error @below {{expected code that LLVM can compile, got the error 'couldn't allocate input reg for constraint '{nothing}''}}
    llvm.func @unknown_register(%number: i64) {
      llvm.inline_asm has_side_effects "", "{nothing}" %number : (i64) -> ()
      llvm.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  // expected-error @below {{expected code that LLVM can compile, got the error 'call to forbidden marked "dontcall-error": no longer there'}}
  gpu.module @kernels {
    llvm.func @forbidden() attributes {passthrough = [["dontcall-error", "no longer there"]]}
    llvm.func @call() {
      llvm.call @forbidden() : () -> ()
      llvm.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  // expected-warning @below {{LLVM warns: call to old marked "dontcall-warn": use new}}
  gpu.module @kernels {
    llvm.func @old() attributes {passthrough = [["dontcall-warn", "use new"]]}
    llvm.func @call() {
      llvm.call @old() : () -> ()
      llvm.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  gpu.module @kernels {
    llvm.func @assembly() {
      // expected-error @below {{expected code without assembly, got 'nop'}}
      llvm.inline_asm has_side_effects "nop", "" : () -> ()
      llvm.return
    }
  }
}

// -----

module attributes {tinytc.target = #tinytc.target<name = "x86-64-v3", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 32>} {
  // expected-error @below {{expected code without assembly, got ["nop"]}}
  gpu.module @kernels attributes {llvm.module_asm = ["nop"]} {
    llvm.func @function() {
      llvm.return
    }
  }
}
