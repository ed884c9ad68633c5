"""A service on a loopback address that speaks the wire formats of several vendors, and goes wrong when told to."""

from __future__ import annotations

import json
import math
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cortex.testing import FakeEmbedder

KEY = "sk-live-0123456789abcdef/+="
NOON = 1_800_000_000  # seconds since 1970, what the service's clock shows
LONG = 3 * 2**20

Json = dict[str, Any]


class Fault(StrEnum):
    """A way in which a service goes wrong."""

    BAD_JSON = "bad JSON"
    NO_OBJECT = "a list instead of an object"
    EMPTY_OBJECT = "an empty object"
    DEEP = "JSON of thousands of levels"
    EMPTY_BODY = "an empty body"
    TRUNCATED = "a body that ends too soon"
    DROPPED = "no answer at all"
    SILENT = "no answer, and the connection stays open"
    TRICKLE = "a body that never ends"
    TRICKLING_HEADERS = "headers that never end"
    LONG = "an answer of megabytes"
    REDIRECT = "a redirect elsewhere"
    UNAUTHORISED = "a refusal that repeats the key"
    BAD_REQUEST = "a request that it does not take"
    BROKEN = "an internal error"
    OVERLOADED = "too many at the moment"
    BUSY = "asked too much"
    BUSY_SECONDS = "asked too much, with a pause in seconds"
    BUSY_DATE = "asked too much, with the date when to come again"
    EMPTY = "a text of nothing, vectors of no number"
    COUNT = "a vector too few"
    NAN = "a vector that is no number"
    ZERO = "a vector of zeros"
    DIMENSION = "vectors that are too short"
    TEXTS = "vectors of words"
    SAID_IN_SUCCESS = "an error in an answer of status 200"


