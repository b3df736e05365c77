"""The benchmark of the compiler: its kernels beside those of libraries, and the compiler itself.

`cases` says what is computed, `peers` who else computes it, `worker` times it in a process of its
own, `runner` drives that process, `findings` says what the times mean, `report` and `plot` show it.
"""
