"""Decides which file a block is for, existing files first.

`named` finds the existing file that the nearest lines name; `choose` decides the rest by forms, guesses and texts;
`tree` knows which paths exist, and how they may be spelled. No file is opened: the caller passes the `Files`.
"""
