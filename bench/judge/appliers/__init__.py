"""The tools, one module each, run by `worker.py` in an environment that has the tool. None of them needs Dovetail.

A module has one of:

- `land(text, search, replace)`: the text after one edit, or None if the tool refuses it;
- `answer(case)`: all files after the case's reply (path to text), or None if the tool refuses it;
- `write(case, folder)`: the same for a tool that only works on files: it changes those in the folder, and returns
  False if it refuses.

A case has `reply`; `files` (path to text); `edits`, the same reply as a list of `path`, `search` and `replace`, if it
can be said so; and `patch`, the text from `*** Begin Patch` on, if it has one. Any exception is a refusal.
"""
