"""The table of scalar types; the build generates the module."""

SCALARS: tuple[tuple[str, str, int, str, str, str, int, int, str, str, str, tuple[str, ...]], ...]
"""The arguments of `scalars.ScalarType` for each type."""
