"""The sorts of events, and the words that tell them."""

from __future__ import annotations

import re
from typing import Final


def _sort(name: str, words: str) -> tuple[str, re.Pattern[str]]:
    """A name and its words: patterns over lower-case text, parted by commas."""
    each = (" ".join(word.split()) for word in words.split(","))
    return name, re.compile(rf"\b(?:{'|'.join(word for word in each if word)})\b")


# The closed list of event types. The first that fits counts: a birth is no celebration, a deadline no release.
EVENT_TYPES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    _sort("birth", """
        (?:was|were|is|been) born, (?:gave|give|gives|giving) birth, birth of, newborn, baby arrived
        """),
    _sort("death", "died, passed away, dies, funeral, death of, was killed"),
    _sort("wedding", "weddings?, married, marry, marries, engaged, tied the knot, proposed to, honeymoon"),
    _sort("deadline", "deadlines?, due, expires?, expired, hand in by, submit by"),
    _sort("job_change", r"""
        quit (?:my|his|her|their) job, new job, resigned, (?:handed|gave) in (?:my|his|her|their) notice, promoted,
        retire[sd]?, laid off, (?:got|was) fired, hired, internship,
        (?:joined|joins|join|leaves|left) (?:the|our|a) (?:[\w-]+ )?(?:team|company|firm|start-?up),
        (?:starts|started|starting|start) (?:at the|as an?|working)
        """),
    _sort("incident", """
        outages?, incidents?, crash(?:es|ed)?, went down, goes down, failed over, ran out of, broke(?! up), downtime,
        breach(?:ed)?, break-in, burned down, failed, stopped working, accident, stolen, robbed, corrupted
        """),
    _sort("illness", """
        ill, sick, surgery, a cold, flu, fever, broke (?:my|his|her|their), sprained, injured, hospitali[sz]ed,
        operation on, diagnosed, covid, slipped, wisdom teeth, fell off
        """),
    _sort("appointment", """
        appointments?, dentist, doctor, interview(?:s|ed)?, vaccination, hearing, check-?up, haircut, phone screen,
        therapy session
        """),
    _sort("migration", """
        migrat(?:e|es|ed|ing|ion), switch(?:ed|es|ing)? (?:to|from|over), switched the, cut(?:s|ting)? over,
        port(?:ed|ing) (?:to|from), rewrote, rewritten, upgrad(?:ed|es|e|ing)
        """),
    _sort("deployment", """
        deploy(?:s|ed|ing|ment)?, rolled out, rollout, roll out, rolled back, hotfix, (?:went|go|goes) live
        """),
    _sort("release", "releas(?:e|es|ed|ing), launch(?:es|ed|ing)?, ship(?:s|ped|ping)?, published, publishes"),
    _sort("purchase", "bought, buy, buys, purchased?, ordered, sold, paid for, adopted a, (?:signed|got) the lease"),
    _sort("travel", """
        fl(?:y|ies|ew|ying|own), flights?, travel(?:s|led|ed|ling|ing)?, trip, visit(?:s|ed|ing)?, drove,
        driv(?:e|es|ing), landed, lands, vacation, holidays?, hik(?:e|es|ed|ing), left for, arriv(?:e|es|ed|ing),
        (?:take|takes|taking|took) the train, plane, cruise
        """),
    _sort("move", """
        moved (?:to|into|from|out|in|here|back), mov(?:e|es|ing) (?:to|into|from|out|in|van), relocat(?:ed|es|ing|e),
        emigrated, (?:get|got) the keys, settled in
        """),
    _sort("celebration", """
        party, celebrat(?:e|es|ed|ing|ion), anniversary, barbecue, birthday, graduat(?:ed|es|ion), festival, won the
        """),
    _sort("decision", """
        decided?, decision, agreed (?:to|on), chose, chosen, approved, opted (?:for|to), signed off, settled on
        """),
    _sort("meeting", """
        met(?: with)?, meet(?:s|ing|ings)?, call with, retro(?:spective)?, stand-?up, sync, review, kick-?off, planning,
        demo, conference, webinar, workshop, (?:lunch|dinner|coffee) with, ran into, board, catch up, friends over,
        presentation, giv(?:ing|es) a talk, gave a talk, livestream, panel
        """),
    _sort("learning", r"""
        learn(?:ed|t|ing)?, course, thesis, studied, took a class, passed (?:my|the|his|her) \w+ ?(?:exam|test), exam
        """),
)  # fmt: skip
# Sorts that go somewhere: what stands after "to" is a place.
MOVING: Final = frozenset(("travel", "move"))


def sort_of(text: str) -> str | None:
    """The name in ``EVENT_TYPES`` of what a sentence tells of; None for any other."""
    lower = text.lower()
    return next((name for name, pattern in EVENT_TYPES if pattern.search(lower)), None)
