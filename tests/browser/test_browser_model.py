"""Replies that stream from a model: watched, repaired, stopped, resumed, seen in two tabs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from provider_server import Answer, Step, openai_events, serving
from reading import ask, card, held, paste, stand_still, states, wait_for_state
from replies import FIVE, TILL, edit, shop
from served import OpenPage, Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page


def streamed(reply: str, pieces: int, pause: float) -> Answer:
    """A reply in so many pieces, with a pause behind each."""
    size = max(1, len(reply) // pieces)
    events = openai_events(
        *(reply[at : at + size] for at in range(0, len(reply), size)),
        usage={"prompt_tokens": 900, "completion_tokens": 300},
    )
    steps: list[Step] = []
    for event in events:
        steps += [event, pause]
    return Answer(steps)


WATCH = """() => {
  const seen = (window.seen = { states: [], lines: [], frames: [], long: 0 });
  const look = () => {
    const card = document.querySelector('article.edit[data-n="2"]');
    if (card) {
      seen.states.push(card.dataset.state);
      seen.lines.push(card.querySelectorAll('.row').length);
    }
    seen.frames.push(performance.now());
    if (!seen.stop) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def test_five_hundred_pieces_draw_blocks_while_they_arrive(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 500, 0.004)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page)
        page.evaluate(WATCH)
        ask(page, "Round the totals.")
        wait_for_state(page, 5, "fits")
        page.get_by_role("button", name="Apply 5 edits").first.wait_for()
        seen = page.evaluate("() => { window.seen.stop = true; return window.seen }")
    assert states(page) == ["fits"] * 5
    assert seen["states"][0] == "arriving"
    assert seen["states"][-1] == "fits"
    growing = [lines for state, lines in zip(seen["states"], seen["lines"], strict=True) if state == "arriving"]
    assert growing == sorted(growing), "a block only grows while it arrives"
    assert len(set(growing)) >= 3, "it was drawn in more than one step"
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    assert "RATE = 0.19" in (folder / "till.py").read_text()


def test_a_failed_edit_is_repaired_by_the_models_second_try(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    wrong = edit("till.py", "def receipt(price_list):\n    rows = list()\n", "def receipt(prices, width=8):\n")
    right = edit("till.py", "def receipt(prices):\n", "def receipt(prices, width=8):\n")
    with serving(streamed(wrong, 20, 0.001), streamed(right, 20, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Let the receipt have a width.")
        page.get_by_role("button", name="Apply 1 edit").first.wait_for()
    assert states(page) == ["superseded", "fits"]
    assert page.get_by_role("heading", name="Repair").is_visible()
    page.get_by_text("The message to the model").click()
    assert "till.py" in page.get_by_role("group", name="The message to the model").inner_text()
    page.get_by_role("button", name="Apply 1 edit").first.click()
    wait_for_state(page, 2, "written")
    assert (folder / "till.py").read_text() == TILL.replace("def receipt(prices):", "def receipt(prices, width=8):")
    page.locator(".top-bar").get_by_role("button", name="in,").click()
    assert page.get_by_role("row").filter(has_text="Repair").count() == 1


def test_a_pasted_reply_is_retried_with_the_model(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    wrong = edit("till.py", "def receipt(price_list):\n    rows = list()\n", "def receipt(prices, width=8):\n")
    right = edit("till.py", "def receipt(prices):\n", "def receipt(prices, width=8):\n")
    with serving(streamed(right, 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        paste(page, wrong)
        wait_for_state(page, 1, "failed")
        card(page, 1).get_by_role("button", name="Retry with the model").click()
        wait_for_state(page, 2, "fits")
        wait_for_state(page, 1, "superseded")
    assert states(page) == ["superseded", "fits"]


def test_a_retry_that_is_answered_with_a_command_shows_it_in_the_review(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    shop(folder)
    with serving(streamed("Remove it:\n\n```bash\ngit rm till.py\n```\n", 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        paste(page, edit("till.py", "def receipt(price_list):\n    rows = list()\n", "def receipt(prices, width=8):\n"))
        card(page, 1).get_by_role("button", name="Retry with the model").click()
        page.get_by_role("button", name="Review").last.click()
        page.get_by_role("region", name="Suggested commands").get_by_text("git rm till.py").wait_for()


def test_a_reload_in_mid_stream_goes_on(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 200, 0.02)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page)
        ask(page, "Round the totals.")
        page.wait_for_selector('article.edit[data-state="arriving"]')
        page.reload()
        page.wait_for_selector("article.edit")
        assert page.locator(".progress").count() == 1, "the model still answers"
        wait_for_state(page, 5, "fits")
        page.get_by_role("button", name="Apply 5 edits").first.wait_for()
        assert len(provider.seen) == 1, "the model was asked once"
    assert states(page) == ["fits"] * 5


def test_two_tabs_see_the_same(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 100, 0.03)) as provider:
        served = serve(provider=provider.url)
        first = open_page(served)
        second = open_page(served, color_scheme="dark")
        held(first)
        ask(first, "Round the totals.")
        second.wait_for_selector('article.edit[data-state="arriving"]')
        wait_for_state(second, 5, "fits")
        card(second, 1).get_by_role("button", name="Skip").click()
    wait_for_state(first, 1, "left-out")
    first.get_by_role("button", name="Apply 4 edits").first.click()
    wait_for_state(second, 5, "written")
    assert states(first) == states(second) == ["left-out", "written", "written", "written", "written"]


def test_tabs_that_nobody_sees_leave_the_connections_to_the_others(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    """A browser has six for one server, and each stream takes one for good."""
    shop(folder)
    served = serve()
    page = open_page(served)
    others = [page.context.new_page() for _ in range(7)]
    for other in others:
        other.goto(served.origin)
        other.wait_for_selector(".composer")
        other.evaluate(SEEN, False)
    paste(page, FIVE)
    page.get_by_role("button", name="Apply 5 edits").first.click()
    wait_for_state(page, 5, "written")
    assert others[0].locator(".turn").count() == 0
    others[0].evaluate(SEEN, True)
    wait_for_state(others[0], 5, "written")


SEEN = """seen => {
  Object.defineProperty(document, 'hidden', { value: !seen, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_stopped_reply_is_asked_for_again_or_used_as_it_came(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    first = edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n")
    begun = openai_events(first, "till.py\n```\n<<<<<<< SEARCH\n    lines.append(", stop=None)[:-1]
    with serving(Answer([*begun, 30.0]), streamed(first, 5, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Lower the rate.")
        card(page, 2).wait_for()
        page.keyboard.press("Control+.")
        page.get_by_text("Stopped. No file was touched.").wait_for()
        assert page.get_by_text("cancelled").count() == 0, "one thing is said, once"
        assert card(page, 1).get_by_text("Not taken", exact=True).is_visible()
        assert card(page, 2).get_by_text("Cut off", exact=True).is_visible()
        assert page.locator('[aria-busy="true"]').count() == 0
        assert page.get_by_role("button", name="Apply").count() == 0
        page.get_by_role("button", name="Ask again").click()
        page.get_by_role("button", name="Apply 1 edit").wait_for()
        assert page.locator(".request").all_inner_texts() == ["Lower the rate."] * 2
    assert (folder / "till.py").read_text() == TILL
    page.get_by_role("button", name="Use what arrived (1 edit)").click()
    wait_for_state(page, 2, "failed", turn=0)
    assert states(page, 0) == ["fits", "failed"]
    assert (folder / "till.py").read_text() == TILL, "it is planned, not applied"


def test_discarded_edits_do_not_look_ready(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, FIVE)
    wait_for_state(page, 5, "fits")
    page.get_by_role("button", name="Discard").first.click()
    page.get_by_text("Discarded.").wait_for()
    assert page.locator(".turn").get_by_text("Fits", exact=True).count() == 0
    assert page.locator(".banner-bar").get_by_text("5 not taken").is_visible()
    page.get_by_role("button", name="Think again").click()
    page.locator(".banner-bar").get_by_text("5 fit").wait_for()


@pytest.mark.parametrize("added", [True, False])
def test_a_file_outside_the_chat_is_asked_for(folder: Path, serve: Serve, open_page: OpenPage, *, added: bool) -> None:
    shop(folder)
    with serving(streamed(edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"), 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Lower the rate.")
        question = page.get_by_role("group", name="A question")
        page.get_by_text("Waits for your answer").wait_for()
        question.get_by_role("button", name="Add it to the chat" if added else "Leave it out").click()
        wait_for_state(page, 1, "fits" if added else "left-out")
    assert (folder / "till.py").read_text() == TILL


def test_a_file_that_is_only_read_is_let_be_edited_at_the_edit(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n"), 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        page.focus("#composer-text")
        page.get_by_role("button", name="Make till.py read-only").click()
        ask(page, "Lower the rate.")
        wait_for_state(page, 1, "failed")
        assert card(page, 1).locator(".hint").count() == 0, "the button says what to do"
        assert page.get_by_role("button", name="Copy the message").count() == 0, "no model can mend that"
        card(page, 1).get_by_role("button", name="Allow edits to the file").click()
        wait_for_state(page, 1, "fits")
        page.focus("#composer-text")
        page.get_by_role("button", name="Make till.py read-only").wait_for()
    assert (folder / "till.py").read_text() == TILL


def test_the_cards_own_button_answers_the_question_too(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Round the totals.")
        page.get_by_role("group", name="A question").wait_for()
        card(page, 4).get_by_role("button", name="Add it to the chat").click()
        page.get_by_role("button", name="Apply 5 edits").wait_for()
    assert page.get_by_role("group", name="A question").count() == 0


def test_a_card_says_that_its_file_has_joined_the_chat(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """The edit is placed when the question about the other file is answered, too."""
    shop(folder)
    with serving(streamed(FIVE, 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Round the totals.")
        page.get_by_role("group", name="A question").get_by_text("till.py").wait_for()
        card(page, 2).get_by_role("button", name="Add it to the chat").click()
        page.get_by_role("group", name="A question").get_by_text("web/stock.ts").wait_for()
        for n in (1, 2, 3):
            card(page, n).get_by_text("The file is in the chat now.").wait_for()
            assert card(page, n).get_by_role("button", name="Add it to the chat").count() == 0
        assert card(page, 4).get_by_text("The file is not in the chat").is_visible()
        page.get_by_role("group", name="A question").get_by_role("button", name="Add it to the chat").click()
        page.get_by_role("button", name="Apply 5 edits").wait_for()


def test_a_place_is_chosen_at_the_edit_and_nothing_waits_for_it(
    folder: Path, serve: Serve, open_page: OpenPage
) -> None:
    before = "def a():\n    start()\n\n\ndef b():\n    start()\n"
    (folder / "twice.py").write_text(before)
    with serving(streamed(edit("twice.py", "    start()\n", "    begin()\n"), 5, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["twice.py"])
        ask(page, "Begin.")
        page.locator(".turn.open").wait_for()
        assert page.get_by_role("group", name="A question").count() == 0
        edit_1 = card(page, 1)
        edit_1.get_by_text("def b():").wait_for()
        edit_1.get_by_role("radio", name="Line 2").check()
        wait_for_state(page, 1, "fits")
        edit_1.get_by_role("button", name="Undecided again").click()
        wait_for_state(page, 1, "failed")
        edit_1.get_by_role("radio", name="line 6").check()
        page.get_by_role("button", name="Apply 1 edit").first.click()
        wait_for_state(page, 1, "written")
        assert edit_1.get_by_role("radio").count() == 0, "what is written is not to be chosen"
        assert len(provider.seen) == 1
    assert (folder / "twice.py").read_text() == before[:-12] + "    begin()\n"


def test_a_reply_that_was_cut_short_says_so_once(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    begun = openai_events("The rate is too high, and so I would", stop="length")
    with serving(Answer(begun)) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Lower the rate.")
        page.locator(".turn-note").wait_for()
        said = "The reply was cut short at its length limit; what it ends with may be incomplete."
        act = "Allow more tokens, if the model can: max-tokens, an option and a setting."
        assert page.locator(".turn-note").all_inner_texts() == [f"{said} {act}"]


def test_a_model_that_says_nothing_is_said_to(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(Answer(openai_events())) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "Lower the rate.")
        page.locator(".turn-note", has_text="The model said nothing.").wait_for()


def test_stopping_at_a_question_keeps_the_reply(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Round the totals.")
        page.get_by_role("group", name="A question").wait_for()
        page.keyboard.press("Control+.")
        page.get_by_role("button", name="Apply 4 edits").wait_for()
    assert page.get_by_role("group", name="A question").count() == 0
    assert page.locator(".banner-bar").get_by_text("1 waits").is_visible()


def test_a_stale_file_is_settled_by_hand(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """The reply ends when the file has been changed; what the model is asked then, it answers in the same words."""
    shop(folder)
    reply = edit("till.py", "RATE = 0.2\n", "RATE = 0.19\n")
    begun, marker, rest = reply.partition("=======\n")
    changed = threading.Event()
    first, *others = openai_events(begun + marker, rest)
    answer = Answer([first, others[0], changed, *others[1:]])
    with serving(answer, Answer(openai_events(reply))) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Lower the rate.")
        wait_for_state(page, 1, "arriving")
        (folder / "till.py").write_text(TILL.replace("RATE = 0.2\n", "RATE = 0.25\n"))
        changed.set()
        page.get_by_role("button", name="Resolve it").first.click()
        page.get_by_role("group", name="Conflict 1 of 1").get_by_role("button", name="Take the reply’s").click()
        page.get_by_role("button", name="Use this result").click()
    page.get_by_role("button", name="Apply this file").click()
    page.locator(".banner-bar").get_by_text("1 written").wait_for()
    assert (folder / "till.py").read_text() == TILL.replace("RATE = 0.2\n", "RATE = 0.19\n")
    page.locator('article.edit[data-state="written"]').get_by_role("button", name="Undo").click()
    page.locator('article.edit[data-state="failed"]').wait_for()
    assert (folder / "till.py").read_text() == TILL.replace("RATE = 0.2\n", "RATE = 0.25\n")
    assert page.get_by_role("button", name="Resolve it").first.is_visible()


def test_one_thing_is_said_while_the_model_is_asked(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    late = Answer([0.6, *streamed("Just words, and no edit at all.", 10, 0.05).steps])
    with serving(late) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "What is this?")
        progress = page.locator(".thinking")
        progress.get_by_text("Asking the model", exact=True).wait_for()
        assert progress.count() == 1
        progress.get_by_text("The model answers", exact=True).wait_for()
        assert progress.count() == 1
        progress.wait_for(state="detached")


def test_nothing_is_said_of_failures_where_none_is_left(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(streamed(FIVE, 10, 0.001)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Round the totals.")
        waits = card(page, 4)
        waits.get_by_text("The file is not in the chat, so the edit waits.").wait_for()
        assert waits.locator(".badge-button").get_attribute("title") == "Why it waits"
        page.get_by_role("group", name="A question").get_by_role("button", name="Leave it out").click()
        wait_for_state(page, 4, "left-out")
        page.get_by_role("button", name="Apply 4 edits").wait_for()
    assert page.locator(".turn-note").count() == 0


def test_who_scrolls_up_while_a_reply_arrives_stays_there(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    lines = "".join(f"Line {n} of an explanation.\n\n" for n in range(120))
    with serving(streamed(lines, 200, 0.02)) as provider:
        page = open_page(serve(provider=provider.url), height=600)
        ask(page, "Explain it.")
        page.get_by_text("Line 30 of").wait_for()
        page.locator(".chat-log").hover()
        page.mouse.wheel(0, -60)
        page.wait_for_function(
            "() => { const log = document.querySelector('.chat-log'); return log.scrollTop + log.clientHeight < log.scrollHeight - 40 }"
        )
        page.get_by_text("Line 60 of").wait_for()
        stopped = page.evaluate("document.querySelector('.chat-log').scrollTop")
        page.get_by_text("Line 80 of").wait_for()
        assert page.evaluate("document.querySelector('.chat-log').scrollTop") == stopped
        page.mouse.wheel(0, 100_000)
        page.get_by_text("Line 119 of").wait_for()
        page.locator(".progress").wait_for(state="detached")
        left = "e => e.scrollHeight - e.scrollTop - e.clientHeight"
        assert page.locator(".chat-log").evaluate(left) < 120, "at the end it goes along again"


def test_nothing_moves_while_one_begins_to_scroll(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    """A browser that scrolls smoothly has not moved yet when the wheel turns, and stops where it is moved meanwhile."""
    shop(folder)
    lines = "".join(f"Line {n} of an explanation.\n\n" for n in range(120))
    with serving(streamed(lines, 200, 0.02)) as provider:
        page = open_page(serve(provider=provider.url), height=600)
        ask(page, "Explain it.")
        page.get_by_text("Line 30 of").wait_for()
        moved = page.evaluate(BEGIN_TO_SCROLL)
        assert moved["grown"] > 0, "the reply went on arriving"
        assert moved["top"] == 0
        page.get_by_text("Line 119 of").wait_for()
        page.locator(".progress").wait_for(state="detached")
        left = "e => e.scrollHeight - e.scrollTop - e.clientHeight"
        assert page.locator(".chat-log").evaluate(left) < 120, "who did not scroll after all is taken along again"


WORDS = "".join(f"Line {n} of an explanation.\n\n" for n in range(40))
WRONG = edit("till.py", "def receipt(price_list):\n    rows = list()\n", "def receipt(prices, width=8):\n")
ENDS = {
    "cut off": (openai_events(*WORDS.splitlines(keepends=True), WRONG, stop=None)[:-1], "Ask again"),
    "failures": (openai_events(*WORDS.splitlines(keepends=True), WRONG), "Retry all with the model"),
}


@pytest.mark.parametrize("ends", list(ENDS))
@pytest.mark.parametrize(("width", "height"), [(1280, 860), (320, 640)])
def test_what_the_end_of_a_turn_brings_is_in_sight(
    folder: Path, serve: Serve, open_page: OpenPage, width: int, height: int, ends: str
) -> None:
    shop(folder)
    events, act = ENDS[ends]
    refusal = Answer([0.3, b'{"error": {"message": "no such option"}}'], 400, {"Content-Type": "application/json"})
    spoken = Answer([step for piece in events for step in (piece, 0.01)])
    with serving(spoken, *([streamed("No idea.\n", 2, 0.01)] if ends == "failures" else []), refusal) as provider:
        page = open_page(serve(provider=provider.url), width, height)
        held(page, ["till.py"])
        ask(page, "Explain it.")
        at_end(page, act)
        ask(page, "And once more.")
        at_end(page, "Ask again")


def at_end(page: Page, act: str) -> None:
    """The log stands at its end, and what can be done next lies in it."""
    page.locator(".turn").last.get_by_role("button", name=act).wait_for()
    page.locator(".progress").wait_for(state="detached")
    stand_still(page)
    assert page.locator(".chat-log").evaluate("e => e.scrollHeight - e.scrollTop - e.clientHeight") < 2
    button = page.locator(".turn").last.get_by_role("button", name=act).bounding_box()
    log = page.locator(".chat-log").bounding_box()
    assert button is not None
    assert log is not None
    assert button["y"] + button["height"] <= log["y"] + log["height"]


def test_who_scrolled_up_stays_there_when_the_turn_ends(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    events = openai_events(*WORDS.splitlines(keepends=True), stop=None)[:-1]
    with serving(Answer([*(step for piece in events for step in (piece, 0.01)), 0.8])) as provider:
        page = open_page(serve(provider=provider.url), height=600)
        ask(page, "Explain it.")
        page.get_by_text("Line 39 of").wait_for()
        page.locator(".chat-log").hover()
        page.mouse.wheel(0, -60)
        stand_still(page)
        stopped = page.evaluate("document.querySelector('.chat-log').scrollTop")
        page.get_by_role("button", name="Ask again").wait_for()
        stand_still(page)
        assert page.evaluate("document.querySelector('.chat-log').scrollTop") == stopped


def test_what_one_opens_in_a_settled_turn_stays_where_it_is(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    with serving(Answer(ENDS["failures"][0]), streamed("No idea.\n", 2, 0.01)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["till.py"])
        ask(page, "Explain it.")
        at_end(page, "Retry all with the model")
        log = page.locator(".chat-log")
        before = log.evaluate("e => e.scrollTop")
        page.get_by_text("The message to the model").click(delay=300)
        stand_still(page)
        assert log.evaluate("e => e.scrollHeight - e.scrollTop - e.clientHeight") > 100
        assert log.evaluate("e => e.scrollTop") == before


BEGIN_TO_SCROLL = """async () => {
  const log = document.querySelector('.chat-log');
  log.dispatchEvent(new WheelEvent('wheel', { deltaY: -60, bubbles: true }));
  const [top, height] = [log.scrollTop, log.scrollHeight];
  await new Promise(done => setTimeout(done, 150));
  return { top: log.scrollTop - top, grown: log.scrollHeight - height };
}"""


def test_a_conflict_far_down_opens_where_it_is(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    long = "".join(f"line_{n} = {n}\n" for n in range(400))
    (folder / "long.py").write_text(long)
    with serving(streamed(edit("long.py", "line_300 = 300\n", "line_300 = 301\n"), 40, 0.05)) as provider:
        page = open_page(serve(provider=provider.url))
        held(page, ["long.py"])
        ask(page, "One more.")
        page.wait_for_selector("article.edit")
        (folder / "long.py").write_text(long.replace("line_300 = 300\n", "line_300 = 302\n"))
        page.get_by_role("button", name="Resolve it").first.click()
        conflict = page.get_by_role("group", name="Conflict 1 of 1")
        conflict.wait_for()
        assert page.locator(".merged").get_by_text("line_300 = 302").is_visible()
        page.wait_for_function("() => document.activeElement.ariaLabel === 'Merged result of long.py'")
        conflict.get_by_role("button", name="Take the reply’s").click()
        page.get_by_role("button", name="Use this result").click()
        page.get_by_role("button", name="Apply this file").click()
        page.locator(".banner-bar").get_by_text("1 written").wait_for()
    assert (folder / "long.py").read_text() == long.replace("line_300 = 300\n", "line_300 = 301\n")
