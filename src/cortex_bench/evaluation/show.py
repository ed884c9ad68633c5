"""The result for people: a table on the terminal, a page in Markdown, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cortex_bench.evaluation.evidence import Block, as_text
from cortex_bench.evaluation.runs import Row

_WIDE = 11
_PICTURED = ("accuracy", "recall@10", "ndcg@10", "session recall_all@5", "session ndcg@5", "turn recall_any@5")
_COLOURS = ("#4269d0", "#efb118", "#3ca951")

Table = tuple[list[str], dict[str, Mapping[str, Any]]]


def tables(result: Mapping[str, Any]) -> dict[str, Table]:
    """Every table of a result by its title: the names of its columns, and its rows by name."""
    found: dict[str, Table] = {}
    if "without" in result:
        rows = {f"without {name}": {"n": result["n"], **_losses(lost)} for name, lost in result["without"].items()}
        found["ablation"] = _table({"usual": {"n": result["n"], **result["usual"]}, **rows})
        return found
    if "systems" in result:
        found["systems"] = _table({name: {"n": result["n"], **row} for name, row in result["systems"].items()})
        return found
    if result["overall"]:
        found["retrieval"] = _table({"overall": {"n": result["n"], **result["overall"]}, **result["categories"]})
    answers = result.get("answers")
    if answers:
        apart = {name: answers[name] for name in ("answerable", "abstention")}
        rows = {"overall": {"n": answers["n"], **answers["overall"]}, **apart, **answers["categories"]}
        found["answers"] = _table(rows)
    return found


def as_table(result: Mapping[str, Any]) -> str:
    """The result for a terminal."""
    found = []
    for columns, rows in tables(result).values():
        width = max(map(len, rows)) + 2
        wide = [max(_WIDE, len(column) + 2) for column in columns]
        head = "".join(f"{column:>{size}}" for column, size in zip(columns, wide, strict=True))
        lines = [f"{'':{width}}{'n':>6}{head}"]
        for name, row in rows.items():
            cells = "".join(f"{_cell(row.get(c)):>{size}}" for c, size in zip(columns, wide, strict=True))
            lines.append(f"{name:{width}}{row['n']:>6}{cells}")
        found.append("\n".join(lines))
    return "\n\n".join([*found, "\n".join(_facts(result))]).rstrip()


def as_markdown(result: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The result as a page; the same result gives the same text."""
    lines = [f"# Evaluation of {settings['data']}", ""]
    for title, (columns, rows) in tables(result).items():
        lines += [f"## {title.capitalize()}", "", f"| group | n | {' | '.join(columns)} |"]
        lines += [f"|---|{'---:|' * (len(columns) + 1)}"]
        for name, row in rows.items():
            lines.append(
                f"| {_in_a_cell(name)} | {row['n']} | {' | '.join(_cell(row.get(column)) for column in columns)} |"
            )
        lines.append("")
    lines += [*(f"{fact}\n" for fact in _facts(result)), "## Settings", "", "| setting | value |", "|---|---|"]
    lines += [f"| {name} | {'' if value is None else _in_a_cell(value)} |" for name, value in settings.items()]
    return "\n".join(lines) + "\n"


def as_svg(result: Mapping[str, Any]) -> str:
    """Bars, a group of them for each row of the first tables; values from 0 to 1."""
    bars = []
    for columns, rows in tables(result).values():
        names = [name for name in _PICTURED if name in columns][: len(_COLOURS)]
        filled = [(row, values) for row, values in rows.items() if values["n"]]
        bars += [(row, [(name, float(values[name])) for name in names if name in values]) for row, values in filled]
    height = 40 + sum(14 * len(group) + 14 for _, group in bars)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{height}"'
    parts = [f'{head} font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    y = 20
    for row, group in bars:
        parts.append(f'<text x="150" y="{y + 7 * len(group) + 4}" text-anchor="end">{escape(_plain(row))}</text>')
        for colour, (name, value) in zip(_COLOURS, group, strict=False):
            parts.append(f'<rect x="160" y="{y}" width="{300 * value:.1f}" height="12" fill="{colour}"/>')
            parts.append(f'<text x="{166 + 300 * value:.1f}" y="{y + 10}">{value:.3f} {escape(_plain(name))}</text>')
            y += 14
        y += 14
    return "\n".join([*parts, "</svg>"]) + "\n"


def evidence_text(rows: Sequence[Row]) -> str:
    """Each question with the blocks that a reader would get."""
    shown = ((row["question"], [Block(**block) for block in row["evidence"]]) for row in rows if "evidence" in row)
    return "\n\n".join(f"== {question}\n\n{as_text(found)}" for question, found in shown)


def _losses(lost: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """A metric's loss with the ends of its interval, in columns."""
    named = {"lost": "{} lost", "low": "{} from", "high": "{} to"}
    return {title.format(metric): each[name] for metric, each in lost.items() for name, title in named.items()}


def _table(rows: Mapping[str, Mapping[str, Any]]) -> Table:
    columns = dict.fromkeys(name for row in rows.values() for name in row if name != "n")
    return list(columns), dict(rows)


def _in_a_cell(value: object) -> str:
    return _plain(str(value)).replace("|", "\\|")


def _plain(text: str) -> str:
    """The text without what is no character of a page: control characters and halves of pairs."""
    return "".join(c if c.isprintable() else " " for c in text)


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}"


def _facts(result: Mapping[str, Any]) -> list[str]:
    """What no table says, a sentence each."""
    facts = [_told(difference) for difference in result.get("differences", ())]
    if result.get("left_out"):
        facts.append("Left out: " + ", ".join(f"{count} {reason}" for reason, count in result["left_out"].items()))
    held = result.get("chosen_elsewhere")
    if held:
        facts.append(
            f"Weights chosen on the other conversations: recall@10 {held['recall@10']:.4f}, ndcg@10 "
            f"{held['ndcg@10']:.4f}; {held['mixtures']} mixtures, recall@10 {held['worst']:.4f} to {held['best']:.4f}"
        )
    answers = result.get("answers")
    if answers:
        failures = ", ".join(f"{count} of the {step}" for step, count in answers["failures"].items())
        facts.append(f"Asked {answers['asked']}, scored {answers['scored']}; failures, not scored: {failures}")
        facts.append(f"Abstained {answers['abstained']}, cut off {answers['truncated']}")
        facts += [f"Tokens of the {who}: {_spent(answers[who])}" for who in ("reader", "judge")]
    return facts


def _told(difference: Mapping[str, Any]) -> str:
    verdict = "not below beyond the interval" if difference["not_below"] else "BELOW beyond the interval"
    return (
        f"{difference['ours']} less {difference['theirs']}, {difference['metric']}: {difference['difference']:+.4f} "
        f"[{difference['low']:+.4f}, {difference['high']:+.4f}], {verdict}"
    )


def _spent(spent: Mapping[str, Any]) -> str:
    read, written = ("not known" if spent[n] is None else f"{spent[n]:,}" for n in ("tokens_in", "tokens_out"))
    cost = f"; cost {spent['cost']:.4f}, a question {spent['cost_per_question']:.6f}" if "cost" in spent else ""
    return f"{read} in, {written} out{cost}"
