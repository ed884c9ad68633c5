"""The embedder that runs on this machine: an ONNX model and its tokenizer, no network, no key."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from cortex.errors import MESSAGES, EmbedderError, InvalidInput
from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

IntArray = npt.NDArray[np.int64]

MODEL_FILE: Final = "model.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"
CONFIG_FILE: Final = "config.json"

# Larger batches win nothing: eight texts of 256 tokens took 1.5 times as long as one by one, and 90 MB more.
BATCH: Final = 8
BATCH_TOKENS: Final = 512
# Only the first tokens count, so a text of megabytes is cut before the tokenizer reads all of it.
# No prose comes near this many characters a token.
CHARACTERS_PER_TOKEN: Final = 64
_GOLDEN: Final = 2654435761  # 2**32 over the golden ratio: its multiples are spread evenly (Knuth, 1998)
# [CLS], one token of the text, [SEP].
FEWEST_TOKENS: Final = 3

# By the names that exporters give. BERT's `pooler_output` is no sentence embedding, so it is not among them.
POOLED_OUTPUTS: Final = ("embedding", "sentence_embedding")
TOKEN_OUTPUTS: Final = ("last_hidden_state", "token_embeddings")
# Wide enough to tell tokens apart, and a sixth of the model's own width; see docs/evaluation.md.
TOKEN_WIDTH: Final = 64
KNOWN_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the model lies, and its signature when that is known without opening it."""

    folder: Path
    known: EmbeddingSignature | None = None

    def file(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise EmbedderError(
                f"'{self.folder}' is no model folder: {name} is missing; give a folder with {MODEL_FILE} and "
                f"{TOKENIZER_FILE}, or none for the built-in model"
            )
        return path


@dataclass(frozen=True, slots=True)
class _Model:
    """A model in memory, with what the session's graph says about itself."""

    session: Any  # onnxruntime publishes no types
    tokenizer: Tokenizer
    pad_id: int
    inputs: tuple[str, ...]
    output: str
    token_output: str | None
    failures: tuple[type[Exception], ...]

    def run(self, encodings: Sequence[Encoding]) -> tuple[FloatArray, list[FloatArray] | None]:
        """Unit vectors of texts that are padded to the longest of them, and of the tokens of each text.

        float32 [n, dim], and a float32 [tokens, `TOKEN_WIDTH`] a text where the model tells the tokens apart.
        """
        shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
        ids: IntArray = np.full(shape, self.pad_id, dtype=np.int64)
        mask: IntArray = np.zeros(shape, dtype=np.int64)
        types: IntArray = np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            length = len(encoding.ids)
            ids[row, :length] = encoding.ids
            mask[row, :length] = 1
            types[row, :length] = encoding.type_ids
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            answers = self.session.run(self._wanted, {name: arrays[name] for name in self.inputs})
        except self.failures as error:
            raise EmbedderError(f"the embedding model failed on a batch of shape {shape}: {error}") from error
        vectors = np.asarray(answers[0], dtype=np.float32)
        pooled = _unit(_mean(vectors, mask) if self.output in TOKEN_OUTPUTS else vectors)
        if self.token_output is None:
            return pooled, None
        states = np.asarray(answers[-1], dtype=np.float32)
        reduced = _unit(states @ reduction(states.shape[-1]))
        return pooled, [reduced[row][_own_tokens(encoding)] for row, encoding in enumerate(encodings)]

    @property
    def _wanted(self) -> list[str]:
        return list(dict.fromkeys(name for name in (self.output, self.token_output) if name is not None))


class LocalEmbedder:
    """Embeds texts with an ONNX model on the processor; one object may serve many threads.

    ``model_dir``: a folder with ``model.onnx`` and ``tokenizer.json``, where ``config.json`` may tell the
    dimension; None is the model of the package ``cortex-model-minilm``. A text is read up to ``max_tokens``
    tokens, the special ones included. ``tokens``: whether to give vectors of tokens too, where the model has them.
    Nothing is opened before the first use. Raises InvalidInput for numbers out of range.
    """

    def __init__(
        self, model_dir: Path | None = None, *, threads: int = 1, max_tokens: int = 256, tokens: bool = True
    ) -> None:
        if threads < 1:
            raise InvalidInput("threads", f"{threads} is too few; give 1 or more")
        if max_tokens < FEWEST_TOKENS:
            raise InvalidInput("max_tokens", f"{max_tokens} is too few; give {FEWEST_TOKENS} or more")
        self._model_dir = model_dir
        self._threads = threads
        self._max_tokens = max_tokens
        self._tokens = tokens
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._failed = False

    @cached_property
    def signature(self) -> EmbeddingSignature:
        """Which model this is; a folder without ``config.json`` is loaded for it. Raises EmbedderError."""
        source = self._source
        if source.known is not None:
            return source.known
        with source.file(MODEL_FILE).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        dim = _configured_dim(source) or self._measured_dim()
        return EmbeddingSignature(source.folder.name, dim, digest[:8])

    @property
    def ready(self) -> bool:
        """Whether ``embed`` answers at once: the model is in memory, or it could not be loaded."""
        return self._model is not None or self._failed

    @property
    def gives_tokens(self) -> bool:
        """Whether it was told to give vectors of tokens, where the model has them."""
        return self._tokens

    def load(self) -> None:
        """Bring the model into memory, once, whoever asks first. Raises EmbedderError."""
        self._loaded()

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """Embed texts, in their order; no vector depends on the other texts. Raises EmbedderError."""
        dim = self.signature.dim
        vectors: FloatArray = np.zeros((len(texts), dim), dtype=np.float32)
        if not texts:
            return EmbedResult(vectors, tokens=0)
        model = self._loaded()
        encodings = [self._encode(model, text) for text in texts]
        token_vectors: dict[int, FloatArray] = {}
        for chosen in _batches([len(encoding.ids) for encoding in encodings]):
            pooled, tokens = model.run([encodings[index] for index in chosen])
            vectors[chosen] = _checked(pooled, dim)
            token_vectors.update(zip(chosen, tokens or (), strict=tokens is not None))
        spans = [[encoding.offsets[token] for token in _own_tokens(encoding)] for encoding in encodings]
        return EmbedResult(
            vectors,
            tokens=sum(len(encoding.ids) for encoding in encodings),
            token_vectors=[token_vectors[index] for index in range(len(texts))] if token_vectors else None,
            token_spans=spans if token_vectors else None,
        )

    @cached_property
    def _source(self) -> _Source:
        if self._model_dir is not None:
            return _Source(self._model_dir.resolve())
        try:
            import cortex_model_minilm as built_in
        except ImportError as error:
            raise EmbedderError(
                "the built-in embedding model is not installed: run 'pip install cortex-model-minilm', "
                "or give the folder of another model"
            ) from error
        return _Source(built_in.MODEL_DIR, EmbeddingSignature(built_in.NAME, built_in.DIM, built_in.REVISION))

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = self._open()
        return self._model

    def _open(self) -> _Model:
        try:
            model = _open(self._source, self._threads, self._max_tokens)
        except EmbedderError:
            self._failed = True
            raise
        return model if self._tokens else replace(model, token_output=None)

    def _encode(self, model: _Model, text: str) -> Encoding:
        # One by one: encode_batch starts a thread pool as wide as the machine, which also dislikes forks.
        try:
            return model.tokenizer.encode(text[: self._max_tokens * CHARACTERS_PER_TOKEN])
        except TypeError as error:
            raise EmbedderError(
                f"{MESSAGES.quoted(text[:2_000], 40)} cannot be tokenized: expected valid Unicode text"
            ) from error

    def _measured_dim(self) -> int:
        model = self._loaded()
        return int(model.run([self._encode(model, "dimension")])[0].shape[1])


def _configured_dim(source: _Source) -> int | None:
    path = source.folder / CONFIG_FILE
    if not path.is_file():
        return None
    try:
        config = json.loads(path.read_bytes())
    except ValueError as error:
        raise EmbedderError(f"'{path}' is not JSON: {error}; mend it or remove it") from error
    dim = config.get("hidden_size") if isinstance(config, dict) else None
    return dim if isinstance(dim, int) and dim > 0 else None


def _open(source: _Source, threads: int, max_tokens: int) -> _Model:
    model_path, tokenizer_path = source.file(MODEL_FILE), source.file(TOKENIZER_FILE)
    # Some builds of the runtime report to their maker and keep a device id in the home; they read this at import.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")  # noqa: TID251 - the native library reads it, no setting of ours
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as native
    except ImportError as error:
        raise EmbedderError(f"cannot import onnxruntime: {error}; run 'pip install onnxruntime'") from error
    tokenizer, pad_id = _open_tokenizer(tokenizer_path, max_tokens)
    # The native exceptions share no base class below Exception; a bad feed or session option is a ValueError.
    kinds = [kind for kind in vars(native).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    failures: tuple[type[Exception], ...] = (RuntimeError, ValueError, *kinds)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # Errors; they come as exceptions too, and warnings would clutter stderr.
    # Waiting threads would burn the processor between two calls.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(model_path), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except failures as error:
        raise EmbedderError(f"cannot load '{model_path}': {error}; replace or reinstall it") from error
    inputs = _inputs([port.name for port in session.get_inputs()], model_path)
    names = [port.name for port in session.get_outputs()]
    token_output = next((name for name in TOKEN_OUTPUTS if name in names), None)
    return _Model(session, tokenizer, pad_id, inputs, _output(names, model_path), token_output, failures)


def _open_tokenizer(path: Path, max_tokens: int) -> tuple[Tokenizer, int]:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderError(f"cannot import tokenizers: {error}; run 'pip install tokenizers'") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no narrower class
        raise EmbedderError(f"cannot load '{path}': {error}; replace or reinstall it") from error
    padding = tokenizer.padding or {}
    pad_id = padding.get("pad_id", tokenizer.token_to_id("[PAD]") or tokenizer.token_to_id("<pad>") or 0)
    # Files often carry a padding to 128 tokens, which every short text would pay for.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer, int(pad_id)


def _inputs(names: Sequence[str], path: Path) -> tuple[str, ...]:
    unknown = sorted(set(names) - KNOWN_INPUTS)
    if unknown:
        raise EmbedderError(
            f"'{path}' wants the inputs {', '.join(unknown)}; expected only {', '.join(sorted(KNOWN_INPUTS))}"
        )
    return tuple(names)


def _output(names: Sequence[str], path: Path) -> str:
    known = (*POOLED_OUTPUTS, *TOKEN_OUTPUTS)
    for name in known:
        if name in names:
            return name
    raise EmbedderError(f"'{path}' gives {', '.join(names)}; expected one of {', '.join(known)}")


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts that go together: few, and of like length, so that little is spent on padding."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Ascending: the newest text is the longest, to which the others would be padded.
        if batch and (len(batch) == BATCH or (len(batch) + 1) * lengths[index] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@cache
def reduction(dim: int) -> FloatArray:
    """The projection of token vectors, float32 [dim, at most `TOKEN_WIDTH`], with orthonormal columns.

    Cosine waves with the signs of the coordinates shuffled: as good as a random projection (Johnson and
    Lindenstrauss, 1984), the same on every machine, and learned from nobody's text.
    """
    width = min(TOKEN_WIDTH, dim)
    row = np.arange(dim)[:, np.newaxis]
    wave = np.cos(np.pi * (2 * row + 1) * (np.arange(width) * (dim // width) + 1) / (2 * dim))
    sign = np.where((row * _GOLDEN) % 2**32 < 2**31, -1.0, 1.0)
    columns: FloatArray = (sign * wave / np.linalg.norm(wave, axis=0)).astype(np.float32)
    return columns


def _own_tokens(encoding: Encoding) -> list[int]:
    """The places of the tokens that stand for the text itself."""
    return [place for place, special in enumerate(encoding.special_tokens_mask) if not special]


def _mean(tokens: FloatArray, mask: IntArray) -> FloatArray:
    """Mean of the token vectors [b, s, dim] that the mask [b, s] lets through: [b, dim]."""
    weights = mask.astype(np.float32)[:, :, np.newaxis]
    mean: FloatArray = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return mean


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


def _checked(vectors: FloatArray, dim: int) -> FloatArray:
    if vectors.ndim != 2 or vectors.shape[1] != dim:
        raise EmbedderError(f"the model gave an array of shape {vectors.shape}; expected [texts, {dim}]")
    if not np.isfinite(vectors).all():
        raise EmbedderError("the model gave numbers that are not finite; replace its file")
    return vectors
