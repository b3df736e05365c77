"""The number of a work-item, for kernels with subgroups of 16 in work-groups of 64 by 16."""

NUMBER = """
    %l = subgroup_local_id : i32
    %x = subgroup_id.x : i32
    %y = subgroup_id.y : i32
    %n = %y * 64 + %x * 16 + %l : i32
    %i = cast %n : index
"""
