"""Words: stems, stop words, names and numbers whole and in parts."""

from __future__ import annotations

import unicodedata

import pytest

from cortex.core.text import analyse, analyse_query


def found(query: str, text: str) -> bool:
    """Whether the question shares a term with the stored text."""
    return bool(set(analyse_query(query)) & set(analyse(text)))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("left_pad", ["left_pad", "left", "pad"]),
        ("kestrel-9b", ["kestrel-9b", "kestrel", "9b", "9", "b"]),
        ("blue-green", ["blue-green", "blue", "green"]),
        ("v4.07.1", ["v4.07.1", "v4", "v", "4", "07", "7", "1"]),
        ("north/south", ["north/south", "north", "south"]),
        ("lane:three", ["lane:three", "lane", "three"]),
        ("o'clock", ["o'clock", "o", "clock"]),
        ("o\u2019clock", ["o'clock", "o", "clock"]),
        ("D++", ["d++", "d"]),
        ("C#", ["c#", "c"]),
        ("C++/C#", ["c++/c#", "c++", "c", "c#", "c"]),
        ("65%", ["65%", "65"]),
        ("$5", ["$5", "5"]),
        ("#travel", ["#travel", "travel"]),
        ("getUserName", ["getusername", "getusernam", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("iPhone", ["iphone", "iphon", "phone"]),
        ("TVs", ["tvs", "tv"]),
        ("src/cortex/app.py", ["src/cortex/app.py", "src", "cortex", "app", "py"]),
        ("CORTEX_DB_PATH", ["cortex_db_path", "cortex", "db", "path"]),
        ("__init__", ["init"]),
        ("mel@example.com", ["mel@example.com", "mel", "exampl", "com"]),
        ("https://x.org/wiki", ["https://x.org/wiki", "https", "x", "org", "wiki"]),
        ("2023-05-07", ["2023-05-07", "2023", "05", "5", "07", "7"]),
        ("1,000", ["1,000", "1000"]),
        ("$1,000.50", ["$1,000.50", "1000.50"]),
        ("10:30", ["10:30", "10", "30"]),
        ("007", ["007", "7"]),
        ("000", ["000", "0"]),
        ("U.S.", ["u.s", "us"]),
        ("AT&T", ["at&t", "t"]),
        ("end.Next", ["end.next", "end", "next"]),
        ('(spare) "amber"', ["spare", "amber"]),
        ("one,two;three", ["one", "two", "three"]),
        ("**bold** _thin_ ~~gone~~", ["bold", "thin", "gone"]),
    ],
)
def test_names_and_numbers_are_kept_whole_and_in_parts(text: str, terms: list[str]) -> None:
    """A compound gives its whole form first, unstemmed, and then its parts (MEM-010)."""
    assert analyse(f"{text} xylophone")[:-1] == terms


@pytest.mark.parametrize(
    "token",
    [
        "kestrel-9b", "blue-green", "v4.07.1", "north/south", "lane:three", "o'clock", "D++", "65%", "left_pad",
        "(spare)", '"amber"', "C#", "kestrel", "9b", "4.07",
    ],
)  # fmt: skip
def test_mem_010_every_stored_token_is_found_by_its_own_text(token: str) -> None:
    """Punctuation in a question is text, never an operator (MEM-010)."""
    stored = 'kestrel-9b blue-green v4.07.1 north/south lane:three o\'clock D++ 65% left_pad (spare) "amber" C#'
    assert found(token, stored)


