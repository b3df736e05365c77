// RUN: tinytc-opt %s --split-input-file --tinytc-insert-barriers | FileCheck %s

// Accesses to different elements of one memref.

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @negative_different_elements
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_different_elements(%x: f32, %a: !global) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  tinytc.store %x, %a[%zero] : f32, !global
  %0 = tinytc.load %a[%one] : !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @same_element
//       CHECK:   tinytc.store
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
tinytc.func @same_element(%x: f32, %a: !global) {
  %one = tinytc.constant 1 : index
  tinytc.store %x, %a[%one] : f32, !global
  %0 = tinytc.load %a[%one] : !global
}

// -----

!global = !tinytc.memref<16xf32>

// CHECK-LABEL: @unknown_element
//       CHECK:   tinytc.store
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
tinytc.func @unknown_element(%x: f32, %a: !global, %i: index) {
  %one = tinytc.constant 1 : index
  tinytc.store %x, %a[%i] : f32, !global
  %0 = tinytc.load %a[%one] : !global
}

// -----

!global = !tinytc.memref<16xf32>

// Another parameter may be the same memory, shifted.
// CHECK-LABEL: @different_elements_of_two_parameters
//       CHECK:   tinytc.store
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
tinytc.func @different_elements_of_two_parameters(%x: f32, %a: !global, %b: !global) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  tinytc.store %x, %a[%zero] : f32, !global
  %0 = tinytc.load %b[%one] : !global
}

// -----

!matrix = !tinytc.memref<8x4xf32, local>
!columns = !tinytc.memref<8x2xf32, local>
!column = !tinytc.memref<8xf32, local>

// Columns 0 and 1, 2, and 3.
// CHECK-LABEL: @negative_columns
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_columns(%x: f32) {
  %a = tinytc.alloca : !matrix
  %0 = tinytc.subview %a[0:8, 0:2] : !matrix -> !columns
  %right = tinytc.subview %a[0:8, 2:2] : !matrix -> !columns
  %2 = tinytc.subview %right[0:8, 0] : !columns -> !column
  %3 = tinytc.subview %a[0:8, 3] : !matrix -> !column
  %line = tinytc.fuse %0[0, 1] : !columns -> !tinytc.memref<16xf32, local>
  tinytc.axpby n %x, %line, %x, %line
    : f32, !tinytc.memref<16xf32, local>, f32, !tinytc.memref<16xf32, local>
  tinytc.axpby n %x, %2, %x, %2 : f32, !column, f32, !column
  tinytc.axpby n %x, %3, %x, %3 : f32, !column, f32, !column
}

// -----

!matrix = !tinytc.memref<8x4xf32, local>
!half = !tinytc.memref<4x4xf32, strided<1,8>, local>

// Rows of several columns are interleaved: their ranges overlap.
// CHECK-LABEL: @rows
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier local
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @rows(%x: f32) {
  %a = tinytc.alloca : !matrix
  %top = tinytc.subview %a[0:4, 0:4] : !matrix -> !half
  %bottom = tinytc.subview %a[4:4, 0:4] : !matrix -> !half
  tinytc.axpby n %x, %top, %x, %top : f32, !half, f32, !half
  tinytc.axpby n %x, %bottom, %x, %bottom : f32, !half, f32, !half
}

// -----

!local = !tinytc.memref<16xf32, local>
!dynamic = !tinytc.memref<?xf32, local>

// CHECK-LABEL: @dynamic_size
//       CHECK:   tinytc.axpby
//  CHECK-NEXT:   tinytc.barrier local
//  CHECK-NEXT:   tinytc.axpby
tinytc.func @dynamic_size(%x: f32, %n: index) {
  %a = tinytc.alloca : !local
  %low = tinytc.subview %a[0:%n] : !local -> !dynamic
  %high = tinytc.subview %a[8:%n] : !local -> !dynamic
  tinytc.axpby n %x, %low, %x, %low : f32, !dynamic, f32, !dynamic
  tinytc.axpby n %x, %high, %x, %high : f32, !dynamic, f32, !dynamic
}

