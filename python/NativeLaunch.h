//===- NativeLaunch.h - Launches of machine code ----------------*- C++ -*-===//

#ifndef TINYTC_PYTHON_NATIVELAUNCH_H
#define TINYTC_PYTHON_NATIVELAUNCH_H

#include <nanobind/nanobind.h>

/// Defines the class NativeLaunch of a Python extension.
void defineNativeLaunch(nanobind::module_ &m);

#endif // TINYTC_PYTHON_NATIVELAUNCH_H
