"""What every driver shares: the loop that answers requests, and one embedder for all.

Runs inside a peer's own environment, which has numpy, onnxruntime and tokenizers beside the peer, and not Cortex.
A driver is a class with `open`, `add`, `search`, `ids` and `close`, handed to `serve`.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import socket
import sys
import time
from pathlib import Path

import numpy as np

DIM = 384
MAX_TOKENS = 256
BATCH = 8


class Embedder:
    """Unit vectors of all-MiniLM-L6-v2: those of texts known beforehand are looked up, others are made.

    `cache`: a folder with `digests.txt` and `vectors.npy`, or None; `model`: a folder with `model.onnx` and
    `tokenizer.json`, opened when the first unknown text comes.
    """

    def __init__(self, model, cache=None):
        self._model = Path(model)
        self._session = self._tokenizer = None
        self._places = {}
        self.cached = cache is not None
        self.made = 0
        if cache is not None:
            lines = (Path(cache) / "digests.txt").read_text("ascii").split()
            self._places = {line: place for place, line in enumerate(lines)}
            self._vectors = np.load(Path(cache) / "vectors.npy", mmap_mode="r")

    def __call__(self, texts):
        """float32 [texts, 384]."""
        found = np.zeros((len(texts), DIM), dtype=np.float32)
        unknown = []
        for row, text in enumerate(texts):
            place = self._places.get(digest(text))
            if place is None:
                unknown.append(row)
            else:
                found[row] = self._vectors[place]
        unknown.sort(key=lambda row: len(texts[row]))
        for start in range(0, len(unknown), BATCH):
            rows = unknown[start : start + BATCH]
            found[rows] = self._made([texts[row] for row in rows])
        return found

    def lists(self, texts):
        """The same as lists of floats."""
        return self(list(texts)).tolist()

    def one(self, text):
        """The vector of one text as a list of floats."""
        return self([text])[0].tolist()

    def _made(self, texts):
        if self._session is None:
            self._open()
        self.made += len(texts)
        encodings = [self._tokenizer.encode(text) for text in texts]
        shape = (len(texts), max(len(encoding.ids) for encoding in encodings))
        ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros(shape, dtype=np.int64)}
        vectors = self._session.run(["embedding"], fed)[0]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _open(self):
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(self._model / "model.onnx"), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(self._model / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)


def digest(text):
    """The name of a text in the cache."""
    return hashlib.sha256(text.encode()).hexdigest()


def serve(peer):
    """Answer requests, a JSON object a line, until standard input ends or `close` was asked."""
    # The peer may print what it likes: it reaches standard error, and only answers reach standard output.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    _stay_here()
    held = {}
    for line in sys.stdin:
        request = json.loads(line)
        started = time.perf_counter()
        try:
            answer = _answer(peer, request, held)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is an answer
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        answer.setdefault("seconds", time.perf_counter() - started)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if request["op"] == "close":
            break


def _answer(peer, request, held):
    match request["op"]:
        case "open":
            held["embed"] = Embedder(request["model"], request.get("cache"))
            peer.open(request["path"], held["embed"])
            return {}
        case "add":
            peer.add(request["user"], request["items"])
            return {"added": len(request["items"]), "made": held["embed"].made}
        case "search":
            options = request.get("options", {})
            return {
                "ids": [str(found) for found in peer.search(request["user"], request["query"], request["k"], **options)]
            }
        case "count":
            return {"count": len(peer.ids(request["user"]))}
        case "missing":
            return {"missing": sorted(set(request["ids"]) - {str(found) for found in peer.ids(request["user"])})}
        case "close":
            peer.close()
            return {}
        case other:
            raise ValueError(f"{other!r} is no request")


def _stay_here():
    """Refuse every connection and look-up beyond loopback in this process."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def local(host):
        if host in {None, "", "localhost", b"localhost"}:
            return True
        try:
            return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
        except ValueError:
            return False

    def guarded_connect(self, address):
        if self.family != socket.AF_UNIX and not local(address[0]):
            raise ConnectionRefusedError(f"measured without a network, so not {address!r}")
        return connect(self, address)

    def guarded_look_up(host, *rest, **options):
        if not local(host):
            raise socket.gaierror(f"measured without a network, so not {host!r}")
        return look_up(host, *rest, **options)

    socket.socket.connect, socket.getaddrinfo = guarded_connect, guarded_look_up


def fill(model, cache):
    """Put the vectors of the texts on standard input, a JSON list, into the cache."""
    texts = list(dict.fromkeys(json.load(sys.stdin)))
    embed, folder = Embedder(model), Path(cache)
    vectors = embed(texts)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", vectors)
    (folder / "digests.txt").write_text("\n".join(map(digest, texts)), "ascii")


if __name__ == "__main__":
    fill(*sys.argv[1:])
