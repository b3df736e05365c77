"""Groups side by side in a block of NVIDIA's GPUs: the code of the nvvm stage, run on the host."""

import ctypes
import types

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases import kernel_check
from cases.case import parse
from cases.compiled_cases import device_cases, fitting
from cases.memory import Memory
from cases.rounding_bounds import disagreement
from ptx.host_blocks import HostKernel
from tinytc_mlir.runtime.arrays.array_view import ArrayView, NoArray
from tinytc_mlir.runtime.launches.arguments import PointerTable, Signature
from tinytc_mlir.runtime.launches.checks import ReportBuffer

TARGET = "cuda:sm_90"
PARTS = 4
STEP = 24 if profiles.IS_NIGHTLY else 120

SUMS = """
func @f(%A: memref<f32x16x?>, %B: memref<f32x16x?>) {ATTRIBUTES {
  %g = builtin.group_id : index
  %n = builtin.group_size : index
  %s = cast %n : f32
  %zero = constant 0.0 : f32
  %l = alloca : memref<f32x16,local>
  %a = subview %A[:,%g] : memref<f32x16>
  %b = subview %B[:,%g] : memref<f32x16>
  axpby.n %s, %a, %zero, %l
  cumsum %s, %l, 0, %zero, %b
}
"""

MEMBERS = """
func @f(%A: group<memref<f32x8x8>x?, offset: ?>, %B: memref<f32x8x8>,
        %C: group<memref<f32x8x8>x?, offset: ?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x8x8>
  %c = load %C[%g] : memref<f32x8x8>
  %one = constant 1.0 : f32
  gemm.n.n %one, %a, %B, %one, %c
}
"""


def encoded(parts):
    """Return the parameters of the ABI as values of ctypes, and what has to stay alive."""
    values, alive = [], []
    for part in parts:
        if isinstance(part, ArrayView):
            values.append(ctypes.c_void_p(part.address))
        elif isinstance(part, NoArray):
            values += [ctypes.c_int64(0)] * part.pointers
        elif isinstance(part, PointerTable):
            tables = [part.pointers([view.address for view in part.views]), *part.dope]
            alive += [np.ascontiguousarray(table, np.int64) for table in tables]
            values += [ctypes.c_void_p(table.ctypes.data) for table in alive[-len(tables) :]]
        elif isinstance(part, bytes):
            values.append((ctypes.c_uint8 * len(part)).from_buffer_copy(part))
        else:
            values.append(part)
    return values, alive


class HostQueue:
    """What a buffer of reports needs of a queue."""

    def allocate(self, size_bytes):
        host = np.zeros(size_bytes, np.uint8)
        return types.SimpleNamespace(
            host=host,
            native=host,
            address=host.ctypes.data,
            upload=lambda: None,
            download=lambda: None,
        )


def launch(module, name, arguments, groups, *, debug=False, variant=""):
    """Run a kernel on the host; returns its description, None if it did not run."""
    info = module.compile(TARGET, debug=debug).kernels[name]
    if info.local_size[2] == 1:
        return None
    stage = module.lower("nvvm", target=TARGET, debug=debug)
    kernel = HostKernel(tt.Context(), stage, info, name + variant)
    if not kernel.is_supported:
        return None
    signature = Signature(info)
    parts = signature.parts((), arguments)
    sizes, local, extra = signature.ranges(groups, parts)
    assert len(extra) == 1
    reports = ReportBuffer(info, HostQueue())
    addresses = [ctypes.c_void_p(reports.pointer.address)] if info.checks else []
    values, _alive = encoded([*parts, *addresses, *extra])
    kernel(values, [size // step for size, step in zip(sizes, local, strict=True)])
    if error := reports.error():
        raise error
    return info


def check(case):
    """Compare a case with the reference; returns the description of its kernel."""
    case = fitting(case, TARGET)
    if case is None:
        return None
    module = parse([case])
    actual, expected = Memory(case.parameters, np.copy), Memory(case.parameters, np.copy)
    info = launch(module, "k0", actual.arguments, case.groups)
    if info is None:
        return None
    run = kernel_check.reference(module, info, case.groups)
    run(args=expected.arguments)
    message = disagreement(case, expected, actual, run)
    assert not message, f"{case.name}: {message}\n{case.text('f')}"
    return info


@pytest.mark.parametrize("part", range(PARTS))
def test_device_cases(part):
    infos = filter(None, map(check, device_cases()[part :: STEP * PARTS]))
    assert len(list(infos)) > 2


@pytest.mark.similar
@pytest.mark.parametrize("lanes", [8, 16, 32])
@pytest.mark.parametrize("groups", [1, 2, 15, 17])
def test_local_memory_and_barriers(lanes, groups):
    """Each group has its own, and the last block has fewer."""
    attributes = f") attributes{{subgroup_size={lanes}, work_group_size=[{lanes},1]}}"
    module = tt.Context().parse(SUMS.replace(") {ATTRIBUTES", attributes))
    a = np.asfortranarray(np.arange(16.0 * groups).reshape(16, groups) % 7, np.float32)
    b = np.zeros_like(a)
    info = launch(module, "f", {"A": a, "B": b}, groups)
    assert info.local_size[2] == info.groups_per_work_group >= 32 // lanes
    assert (b == np.cumsum(a * groups, axis=0) * groups).all()


def test_reports():
    """The pointer to the buffer comes before the number of groups, and violations are counted."""
    module = tt.Context().parse(
        """
func @f(%A: memref<f32x5>) attributes{subgroup_size=16, work_group_size=[16,1]} {
  %g = builtin.group_id : index
  %x = constant 1.0 : f32
  store %x, %A[%g]
}
"""
    )
    a = np.zeros(5, np.float32)
    with pytest.raises(tt.CheckError, match=r"got 5 \(group 5; 1 more violation\)"):
        launch(module, "f", {"A": a}, 7, debug=True)
    assert a.all()


@pytest.mark.parametrize("offset", [0, 4])
@pytest.mark.parametrize("variant", ["", "__aligned", "__aligned_members"])
def test_variants_for_members(variant, offset):
    """They compute the same where what they promise holds."""
    module = tt.Context().parse(MEMBERS)
    rng = np.random.default_rng(offset)

    def matrices(count):
        whole = rng.integers(-4, 5, (64 + offset + 4, count)).astype(np.float32, order="F")
        begin = -whole.ctypes.data % 16 // 4
        return [whole[begin : begin + 64 + offset, i] for i in range(count)]

    a, c = matrices(5), matrices(5)
    (b,) = (each[offset:].reshape(8, 8, order="F") for each in matrices(1))
    views = [[each[offset:].reshape(8, 8, order="F") for each in group] for group in (a, c)]
    expected = [x @ b + y for x, y in zip(*views, strict=True)]
    groups = [tt.Group(each, offset, (8, 8)) for each in (a, c)]
    info = launch(module, "f", {"A": groups[0], "B": b, "C": groups[1]}, 5, variant=variant)
    assert info.aligned_variant == "f__aligned"
    assert info.aligned_members_variant == "f__aligned_members"
    assert (np.array(views[1]) == expected).all()
