"""The journal in `.dovetail/`: operations and the versions of their files.

`store` reads it and `writer` writes it, `lines` is the grammar of its log, `undo` plans what an undo or redo writes.
`settle` takes what hooks have put into the spool, and `attribution` says whose changes those were.
"""
