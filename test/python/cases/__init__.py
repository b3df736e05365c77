"""Kernels as data, which tests of devices, races, tiles, PTX and emulators share."""
