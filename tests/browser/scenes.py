"""Every state of the page as a scene: how to get there. Pictures are taken of them, and axe looks at them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from provider_server import Answer, openai_events, serving
from reading import ask, held, paste, wait_for_state
from replies import FIVE, STOCK, TILL, edit, shop
from served import Served, serving_folder

sys.path += [str(Path(__file__).parents[1] / name) for name in ("web", "session")]

from test_web_recorded import record  # its imports need the folders above

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAILS = edit(
    "till.py",
    'def receipt(price_list):\n    """The lines of a receipt."""\n    lines = []\n',
    'def receipt(prices, width=8):\n    """Lines of a receipt."""\n    lines = []\n',
)
TWICE = edit("twice.py", "    start()\n", "    begin()\n")
SEVEN = FIVE + FAILS + TWICE
NOTES = """## What changes

The **`till.py` module** rounds. *Nothing else* moves:

1. the rate becomes `0.19`
2. the **total** is rounded,
   on a second line
   - also in `receipt`

> The stock is left alone.
"""


@dataclass(frozen=True)
class Scene:
    """One state of the page. `asks`: there is a model, which answers with these, and stops half way in the last if
    `stalls`."""

    act: Callable[[Page, Path], None]
    empty: bool = False
    asks: Sequence[str] = ()
    stalls: bool = False


def _seven(page: Page, _: Path) -> None:
    paste(page, SEVEN)
    wait_for_state(page, 7, "failed")


def _then(*steps: str, wait: str | None = None) -> Callable[[Page, Path], None]:
    """After the seven edits: press each of these buttons, tabs or selectors, and wait for something."""

    def act(page: Page, folder: Path) -> None:
        _seven(page, folder)
        for step in steps:
            if step.startswith("."):
                page.locator(step).first.click()
            elif len(step) == 1:
                page.evaluate("document.activeElement.blur()")
                page.keyboard.press(step)
            else:
                page.get_by_role("button", name=re.compile(step)).first.click()
        if wait is not None:
            page.wait_for_selector(wait)

    return act


def _settled(page: Page, folder: Path) -> None:
    _seven(page, folder)
    page.get_by_role("button", name=re.compile("^Apply 5")).first.click()
    wait_for_state(page, 5, "written")


def _history(page: Page, folder: Path) -> None:
    _settled(page, folder)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("h")
    page.locator(".operation-head").first.click()
    page.wait_for_selector(".operation-body")


def _discarded(page: Page, folder: Path) -> None:
    _seven(page, folder)
    page.get_by_role("button", name="Discard").first.click()
    page.get_by_text("Discarded.").first.wait_for()


def _conflict(page: Page, folder: Path) -> None:
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    till = folder / "till.py"
    till.write_text(till.read_text().replace("RATE = 0.2\n", "RATE = 0.21\n"))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    wait_for_state(page, 1, "failed")
    page.get_by_role("button", name=re.compile("^Resolve")).first.click()
    page.wait_for_selector(".conflict .cm-content")


def _left_out(page: Page, folder: Path) -> None:
    _then("^Review$", wait=".review .diff-rows .row")(page, folder)
    page.get_by_role("checkbox", name="Edit 2").uncheck()
    page.locator('.edit-bar[data-n="2"].left-out').wait_for()


def _decided(page: Page, folder: Path) -> None:
    """One is written, one left out, and the changes within a third are chosen from."""
    _then("^Review$", wait=".review .diff-rows .row")(page, folder)
    for n, key, state in ((5, "a", "written"), (4, "s", "left-out")):
        page.locator(f'.edit-bar[data-n="{n}"]').focus()
        page.keyboard.press(key)
        page.locator(f'.edit-bar[data-n="{n}"][data-state="{state}"]').wait_for()
    page.locator('.edit-bar[data-n="2"]').focus()
    page.keyboard.press("l")
    page.wait_for_selector(".choose-lines")


def _commands(page: Page, _: Path) -> None:
    paste(page, "Run:\n\n```bash\nsed -i 's/RATE = 0.2/RATE = 0.19/' till.py\n```\n")
    page.wait_for_selector(".offer")


def _split(page: Page, folder: Path) -> None:
    _then("^Review$", wait=".review .diff-rows .row")(page, folder)
    page.get_by_text("Side by side").click()
    page.wait_for_selector(".review .pair")
    page.locator('.edit-bar[data-n="2"]').get_by_role("button", name="Comment").click()
    page.wait_for_selector("form.line-comment")


def _agent(page: Page, folder: Path) -> None:
    """Two requests of an agent, its second edit taken back."""
    cheaper = TILL.replace("RATE = 0.2\n", "RATE = 0.19\n")
    rounded = cheaper.replace("    return result\n", "    return round(result, 2)\n", 1)
    counted = STOCK.replace("  return null;\n", "  throw new Error(`no ${name} left`);\n")
    record(folder, "till.py", cheaper, 1, call="toolu_1", asked="The tax is 19 % now. Round the total.")
    record(folder, "till.py", rounded, 1, call="toolu_2", asked="The tax is 19 % now. Round the total.")
    record(folder, "web/stock.ts", counted, 2, call="toolu_3", asked="Say so if nothing is left.")
    page.keyboard.press("h")
    page.get_by_role("button", name="Review the session of claude").click()
    page.locator('.edit-bar[data-n="2"]').focus()
    page.keyboard.press("s")
    page.locator('.edit-bar[data-n="2"][data-state="left-out"]').wait_for()


def _taking_back(page: Page, folder: Path) -> None:
    """All that the agent did is to be taken back, but for a file that somebody has changed since."""
    _agent(page, folder)
    till = folder / "till.py"
    till.write_text(till.read_text().replace("RATE = 0.19\n", "RATE = 0.18\n"))
    page.get_by_role("button", name="Take all of it back").click()
    page.get_by_role("button", name="Take 1 file back").wait_for()


def _provider(page: Page, folder: Path) -> None:
    _then(",", wait="dialog[open]")(page, folder)
    page.get_by_text("Provider: address, key, its models").click()


def _sample(page: Page, _: Path) -> None:
    page.get_by_role("button", name="Try a sample reply").click()
    wait_for_state(page, 5, "failed")


def _names_file(page: Page, _: Path) -> None:
    page.locator(".composer").get_by_text("Ask", exact=True).first.click()
    page.focus("#composer-text")
    page.keyboard.type("Look at @t")
    page.get_by_role("option").first.wait_for()


def _answers(page: Page, _: Path) -> None:
    ask(page, "Round the totals.")
    page.locator(".turn .prose").first.wait_for()


def _gone_on_with(page: Page, _: Path) -> None:
    """An earlier conversation, with cards for its edits."""
    ask(page, "Round the totals.")
    for path in ("till.py", "web/stock.ts"):
        question = page.get_by_role("group", name="A question").filter(has_text=path)
        question.get_by_role("button", name="Add it to the chat").click()
    page.locator(".turn.open").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("x")
    page.get_by_role("button", name="New conversation").click()
    page.locator(".turn").wait_for(state="detached")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("x")
    page.get_by_role("button", name="Round the totals.").click()
    wait_for_state(page, 5, "fits")


PLACES = [
    "\n".join(
        [
            "It begins.\n",
            TWICE,
            edit("till.py", "RATE = 0.21\n", "RATE = 0.19\n"),
            edit("README.md", "# Shop\n", "# A shop\n"),
        ]
    ),
    "The rate is another one, so I send that edit again:\n\n" + edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"),
]


def _places(page: Page, _: Path) -> None:
    """A place is to be chosen while the model mends another edit."""
    held(page, ["twice.py", "till.py", "README.md"])
    ask(page, "Begin.")
    page.get_by_text("The rate is another one").wait_for()
    page.locator(".edit .places input").first.wait_for()


def _places_in_review(page: Page, folder: Path) -> None:
    _places(page, folder)
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.locator('.edit-bar[data-n="1"]').focus()
    page.locator(".review .places code span").first.wait_for()


SCENES: dict[str, Scene] = {
    "first": Scene(lambda page, folder: None),
    "first-empty": Scene(lambda page, folder: None, empty=True),
    "reply": Scene(_seven),
    "failed": Scene(_then(".failure", wait=".nearest")),
    "by-hand": Scene(_then("Edit by hand", wait=".by-hand-form .cm-content")),
    "review": Scene(_then("^Review$", wait=".review .diff-rows .row")),
    "left-out": Scene(_left_out),
    "review-split": Scene(_split),
    "review-decided": Scene(_decided),
    "commands": Scene(_commands),
    "sample": Scene(_sample),
    "viewer": Scene(_then(".edit .path-button", wait=".viewer .cm-content")),
    "viewer-split": Scene(_then(".edit .path-button", '.viewer label:has-text("Side by side")', wait=".cm-mergeView")),
    "conflict": Scene(_conflict),
    "written": Scene(_settled),
    "history": Scene(_history),
    "discarded": Scene(_discarded),
    "nothing": Scene(lambda page, folder: paste(page, NOTES)),
    "files": Scene(_then("f", wait=".tree")),
    "agent": Scene(_agent),
    "taking-back": Scene(_taking_back),
    "settings": Scene(_then(",", wait="dialog[open]")),
    "provider": Scene(_provider),
    "keys": Scene(_then("?", wait="dialog[open]")),
    "another-page": Scene(_then("c", wait="dialog[open] .prompt")),
    "templates": Scene(_then("n", wait="dialog[open] .template")),
    "tokens": Scene(_then("t", wait=".panel-tokens")),
    "conversations": Scene(_then("x", wait="dialog[open]")),
    "names-file": Scene(_names_file, asks=[NOTES]),
    "gone-on-with": Scene(_gone_on_with, asks=[NOTES + FIVE]),
    "answers": Scene(_answers, asks=[NOTES + FIVE], stalls=True),
    "places": Scene(_places, asks=PLACES, stalls=True),
    "places-review": Scene(_places_in_review, asks=PLACES, stalls=True),
}


@contextmanager
def staged(scene: Scene, folder: Path) -> Iterator[Served]:
    """Serve a folder for a scene, with a state folder of its own."""
    folder.mkdir(exist_ok=True)
    with patch.dict(os.environ, {"XDG_STATE_HOME": str(folder.parent / "state")}):
        yield from _served(scene, folder)


def _served(scene: Scene, folder: Path) -> Iterator[Served]:
    if not scene.empty:
        shop(folder)
        (folder / "twice.py").write_text("def open_till():\n    start()\n\n\ndef close_till():\n    start()\n")
    if not scene.asks:
        with serving_folder(folder) as served:
            yield served
        return
    script = [openai_events(text[: len(text) // 2], text[len(text) // 2 :]) for text in scene.asks]
    *answers, last = map(Answer, script)
    if scene.stalls:
        last = Answer([*last.steps[:2], 600.0, *last.steps[2:]])
    with serving(*answers, last) as provider, serving_folder(folder, provider=provider.url) as served:
        yield served
