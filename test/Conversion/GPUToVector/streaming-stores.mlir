// RUN: tinytc-opt %s --split-input-file --tinytc-convert-vector-to-llvm --cse | FileCheck %s

// A launch with 2 MiB for each of 64 groups and more stores a result that it never
// reads past the caches, if it begins at a line. The next group's lines are fetched only otherwise.
module attributes {tinytc.target = #tinytc.target<name = "x86-64-v4", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // CHECK-LABEL: llvm.func @scale(
    //  CHECK-SAME:   %[[A:[^:]*]]: !llvm.ptr, %[[B:[^:]*]]: !llvm.ptr, %[[STRIDE:[^:]*]]: i64,
    //   CHECK-DAG: %[[LIMIT:.*]] = llvm.mlir.constant(64 : i64)
    //   CHECK-DAG: %[[LINE:.*]] = llvm.mlir.constant(63 : i64)
    //   CHECK-DAG: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i64)
    //   CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
    //       CHECK: %[[LARGE:.*]] = llvm.icmp "uge" %{{.*}}, %[[LIMIT]] : i64
    //       CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[B]]
    //       CHECK: %[[IN_LINE:.*]] = llvm.and %[[ADDRESS]], %[[LINE]]
    //       CHECK: %[[BEGINS:.*]] = llvm.icmp "eq" %[[IN_LINE]], %[[NONE]]
    //       CHECK: %[[BOTH:.*]] = llvm.and %[[LARGE]], %[[BEGINS]]
    //       CHECK: llvm.and %[[STRIDE]], %[[SEVEN]]
    //       CHECK: %[[FLAG:.*]] = llvm.and %[[BOTH]], %{{.*}}
    //       CHECK: %[[BITS:.*]] = llvm.select %[[FLAG]], %{{.*}}, %{{.*}} : i1, i64
    //       CHECK: %[[NEXT:.*]] = llvm.add
    //       CHECK: llvm.lshr %[[NEXT]], %[[BITS]]
    //       CHECK: llvm.intr.prefetch
    //       CHECK: llvm.intr.prefetch
    //       CHECK: llvm.cond_br %[[FLAG]]
    //       CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf64>
    //       CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf64>
    //  CHECK-NEXT: llvm.br
    //       CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<8xf64>
    //       CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<8xf64>
    //       CHECK: llvm.cond_br %[[FLAG]]
    //       CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()
    func.func @scale(%a: !llvm.ptr, %b: !llvm.ptr, %stride: i64, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %distance = arith.index_cast %stride : i64 to index
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %group = %begin to %end step %one {
        %next = arith.addi %group, %one : index
        %next_place = arith.muli %next, %distance : index
        %next_number = arith.index_cast %next_place : index to i64
        %next_a = llvm.getelementptr %a[%next_number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        "llvm.intr.prefetch"(%next_a) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
        %next_b = llvm.getelementptr %b[%next_number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        "llvm.intr.prefetch"(%next_b) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
        %place = arith.muli %group, %distance : index
        %number = arith.index_cast %place : index to i64
        %source = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        %value = llvm.load %source {alignment = 8 : i64} : !llvm.ptr -> vector<8xf64>
        %target = llvm.getelementptr %b[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %value, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
        %second = arith.addi %place, %eight : index
        %second_number = arith.index_cast %second : index to i64
        %second_target = llvm.getelementptr %b[%second_number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %value, %second_target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }

    // It is read, or columns of 9 begin anywhere.
    // CHECK-LABEL: llvm.func @update(
    //   CHECK-NOT: nontemporal
    // CHECK-LABEL: llvm.func @columns(
    //   CHECK-NOT: nontemporal
    func.func @update(%a: !llvm.ptr, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %group = %begin to %end step %one {
        %place = arith.muli %group, %eight : index
        %number = arith.index_cast %place : index to i64
        %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        %value = llvm.load %target {alignment = 8 : i64} : !llvm.ptr -> vector<8xf64>
        %sum = arith.addf %value, %value : vector<8xf64>
        llvm.store %sum, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }

    func.func @columns(%a: !llvm.ptr, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      scf.for %group = %begin to %end step %one {
        %place = arith.muli %group, %nine : index
        %number = arith.index_cast %place : index to i64
        %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %zero, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }

    // All groups store to %b, which stays in a cache.
    // CHECK-LABEL: llvm.func @shared(
    //   CHECK-NOT: nontemporal
    //       CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf64>
    //   CHECK-NOT: nontemporal
    func.func @shared(%a: !llvm.ptr, %b: !llvm.ptr, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %count = arith.index_cast %nx : i64 to index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %none = arith.constant 0 : index
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      %many = arith.constant 64 : index
      scf.for %group = %begin to %end step %one {
        %place = arith.muli %group, %many : index
        %shared_place = arith.muli %count, %many : index
        scf.for %column = %none to %many step %eight {
          %sum = arith.addi %place, %column : index
          %number = arith.index_cast %sum : index to i64
          %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
          llvm.store %zero, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
          %other_sum = arith.addi %shared_place, %column : index
          %other_number = arith.index_cast %other_sum : index to i64
          %other = llvm.getelementptr %b[%other_number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
          llvm.store %zero, %other {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
        }
      }
      return
    }

    // A launch of several rows stores elsewhere in each.
    // CHECK-LABEL: llvm.func @rows(
    //       CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<8xf64>
    func.func @rows(%a: !llvm.ptr, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [1]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %row = arith.index_cast %y : i64 to index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %one = arith.constant 1 : index
      %many = arith.constant 64 : index
      scf.for %group = %begin to %end step %one {
        %place = arith.muli %row, %many : index
        %number = arith.index_cast %place : index to i64
        %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %zero, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }

    // The second result of an op is the address.
    // CHECK-LABEL: llvm.func @high_half(
    //       CHECK: %[[NEXT:.*]] = llvm.lshr
    //       CHECK: %[[WIDE:.*]] = llvm.zext %[[NEXT]] : i64 to i128
    //       CHECK: %[[PRODUCT:.*]] = llvm.mul %[[WIDE]], %{{.*}} : i128
    //       CHECK: %[[SHIFTED:.*]] = llvm.lshr %[[PRODUCT]], %{{.*}} : i128
    //       CHECK: %[[HIGH:.*]] = llvm.trunc %[[SHIFTED]] : i128 to i64
    //       CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[%[[HIGH]]]
    //       CHECK: "llvm.intr.prefetch"(%[[ADDRESS]])
    func.func @high_half(%a: !llvm.ptr, %factor: i64, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %group = %begin to %end step %one {
        %next = arith.addi %group, %one : index
        %next_number = arith.index_cast %next : index to i64
        %low, %high = arith.mului_extended %next_number, %factor : i64
        %fetched = llvm.getelementptr %a[%high] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        "llvm.intr.prefetch"(%fetched) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
        %place = arith.muli %group, %eight : index
        %number = arith.index_cast %place : index to i64
        %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %zero, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }

    // A loop computes the address of the prefetch.
    // CHECK-LABEL: llvm.func @loop(
    //   CHECK-NOT: nontemporal
    func.func @loop(%a: !llvm.ptr, %length: index, %first: i64, %last: i64,
        %y: i64, %z: i64, %nx: i64, %ny: i64, %nz: i64)
        attributes {tinytc.manifest = #tinytc.manifest<bounds = <flops_per_group = 16, bytes_per_group = 2097152, group_bounds = [], equal_sizes = [], disjoint_blocks = [], unchecked_uses = [], group_accesses = [], launch_dependent = [], grid_dimensions = [0]>>} {
      %begin = arith.index_cast %first : i64 to index
      %end = arith.index_cast %last : i64 to index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %one = arith.constant 1 : index
      %eight = arith.constant 8 : index
      scf.for %group = %begin to %end step %one {
        %next = arith.addi %group, %one : index
        %sum = scf.for %i = %one to %length step %one iter_args(%last_sum = %next) -> (index) {
          %more = arith.muli %last_sum, %i : index
          scf.yield %more : index
        }
        %next_number = arith.index_cast %sum : index to i64
        %fetched = llvm.getelementptr %a[%next_number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        "llvm.intr.prefetch"(%fetched) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
        %place = arith.muli %group, %eight : index
        %number = arith.index_cast %place : index to i64
        %target = llvm.getelementptr %a[%number] : (!llvm.ptr, i64) -> !llvm.ptr, f64
        llvm.store %zero, %target {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
      }
      return
    }
  }
}
