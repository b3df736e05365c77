# SPDX-License-Identifier: BSD-3-Clause
"""Language server for programs of the language: `tinytc lsp`.

`text` counts positions as editors do, `names` finds definitions and uses, `instruction_help` words
hovers and completions, `semantic_tokens` colours, `findings` reports errors; `server` answers the
editor, and alone imports pygls.
"""
