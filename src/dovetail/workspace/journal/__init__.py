"""The journal in `.dovetail/`: operations and the versions of their files.

`store` reads it and `writer` writes it, `lines` is the grammar of its log, `undo` plans undos and redos. `settle` takes
the hooks' events from the spool, and `attribution` says whose changes they show.
"""
