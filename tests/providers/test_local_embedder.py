"""The local embedder, with the real built-in model and with tiny models made on the spot."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cortex_model_minilm
from cortex.errors import EmbedderError, InvalidInput
from cortex.model.embedding import EmbeddingSignature
from cortex.providers.local import TOKEN_WIDTH, LocalEmbedder, reduction

TEXTS = (
    "My sister moved to Berlin last spring.",
    "Tea.",
    "The invoice of 12 May has been paid by the customer from Lisbon after two reminders and one phone call.",
    "",
    "naïve café résumé 日本語 🙂",
    "The release was delayed because a test failed on one machine only.",
    "He prefers trains.",
    "word " * 150,
    "The spare key lies under the blue flower pot, next to the door of the garage.",
    "Ana won the chess tournament.",
    "What does the dog eat?",
)


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protobuf message, so that tiny ONNX files can be made without the onnx package."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
        else:
            raw = value.encode() if isinstance(value, str) else value
            encoded += varint(number << 3 | 2) + varint(len(raw)) + raw
    return encoded


def varint(value: int) -> bytes:
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


def tiny_model(inputs: tuple[str, str], output: str) -> bytes:
    """An ONNX model that gives each token the vector (its id, its mask): float32 [b, s, 2]."""

    def port(name: str, kind: int, *shape: str) -> bytes:
        dims = message(*((1, message((2, dim))) for dim in shape))
        return message((1, name), (2, message((1, message((1, kind), (2, dims))))))

    def node(kind: str, given: tuple[str, ...], gives: str, *attributes: bytes) -> bytes:
        names = [(1, name) for name in given]
        return message(*names, (2, gives), (4, kind), *((5, attribute) for attribute in attributes))

    def to_column(name: str) -> list[bytes]:
        to_float, axes = message((1, "to"), (3, 1), (20, 2)), message((1, "axes"), (8, 2), (20, 7))
        return [
            node("Cast", (name,), f"{name}.float", to_float),
            node("Unsqueeze", (f"{name}.float",), f"{name}.column", axes),
        ]

    joined = tuple(f"{name}.column" for name in inputs)
    axis = message((1, "axis"), (3, 2), (20, 2))
    nodes = [*to_column(inputs[0]), *to_column(inputs[1]), node("Concat", joined, output, axis)]
    graph = message(
        *((1, node) for node in nodes),
        (2, "tiny"),
        *((11, port(name, 7, "b", "s")) for name in inputs),
        (12, port(output, 1, "b", "s", "d")),
    )
    return message((1, 6), (7, graph), (8, message((1, ""), (2, 11))))


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the built-in model in a folder of the user's, free to be damaged."""
    target = tmp_path / "my-model"
    target.mkdir()
    for name in cortex_model_minilm.SHA256:
        shutil.copyfile(cortex_model_minilm.MODEL_DIR / name, target / name)
    return target


def test_paraphrase_is_nearer_than_an_unrelated_text(embedder: LocalEmbedder) -> None:
    """Meaning decides nearness, not shared words."""
    question, paraphrase, other = embedder.embed(
        [
            "Where does Ana live now?",
            "Ana has made her home in Lisbon.",
            "The database migration failed with a lock timeout.",
        ]
    ).vectors
    assert question @ paraphrase > question @ other + 0.3


def test_vectors_are_float32_of_unit_length(embedder: LocalEmbedder) -> None:
    """Every text, an empty one too, gets a finite unit vector of the signature's dimension."""
    result = embedder.embed(TEXTS)
    assert result.vectors.dtype == np.float32
    assert result.vectors.shape == (len(TEXTS), embedder.signature.dim)
    assert np.allclose(np.linalg.norm(result.vectors, axis=1), 1, atol=1e-5)
    assert result.token_vectors is not None
    assert result.token_spans is not None
    assert [len(tokens) for tokens in result.token_vectors] == [len(spans) for spans in result.token_spans]
    for text, tokens, spans in zip(TEXTS, result.token_vectors, result.token_spans, strict=True):
        assert tokens.shape[1] == TOKEN_WIDTH
        assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-5)
        assert all(0 <= start < end <= len(text) for start, end in spans)


def test_the_reduction_is_the_same_everywhere() -> None:
    """Its columns are orthonormal, and known to the last digits: stores outlive machines."""
    columns = reduction(384)
    assert columns.shape == (384, TOKEN_WIDTH)
    assert np.allclose(columns.T @ columns, np.eye(TOKEN_WIDTH), atol=1e-6)
    assert columns[[0, 1, 383], [0, 5, 63]] == pytest.approx([-0.0721682, 0.0670092, -0.0014760], abs=1e-6)
    assert reduction(8).shape == (8, 8)


