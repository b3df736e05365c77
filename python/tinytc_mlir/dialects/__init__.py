"""Python classes of the dialect: ops, enums and types."""
