"""Templates: filled by plain substitution, refused where they would write what they must not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from loop_parts import answer, client_of, lay
from provider_server import Answer, event, openai_chunk, serving

from dovetail.model.errors import UsageError
from dovetail.session import templates
from dovetail.session.templates import choose_by_model, choose_by_words, copy_into, make_project, values_for
from dovetail.syntax import default_language

SHIPPED = [template.name for template in templates.shipped()]


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_is_whole(name: str, tmp_path: Path) -> None:
    made = make_project(templates.load(name), tmp_path / "3-odd Näme", {}, with_git=False)
    for path in made.paths:
        text = (made.folder / path).read_text()
        assert templates._GAP.search(text) is None, path
        assert not default_language().errors(path, text), path
        if path.endswith(".toml"):
            tomllib.loads(text)
        if path.endswith("package.json"):
            json.loads(text)


def test_the_python_package_passes_its_own_tests(tmp_path: Path) -> None:
    made = make_project(templates.load("python-package"), tmp_path / "pier", {}, with_git=False)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout


def test_the_service_passes_its_own_tests_where_its_libraries_are(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("httpx")
    made = make_project(templates.load("starlette-service"), tmp_path / "pier", {}, with_git=False)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore"]
    done = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{ name }}{{name}}", "xx"),
        ("style={{ color: 'red' }}", "style={{ color: 'red' }}"),
        ("{{ other }}", "{{ other }}"),
        ("{name} {{{name}}}", "{name} {x}"),
        ("{{ name", "{{ name"),
    ],
)
def test_filling_is_plain(text: str, filled: str) -> None:
    assert templates.fill(text, {"name": "x"}) == filled


def test_a_value_is_never_filled_again() -> None:
    assert templates.fill("{{ a }}", {"a": "{{ b }}", "b": "no"}) == "{{ b }}"


def template_of(folder: Path, toml: str, files: dict[str, str]) -> templates.Template:
    lay(folder, {"template.toml": toml, **{f"files/{path}": text for path, text in files.items()}})
    return templates.read_folder(folder)


def test_only_marked_files_are_filled_and_dots_come_back(tmp_path: Path) -> None:
    toml = '[variables.name]\ndefault = "{{folder_slug}}"\n'
    made = template_of(
        tmp_path / "t", toml, {"a.txt.tmpl": "{{name}}", "b.txt": "{{name}}", "dot-env": "", "{{name}}/c": ""}
    )
    done = make_project(made, tmp_path / "my pier", {}, with_git=False)
    assert done.paths == (".env", "a.txt", "b.txt", "my-pier/c")
    assert (done.folder / "a.txt").read_text() == "my-pier"
    assert (done.folder / "b.txt").read_text() == "{{name}}"


@pytest.mark.parametrize(("folder", "name"), [("Ünï Cödé", "uni-code"), ("2 days", "app-2-days"), ("日本", "app")])
def test_a_folder_s_name_is_spelled_in_plain_letters(tmp_path: Path, folder: str, name: str) -> None:
    made = template_of(tmp_path / "t", '[variables.name]\ndefault = "{{folder_slug}}"\n', {"{{name}}": ""})
    assert make_project(made, tmp_path / folder, {}, with_git=False).paths == (name,)


def test_a_package_is_named_after_the_name_that_was_given(tmp_path: Path) -> None:
    made = make_project(templates.load("python-package"), tmp_path / "np", {"name": "my-lib"}, with_git=False)
    assert "src/my_lib/__init__.py" in made.paths


@pytest.mark.parametrize("value", ["../up", ".git", "a/../../b", "con"])
def test_a_value_cannot_lead_outside(tmp_path: Path, value: str) -> None:
    made = template_of(tmp_path / "t", '[variables.name]\ndefault = "x"\n', {"{{name}}/c.txt": "c"})
    with pytest.raises(UsageError):
        make_project(made, tmp_path / "new", {"name": value}, with_git=False)
    assert not (tmp_path / "new").exists()


def described(folder: Path, pattern: str, default: str) -> Path:
    toml = f"[variables.name]\ndefault = {json.dumps(default)}\npattern = {json.dumps(pattern)}\n"
    lay(folder, {"template.toml": toml, "files/a.txt": "a"})
    return folder


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a|a)*b",
        "(a*)*b",
        "(a{1,9}){1,9}b",
        "a?a?a?a?a?aaaaa",
        "(a|a)(a|a)(a|a)(a|a)b",
        "(a)\\1",
        "(?=a)a",
        "(?:a)",
        "a*?",
        "a*a*a*a*b",
        "^a$",
        "(?i)a",
    ],
)
def test_a_pattern_that_could_take_long_is_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(UsageError, match="cannot be read: the pattern"):
        templates.read_folder(described(tmp_path / "t", pattern, "a" * 60))


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ("a*a*a*b", "a" * 255, False),
        ("(a|b)[a-z]*", "b" * 255, True),
        (r"[^\]\\]+\.[a-z]{2,3}", "x.com", True),
        (r"v\d+(\.\d+)?", "v1.20", True),
        (r"v\d+(\.\d+)?", "1.20", False),
    ],
)
def test_other_patterns_are_compared(tmp_path: Path, pattern: str, value: str, fits: bool) -> None:
    template = templates.read_folder(described(tmp_path / "t", pattern, "a"))
    if fits:
        assert values_for(template, {"name": value}, "f")["name"] == value
    else:
        with pytest.raises(UsageError, match="is no name"):
            values_for(template, {"name": value}, "f")


def test_a_value_is_not_longer_than_a_file_s_name(tmp_path: Path) -> None:
    template = templates.read_folder(described(tmp_path / "t", "a*", "a"))
    with pytest.raises(UsageError, match="The value of name has 256 characters"):
        values_for(template, {"name": "a" * 256}, "f")


def test_links_are_refused(tmp_path: Path) -> None:
    lay(tmp_path / "t", {"a.txt": "a"})
    (tmp_path / "t" / "b.txt").symlink_to("/etc/passwd")
    with pytest.raises(UsageError):
        templates.read_folder(tmp_path / "t")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("described", [False, True])
def test_what_is_no_regular_file_is_refused_and_never_opened(tmp_path: Path, described: bool) -> None:
    inside = "files/" if described else ""
    lay(tmp_path / "t", {f"{inside}a.txt": "a", **({"template.toml": ""} if described else {})})
    os.mkfifo(tmp_path / "t" / inside / "b.txt")
    command = [sys.executable, "-m", "dovetail", "new", "--from", "t", "made"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 2
    assert "`b.txt`, which is no regular file" in done.stderr
    assert not (tmp_path / "made").exists()


def test_nothing_is_written_over_and_nothing_half_written(tmp_path: Path) -> None:
    template = templates.load("static-site")
    lay(tmp_path / "site", {"script.js": "mine\n"})
    with pytest.raises(UsageError):
        make_project(template, tmp_path / "site", {})
    with pytest.raises(UsageError):
        copy_into(template, tmp_path / "site", {})
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == ["script.js"]
    lay(tmp_path / "other", {"notes.md": "mine\n"})
    copy_into(template, tmp_path / "other", {})
    assert (tmp_path / "other" / "index.html").is_file()


def test_what_cannot_be_written_whole_is_not_written(tmp_path: Path) -> None:
    template = template_of(tmp_path / "t", "", {"a/deep/one.txt": "1", "b/two.txt": "2"})
    lay(tmp_path / "here", {"b": "a file in the way\n"})
    with pytest.raises(OSError, match="b"):
        copy_into(template, tmp_path / "here", {})
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["b"]


@pytest.mark.parametrize("path", ["link/one.txt", "link/in/one.txt", "link/new/one.txt", "in/link/one.txt"])
def test_nothing_is_written_through_a_link(tmp_path: Path, path: str) -> None:
    template = template_of(tmp_path / "t", "", {"a.txt": "a", path: "1"})
    (tmp_path / "out/in").mkdir(parents=True)
    (tmp_path / "here/in").mkdir(parents=True)
    for link in ("here/link", "here/in/link"):
        (tmp_path / link).symlink_to(tmp_path / "out")
    with pytest.raises(UsageError, match="link is a link"):
        copy_into(template, tmp_path / "here", {})
    assert [entry.name for entry in (tmp_path / "out").rglob("*")] == ["in"]
    assert not (tmp_path / "here/a.txt").exists()


def test_an_empty_folder_and_one_inside_a_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "site").mkdir()
    made = make_project(templates.load("static-site"), tmp_path / "site", {})
    assert made.commit is None
    assert made.note is not None
    assert not (tmp_path / "site" / ".git").exists()


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("Use vite react for a todo list", "vite-react"),
        ("A FastAPI service with two endpoints", "starlette-service"),
        ("a landing page in plain HTML", "static-site"),
        ("a python library for tides", "python-package"),
        ("something nice", None),
    ],
)
def test_words_choose_a_template(request_: str, name: str | None) -> None:
    chosen = choose_by_words(request_, templates.shipped())
    assert (chosen.name if chosen is not None else None) == name


THOUGHTS = [event(openai_chunk({"reasoning_content": "They want boats, none of it in React."}))]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        pytest.param(answer("python-package"), "python-package", id="a name"),
        pytest.param(answer("It is python-package, as", stop="length"), "python-package", id="a name, then too much"),
        pytest.param(answer("python-package", stop=None), "python-package", id="a name, and no reason to stop"),
        pytest.param(Answer([*THOUGHTS, *answer("static-site").steps]), "static-site", id="a name behind thoughts"),
    ],
)
def test_a_model_chooses_a_template(said: Answer, name: str) -> None:
    with serving(said) as server:
        assert choose_by_model("something nice", templates.shipped(), client_of(server), "tiny").name == name


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(answer("None."), "No template fits the request.", id="none"),
        pytest.param(
            Answer([*THOUGHTS, *answer("", stop="length").steps]),
            "ended before it named a template",
            id="cut in thoughts",
        ),
        pytest.param(answer("Let me", stop="content_filter"), "ended before it named a template", id="filtered"),
        pytest.param(answer("Boats!"), "The model named no template.", id="something else"),
        pytest.param(answer("static-site or vite-react"), "The model named 2 templates", id="two"),
    ],
)
def test_why_a_model_chose_no_template_is_said(said: Answer, message: str) -> None:
    with serving(said) as server, pytest.raises(UsageError, match=message) as raised:
        choose_by_model("something nice", templates.shipped(), client_of(server), "tiny")
    assert "--template NAME" in (raised.value.hint or "")


def test_copies_that_are_there_stay_where_that_is_wanted(tmp_path: Path) -> None:
    template, root = templates.load("static-site"), tmp_path / "site"
    first = copy_into(template, root, {}, again=True)
    assert first.existed == ()
    (root / "style.css").unlink()
    assert copy_into(template, root, {}, again=True).existed == tuple(p for p in first.paths if p != "style.css")
    (root / "style.css").write_text("own\n")
    (root / "script.js").unlink()
    with pytest.raises(UsageError):
        copy_into(template, root, {}, again=True)
    assert ((root / "style.css").read_text(), (root / "script.js").exists()) == ("own\n", False)
