"""The package `hooks`: records each change that a coding agent makes, from the agent's events.

One table, `agents.json`, has a row for each agent: the form of its events, and what they may change. An event is put
into the spool with the state of the files, and from there goes into the journal. The fields of a row:

- `name`: the agent's name for people; `tried`: the version that this was tried with, null for none.
- `has`, `lacks`, `is`: the fields that show whose event it is; `events`: its name → what happens there.
- `request`, `session`, `call`: the fields with these ids, or `session_id` and `tool_use_id`; `log_ids`: the ids of
  calls are only in the agent's log.
- `tools`: what a tool may change: the file that one of some fields names, those of a `patch`, the whole `tree`, or
  nothing (null).
- `in_turn`: the edits before a call are over when it begins; `batches`: an answer's edits end together; `background`:
  the fields of a result that name a command that runs on; `machine`: how a request begins that no person wrote.
- `mend`: the form in which the agent takes an answer (`event._decision`); missing if it takes none.
- `settings`: its settings file, which `install` writes:
  - `form`: `hooks` (merged into a JSON object), `list` (a file of Dovetail's own) or `plugin` (a program, put together
    from the files of this folder that `plugin` names);
  - `project`, `user`: its path in a project, and in a home: the variable that names the folder ("" for none), the
    folder in the home, the file; without `user`, in projects only;
  - `matcher`: the tools whose events are asked for; `timeout`: the name of the field, and its value;
  - `version`: the file's, if it has one: then `hooks` lists handlers, with no groups by matcher;
  - `note`: what a person has to do after installing.
"""
