"""Requests and answers of models, and the prompts that teach them the edit formats.

Reads none of the user's files and applies no edit; the prompts are data of the package. `client` asks, `prompts` and
`assemble` make the messages of a request, `repair` those about edits that failed.
"""
