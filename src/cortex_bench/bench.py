"""``make bench``: how fast Cortex is, each figure beside what cannot be avoided in the same run.

Bars are ratios to such a floor, measured in turn with it, so that the machine's speed cancels out.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cortex_bench.recalls import conversations, neighbours, recalls
from cortex_bench.starts import starts
from cortex_bench.writes import layers, single, with_the_model

SIZES = (1_000, 10_000, 100_000)
USUAL = 10_000


def main() -> int:
    """Measure everything, print a table, and return 1 if a bar was missed."""
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as name:
        folder = Path(name)
        bars = [
            *single(folder, USUAL),
            *layers(folder, USUAL),
            *starts(folder, USUAL),
            *recalls(folder, SIZES),
            *neighbours(folder, SIZES[-1]),
            *conversations(folder, SIZES[1:]),
        ]
        with_the_model()
    for bar in bars:
        bar.show()
    return 0 if all(bar.met for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
