// RUN: tinytc-opt %s --tinytc-convert-gpu-to-vector --canonicalize --cse | FileCheck %s

module attributes {tinytc.target = #tinytc.target<name = "native", family = native,
    subgroup_sizes = [16], max_work_group_size = 1024, local_memory_bytes = 262144,
    f64 = true>} {
  gpu.module @kernels {
    // Parameters of the kernel, then the range of groups and the grid.
    // CHECK-LABEL: func.func @neighbours(
    // CHECK-SAME: %[[A:.*]]: !llvm.ptr, %[[N:.*]]: index, %[[FIRST:[^ ]*]]: i64, %[[LAST:[^ ]*]]: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
    // CHECK: scf.for %[[GROUP:.*]] =
    // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[A]][
    // CHECK: %[[X:.*]] = llvm.load %[[PLACE]] {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    // CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : vector<16xf32>
    // CHECK: llvm.store %[[Y]], %[[PLACE]] {alignment = 4 : i64}
    gpu.func @neighbours(%a: memref<?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %group = gpu.block_id x
      %start = arith.muli %group, %n : index
      %i = arith.addi %start, %lane : index
      %x = memref.load %a[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %a[%i] : memref<?xf32>
      gpu.return
    }

    // What all lanes load alike stays a scalar.
    // CHECK-LABEL: func.func @uniform(
    // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> f64
    // CHECK: llvm.store %{{.*}} : f64, !llvm.ptr
    // CHECK-NOT: vector
    // CHECK: return
    gpu.func @uniform(%a: memref<?xf64>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %x = memref.load %a[%i] : memref<?xf64>
      %y = arith.mulf %x, %x : f64
      memref.store %y, %a[%i] : memref<?xf64>
      gpu.return
    }

    // CHECK-LABEL: func.func @strided(
    // CHECK: llvm.intr.masked.gather
    // CHECK: llvm.intr.masked.scatter
    gpu.func @strided(%a: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c3 = arith.constant 3 : index
      %lane = gpu.lane_id
      %i = arith.muli %lane, %c3 : index
      %x = memref.load %a[%i] : memref<?xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %a[%i] : memref<?xf32>
      gpu.return
    }

    // An array of a work-item is one of vectors.
    // CHECK-LABEL: func.func @private(
    // CHECK: llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
    // CHECK: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
    // CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
    gpu.func @private(%a: memref<?xf32>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %lane = gpu.lane_id
      %array = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      %x = memref.load %a[%lane] : memref<?xf32>
      memref.store %x, %array[%i] : memref<4xf32, #gpu.address_space<private>>
      %y = memref.load %array[%i] : memref<4xf32, #gpu.address_space<private>>
      memref.store %y, %a[%lane] : memref<?xf32>
      gpu.return
    }

    // More than 32 KiB of local memory are the last parameter.
    // CHECK-LABEL: func.func @local(
    // CHECK-SAME: %{{.*}}: i64, %[[LOCAL:[^ ]*]]: !llvm.ptr)
    // CHECK-NOT: llvm.alloca
    // CHECK: llvm.store %{{.*}}, %[[LOCAL]]
    gpu.func @local(%x: f32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %c0 = arith.constant 0 : index
      %memory = memref.alloc() : memref<65536xi8, #gpu.address_space<workgroup>>
      %view = memref.view %memory[%c0][] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<16384xf32, #gpu.address_space<workgroup>>
      memref.store %x, %view[%c0] : memref<16384xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    // CHECK-LABEL: func.func @scalars(
    // CHECK-SAME: %[[BITS:[^ ]*]]: i16, %[[RE:[^ ]*]]: f32, %[[IM:[^ ]*]]: f32, %[[A:[^ ]*]]: !llvm.ptr,
    // CHECK: arith.bitcast %[[BITS]] : i16 to f16
    gpu.func @scalars(%x: f16, %z: complex<f32>, %a: memref<?xf32>, %h: memref<?xf16>, %i: index) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>, tinytc.subgroup_size = 16 : i32} {
      %im = complex.im %z : complex<f32>
      memref.store %im, %a[%i] : memref<?xf32>
      memref.store %x, %h[%i] : memref<?xf16>
      gpu.return
    }
  }
}
