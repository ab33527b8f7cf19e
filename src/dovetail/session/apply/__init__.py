"""Plans a reply on files, lets a person choose among its edits, writes it; shows operations and takes them back.

`library` has the functions of `import dovetail`, `applying` goes from a reply to the written files, `operations` and
`undo_edits` go back, `diff` and `records` are what faces show of it.
"""
