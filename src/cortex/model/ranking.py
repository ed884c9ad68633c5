"""What the ranking `conversation` counts how much: numbers chosen on data, and for whoever measures others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from cortex.errors import InvalidInput

MOST = 1000
SIGNALS = ("dense", "lexical_context", "late_context")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationWeights:
    """The weights of the ranking `conversation`; docs/evaluation.md says what each is worth. 0 switches a part off.

    ``dense``, ``lexical_context``, ``late_context``: shares of the signals, each scaled to [0, 1].
    ``named_speaker``, ``by_user``, ``asking``: added to memories of a speaker whom the question names, of the user of
    an assistant, and to turns that ask (it is taken off). ``session``: share of the mean of the three best of a
    session. ``neighbour_words``, ``neighbour_tokens``, ``answer_tokens``: how much the turns before and after count
    for a turn, and the turn before it where that one asks. ``neighbours``: how many of the best of each leg bring the
    turns beside them. `InvalidInput` for what is negative or no number, and where no signal counts.
    """

    dense: float = 1.0
    lexical_context: float = 1.0
    late_context: float = 3.0
    named_speaker: float = 0.15
    by_user: float = 0.25
    asking: float = 0.2
    session: float = 0.45
    neighbour_words: float = 0.5
    neighbour_tokens: float = 0.7
    answer_tokens: float = 0.85
    neighbours: int = 30

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST:
                raise InvalidInput(name, f"{_told(value)}; expected a number from 0 to {MOST:,}")
        if not isinstance(self.neighbours, int):
            raise InvalidInput("neighbours", f"{self.neighbours!r}; expected a whole number from 0")
        if not self.signals:
            raise InvalidInput("late_context", f"no signal counts; give one of {', '.join(SIGNALS)} more than 0")

    @property
    def signals(self) -> Mapping[str, float]:
        """The signals that count, with their shares."""
        return {name: getattr(self, name) for name in SIGNALS if getattr(self, name) > 0}


def _told(value: object) -> str:
    return "a whole number out of range" if isinstance(value, int) and abs(value) > MOST else repr(value)


USUAL = ConversationWeights()
