"""What stands in the place of a secret, and is none."""

from __future__ import annotations

import re
from typing import Final

# Said so often as an example that nobody is protected by it. "changeme" is here since it asks to be changed: a
# program that still has it is open already, and texts with it are instructions.
_EXAMPLES: Final = frozenset(
    "password passwd pass pwd secret token key changeme change_me change-me replaceme replace_me example foobar dummy "
    "test none null nil undefined true false yes no required optional string str bytes int text hidden redacted masked "
    "omitted placeholder todo tbd empty unset default include invalid missing expired wrong".split()
)
_REFERENCES = re.compile(
    r"(?ix) \$ [({\w] | \#\{ | < | \{ | % [({\w] | \[ | \* | [x.\-_•…?]{3,} | (?:https?|op|vault|sm|ssm|file|env|secret)://?"
    r"| arn:(?:aws|gcp) | [./~]+[\w.-]*/ | /(?:run|etc|var|home|usr|opt|secrets?|app)/"
    r"| vault: | env[.:] | !\w+ | & | \| | @"
)
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[|\?\.|->|::)|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*\W*\Z")
_SAYS_SO = re.compile(
    r"(?i)\byour[_\-. ]|\bmy[_-]?(?:pass\w*|secret|token|key)\b|xxxx|\bexample\b|placeholder"
    r"|replace[_-]?(?:me|this)|insert[_-]|<[^>]*>|\.\.\.|…|\*{4}"
)
_READ: Final = 300


def is_placeholder(value: str) -> bool:
    """Whether a value is an example, a variable, a call, or points to where the secret is."""
    value = value[:_READ].strip()
    if value.strip(".,;:!?)]}\"'`").casefold() in _EXAMPLES or len(set(value)) < 3:
        return True
    return any(pattern(value) for pattern in (_REFERENCES.match, _CODE.match, _SAYS_SO.search))
