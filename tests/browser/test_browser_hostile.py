"""A reply is text from a stranger: whatever it holds is shown, and nothing of it runs or changes the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from provider_server import Answer, openai_events, serving
from reading import ask, card, paste, stand_still, wait_for_state
from replies import TILL, edit, shop
from served import OpenPage, Serve

SCRIPTS = """<script>window.pwned = 1; document.title = 'pwned'</script>
<img src=x onerror="window.pwned = 1"> <svg onload="window.pwned = 1"></svg>
<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>
<style>body { display: none }</style> <base href="https://attacker.example/">
<meta http-equiv="refresh" content="0;url=https://attacker.example/">
[click me](javascript:window.pwned=1) <a href="javascript:window.pwned=1">or me</a>
![picture](https://attacker.example/pixel.png) {{constructor.constructor('window.pwned=1')()}} ${window.pwned = 1}
`<b onmouseover="window.pwned=1">` **<script>window.pwned=1</script>** __proto__ constructor toString
"""

IN_CODE = edit(
    "till.py",
    "RATE = 0.2\n",
    "RATE = 0.19  # </code></pre><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>\n",
)
NAMED = (
    edit('"><img src=x onerror=window.pwned=1>.py', "x\n", "y\n")
    + edit("constructor", "", "a\n")
    + edit("__proto__", "", "b\n")
)
OVERRIDE = edit("till.py", "    return result\n", "    return result  # \u202e} nruter \u2066// safe\u2069\u200b\n")
HUGE = "a" * 400_000
LINES = edit("big.txt", "", "".join(f"line {n} {'x' * 60}\n" for n in range(12_000)))


def test_nothing_in_a_reply_runs(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    served = serve()
    page = open_page(served)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    paste(page, SCRIPTS + IN_CODE + NAMED)
    wait_for_state(page, 1, "fits")
    stand_still(page)
    assert page.evaluate("window.pwned") is None
    assert page.title() == "Dovetail"
    assert (
        page.locator(".turn script, .turn iframe, .turn img, .turn style, .turn a, .turn base, .turn meta").count() == 0
    )
    assert (
        page.locator(".turn").evaluate(
            "e => [...e.querySelectorAll('*')].flatMap(x => x.getAttributeNames()).filter(n => n.startsWith('on'))"
        )
        == []
    )
    shown = page.locator(".turn").inner_text()
    assert "<script>window.pwned = 1; document.title = 'pwned'</script>" in shown
    assert "javascript:window.pwned=1" in shown
    card(page, 1).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-content")
    page.get_by_role("tab", name="Review").click()
    page.locator(".review").get_by_role("button", name="Apply").first.wait_for()
    assert page.evaluate("window.pwned") is None
    assert [url for url in asked if not url.startswith(served.origin)] == []


def test_what_cannot_be_seen_is_shown(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(page, "Look: \u202eesrever\u202c and a\u200bb.\n\n" + OVERRIDE)
    wait_for_state(page, 1, "fits")
    assert page.locator(".prose .unseen").all_inner_texts() == ["U+202E", "U+202C", "U+200B"]
    names = card(page, 1).locator(".row.added .unseen").all_inner_texts()
    assert names == ["U+202E", "U+2066", "U+2069", "U+200B"]
    card(page, 1).locator(".path-button").click()
    page.wait_for_selector(".viewer .cm-specialChar")
    assert "U+202E" in page.locator(".viewer .cm-specialChar").all_inner_texts()
    card(page, 1).get_by_role("button", name="Apply").click()
    wait_for_state(page, 1, "written")
    assert "\u202e} nruter \u2066// safe\u2069\u200b" in (folder / "till.py").read_text(), "bytes are what was shown"


def test_huge_lines_and_replies_stay_quick(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    shop(folder)
    page = open_page(serve())
    paste(
        page, HUGE + "\n\n" + "*a `" * 20_000 + "\n\n" + LINES + edit("till.py", "RATE = 0.2\n", f"RATE = '{HUGE}'\n")
    )
    wait_for_state(page, 2, "fits")
    assert page.evaluate("document.querySelectorAll('*').length") < 6_000, "only a bounded part is drawn"
    assert "more character" in str(card(page, 2).text_content())
    took = page.evaluate(
        "() => { const t = performance.now(); document.querySelector('.chat-log').scrollTop = 0; document.body.offsetHeight; return performance.now() - t }"
    )
    assert took < 500
    card(page, 1).get_by_role("button", name="Show").click()
    assert page.evaluate("document.querySelectorAll('.row').length") < 1_300


@pytest.mark.parametrize("size", [1, 7])
def test_hostile_text_that_streams_is_as_harmless(folder: Path, serve: Serve, open_page: OpenPage, size: int) -> None:
    shop(folder)
    reply = SCRIPTS + IN_CODE
    with serving(Answer(openai_events(*(reply[at : at + size] for at in range(0, len(reply), size))))) as provider:
        page = open_page(serve(provider=provider.url))
        ask(page, "<img src=x onerror=window.pwned=1>")
        page.get_by_role("button", name="Leave it out").click()
        wait_for_state(page, 1, "left-out")
        assert page.evaluate("window.pwned") is None
        assert page.locator(".turn script, .turn iframe, .turn img, .turn style, .turn a").count() == 0
    assert (folder / "till.py").read_text() == TILL


def test_a_file_with_a_hostile_name_is_a_name(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    (folder / "<img src=x onerror=pwned=1>.txt").write_text("<script>window.pwned = 1</script>\n")
    (folder / "a\u202etxt.exe").write_text("x\n")
    page = open_page(serve())
    page.locator(".top-bar").get_by_role("button", name="Files").click()
    page.get_by_role("treeitem").first.wait_for()
    assert page.locator(".tree img").count() == 0
    assert page.locator(".tree .unseen").all_inner_texts() == ["U+202E"]
    page.get_by_role("treeitem", name="<img").click()
    page.wait_for_selector(".viewer .cm-content")
    assert page.evaluate("window.pwned") is None


def test_the_policy_of_the_page_is_strict(folder: Path, serve: Serve, open_page: OpenPage) -> None:
    page = open_page(serve(), strict=False)
    ran = page.evaluate("""() => new Promise(done => {
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.head.append(script);
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.head.append(style);
      setTimeout(() => done([window.pwned, getComputedStyle(document.body).display]), 50);
    })""")
    assert ran == [None, "block"]
