"""Settings from files: the project's over the user's over the built-in ones.

Owns the names that `dovetail.toml` (or `[tool.dovetail]` of `pyproject.toml`) may have. An unknown name or value is an
error that names the file; nothing is guessed. No setting can give consent: `--yes` must be typed, as a reply may edit
the project's file. Nothing that comes with a project can overrule a guard, or say where and with which key models are
asked: neither its own file, nor a user's settings file that is under its root.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from dovetail.formats.table import AUTO, format_names
from dovetail.model.codes import GUARD_CODES, Confidence, Conflicts, EditsBy, NewErrors, Occurrence, OnFailure, Tier
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.spool.record_settings import BOUNDS, is_bound
from dovetail.text.pattern import pattern
from dovetail.text.toml_bounds import LARGEST, too_much
from dovetail.workspace.encoding import check_encoding
from dovetail.workspace.root import lies_in_project, user_folder

PLANNING_CHOICES = ("occurrence", "conflicts", "tiers", "accept", "min_confidence", "new_errors", "commands")
"""The policy's fields that decide where an edit lands and what it writes there."""

PROVIDERS = ("openai", "anthropic")
"""Names of the tables with `base_url`, `key` and `headers`, which `llm.settings` reads."""


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """How a reply is read and planned: policy, format, markers.

    encoding: the codec of files that are not UTF-8, "" if none is named.

    The journal keeps `record` with each operation, so that a single edit can be undone later.
    """

    policy: Policy = DEFAULT_POLICY
    format: str = AUTO
    markers: Markers = DEFAULT_MARKERS
    encoding: str = ""

    @property
    def record(self) -> Mapping[str, Any]:
        """Policy, markers and encoding as JSON, as far as they differ from the defaults."""
        policy, default = self.policy, DEFAULT_POLICY
        choices = {n: getattr(policy, n) for n in PLANNING_CHOICES if getattr(policy, n) != getattr(default, n)}
        known = DEFAULT_MARKERS
        names = self.markers.__match_args__
        signs = {n: getattr(self.markers, n) for n in names if getattr(self.markers, n) != getattr(known, n)}
        parts = {"policy": choices, "markers": signs, "encoding": self.encoding}
        return {name: part for name, part in parts.items() if part}

    def from_record(self, record: Mapping[str, Any] | None) -> ReplyOptions:
        """Return these options with policy, markers and encoding of a record; unchanged for None."""
        if record is None:
            return self
        markers = {name: _as_tuples(value) for name, value in record.get("markers", {}).items()}
        policy, encoding = Policy(**record.get("policy", {})), record.get("encoding", self.encoding)
        return replace(self, policy=policy, markers=Markers(**markers), encoding=encoding)


DEFAULT_REPLY_OPTIONS = ReplyOptions()


