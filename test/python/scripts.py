"""Loads scripts of the project, which are in no package."""

import importlib.util
import sys


def loaded(path):
    """Return a script as a module."""
    name = f"script_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look
    spec.loader.exec_module(module)
    return module
