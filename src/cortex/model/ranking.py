"""What rankings count how much: numbers chosen on data or agreed on, and for whoever wants others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from cortex.errors import InvalidInput

MOST = 1000
TOLERANCE = 0.01
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantWeights:
    """The weights of the ranking `assistant`: shares of one score, so that they must sum to 1 (within .01).

    `InvalidInput` for what is no number from 0 to 1, and for another sum.
    """

    similarity: float = 0.40
    recency: float = 0.25
    emotion: float = 0.20
    reinforcement: float = 0.15

    def __post_init__(self) -> None:
        own = asdict(self)
        for name, value in own.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise InvalidInput(name, f"{_told(value)}; expected a number from 0 to 1")
        if abs(sum(own.values()) - 1) > TOLERANCE + 1e-9:
            raise InvalidInput("weights", f"{' + '.join(own)} sum to {sum(own.values()):g}; expected 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityDays:
    """The scales of the ranking `engineering`, in days; `InvalidInput` unless they are more than 0.

    ``holding``: of what holds until something replaces it (decisions, facts, …); ``fading``: of what fades
    (preferences, context, …). Larger ones let memories keep their priority longer without being wanted.
    """

    holding: float = 84.0
    fading: float = 30.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
                raise InvalidInput(name, f"{_told(value)}; expected a number of days greater than 0")


def _told(value: object) -> str:
    return "a whole number out of range" if isinstance(value, int) and abs(value) > MOST else repr(value)


USUAL = ConversationWeights()
USUAL_ASSISTANT = AssistantWeights()
USUAL_DAYS = PriorityDays()