def test_a_vector_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    """A text has the same vector alone or among others of any length, in the place where it was given."""
    together = embedder.embed(TEXTS).vectors
    alone = np.concatenate([embedder.embed([text]).vectors for text in TEXTS])
    assert (together * alone).sum(axis=1).min() > 0.9999


def test_vectors_come_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    """Sorting by length inside does not show: reversed texts give reversed vectors."""
    forwards = embedder.embed(TEXTS).vectors
    backwards = embedder.embed(TEXTS[::-1]).vectors
    assert np.allclose(forwards, backwards[::-1], atol=1e-4)


def test_tokens_are_counted_with_the_special_ones(embedder: LocalEmbedder) -> None:
    """The count is what the model read: [CLS], the words, [SEP], without padding."""
    assert embedder.embed(["hello"]).tokens == 3
    assert embedder.embed(["hello", "hello world", ""]).tokens == 3 + 4 + 2


def test_a_long_text_is_read_up_to_the_limit(embedder: LocalEmbedder) -> None:
    """What lies behind the last token that counts changes neither the vector nor the count."""
    start = "The harbour of Lisbon is busy. " * 60
    short, long = embedder.embed([start]), embedder.embed([start + "Quantum chemistry. " * 200_000])
    assert short.tokens == long.tokens == 256
    assert np.allclose(short.vectors, long.vectors, atol=1e-5)


def test_the_limit_of_tokens_can_be_set() -> None:
    """A smaller limit makes the embedder read less of the text."""
    assert LocalEmbedder(max_tokens=16).embed(["word " * 100]).tokens == 16


def test_no_texts_give_an_empty_array() -> None:
    """An empty list costs nothing, not even the loading of the model."""
    embedder = LocalEmbedder()
    result = embedder.embed([])
    assert result.vectors.shape == (0, cortex_model_minilm.DIM)
    assert result.tokens == 0
    assert not embedder.ready


def test_the_built_in_signature_needs_no_model_in_memory() -> None:
    """The signature of the companion package is known before anything is loaded."""
    embedder = LocalEmbedder()
    assert embedder.signature == EmbeddingSignature(
        cortex_model_minilm.NAME, cortex_model_minilm.DIM, cortex_model_minilm.REVISION
    )
    assert not embedder.ready


def test_load_makes_ready_and_may_be_repeated() -> None:
    """Threads that load at the same time share one model and all find it ready."""
    embedder = LocalEmbedder()
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda _: embedder.embed(["one text"]).vectors, range(8)))
    embedder.load()
    assert embedder.ready
    assert all(np.array_equal(vectors[0], other) for other in vectors)


def test_a_folder_of_the_user_is_signed_by_its_name_and_content(folder: Path) -> None:
    """A user's model is told apart by the folder's name and the model file's hash, without being loaded."""
    embedder = LocalEmbedder(folder)
    digest = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    assert embedder.signature == EmbeddingSignature("my-model", 384, digest[:8])
    assert not embedder.ready


def test_a_folder_without_configuration_is_measured(folder: Path, embedder: LocalEmbedder) -> None:
    """Without config.json the model itself tells the dimension, and the vectors are the same."""
    (folder / "config.json").unlink()
    own = LocalEmbedder(folder)
    assert own.signature.dim == 384
    assert np.allclose(own.embed(TEXTS).vectors, embedder.embed(TEXTS).vectors, atol=1e-5)


def test_a_wrong_dimension_in_the_configuration_is_an_error(folder: Path) -> None:
    """Vectors that contradict the signature are refused, not stored."""
    (folder / "config.json").write_text(json.dumps({"hidden_size": 512}), encoding="utf-8")
    with pytest.raises(EmbedderError, match=r"shape \(1, 384\); expected \[texts, 512\]"):
        LocalEmbedder(folder).embed(["text"])


def test_token_vectors_are_pooled_where_the_model_does_not(folder: Path) -> None:
    """A plain export without pooling and segments gets the mean over the mask, of unit length."""
    (folder / "model.onnx").write_bytes(tiny_model(("input_ids", "attention_mask"), "last_hidden_state"))
    (folder / "config.json").unlink()
    embedder = LocalEmbedder(folder)
    assert embedder.signature.dim == 2
    # The ids of [CLS], "hello", "world" and [SEP] in this vocabulary.
    means = np.array([(101 + 7592 + 102) / 3, (101 + 7592 + 2088 + 102) / 4])
    expected = np.stack([means, np.ones(2)], axis=1) / np.sqrt(means**2 + 1)[:, np.newaxis]
    assert np.allclose(embedder.embed(["hello", "hello world"]).vectors, expected, rtol=1e-5)


