"""The package `hooks`: under a coding agent, each change is seen and recorded.

One table, `agents.json`, says of each agent how its events look and what they may change. What an event sees goes into
the spool, and from there into the journal.
"""
