"""As much of YATeTo's interface as its tools for products meet, with its names.

The programs are those of `cases.seissol.maker`, and the bodies of the functions are our own.
"""
