// RUN: tinytc-opt %s --tinytc-convert-gpu-to-nvvm --canonicalize | FileCheck %s

// Pointers, parameters, local memory, arrays of one work-item.

module attributes {tinytc.target = #tinytc.target<name = "cuda:sm_80", family = nvidia_gpu,
    subgroup_sizes = [8, 16, 32], max_work_group_size = 1024, local_memory_bytes = 166912,
    f64 = true>} {
gpu.module @kernels {

  //       CHECK: #[[$DYNAMIC:[a-z0-9]+]] = #tinytc.manifest<local_memory_bytes = 49280>
  //       CHECK: #[[$PRODUCT:[a-z0-9]+]] = #tinytc.manifest<{{.*}}aligned_variant = "product__aligned", aligned_members_variant = "product__aligned_members">
  //       CHECK: #[[$READS:[a-z0-9]+]] = #tinytc.manifest<{{.*}}aligned_variant = "reads__aligned", aligned_members_variant = "reads__aligned_members">
  //       CHECK: #[[$WRITES:[a-z0-9]+]] = #tinytc.manifest<{{.*}}variant_may_overlap = true>
  //       CHECK: #[[$STRIDES:[a-z0-9]+]] = #tinytc.manifest<{{.*}}aligned_strides = true

  // What the launch provides is one array; the second buffer follows the first.
  // CHECK-DAG: llvm.mlir.global external @dynamic_local_memory_0() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  // CHECK-DAG: llvm.mlir.global internal @declared_local_memory_0() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<512 x i8>

  // The kernel ABI: pointers, i64 for index, vectors of two for complex numbers.
  // CHECK-LABEL: llvm.func @parameters
  //  CHECK-SAME:   (%[[GROUP:[^:]*]]: !llvm.ptr<1>, %[[I:[^:]*]]: i64, %[[Z:[^:]*]]: vector<2xf32>, %[[B:[^:]*]]: i8)
  //  CHECK-SAME:   nvvm.kernel
  //  CHECK-SAME:   nvvm.reqntid = array<i32: 32, 1, 1>
  //   CHECK-NOT:   tinytc.
  //       CHECK:   %[[PLACE:.*]] = llvm.getelementptr inbounds %[[GROUP]][%[[I]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.ptr<1>
  //       CHECK:   %[[MEMBER:.*]] = llvm.load %[[PLACE]] {alignment = 8 : i64} : !llvm.ptr<1> -> !llvm.ptr<1>
  //       CHECK:   %[[ELEMENT:.*]] = llvm.getelementptr inbounds %[[MEMBER]][%[[I]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  //       CHECK:   llvm.store %{{.*}}, %[[ELEMENT]] {alignment = 4 : i64} : f32, !llvm.ptr<1>
  gpu.func @parameters(%group: memref<?xmemref<?xf32>>, %i: index, %z: complex<f32>, %b: i8) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %member = memref.load %group[%i] : memref<?xmemref<?xf32>>
    %re = complex.re %z : complex<f32>
    %x = arith.uitofp %b : i8 to f32
    %sum = arith.addf %re, %x : f32
    memref.store %sum, %member[%i] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @declared
  //       CHECK:   %[[BUFFER:.*]] = llvm.mlir.addressof @declared_local_memory_0 : !llvm.ptr<3>
  //       CHECK:   llvm.getelementptr inbounds %[[BUFFER]][128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  //       CHECK:   llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : f64, !llvm.ptr<3>
  gpu.func @declared(%x: f64, %i: index, %n: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %offset = arith.constant 128 : index
    %buffer = memref.alloc() : memref<512xi8, #gpu.address_space<workgroup>>
    %view = memref.view %buffer[%offset][%n]
      : memref<512xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
    memref.store %x, %view[%i] : memref<?xf64, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @dynamic
  //  CHECK-SAME:   tinytc.manifest = #[[$DYNAMIC]]
  //       CHECK:   %[[BASE:.*]] = llvm.mlir.addressof @dynamic_local_memory_0 : !llvm.ptr<3>
  //       CHECK:   llvm.getelementptr %[[BASE]][128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  gpu.func @dynamic(%x: i8, %i: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<>} {
    %first = memref.alloc() : memref<100xi8, #gpu.address_space<workgroup>>
    %second = memref.alloc() : memref<49152xi8, #gpu.address_space<workgroup>>
    memref.store %x, %first[%i] : memref<100xi8, #gpu.address_space<workgroup>>
    memref.store %x, %second[%i] : memref<49152xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // A kernel with products has a variant for arrays at multiples of 16 bytes. The
  // members of a group may be anywhere, except in one more variant: its pointers and the
  // offset lead to such addresses.
  // CHECK-LABEL: llvm.func @product(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr<1>)
  //  CHECK-SAME:   tinytc.manifest = #[[$PRODUCT]]}
  // CHECK-LABEL: llvm.func @product__aligned(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64})
  //   CHECK-NOT:   tinytc.manifest
  //   CHECK-NOT:   llvm.intr.assume
  //       CHECK:   llvm.intr.fma
  // CHECK-LABEL: llvm.func @product__aligned_members(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{[^:]*}}: i64, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[SIZE:[^:]*]]: i64, %[[OFFSET:[^:]*]]: i64, %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64})
  //       CHECK:   %[[PLACE:.*]] = llvm.getelementptr inbounds %[[TABLE]]
  //       CHECK:   %[[POINTER:.*]] = llvm.load %[[PLACE]] {{.*}} -> !llvm.ptr<1>
  //       CHECK:   %[[BYTES:.*]] = llvm.mul %[[OFFSET]], %{{.*}} : i64
  //       CHECK:   %[[MEMBER:.*]] = llvm.getelementptr %[[POINTER]][%[[BYTES]]] {{.*}}, i8
  //       CHECK:   llvm.intr.assume %{{.*}} ["align"(%[[MEMBER]], %{{.*}} : !llvm.ptr<1>, i64)]
  gpu.func @product(%a: memref<?xf32>, %stride: index, %group: memref<?xmemref<?xf32>>,
                    %size: index, %offset: index, %b: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "product", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = memref<4x4xf32,strided<1,?>>, alignment = 8>,
                    <name = "group", type = group<memref<4xf32> x ?, offset: ?>>,
                    <name = "b", type = memref<4xf32>>]>>} {
    %member = memref.load %group[%size] : memref<?xmemref<?xf32>>
    %x = memref.load %member[%offset] : memref<?xf32>
    %y = math.fma %x, %x, %x : f32
    memref.store %y, %b[%size] : memref<?xf32>
    gpu.return
  }

  // What a kernel only reads does not overlap what it writes, if the launch finds that
  // so. A promise of the program may leave memory that is not there after an array, so
  // that only the variant takes it.
  // CHECK-LABEL: llvm.func @reads(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>)
  //  CHECK-SAME:   tinytc.manifest = #[[$READS]]}
  // CHECK-LABEL: llvm.func @reads__aligned(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{[^:]*}}: !llvm.ptr<1>)
  gpu.func @reads(%a: memref<?xf32>, %c: memref<?xf32>, %group: memref<?xmemref<?xf32>>)
      kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "reads", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = memref<4xf32>, is_read = true, alignment = 16>,
                    <name = "c", type = memref<4xf32>, is_read = true, is_written = true, alignment = 16>,
                    <name = "group", type = group<memref<4xf32> x 2>, is_read = true>]>>} {
    %i = arith.constant 0 : index
    %x = memref.load %a[%i] : memref<?xf32>
    %y = math.fma %x, %x, %x : f32
    memref.store %y, %c[%i] : memref<?xf32>
    gpu.return
  }

  // Members of a group may be anywhere: if they are written, an overlap is possible. LLVM
  // knows alignments that are powers of two alone.
  // CHECK-LABEL: llvm.func @writes_members(
  //  CHECK-SAME:   tinytc.manifest = #[[$WRITES]]}
  // CHECK-LABEL: llvm.func @writes_members__aligned(
  //   CHECK-NOT:   llvm.noalias
  //       CHECK:   llvm.return
  gpu.func @writes_members(%a: memref<?xf32>, %group: memref<?xmemref<?xf32>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "writes_members", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = memref<4xf32>, is_read = true, alignment = 48>,
                    <name = "group", type = group<memref<4xf32> x 2>, is_written = true>]>>} {
    %i = arith.constant 0 : index
    %x = memref.load %a[%i] : memref<?xf32>
    %y = math.fma %x, %x, %x : f32
    %member = memref.load %group[%i] : memref<?xmemref<?xf32>>
    memref.store %y, %member[%i] : memref<?xf32>
    gpu.return
  }

  // Sums of products promise the strides that the program does not say, in a variant.
  // CHECK-LABEL: llvm.func @strides(
  //  CHECK-SAME:   tinytc.manifest = #[[$STRIDES]]}
  //   CHECK-NOT:   llvm.and
  // CHECK-LABEL: llvm.func @strides__aligned(
  //  CHECK-SAME:   %{{[^:]*}}: !llvm.ptr<1> {{[^,]*}}, %[[SIZE:[^:]*]]: i64, %[[STRIDE:[^:]*]]: i64)
  //       CHECK:   %[[MASK:.*]] = llvm.mlir.constant(-4 : i64)
  //       CHECK:   %[[ROUNDED:.*]] = llvm.and %[[STRIDE]], %[[MASK]]
  //   CHECK-NOT:   %[[STRIDE]]
  //       CHECK:   llvm.getelementptr {{.*}}[%[[ROUNDED]]]
  gpu.func @strides(%a: memref<?xf32>, %size: index, %stride: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32,
                  tinytc.manifest = #tinytc.manifest<kernel = <
                    name = "strides", subgroup_size = 32, requires = [], arguments = [
                    <name = "a", type = memref<4x?xf32,strided<1,?>>, is_read = true, is_written = true>]>>} {
    %x = memref.load %a[%size] : memref<?xf32>
    %y = math.fma %x, %x, %x : f32
    %z = math.fma %x, %x, %y : f32
    memref.store %z, %a[%stride] : memref<?xf32>
    gpu.return
  }

  // An array of one work-item lies at the start of the kernel.
  // CHECK-LABEL: llvm.func @private_array
  //       CHECK:   %[[COUNT:.*]] = llvm.mlir.constant(4 : i64) : i64
  //       CHECK:   llvm.alloca %[[COUNT]] x f32 {alignment = 4 : i64} : (i64) -> !llvm.ptr
  //       CHECK:   llvm.br
  gpu.func @private_array(%x: f32, %n: index) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tinytc.subgroup_size = 32 : i32} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      %array = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
      memref.store %x, %array[%zero] : memref<4xf32, #gpu.address_space<private>>
    }
    gpu.return
  }
}
}
