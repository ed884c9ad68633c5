"""What in a text is named by its shape: files, modules, configuration keys, identifiers."""

from __future__ import annotations

import re
from typing import Final

from cortex.model.understanding import EntityType

Found = tuple[str, EntityType]

_EXTENSIONS: Final = frozenset(
    """
    py pyi ipynb js jsx mjs ts tsx java kt kts scala go rs rb php c h cc cpp hpp cs swift m sh bash ps1 sql lua r jl ex
    exs erl hs ml html css scss less vue svelte json jsonl yaml yml toml ini cfg conf env xml csv tsv parquet txt md
    rst log lock pdf doc docx xls xlsx ppt pptx odt png jpg jpeg gif svg webp mp3 mp4 wav mov zip tar gz tgz whl jar
    exe dll so db sqlite proto tf tfvars gradle properties pem crt dockerfile bak patch diff plist
    """.split()
)
_FILE_NAMES: Final = frozenset(
    "Makefile Dockerfile Procfile Jenkinsfile Gemfile Rakefile Vagrantfile CODEOWNERS".split()
)
_HOSTS: Final = frozenset("com org net io dev ai app co internal local localhost example de uk eu gov edu".split())
# The last part of a hyphenated name that says: this is a part of a system.
_PARTS: Final = frozenset(
    """
    service worker api gateway server client backend frontend app proxy sdk cli bot site daemon lib core scheduler
    plugin operator controller exporter importer ui web db consumer producer router agent
    """.split()
)
_COMPOUNDS: Final = frozenset("client-server web-app built-in-server in-app multi-agent single-agent non-core".split())
# What a key of a configuration ends with, where `a.b` could be a module too.
_KEY_ENDS: Final = frozenset(
    """
    level port host url uri path enabled disabled timeout interval size limit max min count mode key secret token
    password user name region format ttl retries threads workers verbose debug rate
    """.split()
)
# What is written like a ticket and is none.
_STANDARDS: Final = frozenset("UTF SHA ISO RFC GPT COVID MD AES RSA IPV USB HTTP CO BASE UTC GMT TLS SOC".split())

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_COLONS = re.compile(r"\w+(?:::\w+)+")
_UPPER_SNAKE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_SNAKE = re.compile(r"_{0,2}[a-z][a-z0-9]*(?:_[a-z0-9]+)+_{0,2}")
_CAMEL = re.compile(r"[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]{2,}\w*")
_ERRORS = re.compile(r"[A-Z]\w*(?:Error|Exception|Warning)|E[A-Z]{5,}|[A-Z]\w*_ERR\w*|ERR_\w+")
_TICKET = re.compile(r"([A-Z][A-Z0-9]{1,9})-\d+(?:-\d+)?")
_NUMBER = re.compile(r"(?:[\w.-]+/[\w.-]+)?#\d+")
_COMMIT = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
_VERSION = re.compile(r"v\d+(?:\.\d+)+(?:-?(?:rc|beta|alpha)\.?\d*)?")
_FLAG = re.compile(r"--[a-z][a-z0-9-]+")
_REGION = re.compile(r"[a-z]{2}-(?:north|south|east|west|central)[a-z]*-?\d[a-z]?")
_HYPHENATED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_PATH = re.compile(r"(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)*/?|/[\w.@+/-]+")
_NAMES_OF_PEOPLE = re.compile(r"(?:Mc|Mac|De|Du|La|Le|O)[A-Z][a-z]+")


def codelike(token: str) -> Found | None:
    """The name and type of a token whose shape shows that it is code; None for words."""
    if token.isalpha() and (token.islower() or token.istitle() or not token.isascii()):
        return None
    if "://" in token or ("@" in token and "/" not in token):
        return None
    if token.endswith("()"):
        bare = token[:-2]
        return (bare, _module_or(bare, EntityType.IDENTIFIER)) if bare else None
    if "/" in token:
        return _path(token)
    if "." in token:
        return _dotted(token)
    return _plain(token)


def _module_or(name: str, other: EntityType) -> EntityType:
    return EntityType.MODULE if _DOTTED.fullmatch(name) or _COLONS.fullmatch(name) else other


def _path(token: str) -> Found | None:
    if _NUMBER.fullmatch(token):
        return token, EntityType.IDENTIFIER
    if not _PATH.fullmatch(token) or not any(map(str.isalpha, token)):
        return None
    parts = [part for part in token.split("/") if part]
    if not parts or (len(parts[-1]) < 2 and len(parts) < 3):
        return None
    if token.startswith("/") and len(parts) == 1 and "." not in token:
        return token, EntityType.IDENTIFIER  # an end point, not a file
    is_file = "." in parts[-1][1:] and parts[-1].rpartition(".")[2].lower() in _EXTENSIONS
    if is_file or token[0] in "/~." or token.endswith("/"):
        return token, EntityType.FILE
    return (token, EntityType.FILE) if len(parts) > 2 and token.islower() else None


def _dotted(token: str) -> Found | None:
    if _VERSION.fullmatch(token):
        return token, EntityType.IDENTIFIER
    head, _, last = token.rpartition(".")
    if last.lower() in _EXTENSIONS and (len(head) > 1 or not head) and re.fullmatch(r"[\w.-]*", head):
        return token, EntityType.FILE
    if not _DOTTED.fullmatch(token):
        hyphens = token.replace("-", "_")
        return (token, EntityType.IDENTIFIER) if last in _HOSTS and _DOTTED.fullmatch(hyphens) else None
    if any(len(part) < 2 for part in token.split(".")):
        return None
    if last in _HOSTS:
        return token, EntityType.IDENTIFIER
    if last in _KEY_ENDS and token.islower():
        return token, EntityType.CONFIG
    return token, EntityType.MODULE


def _plain(token: str) -> Found | None:
    if _ERRORS.fullmatch(token):
        return token, EntityType.IDENTIFIER
    if _UPPER_SNAKE.fullmatch(token) or _FLAG.fullmatch(token):
        return token, EntityType.CONFIG
    if "::" in token:
        return (token, EntityType.MODULE) if _COLONS.fullmatch(token) else None
    if "-" in token:
        return _hyphenated(token)
    if _NAMES_OF_PEOPLE.fullmatch(token):
        return None
    if any(shape.fullmatch(token) for shape in (_SNAKE, _CAMEL, _NUMBER, _COMMIT)):
        return token, EntityType.IDENTIFIER
    return (token, EntityType.FILE) if token in _FILE_NAMES else None


def _hyphenated(token: str) -> Found | None:
    ticket = _TICKET.fullmatch(token)
    if ticket:
        return None if ticket[1] in _STANDARDS else (token, EntityType.IDENTIFIER)
    if _REGION.fullmatch(token):
        return token, EntityType.PLACE
    if _HYPHENATED.fullmatch(token) and token.rpartition("-")[2] in _PARTS and token not in _COMPOUNDS:
        return token, EntityType.MODULE
    return None
