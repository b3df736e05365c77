"""What a person sees of the package: names, signatures and representations."""

import asyncio
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.kernels import namespace
from tinytc_mlir.runtime import devices

TEXT = """
func @scale(%alpha: f32, %X: memref<f32x4x?>) {
  %g = builtin.group_id : index
  %x = subview %X[:,%g] : memref<f32x4>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}
"""


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT, "scale.ir")


@pytest.fixture(scope="module")
def kernel(module):
    return module.compile("cpu", vector_bytes=64)["scale"]


def test_public_names_only():
    assert dir(tt) == sorted({*tt.__all__, *namespace.names()})
    code = "import tinytc_mlir as tt; print([n for n in vars(tt) if not n.startswith('_')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    modules = {"runtime", "switches", "version"}  # which Python puts there
    assert set(re.findall(r"'(\w+)'", shown)) <= {*modules, "annotations", "TYPE_CHECKING"}
    for name in tt.__all__:
        assert getattr(tt, name) is not None


def test_all_names_at_once_without_other_libraries(monkeypatch):
    for name in ("jax", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    found = {}
    exec("from tinytc_mlir import *", found)
    assert {*found} - {"__builtins__"} == {*tt._NAMES} - {"jax", "torch"}


def test_type_checkers_see_the_same_names():
    text = pathlib.Path(tt.__file__).read_text()
    shown = set(re.findall(r"import \w+ as ([A-Za-z]\w*|__version__)$", text, re.MULTILINE))
    assert shown == set(tt.__all__)


def test_type_checkers_see_the_names_of_kernels():
    stub = pathlib.Path(tt.__file__).parent / "kernels" / "language.pyi"
    shown = set(
        re.findall(
            r"^(?:def |    (?=[a-z]\w+: Any$))?([a-z]\w*)(?:\(|: )", stub.read_text(), re.MULTILINE
        )
    )
    assert shown == {*namespace.names()} - {*tt.__all__}


def test_a_misspelt_name():
    with pytest.raises(AttributeError, match="has no attribute 'Contxt'; did you mean 'Context'?"):
        tt.Contxt  # noqa: B018


def test_signatures(kernel):
    options = "*, groups=None, queue=None, verify=False, copy=True)"
    assert str(inspect.signature(kernel)) == f"(alpha: 'f32', X: 'memref<f32x4x?>', {options}"
    assert "groups" in inspect.signature(tt.Kernel.__call__).parameters
    assert "program" in inspect.signature(tt.Kernel).parameters
    inspect.signature(kernel).bind(2.0, X=None, groups=3)


def test_names_that_are_no_keywords():
    text = "func @f(%a: f32, %lambda: i32, %0: index, %groups: i8, %last: f64) {}"
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    assert str(inspect.signature(kernel)).startswith(
        "(a: 'f32', _lambda: 'i32', _0: 'index', _groups: 'i8', /, last: 'f64', *, groups"
    )
    kernel(1, 2, 3, 4, 5, groups=1)


def test_representations(module, kernel):
    assert repr(module.context).startswith("<Context: the dialect tinytc, for the targets cpu, ")
    assert repr(module) == "<Module of 'scale.ir' at stage 'tinytc': scale>"
    for stage in ("prepared", "linalg", "gpu", "spirv"):
        lowered = module.lower(stage, target="cpu")
        assert repr(lowered) == f"<Module of 'scale.ir' at stage '{stage}' for cpu: scale>"
    again = tt.Context().parse_mlir(str(lowered))
    assert repr(again) == "<Module of '<string>' at stage 'spirv' for cpu: scale>"
    assert repr(tt.Context().parse("")) == "<Module of '<string>' at stage 'tinytc': no kernel>"
    signature = "scale(alpha: f32, X: memref<f32x4x?>)"
    shared = rf"( for \d+ groups each)?, subgroups of {kernel.info.subgroup_size}>"
    assert re.fullmatch(
        rf"<Kernel {re.escape(signature)} for cpu: work-groups of \d+x1{shared}", repr(kernel)
    )


def test_the_program_of_a_kernel_is_no_page_of_bytes(kernel):
    assert re.fullmatch(r"<code for cpu, \d+ bytes of spirv>", repr(kernel.program))


def test_representations_of_launches(kernel):
    x = tt.asarray(np.ones((4, 3), np.float32))
    bound = kernel.bind(2.0, x)
    name = re.escape(kernel.info.signature)
    assert re.fullmatch(f"<BoundKernel {name}: 3 groups on .+>", repr(bound))
    assert ": 3x2 groups on " in repr(kernel.bind(2.0, x, groups=(3, 2, 1)))
    event = bound.submit()
    event.wait()
    assert re.fullmatch("<Event: scale has finished on .+>", repr(event))


def test_times_of_events(kernel):
    dpctl = pytest.importorskip("dpctl")
    x = tt.asarray(np.ones((4, 3), np.float32))
    event = kernel.submit(2.0, x)
    event.wait()
    with pytest.raises(tt.LaunchError, match="scale: expected a queue .*'enable_profiling'.*do_b"):
        event.time_ns  # noqa: B018
    device = devices.default_device("cpu").native
    queue = dpctl.SyclQueue(device, property=["in_order", "enable_profiling"])
    event = kernel.submit(2.0, tt.asarray(x, queue=queue), queue=queue)
    event.wait()
    assert event.time_ns > 0
    assert re.fullmatch(r"<Event: scale has finished after \d+\.\d us on .+>", repr(event))


def test_await(kernel):
    x = tt.asarray(np.ones((4, 3), np.float32))

    async def launch(factor):
        event = kernel.submit(factor, x)
        await event
        return event.is_complete

    async def both():
        return await asyncio.gather(launch(2.0), launch(3.0))

    assert asyncio.run(both()) == [True, True]
    assert (x == 6).all()


def test_await_raises_what_wait_raises():
    text = "func @f(%A: memref<f32x?>, %i: index) { %x = load %A[%i] : f32 }"
    kernel = tt.Context().parse(text).compile("cpu", debug=True)["f"]

    async def launch():
        await kernel.submit(tt.empty(4), 4, groups=1)

    with pytest.raises(tt.CheckError, match="expected index 0 of 'A'"):
        asyncio.run(launch())


def test_members_without_other_libraries(monkeypatch):
    """`help` and `inspect` ask for all names."""
    find = tt._find_spec
    monkeypatch.setattr(tt, "_find_spec", lambda n: None if n in ("jax", "torch") else find(n))
    names = [name for name, _ in inspect.getmembers(tt)]
    assert "kernel" in names
    assert not {"jax", "torch"} & {*names}


@pytest.mark.parametrize(
    ("name", "meant"), [("float32", "f32"), ("jit", "kernel"), ("parse", "compile")]
)
def test_names_of_others(name, meant):
    with pytest.raises(AttributeError, match=f"; use tt.{meant}$"):
        getattr(tt, name)
