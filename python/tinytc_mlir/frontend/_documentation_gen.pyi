"""Descriptions of the instructions; the build generates the module."""

DOCUMENTATION: dict[str, tuple[str, str]]
