"""One reply and the files: planned, chosen from, written; and the operations of the journal, shown and taken back.

`library` has the functions of `import dovetail`, `applying` the way from a reply to what is written, `operations`
and `undo_edits` the way back, `diff` and `records` what faces show of it.
"""