// -----

!global = !tinytc.memref<16xf32>

// The second iteration reads what the first one wrote, the store after the loop does not.
// CHECK-LABEL: @loop
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.barrier global
//  CHECK-NEXT:     tinytc.load
//  CHECK-NEXT:     tinytc.barrier global
//  CHECK-NEXT:     tinytc.store
//       CHECK:   }
//  CHECK-NEXT:   tinytc.store
tinytc.func @loop(%a: !global, %from: index, %to: index) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  %x = tinytc.constant 1.0 : f32
  tinytc.for %i = %from, %to {
    %y = tinytc.load %a[%zero] : !global
    tinytc.store %y, %a[%zero] : f32, !global
  }
  tinytc.store %x, %a[%one] : f32, !global
}

// -----

!global = !tinytc.memref<16xf32>

// Each iteration loads a different memref, which may overlap the last one.
// CHECK-LABEL: @members_of_a_group
//       CHECK:   tinytc.for
//  CHECK-NEXT:     tinytc.load
//  CHECK-NEXT:     tinytc.barrier global
//  CHECK-NEXT:     tinytc.load
//  CHECK-NEXT:     tinytc.barrier global
//  CHECK-NEXT:     tinytc.store
tinytc.func @members_of_a_group(%g: !tinytc.group<!global x ?>, %from: index, %to: index) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  tinytc.for %i = %from, %to {
    %a = tinytc.load %g[%i] : !tinytc.group<!global x ?>
    %x = tinytc.load %a[%zero] : !global
    tinytc.store %x, %a[%one] : f32, !global
  }
}

// -----

!global = !tinytc.memref<16xf32>

// One range for all accesses of an SPMD region, and of several instructions.
// CHECK-LABEL: @between_two_elements
//       CHECK:   tinytc.parallel
//       CHECK:   }
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
tinytc.func @between_two_elements(%x: f32, %a: !global) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  %two = tinytc.constant 2 : index
  tinytc.parallel {
    tinytc.store %x, %a[%zero] : f32, !global
    tinytc.store %x, %a[%two] : f32, !global
  }
  %0 = tinytc.load %a[%one] : !global
}

// -----

!global = !tinytc.memref<16xcomplex<f32>>
!parts = !tinytc.memref<2x16xf32>

// The parts of element 1 are numbers 2 and 3 of the memory, not elements 2 and 3.
// CHECK-LABEL: @parts_of_an_element
//       CHECK:   tinytc.store
//  CHECK-NEXT:   tinytc.barrier global
//  CHECK-NEXT:   tinytc.load
//  CHECK-NEXT:   tinytc.load
tinytc.func @parts_of_an_element(%x: complex<f32>, %a: !global) {
  %one = tinytc.constant 1 : index
  %two = tinytc.constant 2 : index
  %p = tinytc.expandc2r %a : !global -> !parts
  tinytc.store %x, %a[%one] : complex<f32>, !global
  %0 = tinytc.load %p[%one, %one] : !parts
  %1 = tinytc.load %p[%one, %two] : !parts
}

// -----

!global = !tinytc.memref<16xcomplex<f32>>
!parts = !tinytc.memref<2x16xf32>

// CHECK-LABEL: @negative_parts_of_other_elements
//   CHECK-NOT:   tinytc.barrier
tinytc.func @negative_parts_of_other_elements(%x: complex<f32>, %y: f32, %a: !global) {
  %zero = tinytc.constant 0 : index
  %one = tinytc.constant 1 : index
  %p = tinytc.expandc2r %a : !global -> !parts
  tinytc.store %x, %a[%one] : complex<f32>, !global
  %0 = tinytc.load %p[%one, %zero] : !parts
  tinytc.store %y, %p[%zero, %zero] : f32, !parts
}
