"""The use cases that faces share: apply, undo, redo, log, show, batch, conversations with a model.

Values in, values out: a root, a reply and choices give a plan, an operation, a record. Nothing here prints, asks, or
knows a terminal, and only the package `workspace` touches the user's files.
"""