def _as_tuples(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings about asking models; None for those that no file has. providers: the providers' tables, by name.

    Addresses and keys count only in the user's own file: a project's file must not send the user's keys anywhere.
    """

    model: str | None = None
    editor_model: str | None = None
    format: str | None = None
    edits_by: str | None = None
    map_tokens: int | None = None
    max_rounds: int | None = None
    max_tokens: int | None = None
    providers: Mapping[str, object] = field(default_factory=dict, repr=False)


NO_MODEL_SETTINGS = ModelSettings()


PROJECT_FILE = "dovetail.toml"
# +++, %%%%; not ++, abc, <<<
_RUN = pattern(r"([^\w\s<>])\1{2,}")
_CODE = pattern(r"`{3,}|~{3,}")  # every such run is a fence already
_TAG = pattern(r"<[^<>/\s][^<>\s]*>")


@dataclass(frozen=True, slots=True)
class Settings:
    """How replies are read and planned, and models asked.

    `chosen` names the settings that somebody chose, in a file or by an option.
    """

    policy: Policy = DEFAULT_POLICY
    format: str = AUTO
    markers: Markers = DEFAULT_MARKERS
    encoding: str = ""
    chosen: frozenset[str] = frozenset()
    models: ModelSettings = NO_MODEL_SETTINGS

    @property
    def reply(self) -> ReplyOptions:
        """How replies are read and planned."""
        return ReplyOptions(self.policy, self.format, self.markers, self.encoding)

    def on_failure(self, *, interactive: bool) -> OnFailure:
        """Return what a failed edit means for the others, in every face.

        It is as chosen; if nothing was chosen and a person decides about the plan (`interactive`), nothing.
        """
        return OnFailure.BLOCK if interactive and "on-failure" not in self.chosen else self.policy.on_failure


DEFAULT_SETTINGS = Settings()


class SettingsError(UsageError):
    """A settings file has an unknown name or value, or cannot be read or changed."""

    code = "settings"


def load(root: Path, user: Path | None = None) -> Settings:
    """Return the settings in force under `root`. user: the user's own file, by default `user_file()`.

    Raises `SettingsError`.
    """
    settings = DEFAULT_SETTINGS
    own = user_file() if user is None else user
    for path, table in ((own, None), _project_file(root)):
        text = _read(path) if path is not None else None
        # Most `pyproject.toml` have no such table and are not parsed.
        if path is not None and text is not None and (table is None or f"[{table}" in text):
            content = _table(path, text, table)
            settings = _updated(settings, content, path, own=path == own and not lies_in_project(path, root))
    return settings


def save(changes: Mapping[str, str | int | None], user: Path | None = None) -> Path:
    """Write top-level settings into the user's own file, and change nothing else in it; None removes one.

    Return the file's path. Raises `SettingsError` if there is no folder for it, it is no TOML, or a setting is not on a
    line of its own.
    """
    path = user or user_file()
    if path is None:
        raise SettingsError("There is no folder for your settings.", hint="Set XDG_CONFIG_HOME to an absolute path.")
    text = _read(path) or ""
    before = _table(path, text, None)
    lines = text.splitlines(keepends=True)
    # Top-level settings come before the first table. If this simple reading is wrong (a value of several lines), the
    # comparison below shows it, and nothing is written.
    end = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    kept = [line for line in lines[:end] if line.partition("=")[0].strip() not in changes]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    named = {name: value for name, value in changes.items() if value is not None}
    # A TOML string is a JSON string, for every text without half a surrogate pair.
    new = "".join([*kept, *(f"{name} = {json.dumps(value)}\n" for name, value in named.items()), *lines[end:]])
    if _table(path, new, None) != {name: value for name, value in before.items() if name not in changes} | named:
        raise SettingsError(f"{path} cannot be changed without touching other lines.", hint="Edit it by hand.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}.new")
        scratch.write_text(new, encoding="utf-8")
        scratch.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)
        scratch.replace(path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.", hint="Check its permissions.") from None
    return path


def user_file() -> Path | None:
    """Return the path of a user's own settings, under ``$XDG_CONFIG_HOME``, by default ``~/.config``.

    None if neither is an absolute path, as in a container without a home.
    """
    folder = user_folder("XDG_CONFIG_HOME", ".config")
    return folder / "dovetail" / "config.toml" if folder is not None else None


def _project_file(root: Path) -> tuple[Path, str | None]:
    own = root / PROJECT_FILE
    return (own, None) if own.is_file() else (root / "pyproject.toml", "tool.dovetail")


def _read(path: Path) -> str | None:
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > LARGEST:
            raise SettingsError(
                f"{path} is too large for a settings file.",
                hint=f"Keep it under 64 KB; `{PROJECT_FILE}` needs no more.",
            )
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8.", hint="Save it as UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None


def _table(path: Path, text: str, table: str | None) -> Mapping[str, Any]:
    import tomllib  # 10 ms that only those with a settings file pay

    if (excess := too_much(text)) is not None:
        raise SettingsError(f"{path} has {excess}, and is not read.", hint="Settings are tables of plain values.")
    try:
        content: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.", hint="Correct that line.") from None
    for name in table.split(".") if table else ():
        content = content.get(name, {})
    if not isinstance(content, dict):
        raise SettingsError(f"[{table}] in {path} is not a table.", hint="Write one setting a line under it.")
    return content


def _updated(settings: Settings, content: Mapping[str, Any], path: Path, *, own: bool) -> Settings:
    """Return the settings with those of one file. own: the file is the user's own."""
    for name, value in content.items():
        read = _READERS.get(name)
        if read is None:
            known = ", ".join(_READERS)
            raise SettingsError(f"{path} sets {name!r}, which does not exist.", hint=f"The settings are {known}.")
        if not own and name in _USERS_OWN:
            harm, instead = _USERS_OWN[name]
            raise SettingsError(
                f"{path} sets {name!r}, which would {harm}.",
                hint=f"Set it in your own settings, outside of the project (XDG_CONFIG_HOME), or by {instead}.",
            )
        try:
            settings = read(settings, value)
        except ValueError as error:
            raise SettingsError(f"{name} in {path}: {error}", hint="See docs/cli.md, Settings.") from None
        except UsageError as error:
            raise SettingsError(f"{name} in {path}: {error.message}", hint=error.hint) from None
    return replace(settings, chosen=settings.chosen | set(content))


def _one_of(known: Sequence[str], value: object) -> str:
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}.")
    return value