@pytest.mark.parametrize("query", ["AND", "OR", "NOT", "NEAR(a b)", "a*", "^a", '"open', "(open", "-", "title:x", ""])
def test_mem_010_what_looks_like_an_operator_is_a_word(query: str) -> None:
    """A question that looks like search syntax gives the words in it, or nothing (MEM-010)."""
    expected = {"AND": ["and"], "OR": ["or"], "NOT": ["not"], "-": [], "": [], "^a": ["a"], "a*": ["a"]}
    assert analyse_query(query) == expected.get(query, analyse_query(query.strip('"(')))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Caroline's", ["carolin"]),
        ("Caroline\u2019s painting", ["carolin", "paint"]),
        ("the dogs' kennel", ["dog", "kennel"]),
        ("I don't swim", ["swim"]),
        ("I'll run, we've run, they're running", ["run", "run", "run"]),
        ("it's hers, that's hiking", ["hike"]),
        ("rock'n'roll", ["rock'n'roll", "rock", "n", "roll"]),
    ],
)
def test_possessives_and_contractions(text: str, terms: list[str]) -> None:
    """A possessive is its noun, a contraction is a function word."""
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("We met in May", ["met", "may"]),
        ("tell us", ["tell", "us"]),
        ("It will be the best", ["best"]),
        ("To be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("The Who", ["who"]),
        ("don't", ["don't"]),
        ("!?", []),
        ("", []),
    ],
)
def test_function_words_go_unless_nothing_is_left(text: str, terms: list[str]) -> None:
    """Function words carry no meaning of their own, but a text made of them alone keeps them."""
    assert analyse(text) == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("When did Caroline go to the LGBTQ group?", ["carolin", "go", "lgbtq", "group"]),
        ("What kind of music does Mel like?", ["music", "mel", "like"]),
        ("How many dogs, how many cats, dogs?", ["dog", "cat"]),
        ("What's the blood type?", ["blood", "type"]),
        ("who", ["who"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
    ],
)
def test_questions_lose_the_words_that_ask(query: str, terms: list[str]) -> None:
    """A question is what it asks about, each term once."""
    assert analyse_query(query) == terms


def test_repetitions_count_when_stored_and_not_when_asked() -> None:
    """BM25 needs the term frequency of a stored text; a question names each thing once."""
    assert analyse("cat cats Cat") == ["cat"] * 3
    assert analyse_query("cat cats Cat") == ["cat"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("running", "She runs"),
        ("5", "2023-05-07"),
        ("05", "on 5 May"),
        ("1000", "it cost $1,000"),
        ("user name", "getUserName()"),
        ("iphone", "my iPhones and iPhone"),
        ("TV", "two TVs"),
        ("next", "the end.Next day"),
        ("usa", "made in the U.S.A."),
    ],
)
def test_other_spellings_match(query: str, text: str) -> None:
    """What people type finds what others wrote."""
    assert found(query, text)


def test_mem_005_forms_of_one_word_are_one_term() -> None:
    """Composed and decomposed text, full width, case and optional accents do not matter (MEM-005)."""
    text = "M\u00e1laga cr\u00eape \u0160ibenik \u00e5ngstr\u00f6m"
    nfd = unicodedata.normalize("NFD", text)
    assert text != nfd
    assert analyse(text) == analyse(nfd) == analyse("malaga crepe sibenik angstrom")
    assert analyse("\uff28\uff25\uff2c\uff2c\uff2f \uff14\uff12") == analyse("hello 42")


def test_a_huge_token_is_cut() -> None:
    """Ten kilobytes of base64 give a short prefix and a limited number of parts."""
    blob = "aGVsbG8rd29ybGQ/Zm9v+" * 500
    terms = analyse(blob)
    assert terms[0] == blob.casefold()[:64]
    assert len(terms) <= 65
    assert max(map(len, terms)) <= 64
    assert analyse("x" * 500) == ["x" * 64]


def test_mem_007_a_word_at_the_end_of_a_long_text_is_a_term() -> None:
    """The lexical leg reads all of a long text (MEM-007)."""
    assert analyse("lorem ipsum dolor " * 4_000 + "zyxwvut")[-1] == "zyxwvut"


@pytest.mark.parametrize(
    "unit", ["a", "\0", "\ud800", "a.", "'-.+#", "1,", "_a", "\u0301\u0316", "\u5b57", "\U0001f600", "aB1 ", "a's "]
)
def test_time_is_linear(unit: str) -> None:
    """No shape of text makes the analysis slower than a fixed time a character."""
    text = unit * (200_000 // len(unit))
    assert isinstance(analyse(text), list)
    assert isinstance(analyse_query(text), list)
