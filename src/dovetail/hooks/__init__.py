"""The package `hooks`: under a coding agent, each change is seen and recorded.

One table, `agents.json`, says of each agent how its events look and what they may change. What an event sees goes into
the spool, and from there into the journal. The fields of a row:

- `name`: as people know the agent; `tried`: the version that this was tried with, null for none.
- `has`, `lacks`, `is`: the fields that tell whose event it is; `events`: its name → what happens there.
- `request`, `session`, `call`: the fields with these ids, or `session_id` and `tool_use_id`; `log_ids`: the ids of
  calls are only in the agent's log.
- `tools`: what a tool may change: the file that one of some fields names, those of a `patch`, the whole `tree`, or
  nothing (null).
- `in_turn`: the edits before a call are over when it begins; `batches`: an answer's edits end together; `background`:
  where a result names a command that runs on; `machine`: how a request begins that no person wrote.
- `mend`: the form in which it takes an answer (`event._decision`), left out where it takes none.
- `settings`: its settings file, which `install` writes:
  - `form`: `hooks` (merged into a JSON object), `list` (a file of Dovetail's own) or `plugin` (a program, put together
    from the files of this folder that `plugin` names);
  - `project`, `user`: where it is in a project, and in a home: the variable that names the folder ("" for none), the
    folder in the home, the file; without `user`, in projects only;
  - `matcher`: the tools whose events are asked for; `timeout`: what the field is called, and its value;
  - `version`: the file's, if it has one: then `hooks` lists handlers, with no groups by matcher;
  - `note`: what a person has to do after installing.
"""
