// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected the entries of a schedule not to be negative, got -1}}
tinytc.func @negative() attributes {schedule = #tinytc.schedule<columns = -1>} {
}

// -----

// expected-error @below {{expected 'rows' x 'columns' of a schedule to be at most 256, for which there are registers, got 2000 x 2000}}
tinytc.func @elements() attributes {schedule = #tinytc.schedule<rows = 2000, columns = 2000, unroll = 100>} {
}

// -----

// expected-error @below {{expected 'rows' x 'columns' of a schedule to be at most 256, for which there are registers, got 257 x 0}}
tinytc.func @one_entry() attributes {schedule = #tinytc.schedule<rows = 257>} {
}

// -----

// expected-error @below {{to be at most 256, for which there are registers, got 9223372036854775807 x 2}}
tinytc.func @no_overflow() attributes {schedule = #tinytc.schedule<rows = 9223372036854775807, columns = 2>} {
}

// -----

// expected-error @below {{expected 'rows' x 'columns' x 'unroll' of a schedule to be at most 4096, which fit in an instruction cache, got 16 x 16 x 17}}
tinytc.func @steps() attributes {schedule = #tinytc.schedule<rows = 16, columns = 16, unroll = 17>} {
}

// -----

tinytc.func @bounds() attributes {schedule = #tinytc.schedule<rows = 16, columns = 16, unroll = 16>} {
}
