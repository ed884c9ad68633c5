"""The phrases that relate two names, as patterns over the text between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from cortex.core.understanding.vocabulary import ANIMALS, KIN


class Sort(Enum):
    """What can stand at an end of a relation; ``OPEN`` where the type of a name is not known."""

    SOMEBODY = auto()
    GROUP = auto()
    PLACE = auto()
    MADE = auto()
    OPEN = auto()


_ANY: Final = frozenset(Sort)
_PEOPLE: Final = frozenset((Sort.SOMEBODY,))
_THINGS: Final = frozenset((Sort.MADE, Sort.OPEN))
_GROUPS: Final = frozenset((Sort.GROUP, Sort.OPEN, Sort.MADE))
_PLACES: Final = frozenset((Sort.PLACE,))


@dataclass(frozen=True, slots=True)
class Link:
    """A label and the phrase that says it; ``turned`` where the second name is the source."""

    label: str
    pattern: re.Pattern[str]
    sources: frozenset[Sort]
    targets: frozenset[Sort]
    turned: bool = False


# Up to four words between the verb and the name it takes: depends on [an old version of] X.
_FILL = r"(?:\s+(?:[a-z][\w'’-]*|\d+)){0,4}\s*$"
_NEAR = r"(?:\s+(?:an?|the|our|his|her|its|my|their|new|old|big|small|large|local))*\s*$"
_BE = r"\b(?:is|are|was|were|be|been|being|got|gets|get)\s+(?:\w+\s+){0,2}?"


def _link(label: str, phrase: str, sources: Iterable[Sort], targets: Iterable[Sort], *, turned: bool = False) -> Link:
    return Link(label, re.compile(phrase), frozenset(sources), frozenset(targets), turned)


_OWNERS: Final = (Sort.SOMEBODY, Sort.GROUP)
_SITES: Final = (Sort.GROUP, Sort.PLACE)
_LIKED: Final = (*_GROUPS, Sort.PLACE)
_USED: Final = (*_THINGS, Sort.GROUP)

_REPLACED_BY = _BE + r"(?:replaced|superseded|succeeded|dropped|abandoned)\s+(?:by|with|for|in favou?r of)" + _NEAR
_REPLACES = (
    r"^\s+(?:has\s+|have\s+|now\s+|will\s+|fully\s+)*"
    r"(?:replac(?:es|ed|e|ing)|supersed(?:es|ed)|succeed(?:s|ed))\b" + _FILL
)
_DEPENDS = (
    r"\b(?:depend(?:s|ed|ing|)\s+(?:\w+\s+)?(?:on|upon)|require[sd]?|needs?|rel(?:y|ies|ied)\s+on|"
    r"(?:is|are|was)\s+blocked\s+by|builds\s+upon)" + _FILL
)
_RUNS = r"\b(?:runs?|running|ran|hosted|deployed)\s+(?:\w+\s+)?(?:on|under|in|at|to|inside)" + _NEAR
_CAUSES = (
    r"\b(?:caus(?:es|ed|e|ing)|trigger(?:s|ed|)|br(?:eaks|oke)|le(?:ads|d)\s+to|results?\s+in|resulted\s+in)" + _FILL
)
_RESOLVES = (
    r"\b(?:fix(?:es|ed|)|resolv(?:es|ed|e)|solv(?:es|ed)|clos(?:es|ed)|patch(?:es|ed)|address(?:es|ed))(?!\s+to)"
    + _FILL
)
_PART_OF = r"\b(?:(?:is|are|was)\s+(?:a\s+)?(?:part|member|component|module|piece)\s+of|belongs?\s+to)" + _FILL
_WORKS = (
    r"\b(?:work(?:s|ed|ing|)\b[^,;]{0,40}?\s(?:at|for)|joined|joins|employed\s+(?:by|at)|"
    r"(?:is|as|am)\s+an?\s[a-z -]{2,40}\s(?:at|with)|consults?\s+for|"
    r"(?:head|cto|ceo|director|manager)\s+(?:of|at))" + _NEAR
)
_LIVES = (
    r"\b(?:liv(?:es|e|ing)|resid(?:es|ing|e)|based|stay(?:s|ing)|settled|share[sd]?\s+[\w ]{1,20}|"
    r"(?:relocat|mov)(?:ed|es|ing|e))\b[\w ]{0,30}?\s(?:in|to|near)" + _NEAR
)
_LIES_IN = r"^(?:\s+(?:is|are|was|has)\b[\w ,]{0,40})?\s+(?:in|near|outside)" + _NEAR
_KNOWS = (
    r"\b(?:knows?|knew|met|meets|befriended|reports?\s+to|introduced|friends\s+with|taught|mentors|mentored|"
    r"works?\s+with|worked\s+with|dates|dating)(?:\s+(?:up|with|to|together))*\s*$"
)
_PREFERS = (
    r"\b(?:prefer(?:s|red|)|lik(?:es|e)|lov(?:es|e|ed)|enjoy(?:s|ed|)|favou?rs?|fond\s+of|"
    r"favou?rite\b[\w ]{0,30}?\sis)" + _NEAR
)
_OWNS = (
    r"\b(?:own(?:s|ed|)|maintain(?:s|ed|)|drives?|in\s+charge\s+of|responsible\s+for|"
    r"(?:bought|has|have)\s+an?)" + _NEAR
)
_USES = (
    r"\b(?:us(?:es|e|ing|ed)|utili[sz]es?|adopt(?:s|ed)|ch(?:ose|oosing|oose)|pick(?:ed|s)|"
    r"(?:went|go|going)\s+with|settled\s+on|standardi[sz](?:ing|ed)\s+on|switch(?:ed|ing)\s+to|went\s+back\s+to|"
    r"migrat(?:ed|ing)\s+to|opted\s+for|signed\s+with|stick(?:ing)?\s+(?:to|with))" + _FILL
)
_MADE_WITH = (
    r"\b(?:(?:written|built|implemented|rewritten|developed)\s+(?:\w+\s+)?(?:in|with|on|using|on\s+top\s+of)|"
    r"powered\s+by|calls|imports|invokes|talks\s+to|reads\s+from|writes\s+to|connects\s+to|pins|wraps|loads|"
    r"generated\s+from|kept\s+in|stored\s+in|stores\s+[\w ]{1,30}\s+in)" + _NEAR
)

# In order: the first phrase that fits and whose ends are of the right sort gives the label. Passive voice comes first.
LINKS: Final[tuple[Link, ...]] = (
    _link("replaces", _REPLACED_BY, _THINGS, _THINGS, turned=True),
    _link("uses", _BE + r"(?:used|called|imported|consumed|read)\s+(?:by|in|from)" + _FILL, _ANY, _THINGS, turned=True),
    _link("owns", _BE + r"(?:owned|maintained|run)\s+by" + _NEAR, _OWNERS, _ANY, turned=True),
    _link("causes", r"\b(?:caused|triggered)\s+by" + _FILL, _THINGS, _THINGS, turned=True),
    _link(
        "resolves",
        _BE + r"(?:fixed|resolved|solved|closed|patched)\s+(?:by|in|with)" + _FILL,
        _THINGS,
        _THINGS,
        turned=True,
    ),
    _link("depends_on", _BE + r"(?:required|needed)\s+by" + _NEAR, _THINGS, _THINGS, turned=True),
    _link("replaces", _REPLACES, _THINGS, _THINGS),
    _link("depends_on", _DEPENDS, _THINGS, _THINGS),
    _link("runs_on", _RUNS, _THINGS, _THINGS),
    _link("causes", _CAUSES, _THINGS, _THINGS),
    _link("resolves", _RESOLVES, _THINGS, _THINGS),
    _link("part_of", _PART_OF, _ANY, _ANY),
    _link("works_at", _WORKS, _PEOPLE, _GROUPS),
    _link("works_at", r"^\s+(?:from|at|of)\s*$", _PEOPLE, (Sort.GROUP,)),
    _link("lives_in", _LIVES, _PEOPLE, _PLACES),
    _link("located_in", _LIES_IN, _SITES, _PLACES),
    _link("married_to", r"\b(?:married(?:\s+to)?|wed|marries)\s*$", _PEOPLE, _PEOPLE),
    _link("knows", _KNOWS, _PEOPLE, _PEOPLE),
    _link("prefers", _PREFERS, _PEOPLE, _LIKED),
    _link("owns", _OWNS, _OWNERS, _THINGS),
    _link("uses", _USES, _ANY, _USED),
    _link("uses", _MADE_WITH, _THINGS, _THINGS),
    _link("is_a", r"^\s+(?:is|was|are)\s+(?:an?\s+)(?:kind\s+of\s+|sort\s+of\s+)?$", _THINGS, _THINGS),
)

FAVOURITE: Final = re.compile(r"(?:['’]s)?\s+(?:\w+\s+)?(?:main|favou?rite|preferred|go-to)\b")
REPLACING: Final = re.compile(
    r"\b(?:replac(?:ed|es|e|ing)|swap(?:ped|ping|s|)(?:\s+out)?|exchanged|substituted)(?:\s+(?:the|our|an?|old))*\s*$",
    re.IGNORECASE,
)
FROM_MOVE: Final = re.compile(
    r"\b(?:switch|mov|migrat|port|convert|chang|go|went|upgrad)(?:ed|ing|es|s|e|)\b[\w ]{0,40}\bfrom"
    r"(?:\s+(?:the|our|an?|old))*\s*$",
    re.IGNORECASE,
)

_KIN_WORD = "|".join(sorted(map(re.escape, KIN | ANIMALS), key=len, reverse=True))
_ADJECTIVE = r"(?:(?!and\b|or\b)[a-z][\w-]*\s+){0,2}?"


@dataclass(frozen=True, slots=True)
class Kinship:
    """Where a word of kin can stand beside an owner and a name.

    between: Ruta['s son] Amos. of: Amos [is the son of] Ruta. have: I [have two sons,] Amos and Eli.
    equal and after: Amos[, ]Ruta['s son].
    """

    between: re.Pattern[str]
    of: re.Pattern[str]
    have: re.Pattern[str]
    equal: re.Pattern[str]
    after: re.Pattern[str]


KINSHIP: Final = Kinship(
    between=re.compile(
        rf"(?:['’]s|['’])?\s+{_ADJECTIVE}(?P<kin>{_KIN_WORD})\s*,?\s*(?:(?:is|was)?\s*(?:called|named)?\s*)"
    ),
    of=re.compile(rf"\s*(?:,|is|was)\s*(?:an?|the)?\s*{_ADJECTIVE}(?P<kin>{_KIN_WORD})\s+of\s+"),
    have=re.compile(rf"\s+(?:have|has)\s+(?:\w+\s+){{1,3}}?(?P<kin>{_KIN_WORD})s?\s*[,:]?\s*(?:called|named)?\s*"),
    equal=re.compile(r"\s*,\s*|\s+(?:is|was)\s+(?:now\s+)?"),
    after=re.compile(rf"(?:['’]s|['’])?\s+{_ADJECTIVE}(?P<kin>{_KIN_WORD})\b"),
)
