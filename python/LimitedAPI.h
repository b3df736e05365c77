//===- LimitedAPI.h - Functions that MLIR's header takes from Python ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Wheels for Python 3.12 and later use the limited API alone, which lacks two functions
// that `NanobindAdaptors.h` calls. Include this before.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_PYTHON_LIMITEDAPI_H
#define TINYTC_PYTHON_LIMITEDAPI_H

#include <Python.h>

#ifdef Py_LIMITED_API

#define PyErr_Warn(category, text) PyErr_WarnEx(category, text, 1)

/// Returns the class method of a callable, a new reference; null if that raises.
static PyObject *PyClassMethod_New(PyObject *callable) {
  PyObject *builtins = PyImport_ImportModule("builtins");
  if (!builtins)
    return nullptr;
  PyObject *result = PyObject_CallMethod(builtins, "classmethod", "O", callable);
  Py_DECREF(builtins);
  return result;
}

#endif // Py_LIMITED_API

#endif // TINYTC_PYTHON_LIMITEDAPI_H
