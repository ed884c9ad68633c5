"""The settings of recall: how hits are ordered, what counts how much, and who may put them in another order."""

from __future__ import annotations

import math
from collections.abc import Callable

from cortex.app.setting import NUMBER, TRUTH, WHOLE, Setting, one_of, switch, time_limit, whole


def _number(least: float, most: float, expected: str) -> Callable[[str], float]:
    """A reader of numbers in this range."""

    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise ValueError(f"expected {expected}")
        return number

    return read


_share = _number(0.0, 1.0, "a number from 0 to 1")
_days = _number(0.01, 100_000.0, "a number of days from 0.01 to 100000")


def _weight(name: str, default: str, meaning: str) -> Setting:
    said = f"Ranking assistant: how much {meaning} counts; the four weights must sum to 1."
    return Setting(f"retrieval_{name}_weight", (f"CORTEX_RETRIEVAL_{name.upper()}_WEIGHT",), default, _share, said,
                   NUMBER)  # fmt: skip


RANKING_SETTINGS = (
    Setting("top_k", ("CORTEX_TOP_K",), "5", whole(1, 1000),
            "How many hits recall gives when no limit is named.", WHOLE),
    Setting("ranking", ("CORTEX_RANKING",), "conversation",
            one_of("conversation", "relevance", "assistant", "engineering"),
            "How recall orders hits when no ranking is named; the presets engineering and assistant bring their own."),
    Setting("fusion", ("CORTEX_FUSION",), "calibrated", one_of("calibrated", "rrf", "minmax"),
            "How relevance joins its legs when none is named: by what scores mean, by ranks, or by scaled scores."),
    _weight("similarity", "0.40", "what a memory says"),
    _weight("recency", "0.25", "how new it is"),
    _weight("emotion", "0.20", "how strongly it is felt"),
    _weight("reinforcement", "0.15", "how often it was returned"),
    Setting("priority_days", ("CORTEX_PRIORITY_DAYS",), "84", _days,
            "Ranking engineering: the scale on which decisions, facts and what else holds lose priority unwanted.",
            NUMBER),
    Setting("priority_fading_days", ("CORTEX_PRIORITY_FADING_DAYS",), "30", _days,
            "Ranking engineering: the same for preferences, context and what else fades.", NUMBER),
    Setting("count_accesses", ("CORTEX_COUNT_ACCESSES",), "true", switch,
            "Whether assistant and engineering count, after the answer, which memories they returned.", TRUTH),
    Setting("reranker_enabled", ("CORTEX_RERANKER_ENABLED",), "false", switch,
            "Whether the language model that is configured puts hits in a better order: one call for each recall.",
            TRUTH),
    Setting("reranker_seconds", ("CORTEX_RERANKER_SECONDS",), "10", time_limit,
            "How long recall waits for a reranker before it answers without.", NUMBER),
)  # fmt: skip
