"""The rules of the house that no linter has: each takes source and answers with what breaks it."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Size:
    """Something counted: where it is (`path` or `path::name`) and how much of it there is."""

    where: str
    number: int


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file: its path from the root, with slashes, and its text."""

    path: str
    text: str

    @property
    def tree(self) -> ast.Module:
        """The syntax tree, parsed anew."""
        return ast.parse(self.text, self.path)

    def under(self, *places: str) -> bool:
        """Whether the file is one of the places or, where a place ends with a slash, inside it."""
        return any(self.path.startswith(p) if p.endswith("/") else self.path == p for p in places)


def sources(*places: str) -> list[Source]:
    """Every Python file in these folders of the repository."""
    paths = sorted(path for place in places for path in ROOT.glob(f"{place}/**/*.py"))
    return [Source(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in paths]


# --- sizes ----------------------------------------------------------------------------------------------


def file_lines(source: Source) -> Iterator[Size]:
    """The lines of the file."""
    yield Size(source.path, len(source.text.splitlines()))


def function_lines(source: Source) -> Iterator[Size]:
    """The lines of each function from its `def`, docstring aside."""
    for name, function in functions(source.tree):
        text = docstring_of(function)
        aside = 0 if text is None else last_line(text) - text.lineno + 1
        yield Size(f"{source.path}::{name}", last_line(function) - function.lineno + 1 - aside)


def public_methods(source: Source) -> Iterator[Size]:
    """The public methods of each class; properties and overloads are not counted apart."""
    for name, node in classes(source.tree):
        yield Size(f"{source.path}::{name}", len(methods(node)))


def protocol_calls(source: Source) -> Iterator[Size]:
    """The calls that each protocol of ports.py asks of a plug."""
    if source.path != "src/cortex/ports.py":
        return
    for name, node in classes(source.tree):
        if any(last_name(base) == "Protocol" for base in node.bases):
            yield Size(f"{source.path}::{name}", len(methods(node)))


def command_bodies(source: Source) -> Iterator[Size]:
    """The body of each CLI command: a function decorated with `command` or `group` of Click or of a group."""
    if source.under("src/cortex/cli/"):
        yield from _bodies(source, lambda f: _decorated(f, {"command", "group"}))


def tool_bodies(source: Source) -> Iterator[Size]:
    """The body of each MCP tool: a function under `@tool` or `@tool(...)`."""
    if source.under("src/cortex/surfaces/mcp/"):
        yield from _bodies(source, lambda f: _decorated(f, {"tool"}))


def facade_bodies(source: Source) -> Iterator[Size]:
    """The body of each method of the class `Engine` in engine/facade.py."""
    if source.path != "src/cortex/engine/facade.py":
        return
    for name, node in classes(source.tree):
        if name == "Engine":
            for function in (item for item in node.body if isinstance(item, Function)):
                yield Size(f"{source.path}::{name}.{function.name}", body_lines(source, function))


def _bodies(source: Source, wanted: Callable[[Function], bool]) -> Iterator[Size]:
    for name, function in functions(source.tree):
        if wanted(function):
            yield Size(f"{source.path}::{name}", body_lines(source, function))


def body_lines(source: Source, function: Function) -> int:
    """The lines of the body that are not blank, docstring aside."""
    body = function.body[1:] if docstring_of(function) else function.body
    if not body:
        return 0
    lines = source.text.splitlines()[body[0].lineno - 1 : last_line(function)]
    return sum(1 for line in lines if line.strip())


# --- homes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Home:
    """Names from elsewhere, with their full dotted paths, that only these places may use."""

    names: frozenset[str]
    places: tuple[str, ...]


def strangers(source: Source, home: Home) -> list[str]:
    """Uses of the home's names outside its places, as `path:line name`."""
    if source.under(*home.places):
        return []
    used = {(line, name) for line, name in names_used(source.tree) if name in home.names}
    return [f"{source.path}:{line} {name}" for line, name in sorted(used)]


def names_used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every imported name that the module imports or uses, with its full dotted path and its line."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield node.lineno, f"{node.module}.{alias.name}"
                yield node.lineno, node.module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            first, _, rest = dotted(node).partition(".")
            if first in known:
                yield node.lineno, f"{known[first]}.{rest}" if rest else known[first]


def grants_made(source: Source) -> list[str]:
    """Calls that build a `Grant` outside the guard, under whatever name it was imported."""
    if source.under("src/cortex/engine/guard.py", "src/cortex/testing/"):
        return []
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == "Grant"
    }
    return [
        f"{source.path}:{node.lineno} Grant(...)"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and (last_name(node.func) == "Grant" or dotted(node.func) in aliases)
    ]


