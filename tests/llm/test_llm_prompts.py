"""The prompts: every example parses and applies, no gap is left, and what is in force shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from dovetail.formats import parse, render
from dovetail.llm import prompts
from dovetail.llm.prompts import Wording
from dovetail.llm.prompts.texts import (
    CodeFence,
    Scene,
    fence_around,
    fence_words,
    fill,
    folder,
    format_document,
    gaps,
    marker_words,
    piece,
)
from dovetail.llm.values import Role
from dovetail.model.codes import Code, Occurrence, OnFailure, Status
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan
from dovetail.syntax import default_language

OTHERS = Markers(shortest=4, longest=6, search_words=("VORHER",), replace_words=("NACHHER",))
FENCES = [CodeFence.of("```"), CodeFence.of("`````"), CodeFence.of("~~~"), CodeFence("<source>", "</source>")]
EVERY_SCENE = [
    pytest.param(name, scene, id=f"{name}-{scene.name}-{fence.left}-{'shell' if shell else 'no shell'}")
    for name in prompts.format_names()
    for fence in FENCES
    for shell in (True, False)
    for scene in Wording(name, fence=fence, shell=shell).scenes
]


def shown(files: Mapping[str, str]) -> Snapshot:
    """Files that the model was shown as they are, so that it may count their lines."""
    return Snapshot({path: FileText(path, text, seen=text) for path, text in files.items()}, frozenset(files))


def test_every_format_has_an_example() -> None:
    assert [name for name in prompts.format_names() if not Wording(name).scenes] == []


@pytest.mark.parametrize(("name", "scene"), EVERY_SCENE)
@pytest.mark.parametrize("asked", ["found by itself", "by name"])
def test_every_example_parses_and_gives_the_files_beside_it(name: str, scene: Scene, asked: str) -> None:
    parsed = parse(scene.reply, format=name) if asked == "by name" else parse(scene.reply)
    formats = {name} if asked == "by name" else {_parser_of(name)}
    if name == "roo":
        formats.add("cline")  # `write_to_file` belongs to both
    assert {block.format for block in parsed.blocks} <= formats
    assert not parsed.diagnostics
    made = plan(parsed, shown(scene.before), language=default_language())
    assert [result.status for result in made.results] == [Status.FITS] * len(parsed.blocks)
    # a file that is split in two does lack what went to the other, and says so
    assert not [w for result in made.results for w in result.warnings if w.code is not Code.SHRUNK]
    after = dict(scene.before) | {change.path: change.after for change in made.changes}
    assert {path: text for path, text in after.items() if text is not None} == scene.after


@pytest.mark.parametrize("name", prompts.format_names())
def test_every_call_that_a_rule_shows_is_read(name: str) -> None:
    shown = format_document(name).sections
    for call in re.findall(r"`(\{\"name\".*?\}\})`", shown["rules"] + shown["files"]):
        assert [block.malformed for block in parse(call).blocks] == [None], call


def _parser_of(name: str) -> str:
    return format_document(name).meta.get("like", name)


@pytest.mark.parametrize("name", prompts.format_names())
@pytest.mark.parametrize("fence", ["```", "`````"])
def test_edits_are_rendered_as_their_format_is_taught(name: str, fence: str) -> None:
    """A corrected edit in a repair message looks like what the model was told to write."""
    for scene in Wording(name, CodeFence.of(fence), shell=False).scenes:
        rendered = render(parse(scene.reply).blocks, name, fence=fence).strip("\n")
        edits = rendered.split("\n", 1)[1] if name == "artifact" else rendered  # whose first line has a title
        assert edits in scene.reply


@pytest.mark.parametrize("name", prompts.format_names())
def test_every_example_is_read_with_the_markers_in_force(name: str) -> None:
    for usual, scene in zip(Wording(name).scenes, Wording(name, markers=OTHERS).scenes, strict=True):
        made = plan(parse(scene.reply, markers=OTHERS), shown(scene.before), language=default_language())
        assert made.changes == plan(parse(usual.reply), shown(scene.before), language=default_language()).changes
        assert not made.failed


@pytest.mark.parametrize("name", prompts.format_names())
def test_no_text_speaks_of_words_that_are_not_in_force(name: str) -> None:
    wording = Wording(name, markers=OTHERS)
    texts = [wording.system, wording.reminder, *(turn.content for turn in wording.examples)]
    own = name == "cline"  # whose words the parser knows whatever the settings say
    assert own == any(word in text for word in ("SEARCH", "REPLACE") for text in texts)
    assert not any(f"{run}{run[0]}" in text for run in ("<" * 6, "=" * 6) for text in texts)


@pytest.mark.parametrize(("name", "scene"), EVERY_SCENE)
def test_an_example_suggests_commands_where_its_format_cannot_move_files_and_nowhere_else(
    name: str, scene: Scene
) -> None:
    commands = [line for said in parse(scene.reply).shell_suggestions for line in said.command.splitlines()]
    by_shell = scene.name == "move" and format_document(name).meta["moves"] == "shell"
    assert commands == (["git mv garden/watering.py garden/care.py", "git rm garden/draft.py"] if by_shell else [])


@pytest.mark.parametrize("name", prompts.format_names())
@pytest.mark.parametrize("shell", [True, False])
@pytest.mark.parametrize("policy", [
    DEFAULT_POLICY,
    replace(DEFAULT_POLICY, occurrence=Occurrence.FIRST, on_failure=OnFailure.BLOCK),
])  # fmt: skip
def test_no_gap_and_no_empty_part_is_left(name: str, shell: bool, policy: Policy) -> None:
    wording = Wording(name, shell=shell, policy=policy)
    for text in (wording.system, wording.reminder):
        assert "{{" not in text
        assert "\n\n\n" not in text
        assert "\n\n## " not in text[text.rstrip().rfind("\n## ") + 4 :]
        assert not text.startswith("\n")


def test_the_fence_in_force_stands_everywhere_and_no_other() -> None:
    for name in prompts.format_names():
        wording = Wording(name, fence=CodeFence.of("`````"))
        texts = [wording.system, wording.reminder, *(message.content for message in wording.examples)]
        assert not any("```" in text.replace("`````", "") for text in texts)


@pytest.mark.parametrize("name", prompts.format_names())
@pytest.mark.parametrize("markers", [DEFAULT_MARKERS, OTHERS], ids=["usual", "others"])
def test_the_form_that_is_taught_is_the_one_that_is_parsed(name: str, markers: Markers) -> None:
    words = fence_words(CodeFence()) | marker_words(markers)
    form = fill(format_document(name).sections["form"], words)
    assert form in Wording(name, markers=markers).system
    assert form in Wording(name, markers=markers).reminder
    found = parse(form, markers=markers)
    assert {block.format for block in found.blocks} == {_parser_of(name)}
    assert found.blocks[0].path in ("path/to/file.py", "path/to/notebook.ipynb")
    assert all(block.malformed is None for block in found.blocks)


@pytest.mark.parametrize("name", prompts.format_names())
def test_editors_are_never_asked_for_commands_and_others_only_where_shell_is_on(name: str) -> None:
    on, off = Wording(name).system, Wording(name, shell=False).system
    asked = [said.command for said in parse(on).shell_suggestions]
    assert ("python -m pip install tomlkit" in asked) == (not name.startswith("editor-"))
    assert not parse(off).shell_suggestions
    assert not any(parse(turn.content).shell_suggestions for turn in Wording(name, shell=False).examples)


def test_the_policy_in_force_is_said() -> None:
    first = replace(DEFAULT_POLICY, occurrence=Occurrence.FIRST)
    alone = replace(DEFAULT_POLICY, on_failure=OnFailure.BLOCK)
    assert "is refused" in Wording("diff").system
    assert "the first of them is changed" in Wording("diff", policy=first).system
    assert "applied together" in Wording("diff").system
    assert "applied together" not in Wording("diff", policy=alone).system


@pytest.mark.parametrize("name", ["", "diffs", "../diff", "architect"])
def test_what_is_no_format_is_refused_with_the_list(name: str) -> None:
    with pytest.raises(UsageError, match="no format") as raised:
        _ = Wording(name).system
    assert "guillemet" in str(raised.value.hint)


def test_examples_are_turns_of_user_and_model_that_begin_with_the_files() -> None:
    turns = Wording("diff").examples
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT] * 3
    assert turns[0].content.startswith("garden/watering.py\n```python\nimport json\n")


def test_every_shared_text_is_used_and_every_gap_has_a_name_that_is_known() -> None:
    known = {"noun", "quote", "edit", "file", "open", "close", "bash", "bash-end", "language", "scope"}
    known |= marker_words(DEFAULT_MARKERS).keys()
    places = gaps(piece("pieces", "system")) | gaps(piece("pieces", "reminder"))
    for text in folder("pieces").iterdir():
        name = text.name.removesuffix(".md")
        if name not in ("system", "reminder", "tools"):
            assert gaps(piece("pieces", name)) <= known, name
    assert gaps(piece("pieces", "tools")) == {"role", "commands"}
    assert places <= known | {
        "role", "answer", "form", "rules", "exact", "place", "together", "sizing", "guidance", "files", "moves",
        "commands", "recall", "brief",
    }  # fmt: skip


def test_tags_that_may_be_fences_are_those_that_are_parsed() -> None:
    assert ("<source>", "</source>") in DEFAULT_MARKERS.fences


@pytest.mark.parametrize(
    ("texts", "fence"),
    [
        ([], "```"),
        (["a `b` ``c``"], "```"),
        (["```\nx\n```"], "````"),
        (["x", "a `````` b", "````"], "```````"),
        (["~~~~\n"], "```"),
    ],
)
def test_a_fence_is_one_longer_than_any_in_the_texts(texts: list[str], fence: str) -> None:
    assert fence_around(texts) == CodeFence(fence, fence)
