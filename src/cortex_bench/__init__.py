"""Evaluation and benchmarks of Cortex, on its public names only."""
