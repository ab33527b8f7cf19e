"""Turns a provider's refusal (status, headers, body) into a `ModelError`.

Providers name the same trouble in different ways, so several signs are read, the most certain first: the error's own
code or type, the words of its message (only for the length of the context and for credit), then the HTTP status. Which
statuses are worth another attempt is decided here too.
"""

from __future__ import annotations

import email.utils
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

from dovetail.llm import wire
from dovetail.llm.errors import (
    BadRequestError,
    ContextTooLongError,
    KeyRejectedError,
    ModelError,
    NoSuchModelError,
    OutOfCreditError,
    ProviderError,
    RateLimitedError,
    TimedOutError,
)
from dovetail.llm.settings import KEY_VARIABLES, ModelTarget

RETRIED_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

# The statuses of error types that are sent without one, as Anthropic's error events in mid-stream.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
# The error's own name counts in any status, the words below only without one or in 400: a 429 may speak of too many
# tokens as well, those of a minute.
_NAMES_OF_CONTEXT = {
    "context_length_exceeded",
    "exceed_context_size_error",
    "request_too_large",
    "string_above_max_length",
}
_NAMES_OF_CREDIT = {"insufficient_quota", "billing_error", "insufficient_balance", "billing_hard_limit_reached"}
_NAMES_OF_MODEL = {"model_not_found", "model_not_available"}
_WORDS_OF_CONTEXT = (
    "context length",
    "context limit",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "maximum number of tokens",
    "maximum prompt length",
)
_WORDS_OF_CREDIT = ("credit balance", "insufficient balance", "exceeded your current quota")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A provider's error: its own code or type in `name`, its sentence in `message`; either may be empty.

    status: 0 if there was none, as in mid-stream.
    """

    status: int
    name: str
    message: str


def read_refusal(status: int, body: bytes | str) -> Refusal:
    """Read an error's body in any of the shapes that providers use; a body that is not JSON is the message itself."""
    read = wire.parse_table(body)
    if read is None:
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        return Refusal(status, "", "" if "<html" in text.lower() else text)
    return refusal_of(status, read)


def refusal_of(status: int, read: wire.Table) -> Refusal:
    """Read an error's JSON. With a `status` of 0, the error may name one itself."""
    error = wire.table(read, "error") or read
    name = wire.text(error, "code") or wire.text(error, "type")
    message = wire.text(error, "message") or wire.text(read, "error") or wire.text(read, "detail")
    number = wire.count(error, "code") or wire.count(error, "status")
    # OpenRouter puts the status into `code`, as a number; others put a name there.
    own = number if 400 <= number < 600 else _STATUS_OF_TYPE.get(wire.text(error, "type"), 0)
    return Refusal(status or own, name, message)


def failure(refusal: Refusal, target: ModelTarget, headers: Mapping[str, str], now: float) -> ModelError:
    """Return the error for a refusal.

    headers: with names in lower case. now: seconds since 1970, for dates in the headers.
    """
    wait = retry_after(headers, now)
    kind, what, hint = _meaning(refusal, target)
    message = what + (f": {target.shown(refusal.message)}" if refusal.message.strip() else ".")
    if not message.endswith((".", "!", "?", "…")):
        message += "."
    transient = refusal.status in (0, *RETRIED_STATUSES) and kind not in (OutOfCreditError, ContextTooLongError)
    if headers.get("x-should-retry") == "false":
        transient = False
    if kind is RateLimitedError and wait:
        hint = f"Wait {math.ceil(wait):,} s, then ask again."
    return kind(message, hint=hint, status=refusal.status or None, retry_after=wait, transient=transient)


def _meaning(refusal: Refusal, target: ModelTarget) -> tuple[type[ModelError], str, str]:
    """Return the class of the error, the beginning of its message, and the hint."""
    name, words, status = refusal.name, refusal.message.lower(), refusal.status
    address = target.endpoint.base_url
    if (
        name in _NAMES_OF_CONTEXT
        or status == 413
        or "request too large" in words  # with 429, too: more than a minute's tokens in one request
        or (status in (0, 400) and any(w in words for w in _WORDS_OF_CONTEXT))
    ):
        return (
            ContextTooLongError,
            f"The request is too long for {target.model}",
            "Take files out of the chat, make the map smaller, or begin a new conversation.",
        )
    # Before 429: an empty account answers with that status too, and waiting does not fill it.
    if name in _NAMES_OF_CREDIT or status == 402 or any(w in words for w in _WORDS_OF_CREDIT):
        return OutOfCreditError, f"The account at {address} has no credit left", "Add credit, or use another key."
    if name in _NAMES_OF_MODEL or status in (404, 405):
        if "model" in f"{name} {words}".lower():  # a wrong path gets an error with a name, too
            return NoSuchModelError, f"{address} knows no model {target.model}", "Check the model's name: --model NAME"
        url = target.endpoint.url
        hint = "Check the base URL's path." if "/v1/" in url else "Check the base URL's path; many end in /v1"
        return NoSuchModelError, f"Nothing answers chat requests at {url}", hint
    if status in (401, 403):
        variable = KEY_VARIABLES[target.endpoint.protocol]
        hint = f"Check {variable}, and that the key may use {target.model}."
        return KeyRejectedError, f"{address} does not accept the key for {target.model}", hint
    if status == 429:
        return RateLimitedError, f"{address} takes no more requests for now", "Wait a little, then ask again."
    if status in (408, 504):
        return TimedOutError, f"{address} did not get an answer in time ({status})", "Ask again."
    if status == 0:
        return (
            ProviderError,
            f"{address} answered with an error",
            "Ask again; if it stays so, check the base URL's path.",
        )
    if status >= 500:
        what = "is overloaded" if status in (503, 529) else "failed"
        return ProviderError, f"{address} {what} ({status})", "Ask again in a minute, or use another model."
    hint = "Check the model's name and options; the provider's sentence says what is wrong."
    if "max_tokens" in refusal.message:
        hint = "Set a number that it accepts: `max-tokens`, an option and a setting."
    return BadRequestError, f"{address} does not accept the request ({status})", hint


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that a provider asks to wait, or None.

    Reads ``retry-after-ms``, then ``retry-after`` as seconds or as a date; `now` is in seconds since 1970.
    """

    def number(name: str) -> float | None:
        try:
            value = float(headers.get(name, ""))
        except ValueError:
            return None
        return value if math.isfinite(value) and value >= 0 else None

    milliseconds = number("retry-after-ms")
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = number("retry-after")
    if seconds is not None:
        return seconds
    try:
        when = email.utils.parsedate_to_datetime(headers.get("retry-after", "").strip())
        in_utc = when if when.tzinfo is not None else when.replace(tzinfo=UTC)  # one form has no zone, and means UTC
        return max(0.0, in_utc.timestamp() - now)
    except (ValueError, OverflowError):
        return None
