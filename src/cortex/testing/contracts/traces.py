"""What everything must do that keeps something of texts beside the store."""
# ruff: noqa: S101 - assert is how pytest asks

from __future__ import annotations

import pytest

from cortex.ports import TextTraces

_FIRST, _SECOND = "a" * 32, "b" * 32


class TextTracesContract:
    """Tests of what an engine tells of texts; a subclass gives the fixture ``traces`` and the method ``has``."""

    @pytest.fixture
    def traces(self) -> TextTraces:
        """The plug under test, empty."""
        raise NotImplementedError(f"{type(self).__name__} needs a fixture traces")

    def keep(self, traces: TextTraces, *texts: str) -> None:
        """Have the plug keep something of these texts, as it does of what it is asked."""
        raise NotImplementedError(f"{type(self).__name__} needs a method keep")

    def has(self, traces: TextTraces, text: str) -> bool:
        """Whether the plug has anything of this text."""
        raise NotImplementedError(f"{type(self).__name__} needs a method has")

    def test_it_satisfies_the_port(self, traces: TextTraces) -> None:
        """It has what the protocol asks for."""
        assert isinstance(traces, TextTraces)

    def test_the_last_owner_takes_it_along(self, traces: TextTraces) -> None:
        """What two memories have stays until both are erased."""
        self.keep(traces, "shared", "other")
        traces.own({_FIRST: ["shared"], _SECOND: ["shared", "other"]})
        assert not traces.disown({_FIRST: ["shared"]})
        assert self.has(traces, "shared")
        assert not traces.disown({_SECOND: ["shared", "other"]})
        assert not self.has(traces, "shared")
        assert not self.has(traces, "other")

    def test_what_nobody_noted_goes_by_its_text(self, traces: TextTraces) -> None:
        """A note may be lost with its process: the text that is erased is named, too."""
        self.keep(traces, "lost", "asked")
        assert not traces.disown({_FIRST: ["lost"]})
        assert not self.has(traces, "lost")
        assert self.has(traces, "asked")

    def test_what_a_memory_had_goes_by_its_id(self, traces: TextTraces) -> None:
        """What was noted after the texts were gathered goes as well."""
        self.keep(traces, "late")
        traces.own({_FIRST: ["late"]})
        assert not traces.disown({_FIRST: []})
        assert not self.has(traces, "late")

    def test_what_is_unknown_does_no_harm(self, traces: TextTraces) -> None:
        """Texts that it never saw, memories without texts, the same twice, nothing at all."""
        self.keep(traces, "kept")
        for _ in range(2):
            traces.own({_FIRST: ["kept", "never seen", "kept"], _SECOND: []})
        for _ in range(2):
            assert not traces.disown({_SECOND: ["never seen"], "c" * 32: []})
        traces.own({})
        assert not traces.disown({})
        assert self.has(traces, "kept")
