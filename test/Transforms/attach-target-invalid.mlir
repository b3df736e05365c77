// RUN: tinytc-opt %s --tinytc-attach-target=target=toaster --verify-diagnostics

// expected-error @below {{expected the target to be one of cpu, intel-gpu:pvc, intel-gpu:dg2, intel-gpu:bmg, cuda:sm_80, cuda:sm_90, cuda:sm_100, native, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-bf16, x86-64-v4-amx, aarch64, aarch64-mmla, aarch64-sve256, aarch64-sve512, got 'toaster'}}
module {}
