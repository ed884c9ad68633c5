"""Whether two statements can both hold of the same subject at the same time."""

from __future__ import annotations

from cortex.core.understanding.contradiction.judge import judge

__all__ = ["judge"]