STATUS = {
    Fault.REDIRECT: 307,
    Fault.UNAUTHORISED: 401,
    Fault.BAD_REQUEST: 400,
    Fault.BROKEN: 500,
    Fault.OVERLOADED: 529,
    Fault.BUSY: 429,
    Fault.BUSY_SECONDS: 429,
    Fault.BUSY_DATE: 429,
}
BODIES = {
    Fault.BAD_JSON: b'{"choices": [',
    Fault.NO_OBJECT: b"[1, 2]",
    Fault.EMPTY_OBJECT: b"{}",
    Fault.DEEP: b"[" * 50_000,
    Fault.EMPTY_BODY: b"",
    Fault.SAID_IN_SUCCESS: b'{"error": {"code": 429, "message": "slow down"}}',
}
PAUSE = 7  # what it asks for, in seconds


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked: the path, the headers by their lower-case names, the body."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass
class Service:
    """What the server does.

    ``write`` makes an answer of a prompt. ``script``: what goes wrong with the next requests, one entry a request,
    None for one that works; then ``fault``. ``native``: the dimension of vectors when none is asked for. ``requests``:
    what was asked. ``usage``: the tokens that chat completions tell instead of the true ones. ``refusal``: what a
    refusal says; it repeats the key without.
    """

    write: Callable[[str], str] = lambda prompt: f"You said: {prompt}"
    fault: Fault | None = None
    script: deque[Fault | None] = field(default_factory=deque)
    native: int = 64
    requests: list[Request] = field(default_factory=list)
    usage: Json | None = None
    refusal: str | None = None
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_fault(self, request: Request) -> Fault | None:
        """How this request goes wrong."""
        with self.lock:
            self.requests.append(request)
            return self.script.popleft() if self.script else self.fault

    def answer(self, request: Request, fault: Fault | None) -> Json:
        """What the service of this path says."""
        for pattern, format_ in FORMATS.items():
            if re.fullmatch(pattern, request.path):
                return format_(self, request.body, fault)
        raise KeyError(request.path)

    def text(self, prompt: str, most: int, fault: Fault | None) -> tuple[str, bool]:
        """The answer to a prompt, and whether it was cut off after so many words."""
        if fault is Fault.EMPTY:
            return "", False
        if fault is Fault.LONG:
            return "long " * (LONG // 5), False
        said = self.write(prompt).split(" ")
        return " ".join(said[:most]), len(said) > most

    def vectors(self, texts: list[str], dim: int | None, fault: Fault | None) -> list[list[Any]]:
        """Vectors of length three, so that somebody has to make them units."""
        rows: list[list[Any]] = (FakeEmbedder(dim=dim or self.native).embed(texts).vectors * 3).tolist()
        match fault:
            case Fault.EMPTY:
                return [[] for _ in rows]
            case Fault.COUNT:
                return rows[:-1]
            case Fault.NAN:
                return [[math.nan, *row[1:]] for row in rows]
            case Fault.ZERO:
                return [[0.0] * len(row) for row in rows]
            case Fault.DIMENSION:
                return [row[:-1] for row in rows]
            case Fault.TEXTS:
                return [["tea"] * len(row) for row in rows]
            case Fault.LONG:
                return [row[:1] * (LONG // 4) for row in rows[:1]]
            case _:
                return rows


def count(text: str) -> int:
    """The tokens of a text."""
    return len(text.split())


def chat(service: Service, body: Json, fault: Fault | None) -> Json:
    """Chat completions."""
    prompt = body["messages"][-1]["content"]
    text, cut = service.text(prompt, body.get("max_tokens") or body["max_completion_tokens"], fault)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "length" if cut else "stop",
    }
    usage = {"prompt_tokens": count(prompt), "completion_tokens": count(text)}
    return {
        "object": "chat.completion",
        "model": f"{body['model']}-0613",
        "choices": [choice],
        "usage": service.usage or usage,
    }


def embeddings(service: Service, body: Json, fault: Fault | None) -> Json:
    """Embeddings of the same API; out of order, as it may."""
    rows = service.vectors(body["input"], body.get("dimensions"), fault)
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return {"data": data[::-1], "model": body["model"], "usage": {"prompt_tokens": sum(map(count, body["input"])) or 1}}


def generate_content(service: Service, body: Json, fault: Fault | None) -> Json:
    """Gemini's generation, with a thought before."""
    prompt = body["contents"][0]["parts"][0]["text"]
    text, cut = service.text(prompt, body["generationConfig"]["maxOutputTokens"], fault)
    parts = [{"text": "a thought", "thought": True}, {"text": text}]
    usage = {"promptTokenCount": count(prompt), "candidatesTokenCount": count(text), "thoughtsTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "MAX_TOKENS" if cut else "STOP"}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test-001"}


def batch_embed(service: Service, body: Json, fault: Fault | None) -> Json:
    """Gemini's embeddings."""
    texts = [request["content"]["parts"][0]["text"] for request in body["requests"]]
    rows = service.vectors(texts, body["requests"][0].get("outputDimensionality"), fault)
    return {"embeddings": [{"values": row} for row in rows]}


def messages(service: Service, body: Json, fault: Fault | None) -> Json:
    """Anthropic's messages."""
    prompt = body["messages"][0]["content"]
    text, cut = service.text(prompt, body["max_tokens"], fault)
    usage = {"input_tokens": count(prompt), "output_tokens": count(text), "cache_read_input_tokens": None}
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
    return {
        "content": content,
        "model": body["model"],
        "usage": usage,
        "stop_reason": "max_tokens" if cut else "end_turn",
    }


FORMATS: Mapping[str, Callable[[Service, Json, Fault | None], Json]] = {
    r"/v1/chat/completions": chat,
    r"/v1/embeddings": embeddings,
    r"/v1beta/models/[\w.-]+:generateContent": generate_content,
    r"/v1beta/models/[\w.-]+:batchEmbedContents": batch_embed,
    r"/v1/messages": messages,
}


class _Handler(BaseHTTPRequestHandler):
    service: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        fault = self.service.next_fault(request)
        self.close_connection = True
        with suppress(ConnectionError):  # who asked has gone
            if fault in (Fault.DROPPED, Fault.SILENT, Fault.TRICKLE, Fault.TRICKLING_HEADERS):
                self._hang(fault)
            elif fault in STATUS:
                self._send(STATUS[fault], _refusal(self.service, STATUS[fault], headers), _extra(fault))
            elif fault in BODIES:
                self._send(200, BODIES[fault])
            elif not any(re.fullmatch(pattern, request.path) for pattern in FORMATS):
                self._send(404, _refusal(self.service, 404, headers))
            else:
                content = json.dumps(self.service.answer(request, fault)).encode()
                missing = 10 if fault is Fault.TRUNCATED else 0
                self._send(200, content[: len(content) - missing], missing=missing)

    def _hang(self, fault: Fault | None) -> None:
        if fault is Fault.DROPPED:
            return
        begin = {Fault.TRICKLE: b"HTTP/1.1 200 OK\r\n\r\n", Fault.TRICKLING_HEADERS: b"HTTP/1.1 200 OK\r\nX: "}
        self.wfile.write(begin.get(fault, b"") if fault else b"")
        while not self.service.ended.wait(0.01):
            if fault is not Fault.SILENT:
                self.wfile.write(b" ")

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None, *, missing: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) + missing))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The service's own clock, which is not that of this machine."""
        return formatdate(NOON if timestamp is None else timestamp, usegmt=True)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _extra(fault: Fault | None) -> Mapping[str, str]:
    match fault:
        case Fault.BUSY_SECONDS:
            return {"Retry-After": str(PAUSE)}
        case Fault.BUSY_DATE:
            return {"Retry-After": formatdate(NOON + PAUSE, usegmt=True)}
        case Fault.REDIRECT:
            return {"Location": f"http://192.0.2.1/elsewhere?key={KEY}"}
        case _:
            return {}


def _refusal(service: Service, status: int, headers: Mapping[str, str]) -> bytes:
    """A careless refusal: it repeats what came in."""
    given = [headers.get(name, "") for name in ("authorization", "x-api-key", "x-goog-api-key")]
    said = service.refusal or f"no: {' '.join(given)}\n{json.dumps(given)}"
    return json.dumps({"error": {"code": status, "message": said}}).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that goes is no news."""


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """The service on a free port of this machine; stopped at the end."""
    handler = type("Handler", (_Handler,), {"service": service})
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        service.url = f"http://127.0.0.1:{server.server_port}"
        yield service
        service.ended.set()
        server.shutdown()
        thread.join()
