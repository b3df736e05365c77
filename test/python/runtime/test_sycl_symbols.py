"""Functions of SYCL's library that dpctl does not offer, and that go when it does."""

import pathlib

import dpctl
import dpctl.program

from tinytc_mlir.runtime.spirv import sycl_symbols

#: What dpctl 0.22 and 0.23 have; more may be a program of a binary, or a handle of OpenCL.
OFFERED = {
    dpctl.program: {
        "SyclKernel",
        "SyclProgram",
        "SyclProgramCompilationError",
        "create_program_from_source",
        "create_program_from_spirv",
    },
    dpctl.program.SyclProgram: {"addressof_ref", "get_sycl_kernel", "has_sycl_kernel"},
    dpctl.program.SyclKernel: {
        "addressof_ref",
        "compile_num_sub_groups",
        "compile_sub_group_size",
        "get_function_name",
        "get_num_args",
        "max_num_sub_groups",
        "max_sub_group_size",
        "num_args",
        "preferred_work_group_size_multiple",
        "private_mem_size",
        "work_group_size",
    },
}


def test_dpctl_offers_no_more():
    for owner, names in OFFERED.items():
        more = {name for name in dir(owner) if not name.startswith("_")} - names
        assert not more, f"see whether sycl_symbols.py can go: dpctl now has {sorted(more)}"


def test_all_are_found():
    functions = sycl_symbols.sycl_functions(pathlib.Path(dpctl.__file__).parent)
    assert set(functions) == sycl_symbols.OF_BINARIES | {sycl_symbols.KERNEL}
    assert sycl_symbols.program_maker(dpctl.program) is not None


def test_another_library_has_none(tmp_path):
    assert sycl_symbols.sycl_functions(tmp_path) == {}
    assert sycl_symbols.program_maker(sycl_symbols) is None