# --- texts ----------------------------------------------------------------------------------------------

# Put together from halves, so that this file does not break its own rules.
REGISTRIES = tuple(
    left + right
    for left, right in (
        ("pypi.", "org"), ("python", "hosted.org"), ("npm", "js.org"), ("npm", "js.com"), ("yarn", "pkg.com"),
        ("deb.deb", "ian.org"), ("proxy.gol", "ang.org"), ("crates", ".io"), ("conda", ".anaconda.org"),
        ("rubygems", ".org"), ("ghcr", ".io"), ("docker", ".io"),
    )
)  # fmt: skip
_HOST = re.compile(rf"(?<![\w-])(?:[\w-]+\.)*(?:{'|'.join(re.escape(name) for name in REGISTRIES)})(?![\w-])")
_PLACE = re.compile(r"(?<![\w.~})-])/(?:ho" + r"me|Us" + r"ers|wo" + r"rk|ro" + r"ot)/[\w.-]+")
_BESIDE = re.compile(r"\.\./sha" + r"red\b")


def foreign_texts(path: str, text: str) -> list[str]:
    """What ties a file to one machine: registry hosts, absolute paths, the folder beside the clone."""
    patterns = [_HOST, _PLACE] if path == ".ci/run" else [_HOST, _PLACE, _BESIDE]
    return [
        f"{path}:{number} {match.group()}"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern in patterns
        for match in pattern.finditer(line)
    ]


def promises(source: Source, roadmap: str) -> list[str]:
    """Comments that promise work and are not `TODO(key)` with the key in a line of the roadmap."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            for match in re.finditer(r"\b(?:TODO|FIXME|XXX|HACK)\b(?:\((?P<key>[\w./-]+)\))?", token.string):
                key = match["key"]
                if key is None or not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", roadmap):
                    found.append(f"{source.path}:{token.start[0]} {match.group()}")
    return found


def undescribed_tests(source: Source) -> list[str]:
    """Tests that do not say in a docstring which behaviour they protect."""
    return [
        f"{source.path}:{function.lineno} {name}"
        for name, function in functions(source.tree)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file that git tracks or would track; what is not text is left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file():
            content = path.read_bytes()
            if b"\0" not in content[:8192]:
                yield name, content.decode("utf-8", "replace")


# --- syntax trees ---------------------------------------------------------------------------------------


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name, those inside functions and classes too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def classes(tree: ast.AST) -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class with its name."""
    return ((node.name, node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def methods(node: ast.ClassDef) -> set[str]:
    """The names of the public methods that are no properties."""
    return {
        item.name
        for item in node.body
        if isinstance(item, Function)
        and not item.name.startswith("_")
        and not _decorated(item, {"property", "cached_property", "setter"})
    }


def docstring_of(function: Function) -> ast.Expr | None:
    """The statement that is the docstring."""
    first = function.body[0]
    return first if isinstance(first, ast.Expr) and ast.get_docstring(function) is not None else None


def last_line(node: ast.stmt) -> int:
    """The line on which the statement ends."""
    return node.end_lineno or node.lineno


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a chain of names; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def last_name(node: ast.expr) -> str:
    """The name that a call, a subscript or a chain of names ends with."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _decorated(function: Function, names: set[str]) -> bool:
    return any(last_name(decorator) in names for decorator in function.decorator_list)
