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

// -----

// LLVM aborts: it may use only a half of the registers, which has no masks of 64 lanes.
module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [64], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  // expected-error @below {{expected code that LLVM can compile, got a crash of LLVM}}
  gpu.module @kernels {
    llvm.func @crash(%a: !llvm.ptr, %i: i64) attributes {passthrough = [
        ["prefer-vector-width", "256"], ["min-legal-vector-width", "256"]]} {
      %zero = llvm.mlir.zero : vector<64xi32>
      %x = llvm.load %a : !llvm.ptr -> vector<64xi32>
      %mask = llvm.icmp "slt" %x, %zero : vector<64xi32>
      %any = "llvm.intr.vector.reduce.or"(%mask) : (vector<64xi1>) -> i1
      llvm.cond_br %any, ^loop(%i : i64), ^end
    ^loop(%lane: i64):
      %runs = llvm.extractelement %mask[%lane : i64] : vector<64xi1>
      %next = llvm.add %lane, %i : i64
      llvm.cond_br %runs, ^loop(%next : i64), ^end
    ^end:
      llvm.return
    }
  }
}
