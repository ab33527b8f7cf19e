"""The package `spool`: what was seen of an agent's calls, until the journal takes it.

An agent starts a process for each event and waits for it, so what is here loads a few modules of the standard library
and nothing else of Dovetail. It writes to a folder of the user's own, never under a root, and needs no lock.
"""
