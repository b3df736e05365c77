// RUN: tinytc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'local_size' of a manifest to have three positive entries, got [16, 1]}}
func.func private @local_size() attributes {tinytc.manifest = #tinytc.manifest<local_size = [16, 1]>}

// -----

// expected-error @below {{expected 'local_size' of a manifest to have three positive entries, got [16, 0, 1]}}
func.func private @empty_group() attributes {tinytc.manifest = #tinytc.manifest<local_size = [16, 0, 1]>}

// -----

// expected-error @below {{expected 'groups_per_work_group' of a manifest to be positive, got 0}}
func.func private @groups() attributes {tinytc.manifest = #tinytc.manifest<groups_per_work_group = 0>}

// -----

// expected-error @below {{expected 'groups_of_block' of a manifest to be positive, got -1}}
func.func private @blocks() attributes {tinytc.manifest = #tinytc.manifest<groups_of_block = -1>}

// -----

// expected-error @below {{expected 'local_memory_bytes' of a manifest not to be negative, got -8}}
func.func private @memory() attributes {tinytc.manifest = #tinytc.manifest<local_memory_bytes = -8>}

// -----

// expected-error @below {{duplicate or unknown struct parameter name: local_bytes}}
func.func private @unknown() attributes {tinytc.manifest = #tinytc.manifest<local_bytes = 8>}

// -----

// expected-error @below {{expected the type of parameter "A" to be boolean, a scalar, a memref or a group, got 'tensor<4xf32>'}}
func.func private @type() attributes {a = #tinytc.parameter<name = "A", type = tensor<4xf32>>}

// -----

// expected-error @below {{expected parameter "n" of type 'index' to have no entries of a memref, got some}}
func.func private @scalar() attributes {a = #tinytc.parameter<name = "n", type = index, is_read = true>}

// -----

// expected-error @below {{expected 'alignment' of parameter "A" to be positive, got 0}}
func.func private @alignment() attributes {a = #tinytc.parameter<name = "A", type = memref<4xf32>, alignment = 0>}

// -----

// expected-error @below {{expected a list of products, each an i64 and values of the launch, got [[1 : i32]]}}
func.func private @factor() attributes {a = #tinytc.sum<[[1 : i32]]>}

// -----

// expected-error @below {{expected a list of products, each an i64 and values of the launch, got [[1, ["A", 0, "size"]]]}}
func.func private @value() attributes {a = #tinytc.sum<[[1, ["A", 0, "size"]]]>}

// -----

// expected-error @below {{expected a list of products, each an i64 and values of the launch, got [[1, ["/", [[1, ["n"]]], 0]]]}}
func.func private @quotient() attributes {a = #tinytc.sum<[[1, ["/", [[1, ["n"]]], 0]]]>}

// -----

// expected-error @below {{expected 'dimension' of a bound to be 0, 1 or 2, got 3}}
func.func private @dimension() attributes {a = #tinytc.bound<
  argument = "A", modes = [], dimension = 3, index = <slope = <[]>, start = <[]>>, conditions = []>}

// -----

// expected-error @below {{expected 'index' of an access to be one of group_id, shared, other, got "none"}}
func.func private @index() attributes {a = #tinytc.group_access<argument = "A", modes = [], index = "none">}

// -----

// expected-error @below {{expected 'other' of an access where 'index' is "other", got none with "other"}}
func.func private @other() attributes {a = #tinytc.group_access<argument = "A", modes = [], index = "other">}
