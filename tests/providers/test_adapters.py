"""Every adapter over real HTTP: what it asks, what it makes of answers, and what of each fault."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cortex.errors import (
    CortexError,
    EmbedderError,
    InvalidInput,
    ProviderError,
    ProviderRefused,
    ProviderReplyInvalid,
    ProviderUnavailable,
)
from cortex.ports import Embedder, LLMProvider
from cortex.providers import anthropic, gemini
from cortex.providers.anthropic import AnthropicProvider
from cortex.providers.gemini import GeminiEmbedder, GeminiProvider
from cortex.providers.openai import OpenAIEmbedder, OpenAIProvider
from cortex.providers.wire import Wire, is_loopback
from cortex.testing import EmbedderContract, FakeProvider, LLMProviderContract
from tests.providers.server import KEY, Fault, Service, serving

SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Kind:
    """How an adapter is made."""

    path: str
    header: str
    prefix: str


OPENAI = Kind("/v1", "Authorization", "Bearer ")
GEMINI = Kind("/v1beta", gemini.KEY_HEADER, "")
ANTHROPIC = Kind("/v1", anthropic.KEY_HEADER, "")
PROVIDERS = ("openai", "gemini", "anthropic")
EMBEDDERS = ("openai", "gemini")


def wire(service: Service, kind: Kind, *, key: str | None = KEY, seconds: float = SECONDS) -> Wire:
    """A wire to the service, with the header of that vendor."""
    headers = anthropic.HEADERS if kind is ANTHROPIC else {}
    return Wire(
        "test", service.url + kind.path, key=key, key_header=kind.header, key_prefix=kind.prefix, headers=headers,
        seconds=seconds,
    )  # fmt: skip


def provider_of(name: str, service: Service, **options: Any) -> LLMProvider:
    """The adapter of that vendor."""
    match name:
        case "openai":
            return OpenAIProvider(wire(service, OPENAI, **options), "gpt-test")
        case "gemini":
            return GeminiProvider(wire(service, GEMINI, **options), "gemini-test")
        case _:
            return AnthropicProvider(wire(service, ANTHROPIC, **options), "claude-test")


def embedder_of(name: str, service: Service, **options: Any) -> Embedder:
    """The adapter of that vendor that makes vectors."""
    if name == "openai":
        return OpenAIEmbedder(wire(service, OPENAI, **options), "embed-test", service.native)
    return GeminiEmbedder(wire(service, GEMINI, **options), "embed-test", service.native)


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a loopback address."""
    with serving(Service()) as found:
        yield found


class TestFake(LLMProviderContract):
    """The fake keeps the contract that the tests of others lean on."""

    @pytest.fixture
    def provider(self) -> LLMProvider:
        return FakeProvider()


