"""Which service runs a model: what the settings choose, what they lack, and whose key goes where."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cortex import Cortex, configured_embedder, configured_llm
from cortex.app import build
from cortex.app.models import choose_llm
from cortex.app.settings import SETTINGS, effective, load
from cortex.errors import ConfigurationError, InvalidInput, ProviderError
from cortex.providers.local import LocalEmbedder
from cortex.testing import FakeEmbedder, FakeProvider
from tests.providers.server import KEY, Fault, Service, serving

A, B, C = "key-of-a-0123456789", "key-of-b-0123456789", "key-of-c-0123456789"
SECRETS = [setting for setting in SETTINGS if setting.secret]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a loopback address."""
    with serving(Service()) as found:
        yield found


def name(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    """The name of the language model under these variables; empty for none."""
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    chosen = configured_llm()
    return "" if chosen is None else chosen.name


CHOICES: dict[str, tuple[Mapping[str, str], str]] = {
    "nothing": ({}, ""),
    "a key of OpenAI alone": ({"OPENAI_API_KEY": A}, ""),
    "OpenRouter first": (
        {"OPENROUTER_API_KEY": A, "CORTEX_LLM_API_KEY": B, "GEMINI_API_KEY": C, "OLLAMA_URL": "http://127.0.0.1:1"},
        "openrouter/google/gemma-4-27b-it:free",
    ),
    "then our own key": ({"CORTEX_LLM_API_KEY": A, "GEMINI_API_KEY": B}, "openai/gpt-4o-mini"),
    "of the provider that is named": (
        {"CORTEX_LLM_API_KEY": A, "CORTEX_LLM_PROVIDER": "anthropic"},
        "anthropic/claude-haiku-4-5",
    ),
    "then Gemini": ({"GEMINI_API_KEY": A, "ANTHROPIC_API_KEY": B}, "gemini/gemini-2.5-flash-lite"),
    "by its other name": ({"GOOGLE_API_KEY": A}, "gemini/gemini-2.5-flash-lite"),
    "by both names": ({"GEMINI_API_KEY": A, "GOOGLE_API_KEY": B}, "gemini/gemini-2.5-flash-lite"),
    "then Anthropic": ({"ANTHROPIC_API_KEY": A, "OLLAMA_URL": "http://127.0.0.1:1"}, "anthropic/claude-haiku-4-5"),
    "then Ollama": ({"OLLAMA_URL": "http://127.0.0.1:1"}, "ollama/qwen3"),
    "none against every key": (
        {
            "CORTEX_LLM_BACKEND": "none",
            "OPENROUTER_API_KEY": A,
            "CORTEX_LLM_API_KEY": B,
            "CORTEX_LLM_PROVIDER": "openai",
        },
        "",
    ),
    "what is named": ({"CORTEX_LLM_BACKEND": "Ollama", "OPENROUTER_API_KEY": A}, "ollama/qwen3"),
    "a model": ({"CORTEX_LLM_BACKEND": "ollama", "CORTEX_LLM_MODEL": "llama3.2"}, "ollama/llama3.2"),
    "a model of OpenRouter's own": (
        {"OPENROUTER_API_KEY": A, "OPENROUTER_MODEL": "x/y", "CORTEX_LLM_MODEL": "z"},
        "openrouter/x/y",
    ),
    "a model for OpenRouter": ({"OPENROUTER_API_KEY": A, "CORTEX_LLM_MODEL": "z"}, "openrouter/z"),
    "a model of the write path": (
        {"GEMINI_API_KEY": A, "CORTEX_LLM_MODEL": "big", "CORTEX_EXTRACT_MODEL": "small"},
        "gemini/small",
    ),
}


@pytest.mark.parametrize("case", CHOICES)
def test_a_language_model_is_chosen(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend that is named; else the first whose key or address is set; else none."""
    variables, expected = CHOICES[case]
    assert name(monkeypatch, **variables) == expected


REFUSED: dict[str, tuple[Mapping[str, str], str]] = {
    "no key": ({"CORTEX_LLM_BACKEND": "openai"}, "CORTEX_LLM_BACKEND=openai needs a key: set OPENAI_API_KEY"),
    "no key for Anthropic": ({"CORTEX_LLM_BACKEND": "anthropic"}, "ANTHROPIC_API_KEY"),
    "another's key": (
        {"CORTEX_LLM_BACKEND": "gemini", "OPENAI_API_KEY": A},
        "needs a key: set GEMINI_API_KEY",
    ),
    "two backends": (
        {"CORTEX_LLM_BACKEND": "gemini", "CORTEX_LLM_PROVIDER": "openai", "CORTEX_LLM_API_KEY": A},
        "CORTEX_LLM_BACKEND=gemini and CORTEX_LLM_PROVIDER=openai disagree",
    ),
    "an address for another backend": (
        {"CORTEX_LLM_BACKEND": "ollama", "CORTEX_LLM_BASE_URL": "http://127.0.0.1:1"},
        "not for ollama: set OLLAMA_URL",
    ),
    "no address": ({"OLLAMA_URL": "localhost:11434"}, "OLLAMA_URL: expected a URL"),
    "a password in an address": (
        {"CORTEX_LLM_BACKEND": "openai", "CORTEX_LLM_BASE_URL": f"https://u:{A}@host/v1"},
        "CORTEX_LLM_BASE_URL: expected a URL",
    ),
    "a key that is none": ({"OPENROUTER_API_KEY": f"{A}\u00e9"}, "OPENROUTER_API_KEY=.*printable ASCII"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_lacks_or_disagrees_is_refused(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a store is opened, with the variables and what to do, and without any key."""
    variables, expected = REFUSED[case]
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=expected) as caught:
        Cortex(":memory:")
    assert A not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_a_language_model_answers(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the router, over real HTTP, with its cost."""
    chosen = name(
        monkeypatch,
        CORTEX_LLM_BACKEND="openai",
        CORTEX_LLM_BASE_URL=f"{service.url}/v1",
        CORTEX_LLM_API_KEY=KEY,
        CORTEX_LLM_PRICE_IN="1000",
        CORTEX_LLM_PRICE_OUT="2000",
    )
    assert chosen == "openai/gpt-4o-mini"
    llm = choose_llm(load())
    assert llm is not None
    assert llm.for_verb("memorize").generate("hello there").text == "You said: hello there"
    usage = llm.meter.by_verb()["memorize"]
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 2, 4)
    assert usage.cost == pytest.approx(0.010)
    assert service.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("backend", "path"),
    [
        ("openai", "/v1/chat/completions"),
        ("gemini", "/v1beta/models/m:generateContent"),
        ("anthropic", "/v1/messages"),
        ("openrouter", "/v1/chat/completions"),
        ("ollama", "/v1/chat/completions"),
    ],
)
def test_every_backend_reaches_its_service(
    backend: str, path: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each at the address that is set for it, in its own format."""
    base = service.url + ("/v1beta" if backend == "gemini" else "/v1")
    address = {"openrouter": "OPENROUTER_BASE_URL", "ollama": "OLLAMA_URL"}.get(backend, "CORTEX_LLM_BASE_URL")
    name(
        monkeypatch,
        **{address: base, "CORTEX_LLM_BACKEND": backend, "CORTEX_LLM_MODEL": "m", "CORTEX_LLM_API_KEY": KEY},
    )
    llm = configured_llm()
    assert llm is not None
    assert llm.generate("hello").text == "You said: hello"
    (request,) = service.requests
    assert request.path == path
    assert request.body.get("model", "m") == "m"


@pytest.mark.parametrize(
    ("variables", "fault", "remedy"),
    [
        ({"CORTEX_LLM_BASE_URL": "{url}/v1", "CORTEX_LLM_API_KEY": KEY}, Fault.UNAUTHORISED,
         "check CORTEX_LLM_API_KEY"),
        ({"OPENROUTER_BASE_URL": "{url}/v1", "OPENROUTER_API_KEY": KEY}, Fault.UNAUTHORISED,
         "check OPENROUTER_API_KEY"),
        ({"OPENROUTER_BASE_URL": "{url}/none", "OPENROUTER_API_KEY": KEY}, None,
         "check OPENROUTER_MODEL and OPENROUTER_BASE_URL"),
        ({"OLLAMA_URL": "{url}/none", "CORTEX_LLM_MODEL": "m"}, None, "check CORTEX_LLM_MODEL and OLLAMA_URL"),
        ({"OLLAMA_URL": "{url}"}, Fault.REDIRECT, "check OLLAMA_URL"),
        ({"OLLAMA_URL": "{url}"}, Fault.BAD_JSON, "check OLLAMA_URL"),
        ({"OLLAMA_URL": "http://127.0.0.1:9"}, None, "check that it runs and can be reached, and OLLAMA_URL"),
    ],
)  # fmt: skip
def test_an_error_names_the_setting(
    variables: Mapping[str, str], fault: Fault | None, remedy: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that the key, the address or the model came from, so that nobody looks for another."""
    service.fault = fault
    monkeypatch.setattr("cortex.app.models._WRITE_SECONDS", 0.5)
    name(monkeypatch, **{key: value.format(url=service.url) for key, value in variables.items()})
    llm = configured_llm()
    assert llm is not None
    with pytest.raises(ProviderError, match=re.escape(remedy)):
        llm.generate("hello")


def test_ollama_is_found_with_and_without_its_path(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """`OLLAMA_URL` is the server's own address."""
    for url in (service.url, f"{service.url}/", f"{service.url}/v1"):
        assert name(monkeypatch, OLLAMA_URL=url) == "ollama/qwen3"
        llm = configured_llm()
        assert llm is not None
        assert llm.generate("hello").text


def test_a_vendors_key_goes_to_that_vendor_only(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another server of the same API is not sent the key that the shell has for the vendor."""
    name(
        monkeypatch,
        OPENAI_API_KEY=KEY,
        CORTEX_LLM_BACKEND="openai",
        CORTEX_LLM_BASE_URL=f"{service.url}/v1",
        CORTEX_EMBED_PROVIDER="openai",
        CORTEX_EMBED_BASE_URL=f"{service.url}/v1",
        CORTEX_EMBED_MODEL="own",
        CORTEX_EMBED_DIM="64",
    )
    llm = configured_llm()
    assert llm is not None
    llm.generate("hello")
    configured_embedder().embed(["tea"])
    assert [KEY in str(request.headers) for request in service.requests] == [False, False]


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({"OPENROUTER_API_KEY": A, "CORTEX_LLM_API_KEY": B}, A),
        ({"OPENROUTER_API_KEY": A, "CORTEX_LLM_API_KEY": B, "CORTEX_LLM_PROVIDER": "openrouter"}, B),
        ({"CORTEX_LLM_API_KEY": B, "CORTEX_LLM_PROVIDER": "openrouter"}, B),
        ({"CORTEX_LLM_API_KEY": B, "CORTEX_LLM_BACKEND": "openrouter"}, B),
    ],
)
def test_the_right_one_of_two_keys_is_sent(
    variables: Mapping[str, str], sent: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own key is OpenAI's unless it is said whose it is."""
    name(monkeypatch, OPENROUTER_BASE_URL=f"{service.url}/v1", **variables)
    llm = configured_llm()
    assert llm is not None
    llm.generate("hello")
    assert service.requests[0].headers["authorization"] == f"Bearer {sent}"


EMBEDDERS: dict[str, tuple[Mapping[str, str], str, int]] = {
    "nothing": ({}, "all-MiniLM-L6-v2", 384),
    "keys alone": (
        {"OPENAI_API_KEY": A, "GEMINI_API_KEY": B, "CORTEX_EMBED_API_KEY": C},
        "all-MiniLM-L6-v2",
        384,
    ),
    "what is said twice": (
        {"CORTEX_EMBED_PROVIDER": "local", "CORTEX_EMBED_MODEL": "all-MiniLM-L6-v2"},
        "all-MiniLM-L6-v2",
        384,
    ),
    "a provider": ({"CORTEX_EMBED_PROVIDER": "openai", "OPENAI_API_KEY": A}, "text-embedding-3-small", 1536),
    "a model that only one has": (
        {"CORTEX_EMBEDDING_MODEL": "text-embedding-3-small", "CORTEX_EMBEDDING_API_KEY": A},
        "text-embedding-3-small",
        1536,
    ),
    "a shorter vector": (
        {"CORTEX_EMBED_MODEL": "text-embedding-3-large", "OPENAI_API_KEY": A, "CORTEX_EMBED_DIM": "256"},
        "text-embedding-3-large",
        256,
    ),
    "Gemini": ({"CORTEX_EMBED_MODEL": "gemini-embedding-001", "GEMINI_API_KEY": A}, "gemini-embedding-001", 768),
    "Gemini, longer": (
        {"CORTEX_EMBED_PROVIDER": "gemini", "GEMINI_API_KEY": A, "CORTEX_EMBEDDING_DIMENSIONS": "3072"},
        "gemini-embedding-001",
        3072,
    ),
    "OpenRouter": (
        {"CORTEX_EMBED_PROVIDER": "openrouter", "OPENROUTER_API_KEY": A},
        "openai/text-embedding-3-small",
        1536,
    ),
    "Ollama": ({"CORTEX_EMBED_PROVIDER": "ollama"}, "nomic-embed-text", 768),
    "Ollama with a tag": (
        {"CORTEX_EMBED_PROVIDER": "ollama", "CORTEX_EMBED_MODEL": "bge-m3:latest"},
        "bge-m3:latest",
        1024,
    ),
    "a server of one's own": (
        {
            "CORTEX_EMBED_PROVIDER": "openai",
            "CORTEX_EMBED_BASE_URL": "http://127.0.0.1:1/v1",
            "CORTEX_EMBED_MODEL": "all-MiniLM-L6-v2",
            "CORTEX_EMBED_DIM": "384",
        },
        "all-MiniLM-L6-v2",
        384,
    ),
}


@pytest.mark.parametrize("case", EMBEDDERS)
def test_an_embedder_is_chosen(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The local one, unless a provider or a model that only a provider has is named; a key alone switches nothing."""
    variables, model, dim = EMBEDDERS[case]
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    embedder = configured_embedder()
    assert (embedder.signature.model, embedder.signature.dim) == (model, dim)
    assert isinstance(embedder, LocalEmbedder) is (case in ("nothing", "keys alone", "what is said twice"))


WRONG_EMBEDDERS: dict[str, tuple[Mapping[str, str], str]] = {
    "local, and a model of OpenAI": (
        {"CORTEX_EMBED_PROVIDER": "local", "CORTEX_EMBED_MODEL": "text-embedding-3-small", "OPENAI_API_KEY": A},
        "CORTEX_EMBED_PROVIDER=local and CORTEX_EMBED_MODEL=text-embedding-3-small disagree",
    ),
    "two vendors": (
        {"CORTEX_EMBED_PROVIDER": "gemini", "CORTEX_EMBED_MODEL": "text-embedding-3-small", "GEMINI_API_KEY": A},
        "disagree",
    ),
    "remote, and the local model": (
        {"CORTEX_EMBED_PROVIDER": "openai", "CORTEX_EMBED_MODEL": "all-MiniLM-L6-v2", "OPENAI_API_KEY": A},
        "disagree",
    ),
    "no key": ({"CORTEX_EMBED_MODEL": "text-embedding-3-small"}, "need a key: set OPENAI_API_KEY"),
    "a server and no provider": ({"CORTEX_EMBED_BASE_URL": "http://127.0.0.1:1"}, "set CORTEX_EMBED_PROVIDER=openai"),
    "a dimension that the model does not give": (
        {"CORTEX_EMBED_MODEL": "text-embedding-3-small", "OPENAI_API_KEY": A, "CORTEX_EMBED_DIM": "3072"},
        "CORTEX_EMBED_DIM=3072, but openai's text-embedding-3-small has at most 1536",
    ),
    "a dimension that is fixed": (
        {"CORTEX_EMBED_PROVIDER": "ollama", "CORTEX_EMBED_DIM": "384"},
        "ollama's nomic-embed-text has 768",
    ),
    "a model of unknown dimension": (
        {"CORTEX_EMBED_PROVIDER": "ollama", "CORTEX_EMBED_MODEL": "my-own"},
        "set CORTEX_EMBED_DIM",
    ),
}


@pytest.mark.parametrize("case", WRONG_EMBEDDERS)
def test_a_wrong_embedder_is_refused(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that disagree or lack something are an error before anybody is asked."""
    variables, expected = WRONG_EMBEDDERS[case]
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=expected) as caught:
        build.choose_embedder(load())
    assert A not in str(caught.value)


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither among the settings in force nor in their look nor in a refusal."""
    for each in SECRETS:
        monkeypatch.setenv(each.variables[0], KEY)
    assert KEY not in repr(load())
    shown = {item.variable: item.value for item in effective()}
    assert KEY not in str(shown)
    assert {shown[each.variables[0]] for each in SECRETS} == {"(set, not shown)"}
    monkeypatch.setenv(SECRETS[0].variables[0], f"{KEY}\u00e9")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert KEY not in f"{caught.value!r} {caught.value.__context__!r}"


def test_a_password_in_an_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused when it is used, and shown to nobody before."""
    monkeypatch.setenv("OLLAMA_URL", "http://ada:hunter2@host")
    shown = {item.variable: item.value for item in effective()}
    assert shown["OLLAMA_URL"] == "http://…@host"


def test_a_secret_is_taken_from_a_private_file_only() -> None:
    """A key in a settings file that others can read is refused with the remedy; a private one is fine."""
    path = Path("cortex.toml")
    path.write_text(f'openai_api_key = "{KEY}"\ntop_k = 7\n', "utf-8")
    path.chmod(0o644)
    with pytest.raises(ConfigurationError, match=r"openai_api_key.*chmod 600 cortex\.toml") as caught:
        load()
    assert KEY not in str(caught.value)
    path.chmod(0o600)
    assert (load().openai_api_key, load().top_k) == (KEY, 7)
    path.write_text("openai_api_key = 12345678\n", "utf-8")
    with pytest.raises(ConfigurationError, match="expected text in quotes") as caught:
        load()
    assert "12345678" not in str(caught.value)
    path.write_text("top_k = 7\n", "utf-8")
    path.chmod(0o644)
    assert load().top_k == 7
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_health_names_the_language_model_and_asks_nobody(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """By service and model; an argument comes before the settings."""
    with Cortex(":memory:", embedder=FakeEmbedder()) as cortex:
        assert cortex.health().llm == ""
    name(monkeypatch, OLLAMA_URL=service.url)
    with Cortex(":memory:", embedder=FakeEmbedder()) as cortex:
        assert cortex.health().llm == "ollama/qwen3"
    with Cortex(":memory:", embedder=FakeEmbedder(), llm=FakeProvider()) as cortex:
        assert cortex.health().llm == "fake/fake"
        cortex.memorize("Ada prefers tea")
        cortex.recall("tea")
    assert service.requests == []


def test_an_argument_that_is_no_model_is_refused() -> None:
    """Before anything is opened."""
    with pytest.raises(InvalidInput, match="str has no generate"):
        Cortex(":memory:", llm="gpt")  # type: ignore[arg-type]


def test_doctor_shows_the_backend_and_no_key(service: Service, tmp_path: Path) -> None:
    """The command line says which models are used, and that keys are set."""
    variables = {"OPENROUTER_API_KEY": KEY, "CORTEX_STORE": str(tmp_path / "m.db"), "HOME": str(tmp_path)}
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "cortex.cli.main", "doctor", *options]
        done = subprocess.run(command, env=environment(variables), capture_output=True, text=True, check=False)
        assert "openrouter/google/gemma-4-27b-it:free" in done.stdout, done.stderr
        assert "(set, not shown)" in done.stdout
        assert KEY not in done.stdout + done.stderr
        if options:
            assert json.loads(done.stdout)["health"]["llm"] == "openrouter/google/gemma-4-27b-it:free"


def test_nobody_pays_for_a_client_that_is_not_asked(tmp_path: Path) -> None:
    """Opening, writing and recalling with a backend configured imports no HTTP client, and neither does the help."""
    variables = {"GEMINI_API_KEY": KEY, "HOME": str(tmp_path)}
    work = (
        "import sys, cortex\n"
        "with cortex.Cortex(':memory:') as c:\n"
        "    c.memorize('Ada prefers tea'); c.recall('tea'); c.health()\n"
    )
    for code in ("import sys, cortex\n", "import sys, cortex.cli.main\n", "import sys, cortex.app.server\n", work):
        command = [sys.executable, "-c", code + "print({'httpx2', 'httpcore2', 'ssl'} & set(sys.modules))"]
        done = subprocess.run(command, env=environment(variables), capture_output=True, text=True, check=False)
        assert done.stdout == "set()\n", done.stderr


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a child: where the code is, and these."""
    return {"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": "/usr/bin:/bin", **variables}
