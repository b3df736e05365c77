// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

tinytc.func @assert_c1(%n: index) {
  // expected-error @+1 {{operand #0 must be boolean type, but got 'index'}}
  "tinytc.assert"(%n) <{text = "n"}> : (index) -> ()
}

// -----

tinytc.func @report_buffer(%buffer: !tinytc.memref<8xi64>, %g: index) {
  // expected-error @+1 {{expected 'buffer' to have type '!tinytc.memref<16xi64>', got '!tinytc.memref<8xi64>'}}
  tinytc.report 0 "x"() of %g weight 1 to %buffer : !tinytc.memref<8xi64>
}

// -----

tinytc.func @print_c1(%z: complex<f32>) {
  // expected-error @+1 {{expected at most 9 numbers to print, a complex one counting twice, got 10}}
  tinytc.print "z", %z, %z, %z, %z, %z
    : complex<f32>, complex<f32>, complex<f32>, complex<f32>, complex<f32>
}

// -----

tinytc.func @report_prints(%buffer: !tinytc.memref<16xi64>, %g: index) {
  // expected-error @+1 {{expected 'buffer' to have type '!tinytc.memref<16384xi64>', got '!tinytc.memref<16xi64>'}}
  tinytc.report print 0 "x"() of %g weight 1 to %buffer : !tinytc.memref<16xi64>
}

// -----

tinytc.func @report_values(%buffer: !tinytc.memref<16xi64>, %g: i8, %i: index) {
  // expected-error @+1 {{expected at most 9 values, got 10}}
  tinytc.report 0 "x"(%g, %g, %g, %g, %g, %g, %g, %g, %g, %g : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8) of %i weight 1 to %buffer : !tinytc.memref<16xi64>
}

// -----

tinytc.func @stride_mode(%a: !tinytc.memref<4x4xf32>) {
  // expected-error @+1 {{expected the mode to be at least 0 and less than the order 2, got 2}}
  %0 = tinytc.stride %a[2] : !tinytc.memref<4x4xf32>
}

// -----

tinytc.func @is_convertible_type(%x: f32) {
  // expected-error @+1 {{expected 'type' to be an integer type, got 'f32'}}
  %0 = tinytc.is_convertible %x to f32 : f32
}
