"""Winners are stored for a kernel and a device, and used when a compilation requests them."""

import json

import pytest

import tinytc_mlir as tt
from tinytc_mlir.tuning import store
from tinytc_mlir.tuning.schedule import (
    Schedule,
    functions_of,
    has_schedule,
    refinements,
    set_schedule,
    tiles,
)

TEXT = """
func @gemm(%A: memref<f32x32x32x?>, %B: memref<f32x32x32x?>, %C: memref<f32x32x32x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:,:,%g] : memref<f32x32x32>
  %b = subview %B[:,:,%g] : memref<f32x32x32>
  %c = subview %C[:,:,%g] : memref<f32x32x32>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm.n.n %one, %a, %b, %zero, %c
}
"""
DEVICE = "a device, driver 1"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "schedules")
    return tmp_path / "schedules"


def kernel(text=TEXT, filename="a.ir"):
    module = tt.Context().parse(text, filename)
    return module, dict(functions_of(module.operation))["gemm"]


def test_the_attribute():
    module, function = kernel()
    set_schedule(function, Schedule(rows=2, columns=8))
    assert "schedule = #tinytc.schedule<rows = 2, columns = 8" in str(module)
    assert has_schedule(function)
    module.operation.verify()
    set_schedule(function, Schedule())
    assert not has_schedule(function)


@pytest.mark.parametrize("data", [{"rows": -1}, {"rows": "2"}, {"rows": True}, {"lanes": 2}])
def test_no_schedule(data):
    with pytest.raises(ValueError, match="expected entries of rows, columns, unroll, groups"):
        Schedule.from_dict(data)


@pytest.mark.parametrize("value", [-1, 1.0, "2", True, None])
def test_entries_that_are_no_numbers(value):
    message = "Schedule: argument 'columns': expected a natural number, got"
    with pytest.raises(tt.ArgumentError, match=message):
        Schedule(rows=2, columns=value)


def test_the_space():
    assert len(set(tiles())) == len(tiles())
    first = tiles()[:2]
    more = refinements(first)
    assert len(set(more)) == len(more)
    assert {(s.rows, s.columns) for s in more} == {(s.rows, s.columns) for s in first}
    assert {s.unroll for s in more} >= {1, 4}
    assert {s.groups for s in more} >= {1, 16}


def test_a_winner_is_found_again(cache):
    _module, function = kernel()
    path = store.path_of(function, "cpu", DEVICE)
    assert store.load(path) is None
    store.save(path, Schedule(columns=4), {"kernel": "gemm"})
    assert store.load(path) == Schedule(columns=4)
    assert json.loads(path.read_text())["kernel"] == "gemm"
    assert [file.name for file in cache.iterdir()] == [path.name]


def path(text, target, device, filename="a.ir"):
    _module, function = kernel(text, filename)  # the function lives as long as the module
    return store.path_of(function, target, device)


def test_what_a_winner_depends_on():
    paths = {
        path(text, target, device)
        for text in (TEXT, TEXT.replace("x32x32", "x16x16"))
        for target in ("cpu", "intel-gpu:pvc")
        for device in (DEVICE, "a device, driver 2")
    }
    assert len(paths) == 8
    same = "\n\n" + TEXT.replace("%g", "%group")
    assert path(same, "cpu", DEVICE, "b.ir") in paths


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schedule": {"rows": "a"}}'])
def test_a_damaged_file_is_no_winner(tmp_path, text):
    path = tmp_path / "winner.json"
    path.write_text(text)
    assert store.load(path) is None


def test_compile_uses_winners_when_asked(monkeypatch):
    module, function = kernel()
    monkeypatch.setattr(store, "describe", lambda device: DEVICE)
    plain = module.compile("cpu").spirv
    store.save(store.path_of(function, "cpu", DEVICE), Schedule(rows=1, columns=2), {})
    assert module.compile("cpu").spirv == plain
    tuned = module.compile("cpu", tuned=True).spirv
    assert tuned != plain
    set_schedule(function, Schedule(rows=1, columns=1))
    assert module.compile("cpu", tuned=True).spirv not in (tuned, plain)


def test_another_compiler_has_winners_of_its_own(monkeypatch):
    _module, function = kernel()
    path = store.path_of(function, "cpu", DEVICE)
    assert len(store.compiler_version()) == 64
    assert store.path_of(function, "cpu", DEVICE) == path
    monkeypatch.setattr(store, "compiler_version", lambda: "another")
    assert store.path_of(function, "cpu", DEVICE) != path
