"""Pass managers are kept between compilations, and the verifier still runs."""

import threading

import pytest
from mlir import ir

import tinytc_mlir as tt

TEXT = """
func @scale(%A: memref<f32x16x8x?>) {
  %i = builtin.group_id : index
  %a = subview %A[:,:,%i] : memref<f32x16x8>
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %a, %zero, %a
}
"""


@pytest.fixture(params=[False, True], ids=["verify at the ends", "verify each pass"])
def context(request, monkeypatch):
    monkeypatch.setenv("TINYTC_VERIFY_EACH", str(int(request.param)))
    return tt.Context()


def test_a_pass_manager_is_used_again(context):
    first = context.parse(TEXT).compile("cpu")
    kept = dict(context._idle_pipelines)
    second = context.parse(TEXT).compile("cpu")
    assert first.spirv == second.spirv
    assert context._idle_pipelines == kept
    assert len(kept) == 2


def test_a_pass_manager_survives_a_failure(context):
    f64 = TEXT.replace("f32", "f64")
    for _ in range(2):
        with pytest.raises(tt.LoweringError, match="f64"):
            context.parse(f64).compile("intel-gpu:dg2")
        assert context.parse(TEXT).compile("intel-gpu:dg2").spirv


def test_a_module_that_was_changed_is_verified(context):
    module = context.parse(TEXT)
    function = module.operation.regions[0].blocks[0].operations[0]
    subview = next(op for op in function.regions[0].blocks[0] if "subview" in op.operation.name)
    subview.operation.attributes["static_offsets"] = ir.DenseI64ArrayAttr.get(
        [1], context.mlir_context
    )
    with pytest.raises(tt.LoweringError):
        module.compile("cpu")


def test_the_last_pass_is_verified(context, monkeypatch):
    operation = context.parse(TEXT).operation
    checked = []
    real = type(operation).verify
    monkeypatch.setattr(type(operation), "verify", lambda op: checked.append(op) or real(op))
    context.run_pipeline("canonicalize", operation, verify_each=False)
    assert checked == [operation]


def test_threads_compile_at_once(context):
    expected = context.parse(TEXT).compile("cpu").spirv
    found = []

    def compile_some():
        own = tt.Context()
        found.extend(own.parse(TEXT).compile("cpu").spirv for _ in range(5))

    threads = [threading.Thread(target=compile_some) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20


def test_barriers_of_nested_loops_take_no_time():
    # A walk that visits each body twice would take 2^40 steps.
    heads = "\n".join(f"for %i{depth} = %zero, %n {{" for depth in range(40))
    text = f"""
func @f(%A: memref<f32x16>, %B: memref<f32x16>, %n: index) {{
  %zero = constant 0 : index
  %one = constant 1.0 : f32
  {heads}
  axpby.n %one, %A, %one, %B
  axpby.n %one, %B, %one, %A
  {"}" * 40}
}}
"""
    lowered = str(tt.Context().parse(text).lower("linalg", target="cpu"))
    assert lowered.count("gpu.barrier") == 2
