"""One request to a service over HTTP: bounded in time and size, and silent about the key."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, Self
from urllib.parse import quote, urlsplit

from cortex.errors import InvalidInput, ProviderRefused, ProviderReplyInvalid, ProviderUnavailable

if TYPE_CHECKING:
    import httpx2

Reply = Mapping[str, Any]

MOST_BYTES: Final = 2**20  # of a text; vectors are told how much they may take
SECONDS: Final = 90.0
_CONNECT_SECONDS: Final = 10.0
_SHOWN: Final = 200
_LEAST_SECRET: Final = 8  # shorter keys are placeholders of local servers, and words of answers
# Too early, too many, a conflict that passes, a request that the service waited for in vain.
_AGAIN: Final = frozenset({408, 409, 425, 429})
_REMEDIES: Final = {
    401: "check {key}",
    402: "there is no credit left",
    403: "check what {key} allows",
    404: "check {model} and {address}",
}
# What looks like a key in what a service says: it may repeat another one than ours.
_KEYLIKE: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|AIza|ya29)[-_.]?[\w*.-]{12,}|(?<=://)[^/\s@]+@"
    r"|(?i:\b(?:bearer|api[_-]?key|key|token)\b[\"']?\s*[=:]?\s+|[?&](?:key|api_key|token)=)[\"']?[\w*.+/=-]{8,}"
)


class Poster(Protocol):
    """What an adapter needs of a wire; one that tries again is one, too."""

    @property
    def service(self) -> str:
        """The name of the service, for errors."""
        ...

    def post(
        self, path: str, body: Mapping[str, Any], *, most_bytes: int = MOST_BYTES, within: float | None = None
    ) -> Reply:
        """Send JSON, get the object of the answer. Raises `ProviderError`."""
        ...


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that is not shown by accident."""

    value: str = field(repr=False)

    def __str__(self) -> str:
        return "…"


@dataclass(frozen=True, slots=True)
class Names:
    """What whoever put a wire together calls its parts, for errors: names of settings, say."""

    key: str = "the key"
    address: str = "the address"
    model: str = "the model"


