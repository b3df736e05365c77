"""The target of programs that tests launch: that of arrays in the memory of the default device."""

from tinytc_mlir import switches

TARGET = switches.TARGET.text() or "cpu"
