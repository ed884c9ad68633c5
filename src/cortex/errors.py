"""Every error that Cortex raises on purpose.

    CortexError
    ├── InvalidInput            the caller's value is wrong (also a ValueError)
    │   └── InvalidId           not an id and not a prefix of one
    ├── NotFound                nothing under that id
    ├── AmbiguousId             a prefix that several memories share
    ├── AccessDenied            the gate said no
    ├── IdempotencyConflict     one key, two different requests
    ├── ConfigurationError      settings that are wrong or disagree
    ├── EmbedderError           the embedding model cannot be used or failed
    ├── ProviderError           a service that runs a model failed
    │   ├── ProviderUnavailable     it is busy, down or too slow
    │   ├── ProviderRefused         it does not take the key or the request
    │   └── ProviderReplyInvalid    its answer is not what was asked for
    └── StoreError              the record cannot be read or written
        ├── StoreBusy           other writers held the store for too long
        ├── StoreFull           no space is left for the write
        ├── StoreReadOnly       the file or its folder cannot be written
        ├── StoreClosed         the store was used after close()
        └── ForeignStore        the file belongs to something else, or to a newer version

Each class carries a stable ``code`` for doors that need one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar


class Messages:
    """How messages are made fit for logs: they often repeat what a caller gave, and that may be a secret.

    ``conceal`` masks secrets; `cortex.core.redaction`, which knows them, sets it.
    """

    def __init__(self) -> None:
        self.conceal: Callable[[str], str] = str

    def quoted(self, value: object, most: int = 80) -> str:
        """A value for a message, cut; masked before, since half a secret is not known as one."""
        return repr(self.conceal(str(value))[:most])


MESSAGES = Messages()


class CortexError(Exception):
    """Something went wrong in Cortex."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str = "") -> None:
        super().__init__(MESSAGES.conceal(message))


class InvalidInput(CortexError, ValueError):
    """A value cannot be accepted: the message names the field, the value and what is expected."""

    code = "invalid_input"

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = MESSAGES.conceal(field)
        self.problem = MESSAGES.conceal(problem)


class InvalidId(InvalidInput):
    """A memory id is 32 hexadecimal digits, with or without dashes, or a unique prefix of at least 4."""

    code = "invalid_id"


class NotFound(CortexError, LookupError):
    """No memory that this caller may see has that id."""

    code = "not_found"


class AmbiguousId(CortexError, LookupError):
    """Several memories share the prefix: give more digits."""

    code = "ambiguous_id"

    def __init__(self, prefix: str, candidates: tuple[str, ...], *, more: bool = False) -> None:
        tail = ", …" if more else ""
        super().__init__(f"id prefix '{prefix}' fits several memories: {', '.join(candidates)}{tail}; give more digits")
        self.prefix = prefix
        self.candidates = candidates


class AccessDenied(CortexError, PermissionError):
    """The policy does not let this caller do that here."""

    code = "access_denied"


class IdempotencyConflict(CortexError):
    """The idempotency key was used before with a different request; use a new key."""

    code = "idempotency_conflict"


class ConfigurationError(CortexError):
    """A setting is missing, malformed or contradicts another one."""

    code = "configuration"


class EmbedderError(CortexError):
    """The embedding model is missing, broken or answered nonsense."""

    code = "embedder"
    retryable = True


class ProviderError(CortexError):
    """A service that runs a model failed: the message names it, what it said, and the remedy; never the key."""

    code = "provider"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ProviderUnavailable(ProviderError):
    """The service is busy, down or too slow: try again, after ``retry_after_seconds`` where it says so."""

    code = "provider_unavailable"
    retryable = True

    def __init__(self, message: str, *, status: int | None = None, retry_after_seconds: float | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after_seconds = retry_after_seconds


class ProviderRefused(ProviderError):
    """The service does not take the key, the model or the request: trying again does not help."""

    code = "provider_refused"


class ProviderReplyInvalid(ProviderError):
    """The service answered something else than what it was asked for."""

    code = "provider_reply_invalid"


class StoreError(CortexError):
    """The record could not be read or written."""

    code = "store"


class StoreBusy(StoreError):
    """Other writers held the store longer than the waiting limit; try again."""

    code = "store_busy"
    retryable = True


class StoreFull(StoreError):
    """There is no space for the write: nothing was changed; free space and try again."""

    code = "store_full"
    retryable = True


class StoreReadOnly(StoreError):
    """The store cannot be written: check the permissions of the file and of its folder."""

    code = "store_read_only"


class StoreClosed(StoreError):
    """The store was closed: open a new Cortex."""

    code = "store_closed"


class ForeignStore(StoreError):
    """The file is not a Cortex store of a version that this program can open; it was left untouched."""

    code = "foreign_store"