class Wire:
    """A service at an address.

    ``address``: an http(s) URL below which its calls are. ``key`` goes into the header ``key_header`` behind
    ``key_prefix`` and nowhere else: errors, looks and answers are without it. One call ends after ``seconds``,
    whatever the service does; its answer has at most ``most_bytes``. Redirects are not followed, so that nobody is sent
    the key whom the user did not name. Proxies of the environment are used but for this machine. Raises `InvalidInput`
    for an address or a key that cannot be used. ``names``: what errors call its parts. Threads may share it; it holds
    nothing open between calls.
    """

    def __init__(
        self,
        service: str,
        address: str,
        *,
        key: str | None = None,
        key_header: str = "Authorization",
        key_prefix: str = "Bearer ",
        headers: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
        names: Names | None = None,
    ) -> None:
        self._names = names or Names()
        self.service = service
        self.address = checked_address(address)
        self._key = Secret(checked_key(key))
        self._key_header, self._key_prefix = key_header, key_prefix
        self._headers = dict(headers or {})
        self._seconds = seconds
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None

    def __repr__(self) -> str:
        return f"Wire({self.service!r}, {self.address!r})"

    def post(
        self, path: str, body: Mapping[str, Any], *, most_bytes: int = MOST_BYTES, within: float | None = None
    ) -> Reply:
        """Send JSON, get the object of the answer; ``within`` shortens the time. Raises `ProviderError`."""
        seconds = self._seconds if within is None else min(within, self._seconds)
        content = json.dumps(body).encode()
        answer = self._exchange(f"{self.address}{path}", content, seconds, most_bytes)
        if isinstance(answer, str):
            raise ProviderUnavailable(self._message(answer, "check that it runs and can be reached, and {address}"))
        if answer.status // 100 != 2:
            self._fail(answer.status, self._scrubbed(_said(answer.content)), answer.retry_after_seconds)
        if len(answer.content) > most_bytes:
            raise ProviderReplyInvalid(self._message(f"its answer is longer than {most_bytes:,} bytes"))
        return self._object(answer.content)

    def _object(self, content: bytes) -> Reply:
        text = content.decode("utf-8", "replace")
        try:
            reply = json.loads(text)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise ProviderReplyInvalid(
                self._message(f"its answer is no JSON object but {text[:_SHOWN]!r}", "check {address}")
            )
        if reply.get("error"):  # some services say with status 200 that something went wrong
            self._fail(_code(reply["error"]), self._scrubbed(_said(content)))
        return reply

    def _fail(self, status: int, said: str, retry_after_seconds: float | None = None) -> NoReturn:
        what = f"HTTP {status}{': ' if said else ''}{said}"
        if status in _AGAIN or status >= 500:
            message = self._message(what, "try again later")
            raise ProviderUnavailable(message, status=status, retry_after_seconds=retry_after_seconds)
        if status // 100 == 3:
            raise ProviderRefused(self._message(what, "it sends one elsewhere: check {address}"), status=status)
        raise ProviderRefused(self._message(what, _REMEDIES.get(status, "")), status=status)

    def _message(self, problem: str, remedy: str = "") -> str:
        said = f"{self.service} ({urlsplit(self.address).netloc}): {self._scrubbed(problem)}"
        return f"{said}; {remedy.format(**asdict(self._names))}" if remedy else said

    def _without_key(self, content: bytes) -> bytes:
        """What a service sent, without the key, as it is and as JSON may write it."""
        key = self._key.value
        if len(key) >= _LEAST_SECRET:
            for form in (key, key.replace("/", "\\/")):
                content = content.replace(form.encode(), "…".encode())
        return content

    def _scrubbed(self, text: str) -> str:
        """The text in one line, cut, without the key and what looks like one."""
        for form in {self._key.value, quote(self._key.value, safe="")} - {""}:
            text = text.replace(form, "…")
        text = _KEYLIKE.sub("…", text)
        shown = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"

    def _exchange(self, url: str, content: bytes, seconds: float, most_bytes: int) -> _Answer | str:
        """The answer, or why there is none. It raises nothing: a frame that knows the key is in no traceback."""
        import httpx2  # read as slowly as the rest of Cortex: only who asks a service pays for it

        answer = _Answer(0, None, b"")
        reason = ""  # a connection that was ended at the limit can look like an answer that is whole
        limit = _TimeLimit(seconds)
        timeout = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        try:
            with (
                limit,
                self._opened().stream(
                    "POST",
                    url,
                    content=content,
                    headers=self._all_headers(),
                    timeout=timeout,
                    extensions={"trace": limit.watch},
                ) as response,
            ):
                content = self._without_key(_read(response, most_bytes))
                answer = _Answer(response.status_code, _pause(response.headers), content)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            reason = f"{type(error).__name__}: {error}"
        if limit.passed:
            return f"no whole answer within {seconds:.3g} s"
        return reason or answer

    def _opened(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                self._client = httpx2.Client(
                    trust_env=not is_loopback(self.address),
                    follow_redirects=False,
                    limits=httpx2.Limits(max_keepalive_connections=0),
                )
            return self._client

    def _all_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key.value:
            headers[self._key_header] = f"{self._key_prefix}{self._key.value}"
        return headers | self._headers


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after_seconds: float | None
    content: bytes


class _TimeLimit:
    """Ends a connection when its time is up: the library bounds each read, and a slow server can make many of them."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def watch(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by the library of each step; the last connection made is the one that is used."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.passed:
                self._end()

    def _end(self) -> None:
        self.passed = True
        if self._socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # that of TLS would wait for the other side


def checked_address(address: str) -> str:
    """The address without a slash at its end; `InvalidInput` repeats no password."""
    if not _is_address(address):
        raise InvalidInput("address", "expected a URL such as https://host/v1, without user, password and query")
    return address.rstrip("/")


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    more = parts.username or parts.password or parts.query or parts.fragment or " " in address
    return (
        parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0 and not more and address.isprintable()
    )


def checked_key(key: str | None) -> str:
    """The key without white space around it; `InvalidInput` does not show it."""
    stripped = (key or "").strip()
    if not stripped.isprintable() or not stripped.isascii():
        raise InvalidInput("key", "expected printable ASCII; it is not shown")
    return stripped


def is_loopback(address: str) -> bool:
    """Whether the host of a URL is this machine."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def _read(response: httpx2.Response, most_bytes: int) -> bytes:
    """What the body has, up to one piece beyond the most that is wanted."""
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > most_bytes:
            break
    return bytes(content)


def _said(content: bytes) -> str:
    """What the body of a refusal says; services differ in where they put it."""
    try:
        found = json.loads(content)
        found = found[0] if isinstance(found, list) and found else found
        error = found.get("error", found) if isinstance(found, dict) else found
        said = error.get("message", error) if isinstance(error, dict) else error
    except (ValueError, RecursionError):
        said = content[: 4 * _SHOWN].decode("utf-8", "replace")
    return str(said)


def _code(error: object) -> int:
    """The status in an error of an answer; the service failed where there is none."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int and 400 <= code < 600 else 502


def _pause(headers: Mapping[str, str]) -> float | None:
    """The pause that the service asks for, in seconds; a date counts from the service's own clock."""
    given = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", given):
        return float(given)
    until, now = _instant(given), _instant(headers.get("date", ""))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _instant(text: str) -> datetime | None:
    with suppress(ValueError, TypeError, OverflowError):
        found = parsedate_to_datetime(text)
        return found if found.tzinfo else None
    return None
