"""Logging: to stderr, one line a record."""

from __future__ import annotations

import logging
import sys


def log_to_stderr(level: str) -> None:
    """Send the records of this level and above to stderr."""
    logging.basicConfig(
        stream=sys.stderr, level=level.upper(), format="%(levelname)s %(name)s: %(message)s", force=True
    )
    logging.captureWarnings(capture=True)