def _choice(part: str, name: str, check: Callable[[object], object]) -> Callable[[Settings, Any], Settings]:
    """Return a reader of the setting for a field of `policy` or `models` (`part`)."""

    def read(settings: Settings, value: object) -> Settings:
        changed: Any = {part: replace(getattr(settings, part), **{name: check(value)})}
        return replace(settings, **changed)

    return read


def _tiers(value: object) -> list[str]:
    if not isinstance(value, list):
        raise ValueError("it must be a list of tiers.")
    if not value:
        raise ValueError("it names no tier; leave it out to ask those that each format allows.")
    return [_one_of(tuple(Tier), tier) for tier in value]


def _guards(value: object) -> list[str]:
    if not isinstance(value, list):
        raise ValueError("it must be a list of the codes of guards.")
    return [_one_of(sorted(GUARD_CODES), code) for code in value]


def _format(settings: Settings, value: object) -> Settings:
    return replace(settings, format=_one_of((AUTO, *format_names()), value))


def _fence(settings: Settings, value: object) -> Settings:
    listed = value if isinstance(value, list) else [value]
    fences = [fence for fence in listed if isinstance(fence, str)]
    if len(fences) < len(listed):
        raise ValueError("it must be a fence, or a list of fences.")
    return replace(settings, markers=with_fences(settings.markers, fences))


def _markers(settings: Settings, value: object) -> Settings:
    if not isinstance(value, dict):
        raise ValueError("it must be a table.")
    unknown = set(value) - set(_MARKERS)
    if unknown:
        raise ValueError(f"{min(unknown)!r} is none of {', '.join(_MARKERS)}.")
    fields: dict[str, Any] = {name: _MARKERS[name](field) for name, field in value.items()}
    return replace(settings, markers=replace(settings.markers, **fields))


def _length(value: object) -> int:
    if not isinstance(value, int) or not 2 <= value <= 100:
        raise ValueError("the length of a marker must be a number from 2 to 100.")
    return value


def _words(value: object) -> tuple[str, ...]:
    words = [word for word in value if isinstance(word, str) and word.strip()] if isinstance(value, list) else []
    if not isinstance(value, list) or len(words) < len(value) or not words:
        raise ValueError("the words of markers must be a list of words.")
    return tuple(words)


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it must be a name.")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise ValueError("it must be a number from 0 to 1000000.")
    return value


