// RUN: tinytc-opt %s --tinytc-attach-target=target=toaster --verify-diagnostics

// expected-error @below {{expected the target to be one of cpu, intel-gpu:pvc, intel-gpu:dg2, intel-gpu:bmg, got 'toaster'}}
module {}
