"""The package `place`: which file a block is for, asked once, and the files are asked first.

`named` asks which existing file the nearest lines above name; `choose` what is left to forms, guesses and the texts;
`tree` knows which paths there are, and how one may be spelled. Nothing is opened: whoever plans hands in the `Files`.
"""
