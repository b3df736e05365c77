"""What ODS says of the instructions in words; the build generates the module."""

DOCUMENTATION: dict[str, tuple[str, str]]
