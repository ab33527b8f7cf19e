"""The package `hooks`: under a coding agent, each change is seen and recorded.

One table, `agents.json`, says of each agent how its events look and what they may change. What an event sees goes into
the spool, and from there into the journal. The fields of a row:

- `has`, `lacks`, `is`: the fields that tell whose event it is; `events`: its name → what happens there.
- `request`, `session`, `call`: the fields with these ids, or `session_id` and `tool_use_id`; `log_ids`: the ids of
  calls stand in its log alone.
- `tools`: what a tool may change: the file that one of some fields names, those of a `patch`, the whole `tree`, or
  nothing (null).
- `in_turn`: the edits before a call are over when it begins; `batches`: an answer's edits end together; `background`:
  where a result names a command that runs on; `machine`: how a request begins that no person wrote.
- `settings`: its settings files and their form; `mend`: the form in which it takes an answer (`event._decision`), left
  out where it takes none.
- `tried`: the version that this was tried with; null for none.
"""