def _provider(name: str, settings: Settings, value: object) -> Settings:
    if not isinstance(value, dict):
        raise ValueError("it must be a table of base_url, key and headers.")
    unknown = sorted(set(value) - {"base_url", "key", "headers"})
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of base_url, key and headers.")
    providers = {**settings.models.providers, name: value}
    return replace(settings, models=replace(settings.models, providers=providers))


def _record(settings: Settings, value: object) -> Settings:
    """Check the table `record`; hooks and the journal read it themselves (`spool.record_settings`)."""
    known = ("exclude", "mend", "tell", *BOUNDS)
    if not isinstance(value, dict) or value.keys() - set(known):
        raise ValueError(f"it must be a table of {', '.join(known)}.")
    for name, (_, least, most) in BOUNDS.items():
        if name in value and not is_bound(name, value[name]):
            raise ValueError(f"`{name}` must be a number from {least} to {most}.")
    for name in ("mend", "tell"):
        if not isinstance(value.get(name, True), bool):
            raise ValueError(f"`{name}` must be true or false.")
    named = value.get("exclude", [])
    if not isinstance(named, list) or not all(isinstance(name, str) and name for name in named):
        raise ValueError("`exclude` must be a list of names, with * and ? for any signs.")
    return settings


_MARKERS: Mapping[str, Callable[[object], object]] = {
    "shortest": _length,
    "longest": _length,
    "search_words": _words,
    "replace_words": _words,
}

_READERS: Mapping[str, Callable[[Settings, Any], Settings]] = {
    "format": _format,
    "on-failure": _choice("policy", "on_failure", partial(_one_of, tuple(OnFailure))),
    "occurrence": _choice("policy", "occurrence", partial(_one_of, tuple(Occurrence))),
    "conflicts": _choice("policy", "conflicts", partial(_one_of, tuple(Conflicts))),
    "tiers": _choice("policy", "tiers", _tiers),
    "min-confidence": _choice("policy", "min_confidence", partial(_one_of, tuple(Confidence))),
    "new-errors": _choice("policy", "new_errors", partial(_one_of, tuple(NewErrors))),
    "accept": _choice("policy", "accept", _guards),
    "encoding": lambda settings, value: replace(settings, encoding=check_encoding(_name(value))),
    "fence": _fence,
    "markers": _markers,
    "model": _choice("models", "model", _name),
    "editor-model": _choice("models", "editor_model", _name),
    "edit-format": _choice("models", "format", lambda value: _one_of(format_names(), value)),
    "edits-by": _choice("models", "edits_by", partial(_one_of, tuple(EditsBy))),
    "map-tokens": _choice("models", "map_tokens", _number),
    "max-rounds": _choice("models", "max_rounds", _number),
    "max-tokens": _choice("models", "max_tokens", lambda value: _number(value) or None),
    "openai": partial(_provider, "openai"),
    "anthropic": partial(_provider, "anthropic"),
    "record": _record,
}


_USERS_OWN: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(PROVIDERS, ("lead your keys where the project says", "the variables")),
    "accept": ("let a reply that edits this file overrule the guards", "--accept"),
}
"""Settings that no project's file may have: what each would do there, and the other way to choose it."""


def with_fences(markers: Markers, fences: list[str]) -> Markers:
    """Return the markers with further fences, each in a form that `fence_pair` reads.

    Raises `ValueError`.
    """
    pairs = [fence_pair(text) for text in fences]
    new = [pair for pair in pairs if pair not in markers.fences and not _CODE.fullmatch(pair[0])]
    return replace(markers, fences=(*new, *markers.fences))


def fence_pair(text: str) -> tuple[str, str]:
    """Return the opening and the closing of a fence: of a run of one sign, of ``<tag>``, or of both in one text.

    Raises `ValueError`.
    """
    match text.split():
        case [run] if _RUN.fullmatch(run):
            return run, run
        case [tag] if _TAG.fullmatch(tag):
            return tag, f"</{tag[1:]}"
        case [left, right]:
            return left, right
    raise ValueError(f"{text!r} is no fence. Write <tag>, OPEN CLOSE, or a run of one sign.")
