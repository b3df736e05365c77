#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs everything that the tests need on a Debian-like machine with Python, builds a wheel,
# installs it into a virtual environment, and runs the tests. The versions of all packages are those
# of test/constraints.txt. The last line is that of pytest; build/tests.xml has the time of each test.
#
#   bash test/run.sh            what every commit must pass
#   bash test/run.sh --nightly  the same for all GPUs, orders, chips and Pythons, with the linters
#                               of C++ and a build in which each file is compiled on its own
#
#   TINYTC_VENV    the virtual environment to make or use (default: .venv)
#   TINYTC_WHEELS  the Pythons to build and try wheels for: this (default), ends (also the oldest
#                  and the newest that are found; default at night) or all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export TINYTC_TEST_PROFILE=commit
case ${1:-} in
  '') ;;
  --nightly) TINYTC_TEST_PROFILE=nightly ;;
  *)
    echo "expected no argument or --nightly, got '$1'" >&2
    exit 2
    ;;
esac
if [[ $TINYTC_TEST_PROFILE == nightly ]]; then
  export TINYTC_WHEELS=${TINYTC_WHEELS:-ends}
else
  export TINYTC_WHEELS=${TINYTC_WHEELS:-this}
fi

# Python keeps what it has compiled: tests start it some hundred times.
unset PYTHONDONTWRITEBYTECODE

# Runs a step, and says how long it took.
TIMEFORMAT='   %R s, of the processors %U s and %S s'
step() {
  echo "-- $1"
  shift
  time "$@"
}

# Debian packages: tools that check emitted binaries, a library that kernels are compared with,
# a browser for pages that people read, MPI for an example, an emulator of AArch64 with a compiler
# for its host program, compilers of hosts that call kernels, and what building Python modules takes.
missing=()
command -v spirv-val > /dev/null || missing+=(spirv-tools)
command -v ocloc > /dev/null || missing+=(intel-opencl-icd)
[[ -e /usr/include/libxsmm.h ]] || missing+=(libxsmm-dev)
command -v chromium > /dev/null || missing+=(chromium)
command -v mpirun > /dev/null || missing+=(openmpi-bin)
command -v qemu-aarch64 > /dev/null || missing+=(qemu-user)
command -v aarch64-linux-gnu-gcc > /dev/null ||
  missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
command -v c++ > /dev/null || missing+=(g++)
command -v gfortran > /dev/null || missing+=(gfortran)
command -v pkg-config > /dev/null || missing+=(pkgconf)
command -v ccache > /dev/null || missing+=(ccache)
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
# Tests install each wheel in an environment of its own.
python -m pip install --quiet --disable-pip-version-check -c test/constraints.txt uv
# What takes most of its time to arrive, while the wheels are built. PyTorch's build for CPUs, 190 MB:
# that of PyPI is one for CUDA, of 5 GB. Where pip has a folder of packages (PIP_FIND_LINKS), it is
# taken from there.
install_packages() {
  local torch_index=(--extra-index-url https://download.pytorch.org/whl/cpu)
  [[ -z ${PIP_FIND_LINKS:-} ]] || torch_index=()
  python -m pip install --quiet --disable-pip-version-check -c test/constraints.txt \
    "${torch_index[@]}" torch
  uv pip install --quiet --python "$venv/bin/python" -c test/constraints.txt -r pyproject.toml \
    --extra test
}
install_packages &
packages=$!
step 'build wheels' python tools/wheels.py build --for "$TINYTC_WHEELS"
step 'slim wheels' python tools/slim_wheels.py dist/tinytc_mlir-*.whl
step 'wait for packages' wait "$packages"
tag=$(python -c 'import sys; print("cp{}{}".format(*min(sys.version_info[:2], (3, 12))))')
wheel=$(echo dist/tinytc_mlir-*-"$tag"-*.whl)
step 'install' uv pip install --quiet --python "$venv/bin/python" -c test/constraints.txt \
  --reinstall-package tinytc-mlir --reinstall-package tinytc-mlir-bench "${wheel}[test,bench]" \
  ./bench

mkdir -p build
if [[ $TINYTC_TEST_PROFILE == nightly ]]; then
  step 'formatters' uvx --quiet pre-commit run --all-files
  step 'linters of C++' bash tools/lint.sh
fi
step 'lit tests' lit --quiet test
# Without assertions, as some users run Python.
step 'tests with python -O' python -O -m pytest -q -n auto -W ignore::pytest.PytestConfigWarning \
  test/python/api/test_compile_cache.py test/python/api/test_lower.py \
  test/python/frontend/test_negative.py test/python/device/test_sample.py
python -m pytest -n auto --dist worksteal --durations=25 --junitxml=build/tests.xml \
  --deselect test/python/test_lit.py::test_lit_suite
