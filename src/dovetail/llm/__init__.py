"""Requests and answers of models, and the prompts that teach them the edit formats.

Touches none of the user's files and applies no edit; the prompts are data of the package. See `client` for asking,
`prompts` and `assemble` for what is said, `repair` for what is said about edits that failed.
"""
