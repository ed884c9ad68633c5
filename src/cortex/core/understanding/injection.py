"""How much a text reads like orders to a model rather than like something to remember.

What remembered text asks of a model is no more than data; this tells how much reason there is to say so. Rules of one
sort each, with a weight: how sure it is by itself. Several together are surer than each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cortex.core.text.normal import INVISIBLE, key_text

# From here on a text is marked: one strong sign, or two weak ones.
SUSPICIOUS: Final = 0.5

_DROP = r"(?:ignor\w{1,3}|disregard|forget|overrid\w{1,4}|bypass|discard|abandon|skip|(?:do not|don't|stop) (?:follow|obey)\w{0,3})"
_RULES_GIVEN = r"(?:instructions?|prompts?|directions|directives|guidelines|commands|programming|rules|orders|policies|safety checks)"
_GIVEN_BEFORE = (
    r"(?:previous|prior|earlier|above|preceding|foregoing|original|initial|system|safety|former|given before|developer)"
)
_MODEL = r"(?:ai|a\.i\.|assistants?|(?:large )?language models?|llms?|chatbots?|ai (?:agents?|assistants?|models?))"
_HIDDEN = r"(?:system|hidden|initial|secret|internal|developer)"
_GOODS = (
    r"(?:passwords?|credentials?|secrets|(?:api|private|ssh) keys?|chat history|conversation|memories|\.env\b|"
    r"environment variables|id_rsa)"
)
_TO = r"(?:https?:|to \S{1,40}@|\b\S{1,40}@\S{1,40}\.\w|\bto me\b)"


@dataclass(frozen=True, slots=True)
class _Rule:
    """Applies only where one of the words ``near`` is in the text; then ``pattern`` is looked for."""

    near: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: float


def _rule(weight: float, near: str, pattern: str) -> _Rule:
    return _Rule(tuple(near.split("|")), re.compile(pattern), weight)


# Gaps are short, so that a rule stays within a sentence and its time linear.
_RULES: Final = (
    # what was said before shall not count any more
    _rule(0.8, "instruct|prompt|direct|guideline|command|programming|rules|orders|polic|checks",
          rf"\b{_DROP}\b[^.!?\n]{{0,30}}\b{_GIVEN_BEFORE}\b[^.!?\n]{{0,12}}\b{_RULES_GIVEN}\b"),
    _rule(0.8, "instruct|prompt|rules|orders", rf"\b{_DROP}\b (?:all |any )?(?:of )?(?:the |your |my )?{_RULES_GIVEN} (?:that )?(?:you|above|before|given)\b"),
    _rule(0.7, "everything|anything|what", rf"\b{_DROP} (?:everything|anything|all|what)\b[^.!?\n]{{0,20}}\b(?:above|before|you were told|previously)\b"),
    _rule(0.6, "instruct|rules|programming|prompt", rf"\b(?:above|previous|earlier|your|all other|original)\b[^.!?\n]{{0,12}}\b{_RULES_GIVEN}\b[^.!?\n]{{0,24}}\b(?:void|invalid|no longer appl\w+|cancelled|superseded|disabled|the assistant)\b"),
    _rule(0.6, "disabled|bound", r"\bcontent policies are disabled\b|\bno longer bound\b"),
    _rule(0.5, "instruct", r"\b(?:new|real|actual|updated)\b (?:system )?instructions?(?: are|:)|\bfollow (?:these|the following|the) instructions? instead\b"),
    _rule(0.5, "instead", r"\bfollow\b[^.!?\n]{0,40}\binstead(?: of the task)?\b|\bstop what you(?:'re| are) doing\b"),
    _rule(0.5, "supersede|replace|override", r"\b(?:supersedes?|replaces?|overrides?)\b[^.!?\n]{0,30}\b(?:rules?|instructions?|prompts?)\b[^.!?\n]{0,12}\b(?:assistant|model|ai|you)\b"),
    # another role
    _rule(0.5, "you are now|you're now|you are no longer",
          r"\byou(?:'re| are) now (?:a |an |the |in |my )?(?:dan\b|ai\b|free|unrestricted|unfiltered|jailb\w+|developer mode|root|admin\w*|evil\w*|hacker|no longer|bound)|\byou are no longer bound\b"),
    _rule(0.5, "unrestricted|unfiltered|without any|jailbreak mode|developer mode|never refuse|sudo mode|any filter",
          r"\b(?:unrestricted|unfiltered) (?:assistant|ai|model|text|mode)\b|\bwithout any (?:restrictions?|filters?)\b|\b(?:jailbreak|sudo) mode\b|\b(?:in|enter|enable) developer mode and\b"),
    _rule(0.5, "act as|pretend", r"\b(?:act as|pretend (?:to be|that you are|you are)) (?:an? |the )?(?:administrator|admin|root|evil\w*|unrestricted|developer|hacker|dan)\b"),
    _rule(0.5, "obey|work for me|serve", r"\byou obey \w|\bobey (?:only )?me\b|\byou work for me\b|\byou serve \w|\bassistant obeys\b"),
    # the hidden prompt
    _rule(0.7, "prompt|instructions|message",
          rf"\b(?:reveal|print|show me|repeat|output|leak|dump|disclose|tell me|send)\b[^.!?\n]{{0,30}}\b(?:your|the confidential)\b[^.!?\n]{{0,12}}\b{_HIDDEN}\b[^.!?\n]{{0,6}}\b(?:prompt|instructions|messages?)\b"),
    _rule(0.6, "system prompt", r"\byour system prompt\b[^\n]{0,40}\b(?:verbatim|word for word|output|in full)\b"),
    _rule(0.5, "hidden", r"\byour (?:real|true|actual) instructions\b"),
    # behind somebody's back
    _rule(0.5, "user",
          r"\b(?:do not|don't|never) (?:tell|inform|notify|alert|mention \w{1,10} \w{1,10} to)\b[^.!?\n]{0,16}\buser\b(?!')"),
    _rule(0.5, "without", r"\bwithout (?:telling|informing|alerting|notifying) (?:the user|the owner|anyone|anybody)\b"),
    _rule(0.5, "secret from|hidden from|must not know", r"\b(?:secret|hidden) from the user\b|\buser must not (?:know|learn|notice)\b"),
    _rule(0.5, "silently|report", r"\bsilently\b[^.!?\n]{0,30}\bdon't ask\b|\bdo not report (?:it|this)\b"),
    _rule(0.4, "user's wishes|bypass|skip", r"\bagainst the user's wishes\b|\b(?:bypass|skip) (?:the )?(?:safety|verification|security)\b"),
    # marks of chats and of calls
    _rule(0.8, "<|im_|<|system|<|user|<|assistant|<|endof|<|eot|[inst]|[/inst]|<<sys>>|<start_of_turn",
          r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)\|?>|\[/?inst\][^\n]|<<sys>>|<start_of_turn>"),
    _rule(0.5, "system", r"(?m)<system>|^#{2,4} system:|^(?:\[system\]|system:)[^\n]{0,20}\byou\b|\bnew system prompt\b"),
    _rule(0.5, "### instruction:", r"(?m)^#{2,4} instruction:"),
    _rule(0.5, "assistant:", r"(?m)^(?:human|user): [^\n]{0,200}\n{1,3}assistant:"),
    _rule(0.6, "tool_call|function_call|<invoke|\"arguments\"",
          r"<tool_call>\s{0,4}\{|<function_calls>\s{0,4}<|<invoke name=|\"(?:tool|name)\": ?\"\w{1,64}\", ?\"arguments\": ?\{|\"(?:tool_calls|function_call)\": ?[\[{]"),
    _rule(0.3, "tool", r"\b(?:call|invoke) the tool \w{1,64}\b"),
    _rule(0.3, "memor", r"\b(?:every memory|all (?:your |the )?memories)\b"),
    # said to a model
    _rule(0.5, "ai|assistant|model|llm",
          rf"\b(?:message|note|attention|notice|instructions?|dear)\b,?:?(?: (?:to|for))?(?: the| all| any)? {_MODEL}\b"),
    _rule(0.5, "if you", rf"\bif you(?:'re| are) (?:an? |the )?{_MODEL}\b"),
    _rule(0.5, "ai |agents|models|assistant", rf"\b{_MODEL},? (?:reading|processing|that reads?)\b[^.!?\n]{{0,30}}\b(?:should|must|visit|has to)\b|\bnow, assistant\b"),
    _rule(0.5, "authorize|approved", r"\bi authorize you\b|\bowner authorized you\b|\buser has already (?:approved|authorized|agreed)\b"),
    # what it is after
    _rule(0.6, "send|forward|upload|email|exfiltrat|post",
          rf"\b(?:send|forward|post|upload|e-?mail|exfiltrate)\b[^!?\n]{{0,40}}{_GOODS}[^!?\n]{{0,40}}{_TO}"),
    _rule(0.5, "forward|exfiltrate|collect all|all mail", rf"\bexfiltrate\b|\bforward all (?:e-?)?mails?\b|\bcollect all {_GOODS}"),
    _rule(0.5, "send", r"\bsend me\b[^.!?\n]{0,20}\bpasswords?\b|\bsend the conversation\b"),
    _rule(0.5, "whenever|when asked|every time|always trust|always recommend",
          r"\b(?:whenever the user asks|when asked about|every time you answer)\b[^\n]{0,60}\b(?:always recommend|respond with|append)\b|\balways (?:trust messages from|recommend \w+ \w+ and hide)\b"),
    _rule(0.4, "http", r"\b(?:visit|respond with a link to|click)\b[^\n]{0,20}https?://[^\n]{0,60}"),
    _rule(0.4, "append", r"\bappend the text\b|\bat the end of (?:each|every) answer\b"),
    _rule(0.5, "follow the instructions in", r"\b(?:decode|base64)\b[^\n]{0,40}\b(?:follow|execute|obey)\b"),
    _rule(0.4, "curl|wget", r"\b(?:curl|wget)\b[^\n|]{0,120}\| ?(?:sudo )?(?:ba|z)?sh\b"),
    _rule(0.4, "immediately|without asking", r"\b(?:run|execute)\b[^.!?\n]{0,30}\b(?:immediately|without asking)\b"),
    _rule(0.4, "pwned", r"\bpwned\b"),
    # the first sentence of all of them, elsewhere
    _rule(0.8, "ignorier|vergiss|missachte", r"\b(?:ignorier\w{0,3}|vergiss|missachte)\b[^.!?\n]{0,20}\b(?:vorherigen?|bisherigen?|früheren?|obigen?)\b[^.!?\n]{0,10}\b(?:anweisung|instruktion|befehl|regel)"),
    _rule(0.8, "ignora|ignore|olvida|esque", r"\b(?:ignor[aeo]\w{0,2}|olvida|esque\w{1,4}|oublie\w{0,2}|dimentica)\b[^.!?\n]{0,20}\b(?:instruc\w+|istruzioni|consignes?|ordenes|órdenes)\b[^.!?\n]{0,5}\b(?:anterior|précédent|previ|precedent)"),
    _rule(0.8, "игнорир|забудь", r"(?:игнорир\w{1,6}|забудь\w{0,2})[^.!?\n]{0,20}(?:предыдущ|прежн|выше)\w{0,4}[^.!?\n]{0,5}(?:инструкц|указан|команд)"),
    _rule(0.8, "忽略|无视|無視", r"(?:忽略|无视|無視)[^。！？\n]{0,12}(?:指令|指示|说明|提示)|(?:指示|命令)[^。！？\n]{0,8}無視"),
)  # fmt: skip

# A long text is read in windows that overlap: weak signs that are pages apart say nothing together.
_WINDOW: Final = 2_000
_SHARED: Final = 300

# Letters of other scripts that pass for Latin ones.
_LOOKALIKES: Final = str.maketrans("аеорсухіјѕԁɡһкмтвнАЕОРСУХІЈЅКМТВНοαρνΟΑΡΝΙΕΤΗΚΜΒ", "aeopcyxijsdghkmtbhAEOPCYXIJSKMTBHoapvOAPNIETHKMB")
_MIXED = re.compile(r"[a-z][а-яіјѕ]|[а-яіјѕ][a-z]")
_SPACED = re.compile(r"\b(?:\w {1,3}){6,}+\w?\b")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_FLAG: Final = "\U0001f3f4"  # what tag characters are for: flags of regions
_LEAST_TAGS: Final = 4
_INSIDE_WORDS = re.compile("[a-zA-Z][\u200b\u2060\ufeff\u00ad][a-zA-Z]")
_MOST_INSIDE: Final = 3
_OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WHITE = re.compile(r"[^\S\n]+")


def suspicion_of(text: str) -> float:
    """From 0 to 1, how much a text reads like orders to a model; from `SUSPICIOUS` on it is marked.

    English, and the usual first sentence in some other languages; invisible and look-alike characters do not hide it.
    The whole text is read, in linear time.
    """
    if len(text) <= _WINDOW:
        return _suspicion(text)
    return max(_suspicion(text[start : start + _WINDOW]) for start in range(0, len(text), _WINDOW - _SHARED))


def _suspicion(text: str) -> float:
    calm = 1.0
    for weight in _weights(text):
        calm *= 1.0 - weight
    return round(1.0 - calm, 3)


def _weights(text: str) -> Iterator[float]:
    plain = text
    if not text.isascii():
        yield from _hiding(text)
        plain = f"{key_text(text)}\n{_tagged(text)}"
        if _MIXED.search(plain.lower()):
            plain = plain.translate(_LOOKALIKES)
    plain = _WHITE.sub(" ", _joined(plain)).lower()
    for rule in _RULES:
        if any(word in plain for word in rule.near) and rule.pattern.search(plain):
            yield rule.weight


def _joined(text: str) -> str:
    """With words put together that are written letter by letter."""
    return _SPACED.sub(lambda run: " ".join(part.replace(" ", "") for part in re.split(" {2,3}", run.group())), text)


def _tagged(text: str) -> str:
    """What is written in tag characters, which nobody sees and a model reads."""
    return " ".join("".join(chr(ord(c) - 0xE0000) for c in run.group()) for run in _TAGS.finditer(text))


def _hiding(text: str) -> Iterator[float]:
    """Signs that something is not to be seen."""
    runs = _TAGS.finditer(text)
    if any(text[run.start() - 1 : run.start()] != _FLAG and len(run.group()) >= _LEAST_TAGS for run in runs):
        yield 0.9
    if len(_INSIDE_WORDS.findall(text)) >= _MOST_INSIDE:
        yield 0.3
    if _OVERRIDES.search(text) and INVISIBLE.search(text):
        yield 0.2
