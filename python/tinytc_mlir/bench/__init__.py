"""The benchmark: our kernels against those of libraries, and the compiler itself.

`cases` says what is computed and `peers` who else computes it. `worker` times it in a separate
process, which `runner` drives. `findings` says what the times mean; `report` and `plot` show it.
"""
