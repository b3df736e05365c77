// RUN: tinytc-opt %s --split-input-file --tinytc-convert-gpu-to-spirv | FileCheck %s

// Vectors are only aligned like their elements, and go through memory in pieces of at most four
// numbers.
module attributes {tinytc.target = #tinytc.target<name = "cpu", family = cpu,
    subgroup_sizes = [16], max_work_group_size = 8192, local_memory_bytes = 262144,
    f64 = true, vector_bytes = 64>} {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @pieces
  //       CHECK:   %[[FIRST:.*]] = spirv.Bitcast %{{.*}} : !spirv.ptr<f32, CrossWorkgroup> to !spirv.ptr<vector<4xi64>, CrossWorkgroup>
  //       CHECK:   %[[ONE:.*]] = spirv.Constant 1 : i64
  //       CHECK:   %[[SECOND:.*]] = spirv.PtrAccessChain %[[FIRST]][%[[ONE]]]
  //       CHECK:   %[[BITS:.*]] = spirv.Load "CrossWorkgroup" %[[FIRST]] ["Aligned", 4] : vector<4xi64>
  //       CHECK:   %[[LOW:.*]] = spirv.Bitcast %[[BITS]] : vector<4xi64> to vector<8xf32>
  //       CHECK:   %[[BITS:.*]] = spirv.Load "CrossWorkgroup" %[[SECOND]] ["Aligned", 4] : vector<4xi64>
  //       CHECK:   %[[HIGH:.*]] = spirv.Bitcast %[[BITS]] : vector<4xi64> to vector<8xf32>
  //       CHECK:   %[[ALL:.*]] = spirv.VectorShuffle {{.*}} %[[LOW]], %[[HIGH]] : {{.*}} -> vector<16xf32>
  //       CHECK:   %[[TURNED:.*]] = spirv.VectorShuffle {{.*}} %[[ALL]], %[[ALL]]
  //       CHECK:   %[[LOW:.*]] = spirv.VectorShuffle [0 : i32, {{.*}}, 7 : i32] %[[TURNED]], %[[TURNED]]
  //       CHECK:   %[[BITS:.*]] = spirv.Bitcast %[[LOW]] : vector<8xf32> to vector<4xi64>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[BITS]] ["Aligned", 4]
  //       CHECK:   %[[HIGH:.*]] = spirv.VectorShuffle [8 : i32, {{.*}}, 15 : i32] %[[TURNED]], %[[TURNED]]
  //       CHECK:   %[[BITS:.*]] = spirv.Bitcast %[[HIGH]] : vector<8xf32> to vector<4xi64>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[BITS]] ["Aligned", 4]
  gpu.func @pieces(%a: memref<?xf32>, %b: memref<?xf32>, %i: index)
      kernel attributes {tinytc.subgroup_size = 16 : i32} {
    %v = vector.load %a[%i] : memref<?xf32>, vector<16xf32>
    %w = vector.shuffle %v, %v [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
        : vector<16xf32>, vector<16xf32>
    vector.store %w, %b[%i] : memref<?xf32>, vector<16xf32>
    gpu.return
  }

  // Numbers of 8 bytes are what goes through memory, here with an alignment of their own.
  // CHECK-LABEL: spirv.func @numbers
  //       CHECK:   %[[BITS:.*]] = spirv.Load "CrossWorkgroup" %{{.*}} ["Aligned", 32] : vector<4xi64>
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %[[BITS]] ["Aligned", 8] : vector<4xi64>
  gpu.func @numbers(%a: memref<?xi64>, %b: memref<?xi64>, %i: index)
      kernel attributes {tinytc.subgroup_size = 4 : i32} {
    %v = vector.load %a[%i] {alignment = 32 : i64} : memref<?xi64>, vector<4xi64>
    vector.store %v, %b[%i] : memref<?xi64>, vector<4xi64>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @whole
  //       CHECK:   spirv.Load "CrossWorkgroup" %{{.*}} ["Aligned", 8] : vector<4xi64>
  //   CHECK-NOT:   spirv.VectorShuffle
  //       CHECK:   spirv.Store "CrossWorkgroup" %{{.*}}, %{{.*}} ["Aligned", 8] : vector<4xi64>
  gpu.func @whole(%a: memref<?xf64>, %b: memref<?xf64>, %i: index)
      kernel attributes {tinytc.subgroup_size = 4 : i32} {
    %v = vector.load %a[%i] : memref<?xf64>, vector<4xf64>
    vector.store %v, %b[%i] : memref<?xf64>, vector<4xf64>
    gpu.return
  }
}
}
