"""What is made from the settings: ``python -m tests.docs.settings_page`` writes docs/settings.md and .env.example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from cortex.app.settings import SETTINGS, Setting
from tests.docs.pages import ROOT

_INTRODUCTION = """# Settings

<!-- Made by `python -m tests.docs.settings_page`; a test compares. -->

No setting is needed: every one has a default. Where a value stands in several places, the first found wins:

1. an argument: `Cortex(store, user=…)` in Python, `--db` and `--user` on the command line;
2. the environment;
3. `.env` in the working directory;
4. `cortex.toml` in the working directory;
5. `cortex.toml` in your configuration folder (on Linux `~/.config/cortex/`);
6. the default.

An empty variable counts as not set. Two names of one setting that stand in the same place with different values are
refused. A wrong value is refused with its place and what is expected; the commands then end with exit code 8, and in
Python it is a `ConfigurationError`.

In `cortex.toml` a setting is written by its name, in `.env` and the environment by its variable:

```toml
store = "~/notes/memory.db"
timezone = "Europe/Paris"
top_k = 8
```

```sh
CORTEX_STORE=~/notes/memory.db
```

| name | variable | default | meaning |
|---|---|---|---|
"""

_CLOSING = """
A key may stand in `cortex.toml` only where nobody else can read the file (`chmod 600`); it is shown nowhere, and
[`cortex doctor`](cli.md) only says that it is set. [models.md](models.md) tells what each backend needs.

A name in `cortex.toml` that is not in this table is refused with the nearest one that is. A variable that begins with
`CORTEX_` and is not in this table is ignored, but for those of [evaluation](evaluation.md).
[`.env.example`](../.env.example) lists all variables, ready to be copied.
"""

_ENV_INTRODUCTION = """\
# Every setting of Cortex with its default. Copy this file to .env and uncomment what you change.
# docs/settings.md says which source of a setting wins.
# Made by `python -m tests.docs.settings_page`; a test compares.
"""


def settings_page() -> str:
    """The page docs/settings.md."""
    return _INTRODUCTION + "".join(f"{_row(setting)}\n" for setting in SETTINGS) + _CLOSING


def env_example() -> str:
    """The file .env.example."""
    return _ENV_INTRODUCTION + "\n".join(line for setting in SETTINGS for line in _lines(setting)) + "\n"


def _row(setting: Setting) -> str:
    variables = ", ".join(f"`{name}`" for name in setting.variables)
    default = f"`{setting.default}`" if setting.default else "empty"
    return f"| `{setting.name}` | {variables} | {default} | {_escaped(setting.meaning)} |"


def _escaped(text: str) -> str:
    return re.sub(r"([|<>])", r"\\\1", text)


def _lines(setting: Setting) -> Iterator[str]:
    usual, *others = setting.variables
    yield ""
    yield from (f"# {line}" for line in wrap(setting.meaning, 110))
    yield from (f"# {other} is another name of it." for other in others)
    yield f"# {usual}={setting.default}"


if __name__ == "__main__":
    (ROOT / "docs/settings.md").write_text(settings_page(), "utf-8")
    (ROOT / ".env.example").write_text(env_example(), "utf-8")
