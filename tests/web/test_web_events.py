"""The numbered log and its streams: nothing is lost, nothing comes twice, whoever is too late begins anew."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_parts import block
from page_server import PATIENCE, Page, page_over
from provider_server import Answer, openai_events, serving

from dovetail.web.events import MOST_STREAMS, EventLog

FERRY = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")


def test_two_tabs_hear_the_same(page: Page) -> None:
    with page.listening(after=0) as one, page.listening(after=0) as other:
        page.paste(FERRY)
        page.apply()
        heard = one.until("journal")
        assert heard == other.until("journal")
        assert [h.number for h in heard] == list(range(1, len(heard) + 1))
        assert [h.name for h in heard if h.name in ("turn", "written", "journal")] == ["turn", "written", "journal"]


def test_a_tab_goes_on_where_it_stopped(page: Page) -> None:
    page.paste(FERRY)
    with page.listening(after=0) as events:
        first = events.next()
    assert first is not None
    page.post("/api/turns/t1/skip", edits=[1])
    page.post("/api/turns/t1/skip", edits=[1], skip=False)
    with page.listening(after=0, last=first.number) as events:
        heard = [events.next(), events.next()]
    assert [h.number for h in heard if h is not None] == [first.number + 1, first.number + 2]


def test_a_state_and_the_events_behind_its_number_are_all_there_is(root: Path) -> None:
    """Whenever a tab loads, in mid-stream too: its state and what it hears behind it come to the end's state."""
    events = openai_events(*(FERRY[i : i + 4] for i in range(0, len(FERRY), 4)))
    with serving(Answer([*events[:12], 0.4, *events[12:]])) as server, page_over(root, provider=server.url) as page:
        page.post("/api/held", add=["ferry.txt"])
        turn = page.post("/api/turns", kind="ask", request="Go")["turn"]
        state = page.until(lambda: s if (s := page.state())["turns"][0]["edits"] else None)
        assert state["turns"][0]["edits"][0]["state"] == "arriving"
        with page.listening(after=state["seq"]) as stream:
            heard = stream.until("answered")
        pieces = [p for h in heard if h.name == "piece" for p in h.data["events"]]
        begun, ended = state["turns"][0], page.ends(turn)
        search = begun["edits"][0]["search"] + "".join(p["text"] for p in pieces if p.get("part") == "search")
        text = [item["text"] for item in begun["rounds"][0]["items"] if item["k"] == "text"]
        text += [p["text"] for p in pieces if p["k"] == "text"]
        assert search == ended["edits"][0]["search"]
        assert "".join(text) == "".join(i["text"] for i in ended["rounds"][0]["items"] if i["k"] == "text")


def test_whoever_is_too_late_begins_anew(page: Page) -> None:
    page.session.log._most_events = 2
    for _ in range(4):
        page.paste("Nothing.\n")
    with page.listening(after=1) as events:
        heard = events.next()
        assert heard is not None
        assert (heard.name, heard.number) == ("reset", page.state()["seq"])
        page.paste("More.\n")
        behind = events.next()
        assert behind is not None
        assert (behind.name, behind.number) == ("turn", heard.number + 1)
    with page.listening(after=10_000) as events:
        heard = events.next()
        assert heard is not None
        assert heard.name == "reset"


def test_streams_end_with_the_server(page: Page) -> None:
    with page.listening() as events:
        thread = threading.Timer(0.05, page.session.close)
        thread.start()
        assert events.next() is None
        thread.join()


def test_streams_are_limited_also_where_all_are_asked_for_at_once(page: Page) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": f"127.0.0.1:{page.port}", **page.headers}.items())
    request = f"GET /api/events HTTP/1.1\r\n{head}\r\n".encode()
    with ExitStack() as tabs:
        connections = [
            tabs.enter_context(socket.create_connection(("127.0.0.1", page.port), PATIENCE))
            for _ in range(MOST_STREAMS + 6)
        ]
        for connection in connections:
            connection.sendall(request)
        answers = [connection.recv(20).split()[1] for connection in connections]
    assert (answers.count(b"200"), answers.count(b"503")) == (MOST_STREAMS, 6)
    page.until(lambda: page.raw("GET", "/api/events?after=x", None, page.headers).status == 400)  # there is room again


@pytest.mark.parametrize("bounds", [(3, 10_000), (1_000, 60)])
@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(0, 20), max_size=40), asked=st.integers(0, 45))
def test_what_is_behind_a_number_is_whole_or_gone(bounds: tuple[int, int], sizes: list[int], asked: int) -> None:
    log = EventLog(*bounds)
    for size in sizes:
        log.publish("piece", {"t": "x" * size})
    got = log.after(asked)
    if got is None:
        assert asked > len(sizes) or len(sizes) - asked > 0
    else:
        assert [event.number for event in got] == list(range(asked + 1, len(sizes) + 1))
    assert log.after(log.last) == ()


def test_what_another_session_gave_out_is_not_taken_for_this_ones(root: Path) -> None:
    """A server that was started again: its turns have the same names, and its events the same numbers."""
    with page_over(root) as before:
        before.paste(FERRY)
        known = before.state()
    with page_over(root) as page:
        page.paste(block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n"))
        meant = {**page.headers, "Dovetail-Session": known["session"]}
        for method, path in (("POST", "/api/turns/t1/apply"), ("GET", "/api/turns/t1/file?path=kiosk.py")):
            refused = page.raw(method, path, b'{"plan": 1}', meant)
            assert (refused.status, refused.json["error"]["code"]) == (409, "other-session")
        assert page.text("kiosk.py").startswith(b"PRICE = 4")
        first, own = f"{known['seq']}&session={known['session']}", page.state()
        with page.listening(after=first, last=known["seq"]) as events:
            heard = events.next()
        assert heard is not None and heard.name == "reset"
        with page.listening(after=f"0&session={own['session']}") as events:
            heard = events.next()
        assert heard is not None and (heard.number, heard.name) == (1, "turn")
