"""Keywords declared once as a typed dictionary, shown in full by `help()` and checked at the call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar, get_type_hints

from cortex.model.closest import refuse_unknown

P = ParamSpec("P")
R = TypeVar("R")


def spelled_out(fields: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a method the signature that its ``**fields`` stand for; an unknown keyword is refused with a hint."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        hints = get_type_hints(fields)
        spelled = [
            inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=t) for n, t in hints.items()
        ]
        positional = {p.name for p in own}

        @functools.wraps(method)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_unknown((name for name in kwargs if name not in positional), hints)
            return method(*args, **kwargs)

        checked.__signature__ = signature.replace(parameters=[*own, *spelled])  # type: ignore[attr-defined]
        return checked

    return decorate
