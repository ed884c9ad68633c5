"""A model behind an API of the OpenAI kind: one request, one text."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

_MOST_BYTES = 2**24
_CHUNK = 2**16
_MOST_TOKENS = 10**9
_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504})
_SHOWN = 200


class ModelFailed(Exception):
    """The model could not be asked, or did not answer as it should; the message holds no key."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, how many tokens it read and wrote (None: it did not say), whether it was cut off."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    truncated: bool


class Chat:
    """A model by URL and name.

    ``url``: where ``/chat/completions`` is below, such as ``http://127.0.0.1:8080/v1``. ``key`` goes into the header
    and nowhere else. A busy server is asked ``attempts`` times, with pauses that double from ``pause_seconds``.
    Raises ValueError for what is no URL of the web.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        timeout_seconds: float = 120.0,
        attempts: int = 3,
        pause_seconds: float = 1.0,
    ) -> None:
        parts = urlsplit(url)
        secret = parts.username or parts.password or parts.query or parts.fragment
        if parts.scheme not in ("http", "https") or not parts.hostname or secret:
            raise ValueError("expected a URL such as https://host/v1, without user, password and query")
        self.model = model
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._key = (key or "").strip()
        if not self._key.isprintable() or not self._key.isascii():
            raise ValueError("expected a key of printable ASCII; it is not shown")
        self._timeout = timeout_seconds
        self._attempts = attempts
        self._pause = pause_seconds

    def complete(self, messages: Sequence[Message], max_output_tokens: int) -> Completion:
        """The model's answer at temperature 0; `ModelFailed` says why there is none."""
        body = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": 0,
            "max_tokens": max_output_tokens,
        }
        body_bytes, reason = json.dumps(body).encode(), ""
        for attempt in range(1, self._attempts + 1):
            try:
                return _completion(self._without_key(self._post(body_bytes).decode("utf-8", "replace")))
            except HTTPError as error:
                reason = f"HTTP {error.code}: {self._said(error)}"
                if error.code not in _AGAIN:
                    raise ModelFailed(self._without_key(reason)) from None
            except (OSError, HTTPException) as error:
                reason = f"{type(error).__name__}: {error}"
            if attempt < self._attempts:
                time.sleep(self._pause * 2 ** (attempt - 1))
        raise ModelFailed(self._without_key(f"{reason}; asked {self._attempts} times"))

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(self._url, data=body, headers=headers, method="POST")  # noqa: S310 - the scheme was checked
        # A redirect would carry the key to a host that nobody named.
        began = time.monotonic()
        with build_opener(_NoRedirects).open(request, timeout=self._timeout) as response:
            answer = b""
            while len(answer) < _MOST_BYTES and (more := response.read1(_CHUNK)):
                answer += more
                if time.monotonic() - began > self._timeout:
                    raise TimeoutError(f"the answer was not whole after {self._timeout:g} s")
            return answer

    def _said(self, error: HTTPError) -> str:
        """What a refusal says, without the key and cut."""
        raw = b""
        with suppress(OSError, HTTPException), error:
            raw = error.read1(_CHUNK)
        return self._without_key(_error_text(raw))[:_SHOWN]

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow none: it is then an error of its own code."""


def _completion(raw: str) -> Completion:
    try:
        answer = json.loads(raw)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ModelFailed(f"the answer is no completion ({type(error).__name__}: {str(error)[:_SHOWN]})") from error
    if not isinstance(text, str):
        raise ModelFailed(f"the answer is no completion (its content is {type(text).__name__})")
    usage = answer.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    read, written = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return Completion(
        text,
        _count(read),
        _count(written),
        choice.get("finish_reason") == "length",
    )


def _count(said: object) -> int | None:
    """A number of tokens; None for what can be none."""
    return said if type(said) is int and 0 <= said <= _MOST_TOKENS else None


def _error_text(raw: bytes) -> str:
    try:
        text = json.loads(raw)["error"]["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        text = raw.decode("utf-8", "replace")
    return " ".join(str(text).split())
