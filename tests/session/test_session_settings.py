"""Settings files: what they may say, which wins, and how a mistake is told."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dovetail.model.codes import Code, Confidence, Conflicts, NewErrors, Occurrence, OnFailure, Tier
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS
from dovetail.session.settings import DEFAULT_SETTINGS, SettingsError, load, save, user_file, with_fences


def settle(root: Path, text: str, name: str = "dovetail.toml") -> None:
    (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def nobody(tmp_path: Path) -> Path:
    return tmp_path / "no" / "user.toml"


def test_without_files_the_defaults_hold(tmp_path: Path, nobody: Path) -> None:
    assert load(tmp_path, nobody) == DEFAULT_SETTINGS


def test_every_setting_is_read(tmp_path: Path, nobody: Path) -> None:
    settle(
        tmp_path,
        """
format = "diff"
on-failure = "file"
occurrence = "first"
conflicts = "markers"
tiers = ["exact", "indentation"]
min-confidence = "medium"
new-errors = "refuse"
fence = ["<file>", "[[[ ]]]"]
[markers]
shortest = 3
longest = 12
search_words = ["FIND"]
replace_words = ["WITH"]
""",
    )
    settings = load(tmp_path, nobody)
    assert settings.format == "diff"
    assert settings.policy.on_failure is OnFailure.FILE
    assert settings.policy.occurrence is Occurrence.FIRST
    assert settings.policy.conflicts is Conflicts.MARKERS
    assert settings.policy.tiers == (Tier.EXACT, Tier.INDENTATION)
    assert (settings.policy.min_confidence, settings.policy.new_errors) == (Confidence.MEDIUM, NewErrors.REFUSE)
    assert settings.markers.fences[:2] == (("<file>", "</file>"), ("[[[", "]]]"))
    assert (settings.markers.shortest, settings.markers.longest) == (3, 12)
    assert (settings.markers.search_words, settings.markers.replace_words) == (("FIND",), ("WITH",))
    assert "on-failure" in settings.chosen


def test_the_project_wins_over_the_user(tmp_path: Path) -> None:
    user = tmp_path / "user.toml"
    user.write_text('occurrence = "first"\non-failure = "block"\n')
    settle(tmp_path, 'on-failure = "file"\n')
    policy = load(tmp_path, user).policy
    assert (policy.occurrence, policy.on_failure) == (Occurrence.FIRST, OnFailure.FILE)


def test_only_the_user_overrules_guards(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    user = tmp_path / "user.toml"
    user.write_text('accept = ["masked-value"]\n')
    assert load(tmp_path / "project", user).policy.accept == (Code.MASKED_VALUE,)
    settle(tmp_path / "project", 'accept = ["masked-value"]\n')
    with pytest.raises(SettingsError, match=r"sets 'accept', which would let a reply"):
        load(tmp_path / "project", user)


def test_a_table_of_pyproject_serves_where_there_is_no_own_file(tmp_path: Path, nobody: Path) -> None:
    settle(tmp_path, '[project]\nname = "x"\n[tool.dovetail]\noccurrence = "first"\n', "pyproject.toml")
    assert load(tmp_path, nobody).policy.occurrence is Occurrence.FIRST
    settle(tmp_path, 'on-failure = "file"\n')
    assert load(tmp_path, nobody).policy.occurrence is Occurrence.UNIQUE


def test_a_pyproject_without_the_table_says_nothing(tmp_path: Path, nobody: Path) -> None:
    settle(tmp_path, "not even TOML [", "pyproject.toml")
    assert load(tmp_path, nobody) == DEFAULT_SETTINGS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes = true\n", "'yes', which does not exist"),
        ('on-failure = "never"\n', "'never' is none of all, file, block"),
        ("on-failure = 3\n", "3 is none of"),
        ('tiers = "exact"\n', "must be a list of tiers"),
        ('tiers = ["exact", "close"]\n', "'close' is none of exact"),
        ('fence = "a b c"\n', "is no fence"),
        ("fence = [1]\n", "must be a fence"),
        ("format = 1\n", "1 is none of auto, diff"),
        ('format = "zz"\n', "'zz' is none of auto, diff"),
        ('edit-format = "zz"\n', "'zz' is none of diff"),
        ('edit-format = "auto"\n', "'auto' is none of diff"),
        ('fence = "x"\n', "'x' is no fence"),
        ("markers = 1\n", "must be a table"),
        ("[markers]\ncolour = 1\n", "'colour' is none of"),
        ("[markers]\nshortest = 1\n", "from 2 to 100"),
        ("[markers]\nshortest = 20\n", "cannot run from 20 to 9 characters"),
        ('[markers]\nsearch_words = ["A", "B", "C"]\n', "not in pairs"),
        ("[markers]\nsearch_words = []\n", "a list of words"),
        ("tiers = []\n", "it names no tier; leave it out"),
        ("a = = 1\n", "not valid TOML"),
        (f"# {'x' * 65_536}\n", "too large"),
        (f"a{'.a' * 21} = 1\n", "a key of more than 20 dots"),
        ("[x . " + '"a b" . ' * 20 + "y]\n", "a key of more than 20 dots"),
        (f"a = {'[' * 5_000}\n", "more than 20 brackets"),
        (f"a = {'{ b = [' * 11}\n", "more than 20 brackets"),
    ],
)
def test_a_mistake_names_file_and_setting(tmp_path: Path, nobody: Path, text: str, said: str) -> None:
    settle(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, nobody)
    assert said in caught.value.message
    assert "dovetail.toml" in caught.value.message
    assert caught.value.hint is not None


def test_signs_inside_of_strings_and_comments_count_for_nothing(tmp_path: Path, nobody: Path) -> None:
    many = "[" * 30 + "a." * 30
    text = f'# {many}\nformat = \'diff\'\ncomment = "{many}\\" {many}"\nall = """\n{many} "x" {many}"""\n'
    (tmp_path / "pyproject.toml").write_text(f"[other]\n{text}[tool.dovetail]\nformat = 'diff'\n", "utf-8")
    assert load(tmp_path, nobody).format == "diff"


def test_what_to_write_instead_of_markers_is_said(tmp_path: Path, nobody: Path) -> None:
    settle(tmp_path, '[markers]\nsearch_words = ["FIND"]\n')
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, nobody)
    assert caught.value.hint == "Give each search word its replace word."


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path, nobody: Path) -> None:
    settle(tmp_path, '\ufeffformat = "diff"\n')
    assert load(tmp_path, nobody).format == "diff"


@pytest.mark.parametrize("stated", ["", "x", "``", "<>", "</file>", "a b c", "%%", "%%$"])
def test_what_is_no_fence_is_refused(stated: str) -> None:
    with pytest.raises(ValueError, match="is no fence"):
        with_fences(DEFAULT_MARKERS, [stated])


def test_bytes_that_are_no_utf8_are_told(tmp_path: Path, nobody: Path) -> None:
    (tmp_path / "dovetail.toml").write_bytes(b'format = "\xff"\n')
    with pytest.raises(SettingsError, match="UTF-8"):
        load(tmp_path, nobody)


def test_the_users_file_is_where_the_platform_keeps_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_file() == tmp_path / "dovetail" / "config.toml"


@pytest.mark.parametrize("named", ["~/.config", ".config", "./~/.config"])
def test_a_path_that_is_not_absolute_is_no_place_for_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", named)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert user_file() == Path("/home/somebody/.config/dovetail/config.toml")
    monkeypatch.setenv("HOME", ".")
    assert user_file() is None
    assert load(tmp_path) == DEFAULT_SETTINGS


NOBODYS_HOME = """
import os, sys
from pathlib import Path
from dovetail.session.settings import load, user_file
os.chdir(sys.argv[1])
os.setuid(54321)
for name in ("HOME", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)
print(user_file(), dict(load(Path.cwd()).models.providers))
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_without_a_home_a_folder_of_that_name_is_no_settings_folder() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        config = Path(folder) / "~/.config/dovetail/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('[openai]\nbase_url = "http://localhost/v1"\n')
        Path(folder).chmod(0o755)
        done = subprocess.run([sys.executable, "-c", NOBODYS_HOME, folder], capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("None {}\n", "")


@pytest.mark.parametrize("what", ["base_url", "key", "headers"])
@pytest.mark.parametrize("name", ["dovetail.toml", "pyproject.toml", ".config/dovetail/config.toml"])
def test_nothing_in_a_project_says_where_models_are_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, what: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    table = "tool.dovetail.openai" if name == "pyproject.toml" else "openai"
    value = '{ X-Key = "x" }' if what == "headers" else '"http://localhost/v1"'
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(f"[{table}]\n{what} = {value}\n")
    with pytest.raises(SettingsError, match="would lead your keys where the project says"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["proxy", "https_proxy", "command", "base_url", "key", "api-key"])
def test_no_setting_names_a_command_or_a_proxy(tmp_path: Path, nobody: Path, name: str) -> None:
    settle(tmp_path, f'{name} = "x"\n')
    with pytest.raises(SettingsError, match="does not exist"):
        load(tmp_path, nobody)


@pytest.mark.parametrize(
    ("stated", "pairs"),
    [
        ("<file>", (("<file>", "</file>"),)),
        ("BEGIN END", (("BEGIN", "END"),)),
        ("%%%", (("%%%", "%%%"),)),
        ("````", ()),
        ("~~~", ()),
        ("<source>", ()),
    ],
)
def test_a_fence_is_a_tag_a_pair_or_a_run(stated: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert with_fences(DEFAULT_MARKERS, [stated]).fences == (*pairs, *DEFAULT_MARKERS.fences)


def test_a_settings_error_is_bad_use() -> None:
    assert issubclass(SettingsError, UsageError)


def test_settings_are_kept_without_touching_other_lines(tmp_path: Path) -> None:
    user = tmp_path / "dovetail" / "config.toml"
    user.parent.mkdir()
    (tmp_path / "project").mkdir()
    user.write_text('# mine\nmodel = "old"\ntiers = ["exact"]\n\n[openai]\nkey = "k"\n', encoding="utf-8")
    user.chmod(0o640)
    assert save({"model": 'new "one"', "max-rounds": 0, "editor-model": None}, user) == user
    kept = '# mine\ntiers = ["exact"]\n\nmodel = "new \\"one\\""\nmax-rounds = 0\n[openai]\nkey = "k"\n'
    assert user.read_text(encoding="utf-8") == kept
    assert user.stat().st_mode & 0o777 == 0o640
    assert load(tmp_path / "project", user).models.model == 'new "one"'
    assert save({"model": None}, user) == user
    assert load(tmp_path / "project", user).models.model is None
    assert sorted(user.parent.iterdir()) == [user]


def test_a_file_that_cannot_be_changed_by_lines_stays_as_it_is(tmp_path: Path) -> None:
    user = tmp_path / "config.toml"
    text = 'model = """\nold"""\n'
    user.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError):
        save({"model": "new"}, user)
    assert user.read_text(encoding="utf-8") == text


def test_a_first_setting_makes_a_private_file(tmp_path: Path) -> None:
    user = tmp_path / "new" / "config.toml"
    save({"model": "one"}, user)
    assert user.read_text(encoding="utf-8") == 'model = "one"\n'
    assert user.stat().st_mode & 0o777 == 0o600
