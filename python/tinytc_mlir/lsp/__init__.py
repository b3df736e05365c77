# SPDX-License-Identifier: BSD-3-Clause
"""Language server for programs of the language: `tinytc lsp`.

`text` counts positions as editors do, `names` finds definitions and uses, `instruction_help` words
hovers, completions and signatures, `semantic_tokens` colours, `program_errors` finds errors,
`quick_fixes` repairs them, `inlay_types` shows types; `server` knows the open files, and `serving`
answers the editor.
"""
