"""The words that contradiction hangs on: denials, opposites, changes, and relations that have one value at a time.

Short lists of frequent English words of our own choosing; what is not listed is judged by its form or not at all.
"""

from __future__ import annotations

from typing import Final

from cortex.core.text.stems import stems

# Forms that the stemmer, which knows suffixes only, leaves apart from their verb.
_IRREGULAR: Final = {
    form: verb
    for line in """
    write wrote written; meet met; run ran; go went gone; buy bought; sell sold; build built; break broke broken;
    make made; take took taken; leave left; eat ate eaten; give gave given; get got gotten; begin began begun;
    know knew known; speak spoke spoken; lose lost; win won; send sent; pay paid; keep kept; hold held; choose chose
    chosen; drive drove driven; fly flew flown; grow grew grown; drink drank drunk; see saw seen; say said; tell told;
    find found; sleep slept; sit sat; stand stood; lie lay laying lying; swim swam; ride rode ridden; teach taught;
    think thought; bring brought; catch caught; spend spent; fall fell fallen; rise rose risen; do done; come came;
    become became; quit quitting; wear wore worn; sing sang sung; feel felt; hear heard; read reading; hide hid hidden
    """.split(";")
    for verb, *forms in [line.split()]
    for form in forms
}

# Words that stand for one another in everyday statements; the first one is the key.
_SAME: Final = """
    motorcycle motorbike; bicycle bike; photo photograph picture; physician doctor; prefer rather; store keep;
    buy purchase; begin start commence; stop end finish; cut slice chop; talk speak; database db; repository repo;
    car automobile; television tv; application app; move relocate; child kid toddler; city town; quick fast rapid;
    large big huge; small little tiny; deadline due; job occupation profession
    """


def key(word: str) -> str:
    """The form under which a lower-case word is compared: its stem, or that of what stands for the same."""
    stem = stems(_IRREGULAR.get(word, word), "en")[1][0]
    return _KEYS.get(stem, stem)


def _stem(word: str) -> str:
    return stems(word, "en")[1][0]


_KEYS: Final = {
    _stem(word): _stem(line.split()[0]) for line in _SAME.split(";") for word in line.split()[1:]
}  # fmt: skip


def keys(text: str) -> frozenset[str]:
    """The keys of the words of a list."""
    return frozenset(map(key, text.split()))


DENIALS: Final = frozenset(
    "no not never nobody none nothing neither nor without cannot nowhere cant dont doesnt didnt isnt arent wasnt "
    "werent wont couldnt wouldnt shouldnt hasnt havent hadnt".split()
)
# After these a denial says what somebody feels or asks, and denies no fact; the word after the denial decides.
HEDGED: Final = frozenset(
    "sure certain only just necessarily idea problem matter doubt wonder know think wait really forget worry "
    "clear entirely quite too mind help yet".split()
)
# Where a clause ends, and a denial with it.
BREAKS: Final = frozenset(
    "but so because although though while whereas which who since considering if unless when where and then as".split()
)

# Opposites: each axis has two sides or more, apart by a bar; words of one side stand for one another.
_AXES: Final = """
    enable activate on | disable deactivate off; open | close shut; begin | stop; accept allow permit approve
    | reject deny forbid refuse ban decline; succeed success pass | fail failure; increase rise grow raise improve
    | decrease drop fall shrink reduce lower; quick | slow; public | private; full crowded | empty; large | small;
    hot warm | cold cool chilly; before | after; near nearby | far away; early | late; inside indoors
    | outside outdoors; add put | remove delete; lock | unlock; alive | dead; married engaged | divorced single;
    win | lose; like love enjoy adore | hate dislike detest loathe; true | false; same | different; easy simple
    | difficult hard complicated; cheap | expensive; young | old; high | low; mandatory required | optional;
    manual | automatic; online | offline; static | dynamic; stable | flaky; up | down; into onto | out; healthy well
    | ill sick; busy | free; present | absent; agree | disagree; wet | dry; clean | dirty; silent quiet
    | loud noisy talk; tall | short; rich | poor; strong | weak; heavy | light; awake | asleep; remember | forget;
    arrive | depart; always | rarely seldom; vegetarian vegan | meat; morning | afternoon | evening | night;
    synchronous | asynchronous; serif | sans; encrypted | plaintext; daily | weekly | monthly | yearly;
    north | south; east | west; minimum | maximum; import | export
    """
AXIS: Final[dict[str, tuple[int, int]]] = {
    key(word): (number, side)
    for number, axis in enumerate(_AXES.split(";"))
    for side, words in enumerate(axis.split("|"))
    for word in words.split()
}
# Function words that are opposites all the same.
PARTICLES: Final = frozenset("on off up down before after into onto out".split())
OPPOSING_PREFIXES: Final = ("un", "in", "dis", "non", "im", "de")

# People by sorts that overlap: a boy is a child and a male, a person may be anybody.
_PEOPLE: Final = """
    person: people somebody someone anybody individual man woman boy girl guy lady child group;
    male: man boy guy gentleman; female: woman girl lady; young: child boy girl baby
    """
_SORTS: Final = {
    sort.strip(): keys(f"{sort} {words}") for sort, _, words in (line.partition(":") for line in _PEOPLE.split(";"))
}
PEOPLE: Final[dict[str, frozenset[str]]] = {
    word: frozenset(sort for sort, words in _SORTS.items() if word in words)
    for word in frozenset[str]().union(*_SORTS.values())
}

# Whose life a statement is about: two of these beside each other are two people.
KIN: Final = keys(
    "mother father brother sister son daughter aunt uncle cousin wife husband grandmother grandfather mum mom dad "
    "neighbour neighbor landlord boss colleague friend manager nephew niece partner"
)

# Relations that have one value at a time, and those of them that have it behind a preposition only (a server runs
# several things, but on one machine).
SINGLE: Final = keys("prefer cost call name weigh marry default favourite favorite version")
PLACED: Final = keys(
    "live reside locate base born write store run host deploy build expire last due schedule limit release end begin "
    "engage marry"
)
# Each time it happens is another, and may have another number.
EVENTS: Final = keys(
    "spend run walk buy pay eat drink sell order fix visit meet read drive ride swim write donate lend"
)
# Of these, the ones that somebody gives up by moving.
ABODES: Final = keys("live reside locate base deploy host run store")
MOVES: Final = keys("move relocate migrate switch")
# Attributes that have one value at a time, whatever the words for the value are.
ATTRIBUTES: Final = keys(
    "name colour color policy format version language database branch region owner lead address deadline host title "
    "password default capital role job status price budget queue framework engine license licence nickname hometown "
    "birthday favourite favorite employer landlord doctor size weight height age salary rent score rating goal topic "
    "venue provider editor browser theme port commute backend frontend cache broker scheduler bank gym school major"
)
# From one state to another; what is left behind held until then.
CHANGES: Final = keys("switch move migrate change convert port upgrade downgrade transfer rename replace swap relocate")
ENDINGS: Final = keys("leave quit sell remove delete cancel abandon stop deprecate retire divorce resign break")
# What a newer value of a number or date is announced with.
RESETS: Final = keys(
    "postpone reschedule move extend increase decrease reduce raise lower improve reach drop now update rise grow "
    "shift delay change shorten cut bump adjust recently currently new total already"
)

COLOURS: Final = keys("red green blue orange yellow black white brown grey gray pink purple violet beige")
