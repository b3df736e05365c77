#!/usr/bin/env bash
# Installs everything that the tests need on a Debian-like machine with Python, builds wheels,
# installs the one for this Python into a virtual environment, and runs every test. The versions of
# all packages are those of test/constraints.txt. The last line is that of pytest.
#
#   TINYTC_VENV    the virtual environment to make or use (default: .venv)
#   TINYTC_WHEELS  the Pythons to build and try wheels for: this, ends (also the oldest and the
#                  newest that are found) or all (default: this)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian packages: tools that check emitted binaries, a library that kernels are compared with,
# a browser for pages that people read, MPI for an example, and what building Python modules takes.
missing=()
command -v spirv-val > /dev/null || missing+=(spirv-tools)
command -v ocloc > /dev/null || missing+=(intel-opencl-icd)
[[ -e /usr/include/libxsmm.h ]] || missing+=(libxsmm-dev)
command -v chromium > /dev/null || missing+=(chromium)
command -v mpirun > /dev/null || missing+=(openmpi-bin)
command -v c++ > /dev/null || missing+=(g++)
python3 -c 'import ensurepip' 2> /dev/null || missing+=(python3-venv)
python3 -c 'import pathlib, sysconfig as s
exit(not pathlib.Path(s.get_path("include"), "Python.h").exists())' || missing+=(python3-dev)
if ((${#missing[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

venv=${TINYTC_VENV:-.venv}
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
# shellcheck disable=SC1091
. "$venv/bin/activate"
pip_install=(python -m pip install --quiet --disable-pip-version-check -c test/constraints.txt)
# Tests install each wheel in an environment of its own.
"${pip_install[@]}" uv
export TINYTC_WHEELS=${TINYTC_WHEELS:-this}
python tools/wheels.py build --for "$TINYTC_WHEELS"
tag=$(python -c 'import sys; print("cp{}{}".format(*sys.version_info))')
"${pip_install[@]}" --force-reinstall --no-deps dist/tinytc_mlir-*-"$tag"-*.whl
"${pip_install[@]}" "$(echo dist/tinytc_mlir-*-"$tag"-*.whl)[test,bench]"
python -m pytest -n auto --dist worksteal
