"""Beginnings: the sample, conversations, files by `@`, another format, a provider for the session, kept settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from provider_server import Answer, openai_events, serving
from reading import ask, card, paste, stand_still, states, wait_for_state
from replies import FIVE, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_sample_reply_is_applied_in_two_clicks(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    before = sorted(folder.rglob("*"))
    page = open_page(serve())
    page.get_by_role("button", name="Try a sample reply").click()
    page.get_by_role("button", name=re.compile("^Apply 3 edits")).first.click()
    wait_for_state(page, 3, "written")
    assert states(page) == ["written", "written", "written", "failed", "failed"]
    page.get_by_role("button", name="Leave the sample").click()
    page.get_by_role("button", name="Try a sample reply").wait_for()
    assert page.locator(".top-bar .root").inner_text() == "shop"
    assert sorted(path for path in folder.rglob("*") if ".dovetail" not in path.parts) == before


def test_a_new_conversation_and_an_earlier_one(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    answers = [Answer(openai_events(text)) for text in ("The first answer.", "The second answer.")]
    with serving(*answers) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "What is this?")
        page.get_by_text("The first answer.").wait_for()
        page.locator(".progress").wait_for(state="detached")
        page.get_by_role("button", name="Conversations").click()
        page.get_by_role("button", name="New conversation").click()
        page.locator(".welcome").wait_for()
        page.get_by_role("button", name="Conversations").click()
        page.get_by_role("button", name=re.compile("^What is this")).click()
        page.get_by_text("The first answer.").wait_for()
        ask(page, "And now?")
        page.get_by_text("The second answer.").wait_for()
        sent = str(provider.seen[-1].body)
    assert "What is this?" in sent
    assert "The first answer." in sent, "the model knows what was said"


def test_a_file_is_completed_and_joins_the_chat(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(Answer(openai_events("Yes."))) as provider:
        page = open_page(serve(provider=provider.url))
        page.locator(".composer").get_by_text("Ask", exact=True).first.click()
        page.focus("#composer-text")
        page.keyboard.type("Look at @sto")
        page.get_by_role("option", name="web/stock.ts").wait_for()
        page.keyboard.press("Enter")
        assert page.input_value("#composer-text") == "Look at web/stock.ts "
        page.locator(".held-file", has_text="stock.ts").wait_for()
        page.keyboard.type("@nothing-like-it")
        assert page.get_by_role("option").count() == 0


def test_a_pasted_reply_is_read_in_another_format(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"))
    wait_for_state(page, 1, "fits")
    page.locator(".turn").get_by_role("combobox", name="Read it as").select_option("udiff")
    page.locator(".turn").nth(1).locator("article.edit").wait_for()
    assert page.locator(".turn").first.get_attribute("class") == "turn declined"
    page.locator(".turn").nth(1).get_by_role("combobox", name="Read it as").select_option("diff")
    page.locator(".turn").nth(2).locator("article.edit").wait_for()
    assert states(page) == ["fits"]


def test_a_key_for_this_session_is_shown_nowhere(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    secret = "sk-secret-of-a-session"  # noqa: S105
    with serving(
        Answer([b'{"data": [{"id": "big-1"}, {"id": "tiny-1"}]}']), Answer(openai_events("Hello."))
    ) as provider:
        page = open_page(serve())
        page.keyboard.press(",")
        page.get_by_text("Provider: address, key, its models").click()
        page.get_by_role("textbox", name="Address").fill(f"{provider.url}/v1")
        page.get_by_label("Key", exact=True).fill(secret)
        page.get_by_role("button", name="Use for this session").click()
        page.get_by_text("In use until the server ends.").wait_for()
        page.get_by_role("button", name="List its models").click()
        page.get_by_role("combobox", name="Its models").select_option("tiny-1")
        page.wait_for_function("() => document.querySelector('.model-button').textContent.includes('tiny-1')")
        page.get_by_role("button", name="Keep these settings").click()
        page.get_by_text("config.toml").wait_for()
        page.keyboard.press("Escape")
        ask(page, "Hello?")
        page.get_by_text("Hello.", exact=True).wait_for()
        seen = [request.headers.get("authorization") for request in provider.seen]
    assert seen == [f"Bearer {secret}"] * 2
    kept = (folder.parent / "config" / "dovetail" / "config.toml").read_text()
    assert 'model = "tiny-1"' in kept
    everything = [path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()]
    assert not any(secret.encode() in content for content in everything)
    assert secret not in page.evaluate(STATE)
    assert secret not in page.content()


STATE = """() => fetch('/api/state', { headers: { 'Dovetail-Key': localStorage.getItem('dovetail.key') } }).then(a => a.text())"""


def test_a_template_goes_into_another_folder(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Folder").fill("../fresh")
    page.locator(".template").first.get_by_role("button", name="Use it").click()
    page.get_by_text("To work there").wait_for()
    assert any((folder.parent / "fresh").iterdir())
    assert not (folder / "fresh").exists()


def test_a_reply_stays_at_its_first_edit(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    for _ in range(2):
        paste(page, "An introduction.\n\n" * 40 + FIVE)
        wait_for_state(page, 5, "fits")
        stand_still(page)
        box, log = card(page, 1).bounding_box(), page.locator(".chat-log").bounding_box()
        assert box is not None
        assert log is not None
        assert log["y"] <= box["y"] < log["y"] + 100
        assert focused(page) == "1"
        assert page.locator(".composer").evaluate("it => it.offsetHeight") < 60, "it shrinks"


def focused(page: Page) -> object:
    """The number of the edit that has the focus."""
    return page.evaluate("document.activeElement.dataset.n ?? null")