class TestFakeVectors(EmbedderContract):
    """It makes vectors, too."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        return FakeProvider(dim=64)


class TestProviders(LLMProviderContract):
    """Each adapter over HTTP."""

    @pytest.fixture(params=PROVIDERS)
    def provider(self, request: pytest.FixtureRequest, service: Service) -> LLMProvider:
        return provider_of(request.param, service)


class TestEmbedders(EmbedderContract):
    """Each adapter over HTTP."""

    @pytest.fixture(params=EMBEDDERS)
    def embedder(self, request: pytest.FixtureRequest, service: Service) -> Embedder:
        return embedder_of(request.param, service)


GENERATION_FAULTS: dict[Fault, tuple[type[ProviderError], str]] = {
    Fault.BAD_JSON: (ProviderReplyInvalid, "no JSON object"),
    Fault.NO_OBJECT: (ProviderReplyInvalid, "no JSON object"),
    Fault.DEEP: (ProviderReplyInvalid, "no JSON object"),
    Fault.EMPTY_BODY: (ProviderReplyInvalid, "no JSON object"),
    Fault.EMPTY_OBJECT: (ProviderReplyInvalid, "its answer is no "),
    Fault.EMPTY: (ProviderReplyInvalid, "wrote nothing"),
    Fault.LONG: (ProviderReplyInvalid, "longer than"),
    Fault.TRUNCATED: (ProviderUnavailable, "peer closed"),
    Fault.DROPPED: (ProviderUnavailable, "disconnected"),
    Fault.REDIRECT: (ProviderRefused, "HTTP 307"),
    Fault.UNAUTHORISED: (ProviderRefused, "HTTP 401.*check the key"),
    Fault.BAD_REQUEST: (ProviderRefused, "HTTP 400"),
    Fault.BROKEN: (ProviderUnavailable, "HTTP 500"),
    Fault.OVERLOADED: (ProviderUnavailable, "HTTP 529"),
    Fault.BUSY: (ProviderUnavailable, "HTTP 429"),
    Fault.SAID_IN_SUCCESS: (ProviderUnavailable, "HTTP 429.*slow down"),
}
VECTOR_FAULTS = {
    Fault.EMPTY: "0 dimensions, expected 64",
    Fault.COUNT: "1 vectors for 2 texts",
    Fault.NAN: "not finite",
    Fault.ZERO: "zero",
    Fault.DIMENSION: "63 dimensions, expected 64",
    Fault.TEXTS: "no numbers",
    Fault.EMPTY_OBJECT: "no vectors",
} | {fault: said for fault, (_, said) in GENERATION_FAULTS.items() if fault not in (Fault.EMPTY, Fault.EMPTY_OBJECT)}
HANGING = (Fault.SILENT, Fault.TRICKLE, Fault.TRICKLING_HEADERS)


def whole(error: BaseException) -> str:
    """All that a log can show of an error: its chain, with the values of every frame of ours."""
    ours = (
        error.__traceback__.tb_next if error.__traceback__ else None
    )  # the first frame is the test, which has the key
    shown = "".join(traceback.TracebackException(type(error), error, ours, capture_locals=True).format())
    return f"{shown} {error!r}"


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("fault", GENERATION_FAULTS, ids=str)
def test_a_fault_of_a_generation_is_told(name: str, fault: Fault, service: Service) -> None:
    """Each fault is an error of its class that names the service and shows no key; the next call works."""
    service.script.append(fault)
    provider = provider_of(name, service)
    kind, said = GENERATION_FAULTS[fault]
    with pytest.raises(kind, match=rf"(?s)^test.*{said}") as caught:
        provider.generate("hello")
    assert KEY not in whole(caught.value)
    assert provider.generate("hello").text == "You said: hello"


@pytest.mark.parametrize("name", EMBEDDERS)
@pytest.mark.parametrize("fault", VECTOR_FAULTS, ids=str)
def test_a_fault_of_an_embedding_is_told(name: str, fault: Fault, service: Service) -> None:
    """Each fault is the error that the engine knows, names the service and shows no key; the next call works."""
    service.script.append(fault)
    embedder = embedder_of(name, service)
    with pytest.raises(EmbedderError, match=rf"(?s)^test.*{VECTOR_FAULTS[fault]}") as caught:
        embedder.embed(["tea", "coffee"])
    assert KEY not in whole(caught.value)
    assert embedder.embed(["tea"]).vectors.shape == (1, 64)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("fault", HANGING, ids=str)
def test_a_slow_answer_ends_in_time(name: str, fault: Fault, service: Service) -> None:
    """A service that never ends its answer, in whichever part of it, is given up at the time limit."""
    service.fault = fault
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable, match=r"no whole answer within 0\.2 s"):
        provider_of(name, service, seconds=0.2).generate("hello")
    assert time.monotonic() - began < 2


def test_nobody_there_is_told(service: Service) -> None:
    """A refused connection names the address."""
    nobody = OpenAIProvider(Wire("test", "http://127.0.0.1:9/v1"), "m")
    with pytest.raises(ProviderUnavailable, match=r"test \(127\.0\.0\.1:9\).*refused.*check that it runs"):
        nobody.generate("hello")


@pytest.mark.parametrize("name", PROVIDERS)
def test_it_asks_as_the_vendor_wants(name: str, service: Service) -> None:
    """The model, the prompt, the temperature and the limit stand where they belong; the key in one header only."""
    provider_of(name, service).generate("hello", temperature=0.5, max_output_tokens=7)
    (request,) = service.requests
    kind = {"openai": OPENAI, "gemini": GEMINI, "anthropic": ANTHROPIC}[name]
    assert [header for header, value in request.headers.items() if KEY in value] == [kind.header.lower()]
    assert request.headers[kind.header.lower()] == kind.prefix + KEY
    assert KEY not in request.path
    said = [{"role": "user", "content": "hello"}]
    if name == "gemini":
        assert request.path == "/v1beta/models/gemini-test:generateContent"
        assert request.body == {
            "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
            "generationConfig": {"temperature": 0.5, "maxOutputTokens": 7},
        }
    else:
        model = "gpt-test" if name == "openai" else "claude-test"
        assert request.body == {"model": model, "messages": said, "temperature": 0.5, "max_tokens": 7}


def test_anthropic_is_told_which_version(service: Service) -> None:
    """The API wants a version; temperatures that it does not know are its hottest."""
    provider_of("anthropic", service).generate("hello", temperature=2)
    assert service.requests[0].headers["anthropic-version"] == "2023-06-01"
    assert service.requests[0].body["temperature"] == 1.0


def test_without_a_key_no_header_is_sent(service: Service) -> None:
    """A local server needs none."""
    provider_of("openai", service, key=None).generate("hello")
    assert "authorization" not in service.requests[0].headers


def test_openai_takes_the_limit_by_another_name(service: Service) -> None:
    """The newer models of OpenAI itself refuse the old one."""
    OpenAIProvider(wire(service, OPENAI), "m", tokens_field="max_completion_tokens").generate("hello")
    assert service.requests[0].body["max_completion_tokens"] == 512
    assert "max_tokens" not in service.requests[0].body


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_model_without_temperatures_is_asked_without(name: str, service: Service) -> None:
    """It refuses one once; another bad request stays one."""
    service.script.append(Fault.BAD_REQUEST)
    service.refusal = "Unsupported value: 'temperature' does not support 0.0 with this model."
    provider = provider_of(name, service)
    assert provider.generate("hello").text
    assert provider.generate("hello").text
    assert ["temperature" in request.body for request in service.requests] == [True, False, False]
    service.script.append(Fault.BAD_REQUEST)
    with pytest.raises(ProviderRefused):
        provider.generate("hello")


def test_thoughts_are_no_answer(service: Service) -> None:
    """What a model says before its answer is left out; where it came no further, the error says what to do."""
    service.write = lambda _: "<think>\nhm, tea?\n</think>\n\nTea."
    provider = provider_of("openai", service)
    assert provider.generate("hello").text == "Tea."
    with pytest.raises(ProviderReplyInvalid, match=r"cut off.*greater max_output_tokens"):
        provider.generate("hello", max_output_tokens=1)
    assert provider_of("gemini", service).generate("hello").output_tokens == 5 + 2


@pytest.mark.parametrize("count", [-1, True, 10**400, "7", 1.5, None])
def test_counts_that_can_be_none_are_not_known(count: object, service: Service) -> None:
    """No cost is told then."""
    service.usage = {"prompt_tokens": count, "completion_tokens": 3}
    result = provider_of("openai", service).generate("hello")
    assert (result.input_tokens, result.output_tokens, result.counted) == (0, 0, False)


def test_many_texts_go_in_batches(service: Service) -> None:
    """No request has more texts than services take, and each vector stays with its text."""
    texts = [f"text {i}" for i in range(250)]
    for name in EMBEDDERS:
        together = embedder_of(name, service).embed(texts).vectors
        alone = embedder_of(name, service).embed(texts[217:218]).vectors
        assert np.allclose(together[217], alone[0])
    sizes = [len(r.body.get("input") or r.body["requests"]) for r in service.requests]
    assert sizes == [100, 100, 50, 1] * 2


def test_a_dimension_is_asked_for_where_it_can_be(service: Service) -> None:
    """Of a model that gives several, the service is asked for the one wanted."""
    embedder = OpenAIEmbedder(wire(service, OPENAI), "e", 32, shorten=True)
    assert embedder.embed(["tea"]).vectors.shape == (1, 32)
    assert GeminiEmbedder(wire(service, GEMINI), "e", 16).embed(["tea"]).vectors.shape == (1, 16)
    assert service.requests[0].body["dimensions"] == 32


def test_a_failure_in_the_middle_fails_the_call(service: Service) -> None:
    """Half of the vectors are none."""
    service.script.extend([None, Fault.BROKEN])
    with pytest.raises(EmbedderError, match="HTTP 500"):
        embedder_of("openai", service).embed(["tea"] * 150)


def test_no_look_shows_the_key(service: Service) -> None:
    """Nothing that holds the key has it in its representation."""
    objects = [*(provider_of(name, service) for name in PROVIDERS), *(embedder_of(name, service) for name in EMBEDDERS)]
    link = wire(service, OPENAI)
    for shown in [*objects, link, *vars(link).values(), link._key]:
        assert KEY not in f"{shown} {shown!r}"


def test_an_answer_is_without_the_key(service: Service) -> None:
    """Answers are kept; a service that repeats the key is not."""
    service.write = lambda _: f"your key is {KEY}"
    for name in PROVIDERS:
        assert provider_of(name, service).generate("hello").text == "your key is …"
    service.write = lambda _: "my ollama runs"
    assert provider_of("openai", service, key="ollama").generate("hello").text == "my ollama runs"


FOREIGN_KEYS = (
    "Incorrect API key provided: sk-proj-abcd1234efgh5678ijkl",
    "Authorization: Bearer abcdefghijklmnop",
    "see https://user:hunter2secret@host/x",
    "GET /v1?key=AIzaSyA1234567890abcdef HTTP",
    'api_key": "0123456789abcdef0123"',
)


@pytest.mark.parametrize("said", FOREIGN_KEYS)
def test_what_looks_like_a_key_is_left_out(said: str, service: Service) -> None:
    """A service may repeat another key than the one that it was sent, or a part of it."""
    service.refusal = said
    service.fault = Fault.BAD_REQUEST
    with pytest.raises(ProviderRefused) as caught:
        provider_of("openai", service).generate("hello")
    shown = str(caught.value)
    assert "…" in shown
    for secret in ("abcd1234", "abcdefghijklmnop", "hunter2", "AIzaSyA", "0123456789abcdef"):
        assert secret not in shown


def test_an_error_is_one_short_line(service: Service) -> None:
    """A page of HTML, colours for a terminal and line breaks do not come through."""
    service.refusal = "\x1b[31mno\r\n" + "<p>" * 1000
    service.fault = Fault.BAD_REQUEST
    with pytest.raises(ProviderRefused) as caught:
        provider_of("openai", service).generate("hello")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 350


@pytest.mark.parametrize("key", ["sk-secret\r\nX: y", "sk-\u00e9", "sk\x00"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(key: str) -> None:
    """The error does not show it; white space around a key is nothing."""
    with pytest.raises(InvalidInput, match="not shown") as caught:
        Wire("test", "http://127.0.0.1/v1", key=key)
    assert "sk" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "host/v1",
        "ftp://host",
        "http://",
        "https://u:p@host/v1",
        "https://host/v1?key=p",
        "http://host:x",
        "http://h/\n",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    """Secrets do not belong into addresses, which are shown."""
    with pytest.raises(InvalidInput, match="without user, password and query"):
        Wire("test", address)


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:80", True), ("http://localhost", True), ("http://[::1]:1/v1", True),
        ("http://127.9.9.9", True), ("http://10.0.0.1", False), ("https://localhost.example", False),
    ],
)  # fmt: skip
def test_loopback_is_told(address: str, here: bool) -> None:
    """By name and by address of both families."""
    assert is_loopback(address) is here


def test_a_proxy_does_not_get_what_stays_here(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model on this machine is asked directly, whatever the environment says."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert provider_of("openai", service).generate("hello").text


def test_nothing_stays_open(service: Service) -> None:
    """After a call no connection is left, so nobody has to close anything."""
    provider = provider_of("openai", service)
    for _ in range(3):
        provider.generate("hello")
    del provider
    gc.collect()  # a socket that is still open warns, and a warning is an error


def test_errors_belong_to_the_family() -> None:
    """Whoever catches the family catches each; only what may pass is worth another try."""
    assert issubclass(ProviderError, CortexError)
    flags = {kind: kind.retryable for kind in (ProviderUnavailable, ProviderRefused, ProviderReplyInvalid)}
    assert flags == {ProviderUnavailable: True, ProviderRefused: False, ProviderReplyInvalid: False}
