from __future__ import annotations

import pytest

from cortex.core.text import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wo ist der Schlüssel für das Büro?", "de"),
        ("La clave está en la mesa de la cocina", "es"),
        ("Où est la clé de la maison ?", "fr"),
        ("La chiave è sul tavolo della cucina", "it"),
        ("De sleutel ligt op de tafel in de keuken", "nl"),
        ("A chave está na mesa da cozinha", "pt"),
        ("The key is on the kitchen table", "en"),
        ("Привет, как дела", "ru"),
        ("図書館の鍵", "ja"),
        ("图书馆的门锁", "zh"),
        ("도서관 자물쇠", "ko"),
        ("สวัสดีครับ", "th"),
        ("שלום עולם", "he"),
        ("مرحبا بالعالم", "ar"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    """A sentence shows its language by its script or its function words."""
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "", "1234 !!!", "hola amigo", "src/de/la/el.py de.com/en/la x y z", "Die Hard was in Paris",
        "I met Juan de la Cruz in Los Angeles", "\ud800\0",
        "Привіт, як справи? Їжа", "سلام دنیا چطوری", "👍👍👍👍",
    ],
)  # fmt: skip
def test_no_guess_without_evidence(text: str) -> None:
    """Names, paths, few words and languages that are not known give no answer."""
    assert detect_language(text) is None
