"""Scripts other than Latin, marks, digits and symbols."""

from __future__ import annotations

import pytest

from cortex.core.text import analyse, analyse_query


def found(query: str, text: str) -> bool:
    """Whether the question shares a term with the stored text."""
    return bool(set(analyse_query(query)) & set(analyse(text)))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("图书馆的门锁", "下周三上午更换图书馆的门锁并通知值班员"),
        ("门锁", "下周三上午更换图书馆的门锁并通知值班员"),
        ("锁", "下周三上午更换图书馆的门锁并通知值班员"),
        ("図書館の鍵", "来週の水曜に図書館の鍵を交換する予定"),
        ("자물쇠", "다음주수요일에도서관자물쇠를바꾼다"),
        ("ห้องสมุด", "เปลี่ยนกุญแจห้องสมุดวันพุธ"),
        ("ပန်း", "လှသောပန်းများ"),
        ("ភាសា", "ខ្ញុំរៀនភាសាខ្មែរ"),
    ],
)
def test_mem_001_scripts_without_spaces_are_found(query: str, text: str) -> None:
    """A part of a run of characters finds the run by the lexical leg alone (MEM-001)."""
    assert found(query, text)


def test_mem_001_runs_give_pairs() -> None:
    """Stored runs give single characters and pairs, questions pairs, one character itself (MEM-001)."""
    assert analyse("门锁坏") == ["门", "锁", "坏", "门锁", "锁坏"]
    assert analyse_query("门锁坏") == ["门锁", "锁坏"]
    assert analyse_query("锁") == ["锁"]
    assert analyse("iPhone手机2024年")[-5:] == ["手", "机", "手机", "2024", "年"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İstanbul ISPARTA", "istanbul ısparta"),
        ("مُحَمَّدٌ", "محمد"),
        ("أحمد إلى آخر", "احمد الي اخر"),
        ("مكـــتبة", "مكتبه"),
        ("שָׁלוֹם", "שלום"),
        ("צה״ל", 'צה"ל'),
        ("Ελλάδα", "ΕΛΛΑΔΑ"),
        ("ещё", "еще"),
        ("Łódź Ørsted Straße æon", "lodz orsted strasse aeon"),
        ("١٢٣ ४२", "123 42"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("soft\u00adware zero\u200bwidth \u202ertl\u202c", "software zerowidth rtl"),
        ("e\u200d\u0301t\u00e9", "\u00e9te"),
    ],
)
def test_mem_005_optional_marks_do_not_matter(one: str, other: str) -> None:
    """Marks, case and letter variants that people leave out do not part two spellings (MEM-005)."""
    assert analyse(one) == analyse(other)
    assert analyse_query(one) == analyse_query(other)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("कि", "की"), ("ที่", "ที")])
def test_marks_that_spell_the_word_are_kept(one: str, other: str) -> None:
    """Voicing marks, vowel signs and tone marks make other words."""
    assert analyse(one) != analyse(other)


def test_mem_006_mixed_directions() -> None:
    """A word, a product code and a number inside right-to-left text are each found (MEM-006)."""
    text = "\u2067המכשיר XK-42 עולה 1,250 שקל\u2069 والكتاب جديد"
    for query in ("המכשיר", "XK-42", "1250", "والكتاب"):
        assert found(query, text)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("👍🏽", ["👍"]),
        ("❤\ufe0f", ["❤"]),
        ("👨\u200d👩\u200d👧", ["👨", "👩", "👧"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("great🎉party", ["great", "🎉", "parti"]),
        ("©", ["©"]),
    ],
)
def test_symbols_are_terms(text: str, terms: list[str]) -> None:
    """Each symbol is a term, whatever its skin tone or presentation; the halves of a flag stay together."""
    assert analyse(text) == terms


def test_russian_words_have_russian_stems() -> None:
    """Cyrillic words are stemmed as Russian, accents read first."""
    assert analyse("красный") == analyse("красная") == analyse("красные")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Häuser", "Die Häuser sind auf dem Berg und nicht im Tal"),
        ("Haus", "Die Häuser sind auf dem Berg und das Haus nicht"),
        ("Wo sind die Häuser auf dem Berg?", "Häuser"),
        ("organizaciones", "La organización de la fiesta está en la ciudad y no es para las organizaciones"),
        ("homme", "l'homme est parti avec le chien dans la maison"),
    ],
)
def test_a_word_matches_itself_in_every_language(query: str, text: str) -> None:
    """The English stem stands beside the language's, so detection never parts a word from itself."""
    assert found(query, text)


def test_a_language_drops_its_own_function_words() -> None:
    """Function words of the language of the text go; the same letters in another language stay."""
    assert analyse("Wo ist der Schlüssel für das Büro?") == ["schlussel", "buro"]
    assert analyse("the die is cast") == ["die", "cast"]
