"""The chains of SeisSol, in one library, called as a host in C calls them; NumPy is the judge."""

import ctypes

import numpy as np

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_bench.seissol_cases import seissol_cases
from tinytc_mlir.embedding import build_library
from tinytc_mlir.runtime.kernel_info import GroupArgument

GROUPS = 5


def arguments(case, rng):
    """Return arrays for a chain, packed column-major, with the batch as the last mode."""
    found = {}
    for array in case.arrays:
        shape = array.shape if array.is_shared else (*array.shape, GROUPS)
        values = whole_numbers(rng, shape).astype({"f32": "f4", "f64": "f8"}[case.type])
        found[array.name] = np.asfortranarray(values)
    return found


def structure(info, arrays):
    """Return the structure of a call, and the lists of members that it points to."""
    values, lists = [], []
    for argument in info.arguments:
        array = arrays[argument.name]
        if not isinstance(argument, GroupArgument):
            values += [ctypes.c_void_p(array.ctypes.data)]
            sizes = zip(argument.shape, array.shape, strict=True)
            values += [ctypes.c_int64(size) for expected, size in sizes if expected is None]
            continue
        members = [array[..., group].ctypes.data for group in range(GROUPS)]
        lists.append((ctypes.c_void_p * GROUPS)(*members))
        values.append(ctypes.cast(lists[-1], ctypes.c_void_p))
        values += [ctypes.c_int64(GROUPS)] * (argument.size is None)
        values += [ctypes.c_int64(0)] * (argument.offset is None)
    values.append(ctypes.c_int64(GROUPS))
    fields = [(f"f{number}", type(value)) for number, value in enumerate(values)]
    kind = type("Arguments", (ctypes.Structure,), {"_fields_": fields})
    return kind(*values), lists


def test_chains(tmp_path):
    cases = [case for case in seissol_cases() if case.type == "f64"]
    # Names of tandem are hashes of 64 digits, more than Fortran takes.
    names = {case.name: f"chain_{number}" for number, case in enumerate(cases)}
    texts = (case.ours.text.replace(*case.ours.kernels, names[case.name]) for case in cases)
    module = tt.Context().parse("\n".join(texts))
    build_library(module, tmp_path, "chains", targets=["native"])
    library = ctypes.CDLL(str(tmp_path / "lib" / "libchains.so"))
    infos = {
        kernel.name: kernel for kernel in module.compile("native", abi="plain").manifest.kernels
    }
    rng = np.random.default_rng(1)
    message = ctypes.create_string_buffer(200)
    for case in cases:
        name = names[case.name]
        arrays = arguments(case, rng)
        expected = case.expected({key: array.copy("F") for key, array in arrays.items()})
        given, _lists = structure(infos[name], arrays)
        check = getattr(library, f"chains_{name}_check")
        assert check(ctypes.byref(given), message, ctypes.c_size_t(200)) == 0, message.value
        getattr(library, f"chains_{name}")(
            ctypes.byref(given), ctypes.c_int64(0), ctypes.c_int64(GROUPS)
        )
        for key, values in expected.items():
            np.testing.assert_array_equal(arrays[key], values)