def test_pooling_here_equals_pooling_in_the_graph(folder: Path, embedder: LocalEmbedder) -> None:
    """The same network gives the same vectors, whoever takes the mean."""
    # Renames the pooled output, length byte included, so that only the token vectors are found.
    model = (folder / "model.onnx").read_bytes().replace(b"\x09embedding", b"\x09elsewhere")
    (folder / "model.onnx").write_bytes(model)
    assert np.allclose(LocalEmbedder(folder).embed(TEXTS).vectors, embedder.embed(TEXTS).vectors, atol=1e-5)


@pytest.mark.parametrize(
    ("inputs", "output", "problem"),
    [
        (("input_ids", "position_ids"), "embedding", r"wants the inputs position_ids; expected only"),
        (("input_ids", "attention_mask"), "logits", r"gives logits; expected one of embedding"),
        (("input_ids", "attention_mask"), "embedding", r"shape \(1, 4, 2\); expected \[texts, 384\]"),
    ],
)
def test_a_model_of_another_kind_is_refused(folder: Path, inputs: tuple[str, str], output: str, problem: str) -> None:
    """A graph that is no sentence embedder is refused with what it wants or gives, not guessed at."""
    (folder / "model.onnx").write_bytes(tiny_model(inputs, output))
    with pytest.raises(EmbedderError, match=problem):
        LocalEmbedder(folder).embed(["hello world"])


def test_a_missing_folder_is_named_with_the_remedy(tmp_path: Path) -> None:
    """The error says which folder, which file is missing and what a model folder holds."""
    embedder = LocalEmbedder(tmp_path / "nowhere")
    with pytest.raises(EmbedderError, match=r"nowhere.*model\.onnx is missing.*tokenizer\.json"):
        embedder.load()
    with pytest.raises(EmbedderError, match=r"model\.onnx is missing"):
        _ = embedder.signature
    assert embedder.ready, "a model that cannot be loaded is not waited for: its error is the answer"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_broken_file_is_named(folder: Path, name: str) -> None:
    """A damaged model or tokenizer gives our error with the file's name and the library's as its cause."""
    (folder / name).write_bytes(b"not a model")
    with pytest.raises(EmbedderError, match=rf"cannot load .*{name}") as caught:
        LocalEmbedder(folder).embed(["text"])
    assert caught.value.__cause__ is not None


def test_a_broken_configuration_is_named(folder: Path) -> None:
    """A config.json that is no JSON is reported, not guessed around."""
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(EmbedderError, match=r"config\.json' is not JSON"):
        _ = LocalEmbedder(folder).signature


def test_a_failing_run_becomes_our_error(folder: Path) -> None:
    """What the runtime cannot compute, here more tokens than the model has positions, is an EmbedderError."""
    with pytest.raises(EmbedderError, match="failed on a batch of shape"):
        LocalEmbedder(folder, max_tokens=600).embed(["word " * 700])


def test_text_that_is_no_unicode_becomes_our_error(embedder: LocalEmbedder) -> None:
    """Half of a surrogate pair is refused with the text named."""
    with pytest.raises(EmbedderError, match="expected valid Unicode text"):
        embedder.embed(["half \ud83d"])


def test_a_missing_companion_package_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the built-in model the error tells what to install."""
    monkeypatch.setitem(sys.modules, "cortex_model_minilm", None)
    with pytest.raises(EmbedderError, match="pip install cortex-model-minilm"):
        _ = LocalEmbedder().signature


@pytest.mark.parametrize(("field", "value"), [("threads", 0), ("max_tokens", 2)])
def test_numbers_out_of_range_are_refused(field: str, value: int) -> None:
    """Impossible settings fail at once, with the field named."""
    with pytest.raises(InvalidInput, match=f"{field}: {value} is too few"):
        LocalEmbedder(**{field: value})  # type: ignore[arg-type]


def test_importing_the_module_is_cheap() -> None:
    """Neither the runtime nor the tokenizer nor the model package is imported before a text is embedded."""
    program = (
        "import sys, cortex.providers.local as local; local.LocalEmbedder(); "
        "print(sorted({'onnxruntime', 'tokenizers', 'cortex_model_minilm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
