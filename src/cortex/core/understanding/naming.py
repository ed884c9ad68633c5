"""What sort of thing a capitalised name stands for, from its own words and the words beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cortex.core.understanding.gazetteer import FIRST_NAMES, ORGANIZATIONS, PLACES
from cortex.core.understanding.reading import Token
from cortex.core.understanding.vocabulary import ANIMALS, KIN, PERSON_VERBS
from cortex.model.understanding import EntityType

TITLES: Final = frozenset(
    """
    Dr Mr Mrs Ms Miss Prof Professor Doctor Aunt Uncle Grandma Grandpa Sir Lady Captain Judge Sister Father
    Project
    """.split()
)
# Words that end, and some that begin, the name of an organisation.
GROUPS: Final = frozenset(
    """
    Inc Ltd LLC GmbH AG Corp Corporation Company Co Bank University Institute College School Hospital Clinic Labs Lab
    Enterprises Foundation Airlines Airways Group Systems Technologies Technology Solutions Partners Consulting Studio
    Studios Ministry Office Chamber Commerce
    Department Agency Association Council Museum Union Society Academy Bakery Restaurant Osteria
    Trattoria Cafe Café Bistro Media Capital Insurance Logistics Pharma Motors Industries Holdings Software
    """.split()
)
_PLACE_ENDINGS: Final = frozenset(
    """
    Street Avenue Road Square Park Lake River Island Islands Mountain Valley Beach Bay County City Airport
    Station
    """.split()
)
_PLACE_BEGINNINGS: Final = frozenset("Lake Mount Mt San Santa Saint St Port Fort North South East West New".split())
_GATHERINGS: Final = ("Con", "Conf", "Summit", "Conference", "Meetup", "Hackathon", "Festival", "Camp", "Fest")
_PROJECT_WORDS: Final = frozenset("project initiative rollout migration program programme effort launch".split())
_PROJECT_SORTS: Final = frozenset(
    """
    project app application tool library service product prototype pilot platform framework package bot website
    """.split()
)
_MADE: Final = frozenset("written built exposes ships powered deployed rewritten".split())
_AT_A_PLACE: Final = frozenset("in near around visit visiting visited toward towards across via".split())
_TO_A_PLACE: Final = frozenset(
    "moved moving move moves flew fly flying travel relocated relocating going trip based".split()
)
_EMPLOYED: Final = frozenset("work works worked working job employed engineer intern hired career".split())
_AT_A_GROUP: Final = frozenset("at joined joining joins quit left".split())
_BY_TOOL: Final = frozenset("use uses using used via install installed adopt adopted try tried run runs".split())
_OF_TOOL: Final = frozenset(
    "depends depend written built runs run switched migrated migrating moved hosted based".split()
)
_LISTED: Final = frozenset((EntityType.PERSON, EntityType.PLACE, EntityType.TECHNOLOGY))
_WITH_PERSON: Final = frozenset(
    """
    with met meet meeting ask asked told tell called call named thank thanks remind hey hi hello
    dear
    """.split()
)


@dataclass(frozen=True, slots=True)
class Naming:
    """A name in its sentence: ``size`` tokens from ``place`` on, and the type of the name before it."""

    tokens: Sequence[Token]
    place: int
    size: int
    before: EntityType | None
    text: str

    def word(self, offset: int) -> str:
        """The word in lower case so many places before the name (-1, -2), or after it (1, 2); empty beyond the ends."""
        place = self.place + (offset if offset < 0 else self.size + offset - 1)
        return self.tokens[place].text.lower() if 0 <= place < len(self.tokens) else ""


def is_employer(naming: Naming) -> bool:
    """Whether somebody works there: works at X, an engineer for X, joined X."""
    one = naming.word(-1)
    busy = {naming.word(-2), naming.word(-4)}
    return one in {"joined", "joins"} or (one in {"for", "at"} and not busy.isdisjoint(_EMPLOYED))


def type_of_name(naming: Naming) -> EntityType:
    """The type of a name: by its own words, then by the words around it; ``thing`` where nothing tells."""
    return _by_itself(naming) or _by_kinship(naming) or _by_neighbours(naming) or EntityType.THING


def _by_itself(naming: Naming) -> EntityType | None:
    words = [token.text for token in naming.tokens[naming.place : naming.place + naming.size]]
    name = " ".join(words)
    first, last = words[0], words[-1]
    if first == "Project" or _is_project(naming):
        return EntityType.PROJECT
    if first in TITLES:
        return EntityType.PERSON
    is_team = naming.word(1) in {"team", "inc", "ltd", "corp", "gmbh"} and not naming.tokens[naming.place].owns
    if is_team or last in GROUPS or first in GROUPS or name in ORGANIZATIONS:
        return EntityType.ORGANIZATION
    if last.endswith(_GATHERINGS) and len(last) > 4:
        return EntityType.EVENT
    if first in FIRST_NAMES and not (name in PLACES and _in_place(naming)):
        return EntityType.PERSON
    if name in PLACES or last in _PLACE_ENDINGS or (first in _PLACE_BEGINNINGS and len(words) > 1):
        return EntityType.PLACE
    return None


def _is_project(naming: Naming) -> bool:
    after, first = naming.word(1), naming.tokens[naming.place]
    if after in _PROJECT_WORDS or (first.joined and naming.word(-1) in {"project", "codename", "codenamed"}):
        return True
    near = {naming.word(offset) for offset in range(2, 7)}
    if after in {"is", "was", "a", "our", "an"} and not near.isdisjoint(_PROJECT_SORTS):
        return True
    return after in _MADE or (after in {"is", "was"} and naming.word(2) in _MADE)


def _in_place(naming: Naming) -> bool:
    return naming.word(-1) in _AT_A_PLACE or (naming.word(-1) in {"to", "from"} and naming.word(-2) in _TO_A_PLACE)


def _by_kinship(naming: Naming) -> EntityType | None:
    """Whom a word of kin stands beside: my wife Ruta, our neighbour is called Oyelaran, Rex, her dog."""
    beside = [naming.word(-1), naming.word(-2), naming.word(-3)]
    if beside[0] in {"called", "named", "is"}:
        beside = beside[1:]
    after = naming.tokens[naming.place + naming.size :][:1]
    owned = naming.word(1) in {"my", "our", "her", "his", "their"} or (after and after[0].owns)
    follows = [naming.word(2), naming.word(3)] if owned else []
    if beside[0] in ANIMALS or not ANIMALS.isdisjoint(follows):
        return EntityType.THING
    if beside[0] in KIN or not KIN.isdisjoint(follows):
        return EntityType.PERSON
    return None


def _is_addressed(naming: Naming) -> bool:
    """Whether a statement ends with the name of the one it is said to, after a comma."""
    start, end = naming.tokens[naming.place].start, naming.tokens[naming.place + naming.size - 1].end
    follows = naming.text[end : end + 1]
    return naming.size == 1 and naming.text[max(0, start - 2) : start] == ", " and follows in {"!", "?"}


def _by_neighbours(naming: Naming) -> EntityType | None:
    one, two = naming.word(-1), naming.word(-2)
    if naming.word(1) in PERSON_VERBS or _is_addressed(naming) or (naming.word(1) == "and" and naming.word(2) == "i"):
        return EntityType.PERSON
    if is_employer(naming) or one in _AT_A_GROUP or (one == "from" and naming.before is EntityType.PERSON):
        return EntityType.ORGANIZATION
    if _in_place(naming):
        return EntityType.PLACE
    if one in _BY_TOOL or (one in {"on", "to", "in", "from", "of", "with"} and two in _OF_TOOL):
        return EntityType.TECHNOLOGY
    if one in {"and", "or", "over", "than"} and naming.before in _LISTED:
        return naming.before
    return EntityType.PERSON if one in _WITH_PERSON and naming.tokens[naming.place].text.isalpha() else None
