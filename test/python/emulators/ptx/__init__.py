"""PTX as text, executed as the PTX ISA 8.8 says, and a CUDA driver in front of it.

Rules name sections of the PTX ISA by title, since their numbers differ between its versions.
"""
