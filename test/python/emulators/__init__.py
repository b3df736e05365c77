"""The emulators of GPUs behind the package's runtime, for tests; and AMX."""
