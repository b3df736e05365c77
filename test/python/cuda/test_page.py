"""The program of docs/nvidia.md runs, on the driver in Python."""

import pages
import tinytc_mlir as tt


def test_page(install, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages.write_files("nvidia.md")
    module = tt.Context().parse_file("gemm.ir")
    install(module=module, manifest=module.compile("cuda:sm_90").manifest)
    (block,) = pages.blocks("nvidia.md", "python")
    names = {}
    exec(compile(block.text, "nvidia.md", "exec"), names)
    assert (names["c"] == 16).all()
