"""Which kind of memory a short statement is.

Each kind has words that speak for it, with a weight; the most weight wins, and of equals the one that is listed
first. The weights are whole numbers chosen by hand on the half of the labelled statements that is for tuning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from cortex.core.text import detect_language
from cortex.core.text.stopwords import ENGLISH
from cortex.core.understanding.reading import MOST, in_english, words_in
from cortex.core.understanding.vocabulary import (
    CALENDAR,
    IMPERATIVES,
    KIN,
    MONTHS,
    PERSON_VERBS,
    THIRD_PERSON,
    WEEKDAYS,
)
from cortex.model.memory import Kind

_HEAD = 12  # words in which a summary says that it is one


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(f" {phrase.strip()} " for phrase in text.split(",") if phrase.strip())


# Phrases between spaces, in a text of lower-case words without punctuation.
_PHRASES: Final[tuple[tuple[Kind, int, tuple[str, ...]], ...]] = (
    (Kind.DECISION, 5, _phrases("""
        decided, we decide, decision, agreed to, agreed on, we agreed, settled on, opted for, opted to, went with,
        going with, go with, we chose, chose, was chosen, were chosen, we picked, picked, stick to, stick with,
        sticking to, standardising on, standardizing on, from now on, going forward, in favour of, in favor of,
        we will, we'll, we won't, won't be, i've decided, made the call, signed off, rejected, ruled out, let's,
        went back to, instead of
        """)),
    (Kind.DECISION, 3, _phrases("i'll")),
    (Kind.PREFERENCE, 5, _phrases("""
        i prefer, prefer, prefers, preferred, favourite, favorite, i like, i love, i hate, i enjoy, i dislike, likes,
        loves, hates, dislikes, enjoys, can't stand, i'd rather, would rather, not a fan, big fan, fond of, my go to,
        any day, i'd like, we'd like, would like, best part, i find, never liked, don't like, doesn't like,
        works best for me, for me please, rather than, my main, i adore, i avoid, would love
        """)),
    (Kind.PATTERN, 5, _phrases("""
        whenever, every time, each time, tends to, tend to, nearly always, almost always, most mornings, most days,
        most evenings, every day, every morning, every week, every night, every evening, every monday, every tuesday,
        every wednesday, every thursday, every friday, every saturday, every sunday, every weekend, consistently,
        usually, typically, regularly, keep mixing, keeps happening, i keep, more often than not, as a rule, habitually
        """)),
    (Kind.PATTERN, 3, _phrases("""
        often, always, in the morning, in the evening, mornings, evenings, on mondays, on fridays, again and again,
        ends up with, end up, routinely, frequently, every
        """)),
    (Kind.CONTEXT, 5, _phrases("""
        currently, right now, at the moment, in the middle of, these days, for now, for the time being, this session,
        at present, halfway through, blocked on, is blocked by, dev environment, is being, are being
        """)),
    (Kind.CONTEXT, 3, _phrases("""
        this week, this month, this sprint, this quarter, working on, today, we are, this repo, this project,
        reading up on, is learning, under way, ongoing, waiting for,
        i'm trying to, i'm considering
        """)),
    (Kind.SUMMARY, 5, _phrases("""
        in short, in summary, to sum up, summing up, to summarise, to summarize, in a nutshell, long story short,
        in one sentence, for the record, key points, key takeaways, takeaways, the gist, in brief, quick summary,
        recap, tl dr, overview, condensed, notes from, main points, bottom line, all in all
        """)),
    (Kind.PROJECT, 4, _phrases("""
        aims to, the goal of, goal is, our plan is, the plan is, plan is to, is planned for, milestone, roadmap,
        acceptance criteria, side project, month project, week project, phases, initiative, deliverables, the project,
        scope of, next up, kick off, rewrite, rollout, pilot
        """)),
    (Kind.PROJECT, 3, _phrases("project, sprint, is about, is our new, leads it, led by")),
    (Kind.EVENT, 4, _phrases("""
        yesterday, tomorrow, this morning, this afternoon, tonight, last night, last week, last month, last year,
        last june, last summer, last winter, ago, got married, was born, next week, next month, has been cancelled,
        my flight, appointment, the wedding, finished reading, turned, no longer works
        """)),
    (Kind.EVENT, 2, _phrases("""
        moved, moved from, joined, left, quit, met, i had, we had, bought, sold, removed, installed, started,
        reverted, deleted, launched, released, deployed, replaced, we replaced, switched, has been, went, visited,
        lowered, raised, failed over, at noon
        """)),
    (Kind.RELATIONSHIP, 4, _phrases("""
        reports to, is married to, married, are friends, is friends with, friend of, brother of, sister of, mother of,
        father of, introduced me, i know from, customer of ours, client of ours, supplier of ours, partner of ours,
        works under, two kids, three kids, is the ceo of, is the cto of, worked together
        """)),
    (Kind.FACT, 4, _phrases("""
        allergic to, birthday is, was born in, grew up in, years old, used to, used to work, is called, number is,
        i speak, might, i studied
        """)),
    (Kind.INSTRUCTION, 4, _phrases("""
        you should, you must, must be, must not, must never, should always, should never, do not,
        please, remember to, remind me, needs to be, must always
        """)),
)  # fmt: skip
# Words that count once each, and twice at most.
_FAULTS: Final = frozenset(
    """
    error errors bug fails failed failing failure crash crashes crashed crashing exception exceptions traceback panic
    segfault deadlock leak leaks leaked leaking broken breaks broke corrupt corrupted regression flaky stuck hangs hung
    timeout timeouts oom unauthorized refused undefined race outage wrong duplicate rejects throws raises unreachable
    invalid missing died dies 500 502 503 504 oomkilled crashloopbackoff stacktrace
    """.split()
)
_FAULT_PHRASES: Final = _phrases(
    "root cause, out of memory, ran out of, timed out, doesn't work, does not work, never gives up, cannot be, we hit, "
    "having trouble, not working, isn't working, not being, stopped working, can't be, off by one, caused by, "
    "keeps climbing, comes back empty, cannot read, no such file, not found"
)
_FAULT_NAME = re.compile(r"(?<=[A-Za-z])(?:Error|Exception)\b|\bE[A-Z]{5,}\b|\b[A-Z]\w*_ERR|\bERR_|BackOff\b|OOMKilled")
_UNDER_WAY = re.compile(r" (?:i'm|i am|we're|we are) (?:\w+ )?[a-z]{2,}ing ")
_DID = re.compile(
    r" (?:i|we) (?:just |also |actually |finally |recently )?(?!used to|need)"
    r"(?:[a-z]{2,}ed|took|got|went|did|made|bought|saw|found|met|gave|came|left|won|lost|built|wrote|"
    r"spent|sold|ran|broke|moved) "
)
# A reaction to what another one said.
_REACTION = re.compile(
    r"(?:(?:hey|hi|wow|woah|whoa|oh|man|mmm|hmm|yeah|yes|yep|nice|aw|ah)[,!]? (?:[A-Z]\w+[,!] )?)?"
    r"(?:that's|that is|this is|that (?:looks|sounds)|sounds|looks|so|sorry|you|your|you're|great|good|nice|it sounds|"
    r"what an?|how|must've|can't wait)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(r"\b(?:should|must|need|needs)\b|\d")
_FIRST_PERSON: Final = frozenset("i i'm i've i'd i'll we we're we've we'll my our".split())
_HAS_DIGIT = re.compile(r"\d")
_SUMMARY_START = re.compile(
    r"\W*(?:quick |short |brief )?(?:summary|recap|overview|tl;?dr|summing up|takeaways|the gist)\b", re.IGNORECASE
)
_PROJECT_START = re.compile(
    r"Project [A-Z]|(?:The )?[A-Z]\w+ (?:project|initiative|rollout|programme?)\b|[A-Z]\w+: an? "
)
_SMALL_TALK: Final = frozenset(
    """
    hi hello hey thanks thank you bye good morning evening night ok okay lol yes no yeah yep nope sure cool great nice
    interesting welcome cheers sorry there everyone all how's it going what's up never mind found it a lot no idea hm
    hmm well done got sounds so much see later you're
    """.split()
)
_POLITE: Final = frozenset("thanks thank congrats congratulations wow cheers glad".split())
_NOT_ORDERS: Final = frozenset("of is was are were has had and or time theory".split())
_OWNERS: Final = frozenset("my our his her their your".split())
_VERBS: Final = THIRD_PERSON | frozenset(
    "are were am be have do need must may might should could run use i'm i've i'd we're we've it's he's she's".split()
)
_ORDER: Final = (
    Kind.SUMMARY, Kind.INSTRUCTION, Kind.DECISION, Kind.PREFERENCE, Kind.RELATIONSHIP, Kind.ERROR, Kind.PATTERN,
    Kind.PROJECT, Kind.EVENT, Kind.CONTEXT, Kind.FACT,
)  # fmt: skip


def kind_of(text: str) -> Kind | None:
    """The kind of a short statement; None where nothing tells, in questions and in other languages than English."""
    words = words_in(text)
    if not words or not in_english(text) or says_nothing(text, words):
        return None
    weights = _weights(text[:MOST], words)
    best = max(weights.values(), default=0)
    return next((kind for kind in _ORDER if best and weights.get(kind) == best), None)


def says_nothing(text: str, words: Sequence[str]) -> bool:
    """Whether the words of a text are only a question, or small talk."""
    if text.rstrip().endswith("?") and not re.search(r"[.!]\s", text[:MOST]):
        return True
    if words[0] in _POLITE and len(words) < _HEAD:
        return True
    if _REACTION.match(text) and _FIRST_PERSON.isdisjoint(words) and not _SHOULD.search(text):
        return True
    return len(words) < 6 and _SMALL_TALK.issuperset(words)


def _weights(text: str, words: Sequence[str]) -> Mapping[Kind, int]:
    padded = f" {' '.join(words)} "
    head = f" {' '.join(words[:_HEAD])} "
    weights: dict[Kind, int] = {}

    def add(kind: Kind, weight: int) -> None:
        weights[kind] = weights.get(kind, 0) + weight

    for kind, weight, phrases in _PHRASES:
        place = head if kind is Kind.SUMMARY else padded
        found = [phrase for phrase in phrases if phrase in place]
        if found:
            add(kind, weight + min(len(found), 3) - 1)
    if _is_order(text, words):
        add(Kind.INSTRUCTION, 6)
    if _SUMMARY_START.match(text):
        add(Kind.SUMMARY, 6)
    if _PROJECT_START.match(text):
        add(Kind.PROJECT, 3)
    add(Kind.ERROR, _fault(text, words, padded))
    add(Kind.EVENT, _dated(words) + _happened(words))
    add(Kind.RELATIONSHIP, _kinship(words))
    add(Kind.CONTEXT, 3 if _UNDER_WAY.search(padded) else 0)
    add(Kind.FACT, _plain(text, words))
    return weights


def _is_order(text: str, words: Sequence[str]) -> bool:
    """Whether the statement begins with a verb that tells somebody to do something."""
    first = words[0]
    if first in {"if", "when", "before", "after"} and "," in text:
        after = words_in(text.partition(",")[2])
        return bool(after) and after[0] in IMPERATIVES
    return first in IMPERATIVES and len(words) > 2 and words[1] not in _NOT_ORDERS and not _HAS_DIGIT.search(words[1])


def _fault(text: str, words: Sequence[str], padded: str) -> int:
    found = min(len(_FAULTS.intersection(words)), 2) * 3
    found += 4 * any(phrase in padded for phrase in _FAULT_PHRASES)
    return found + 4 * (_FAULT_NAME.search(text) is not None)


def _dated(words: Sequence[str]) -> int:
    """What weight a day or a month gives to something having happened."""
    pairs = pairwise(words)
    on = any((first in {"on", "last", "next"} and second in WEEKDAYS) or (first in {"in", "last"} and second in MONTHS)
             or (first.isdigit() and second in CALENDAR) for first, second in pairs)  # fmt: skip
    return 3 if on else 0


def _happened(words: Sequence[str]) -> int:
    """What weight it has that something was done: was moved, were deleted."""
    pairs = pairwise(words)
    if any(first in {"was", "were"} and second.endswith("ed") for first, second in pairs):
        return 2
    return 3 if _DID.search(f" {' '.join(words)} ") else 0


def _kinship(words: Sequence[str]) -> int:
    """What weight it has that somebody is called somebody's relative, friend or colleague."""
    for place, word in enumerate(words):
        if word in KIN and place:
            near = words[max(0, place - 2) : place]
            if not _OWNERS.isdisjoint(near) or near[-1].endswith("'s") or words[place + 1 : place + 2] == ["of"]:
                return 4
    return 0


def _plain(text: str, words: Sequence[str]) -> int:
    """The little that speaks for a plain statement: it has a verb, and it is English."""
    if not _VERBS.isdisjoint(words) or not PERSON_VERBS.isdisjoint(words):
        return 1
    return int(len(words) > 3 and (detect_language(text) == "en" or not ENGLISH.isdisjoint(words)))
