"""How strongly felt a text is.

Points are added up for signs of excitement, whichever way it goes, and brought between 0 and 1. Weights are round
numbers chosen on the halves of EmoBank and GoEmotions that are for tuning; the words are from general knowledge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from cortex.core.text.stopwords import ENGLISH
from cortex.core.understanding.reading import MOST, in_english, words_in
from cortex.core.understanding.vocabulary import ACRONYMS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What stirs: anger, fear, joy, surprise, violence, passion, curses, laughter.
_AROUSED: Final = _words(
    """
    furious outraged rage raging livid enraged angry anger mad pissed thrilled ecstatic excited exciting excitement
    terrified terrifying terror horrified horror horrifying panic panicked panicking scared scary frightened fear afraid
    amazing incredible awesome fantastic unbelievable astonishing stunned stunning shocked shocking shock wow omg whoa
    hate hated hates hateful love loved loves adore passion passionate desperate desperately screaming screamed scream
    shout shouted shouting yell yelled yelling crying cried sobbing sobbed devastated devastating heartbroken agony
    disgusting disgusted disgust insane crazy hysterical hilarious explode exploded explosion attack attacked attacks
    kill killed killing murder murdered war fight fighting fought battle violence violent blood bloody danger dangerous
    urgent emergency disaster catastrophe crash die died dead death victory triumph triumphant celebrate win winning won
    surprise surprised surprising suddenly overwhelmed overwhelming nervous anxious anxiety worried stress stressed
    jealous hurt pain painful suffer suffering tragic tragedy nightmare wild intense fierce burning fire hell damn fuck
    fucking fucked shit bullshit asshole bitch bastard crap wtf lmao lol haha hahaha rofl sex sexy kiss thrill joy
    joyful delighted eager dare revolution revolt threat threaten threatened bomb gun shot shooting chaos
    """
)
# What somebody feels, wishes or judges, without being stirred as much.
_FELT: Final = _words(
    """
    thanks thank thankful grateful glad happy sad sorry proud hope hopefully hoping wish miss missed loving appreciate
    congrats congratulations welcome please blessed lucky unfortunately sadly curious wonder confused weird interesting
    cool nice great good best worst bad awful terrible horrible ridiculous stupid dumb idiot pathetic embarrassing
    embarrassed ashamed shame guilty lonely upset annoyed annoying annoys frustrated frustrating cute beautiful gorgeous
    sweet perfect brilliant enjoy enjoyed fun funny laugh laughed laughing smile cringe gross yikes ugh oops yay aww aw
    ew sick creepy disappointed disappointing disappointment depressed depressing cry tears trust admire impressed
    impressive respect regret sucks suck finally honestly favorite favourite
    """
)
_CALM: Final = _words(
    """
    calm calmly quiet quietly peaceful relaxed relaxing relax rest resting sleep sleepy sleeping asleep tired bored
    boring dull slow slowly gentle gently mild silent silence idle lazy routine ordinary usual
    """
)
_STRONGER: Final = _words(
    """
    so very really too absolutely totally completely extremely incredibly such never ever utterly deeply truly insanely
    freaking super
    """
)
_FIRST_PERSON: Final = _words("i me my i'm i've i'd i'll we our us we're we've mine myself")
_EMOJI: Final = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_EMOTICON: Final = re.compile(r"(?<!\S)[^\w\s][^\s]{1,3}(?!\S)|(?<!\S)[xXD]+[D)(](?!\S)")
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,}\b")
_EVERYDAY: Final = (_AROUSED | _FELT | _STRONGER | ENGLISH) - ACRONYMS  # in capitals these are shouted, API is not
_STRETCHED: Final = re.compile(r"([A-Za-z])\1{2,}")
_LOWER: Final = re.compile(r"[a-z]")

_SCALE: Final = 2.5  # points at which intensity is 1 - 1/e


def intensity_of(text: str) -> float | None:
    """How strongly felt the text is, 0–1; arousal and not valence, so that furious and thrilled are both high.

    0 where nothing shows a feeling. None without words or emoji, and in other languages than English.
    """
    words = words_in(_STRETCHED.sub(r"\1", text[:MOST]))
    emoji = len(_EMOJI.findall(text[:MOST]))
    if not (words or emoji) or not in_english(text):
        return None
    points = _said(words, text[:MOST]) + _written(text[:MOST]) + 0.6 * min(emoji, 3)
    return round(1 - math.exp(-max(points, 0.0) / _SCALE), 4)


def _said(words: Sequence[str], text: str) -> float:
    """Points for the words: the length of a text counts against how strongly its words are charged."""
    known = _valences()
    charge = sum(known.get(word, 0.0) for word in words if word not in _CALM)
    charge += sum(known.get(face, 0.0) for face in _EMOTICON.findall(text))
    aroused = sum(word in _AROUSED for word in words)
    felt = sum(word in _FELT for word in words)
    stronger = sum(word in _STRONGER for word in words)
    points = 0.8 * charge / math.sqrt(max(len(words) - stronger, 1))
    points += 0.8 if aroused or felt else 0.0  # the first such word tells more than those after it
    points += 0.4 * (min(aroused, 3) + min(felt, 3))
    points += 0.1 * min(stronger, 3)
    points -= 0.5 * min(sum(word in _CALM for word in words), 2)
    return points + (0.0 if _FIRST_PERSON.isdisjoint(words) else 0.5)


def _written(text: str) -> float:
    """Points for how it is written: marks, capitals among small letters, letters that are drawn out."""
    marks = text.count("!")
    points = (0.9 if marks else 0.0) + 0.1 * min(max(marks - 1, 0), 3)
    points += 0.4 if "?" in text else 0.0
    points += 0.2 if _STRETCHED.search(text) else 0.0
    if not _LOWER.search(text):
        return points
    shouted = sum(word.lower() in _EVERYDAY for word in _CAPITALS.findall(text))
    return points + 0.2 * min(shouted, 3)


@cache
def _valences() -> Mapping[str, float]:
    """How far from neutral a word is, 0–4: the lexicon of VADER (Hutto and Gilbert, 2014), without its signs."""
    from vader.data.lexicon import LEXICON

    return {word: abs(valence) for word, valence in LEXICON.items()}
