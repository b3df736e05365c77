"""Versions and files of packages, as `importlib.metadata` has them."""

import importlib.metadata
import os

import pytest

from tinytc_mlir.runtime import installed_packages

PACKAGES = ["numpy", "dpctl", "intel-opencl-rt", "ml_dtypes", "PyYAML", "no-such-package"]


@pytest.mark.parametrize("package", PACKAGES)
def test_versions(package):
    try:
        expected = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        expected = None
    assert installed_packages.version(package) == expected


@pytest.mark.parametrize(
    ("package", "name"),
    [("numpy", "__init__.py"), ("intel-opencl-rt", "libintelocl.so"), ("numpy", "absent")],
)
def test_files(package, name):
    try:
        listed = importlib.metadata.files(package)
    except importlib.metadata.PackageNotFoundError:
        listed = []
    expected = [os.path.normpath(str(file.locate())) for file in listed if file.name == name]
    assert installed_packages.files(package, name) == expected


def test_folders_that_are_none(tmp_path, monkeypatch):
    (tmp_path / "Some_Package-1.2rc1.dist-info").mkdir()
    monkeypatch.setattr("sys.path", ["/absent", str(tmp_path / "a.zip"), str(tmp_path)])
    assert installed_packages.version("some.package") == "1.2rc1"
    assert installed_packages.files("some-package", "x.py") == []
    (tmp_path / "Some_Package-1.2rc1.dist-info" / "RECORD").write_text(
        '"a,b/x.py",sha256=0,3\r\nx.py,,\ny.py,,\n'
    )
    names = [
        os.path.relpath(path, tmp_path) for path in installed_packages.files("some-package", "x.py")
    ]
    assert names == ["a,b/x.py", "x.py"]
