"""The suites that a plug must pass: classes of tests, made a test file by a subclass and its fixture.

For a store the fixture is ``new_store``, a function that makes an empty one; for an embedder it is ``embedder``,
for what asks a language model ``provider``.
"""

from __future__ import annotations

from pkgutil import iter_modules

import pytest

# Assertions of a suite explain themselves as those of a test file do.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in iter_modules(__path__)))
