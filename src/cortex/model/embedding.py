"""What an embedding is: the vectors, the model that made them, what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from cortex.model.quick import quickly_made

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# A name for type checkers: the nouns of the model are read before the first call needs numpy.
FloatArray: TypeAlias = "npt.NDArray[np.float32]"
CodeArray: TypeAlias = "npt.NDArray[np.int8]"


@quickly_made
@dataclass(frozen=True, slots=True)
class EmbeddingSignature:
    """Which model made a vector; vectors of different signatures are never compared."""

    model: str
    dim: int
    revision: str = ""

    def __str__(self) -> str:
        return f"{self.model} ({self.dim} dimensions{', ' + self.revision if self.revision else ''})"


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class EmbedResult:
    """What an embedder answers for n texts.

    ``vectors``: float32 [n, dim], unit length. ``tokens``: how many tokens were read, counted.
    ``token_vectors``: per text float32 [tokens of the text, any dim], or None where the model gives none.
    ``token_spans``: per text the characters (start, end) that each of these tokens stands for.
    """

    vectors: FloatArray
    tokens: int
    token_vectors: Sequence[FloatArray] | None = None
    token_spans: Sequence[Sequence[tuple[int, int]]] | None = None


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """The vectors of one memory: float32 [pieces, dim], one row a piece of its text.

    ``token_vectors``: int8 [tokens, width], a unit vector times 127 for each of its first tokens.
    """

    signature: EmbeddingSignature
    pieces: FloatArray
    token_vectors: CodeArray | None = None


def comparable(vectors: FloatArray) -> npt.NDArray[np.bool_]:
    """Which rows of [n, dim] can be compared with others: those that are finite and not zero."""
    squares = (vectors.astype("f8") ** 2).sum(axis=1)
    found: npt.NDArray[np.bool_] = (squares > 0.0) & (squares < float("inf"))
    return found
