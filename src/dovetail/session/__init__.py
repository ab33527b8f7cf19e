"""The use cases that faces share: apply, check, undo, redo, log, show, batch, retry.

Values in, values out: a root, a reply and choices give a plan, an operation, a record. Nothing here prints, asks, or
knows a terminal, and only the room `workspace` touches the user's files.
"""
