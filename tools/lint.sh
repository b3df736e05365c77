#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Lints C++ with clang-tidy, where each finding is an error, and compiles each file on its own, so that
# it includes what it uses; everywhere else a folder is one unit. Takes an hour; arguments are files
# to lint in place of all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/lint
cmake -G Ninja -S . -B "$build" -DTINYTC_UNITY_BUILD=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)"
ninja -C "$build" TinyTCIncGen
if (($#)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files 'lib/*.cpp' 'tools/*.cpp' 'python/*.cpp')
  ninja -C "$build"
fi
# The flags are GCC's; Clang does not know all of its warnings.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  uvx --quiet clang-tidy@22.1.8 --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option
