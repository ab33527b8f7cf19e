"""What can go wrong between Dovetail and a model: errors with a code, a sentence and a next act.

::

    DovetailError
    └── ModelError                status, retry_after
        ├── ConfigurationError    no key, or an address that cannot be used; nothing was sent
        ├── KeyRejectedError      401, 403
        ├── OutOfCreditError      402, or 429 for a quota that waiting does not refill
        ├── NoSuchModelError      404 for the model, or for the address
        ├── ContextTooLongError   the request does not fit the model (or the budget)
        ├── BadRequestError       400, 409, 422 and other requests the provider will not take
        ├── RateLimitedError      429
        ├── ProviderError         500 to 529, and such error events in mid-stream
        ├── UnreachableError      no connection, or one that broke before the first byte
        ├── TimedOutError         connect, first byte or the next piece took too long
        ├── BrokenStreamError     the answer ended in the middle
        ├── MalformedAnswerError  bytes that are not an answer of this protocol
        └── CancelledError        somebody asked to stop

No message holds a key, and text that came from a provider is shortened and stripped of control characters.
"""

from __future__ import annotations

from dovetail.model.errors import DovetailError

SHOWN_LENGTH = 300


class ModelError(DovetailError):
    """Base of all.

    status: the HTTP status if there was one. retry_after: the seconds that a provider asks to wait.
    transient: the same request may succeed later; whether it is sent again is the client's choice.
    """

    code = "model"
    transient = False

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        code: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        transient: bool | None = None,
    ) -> None:
        super().__init__(message, hint=hint, code=code)
        self.status = status
        self.retry_after = retry_after
        if transient is not None:
            self.transient = transient


class ConfigurationError(ModelError):
    """There is no key, or an address that cannot be used; nothing was sent."""

    code = "model-configuration"


class KeyRejectedError(ModelError):
    """The provider does not accept the key, or not for this model."""

    code = "wrong-key"


class OutOfCreditError(ModelError):
    """The account has nothing left to spend."""

    code = "out-of-credit"


class NoSuchModelError(ModelError):
    """The provider knows no model of this name, or nothing answers at this path."""

    code = "no-such-model"


class ContextTooLongError(ModelError):
    """The request is longer than the model, or the budget, allows."""

    code = "context-too-long"


class BadRequestError(ModelError):
    """The provider does not accept the request as it is."""

    code = "bad-request"


class RateLimitedError(ModelError):
    """Too many requests or tokens for now."""

    code = "rate-limited"
    transient = True


class ProviderError(ModelError):
    """The provider failed or is overloaded."""

    code = "provider-failed"
    transient = True


class UnreachableError(ModelError):
    """No connection could be made, or it broke before anything came."""

    code = "unreachable"
    transient = True


class TimedOutError(ModelError):
    """Nothing came for too long."""

    code = "timed-out"
    transient = True


class BrokenStreamError(ModelError):
    """The answer ended without saying that it is complete."""

    code = "broken-stream"
    transient = True


class MalformedAnswerError(ModelError):
    """What came is not an answer of this protocol; the message says where."""

    code = "malformed-answer"


class CancelledError(ModelError):
    """Somebody asked to stop; the connection is closed."""

    code = "cancelled"


def shown(text: str) -> str:
    """Return a provider's text as a message may show it: one line, no control characters, at most 300 characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= SHOWN_LENGTH else flat[: SHOWN_LENGTH - 1] + "…"
