"""The settings of the layers: a preset, and each layer by itself."""

from __future__ import annotations

from cortex.app.setting import TRUTH, Setting, one_of, switch


def _optional(value: str) -> bool | None:
    return switch(value) if value.strip() else None


def _layer(name: str, meaning: str) -> Setting:
    said = f"Layer: {meaning} Empty: as in the preset."
    return Setting(name, (f"CORTEX_{name.upper()}",), "", _optional, said, TRUTH)


LAYER_SETTINGS = (
    Setting("preset", ("CORTEX_PRESET",), "none", one_of("none", "engineering", "assistant"),
            "Which layers look at a memory when it is written: none of them, or all; and how recall ranks."),
    _layer("classify", "kind, importance and tags that nobody said are read from the text."),
    _layer("emotion", "how strongly felt a text is."),
    _layer("episodic", "when it happened, who did it and where, for the timeline."),
    _layer("graph", "entities and their relations, for recall_about."),
    _layer("dedup", "what says the same in other words is not kept again."),
    _layer("soft_update", "an almost equal text that says otherwise takes the place of the other."),
    _layer("link", "memories that are near are linked both ways."),
    _layer("conflict", "what contradicts a memory takes its place, or waits for somebody to decide."),
)  # fmt: skip
