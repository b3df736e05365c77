// RUN: not tinytc-opt %s --tile-write-bytecode="output=%t version=13.9" 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not tinytc-opt %s --tile-write-bytecode="output=%t version=13.1" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tinytc-opt %s --tile-write-bytecode=output=%t.none/no 2>&1 | FileCheck %s --check-prefix=FOLDER

// VERSION: error: expected a version of the bytecode (13.1, 13.2, 13.3), got 13.9
// OLD: error: 'tile.alloca' op expected bytecode 13.3, got 13.1
// FOLDER: error: cannot open output file
tile.module @kernels {
  tile.entry @allocates() {
    %0 = tile.alloca num_elem = 4, alignment = 4 : !tile.tile<!tile.ptr<f32>>
    tile.return
  }
}
