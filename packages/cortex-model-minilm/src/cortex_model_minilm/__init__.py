"""The embedding model all-MiniLM-L6-v2 as package data: an ONNX file, its tokenizer and its configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["DIM", "MODEL_DIR", "NAME", "REVISION", "SHA256"]

MODEL_DIR: Final[Path] = Path(__file__).resolve().parent
NAME: Final = "all-MiniLM-L6-v2"
DIM: Final = 384
SHA256: Final[dict[str, str]] = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.onnx": "ebd5decd6f6042d1337a7595bd842fe63e51f5f3bfce31a29a21ee3b35523e80",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
REVISION: Final[str] = f"onnx-int8w-{SHA256['model.onnx'][:8]}"
