"""Other memory systems, asked the same questions in environments of their own; see docs/comparison.md."""
