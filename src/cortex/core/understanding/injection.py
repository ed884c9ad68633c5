"""How much a text reads like orders to a model rather than like something to remember.

What remembered text asks of a model is no more than data; this tells how much reason there is to say so. A sentence is
read for what it speaks of (`_TOPICS`), and some topics together make an order (`_TOGETHER`); marks of chats and calls
(`_MARKS`) show by themselves. Each sign has a weight: how sure it is alone. Several are surer than each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from cortex.core.text.normal import key_text
from cortex.core.understanding.alternatives import by_first_letter
from cortex.core.understanding.disguise import hiding, undisguised

# From here on a text is marked: one strong sign, or two weak ones.
SUSPICIOUS: Final = 0.5

# A long text is read in windows that overlap: weak signs that are pages apart say nothing together.
_WINDOW: Final = 2_000
_SHARED: Final = 300


_BEFORE, _AFTER = r"(?<![\w'])(?:", r")(?!\w)"


def _words(*words: str) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}{'|'.join(words)}{_AFTER}")


_MODEL: Final = "(?:ai|ai agents?|assistants?|language models?|llms?)"
_ROMANCE: Final = (
    r"\b(?:ignor[aeo]|olvid|esque|oubli|dimentic|no sigas)\w{0,4}\b[^.!?\n]{0,24}"
    r"\b(?:instru|istruz|consign|[oó]rdenes|r[eè]gl|regol|regras)\w{0,8}"
    r"[^.!?\n]{0,8}\b(?:anterior|précéden|previ|prévi|precedent|sistema)"
)

_TOPICS: Final[Mapping[str, re.Pattern[str]]] = {
    # that something shall not count, or counts no more
    "cancel": _words(
        "ignor(?:e|es|ing)", "if you ignored", "disregard", "forget", "overrid(?:e|ing)", "overwrite", "bypass",
        "discard", "drop",
        "abandon", "neglect", "dismiss", "erase", "skip", "set aside", "pay no attention", "stop following",
        "(?:do not|don't|never|no longer) (?:follow|obey|listen to|apply|applies|matter|count|bound by|need)",
        "does not apply", "void", "suspended", "lifted", "revoked", "cancelled", "disabled", "(?:is|are) off for",
        "supersedes?", "replaces?", "turn off", "no longer bound",
    ),
    # what a model is told by those who run it
    "rules": _words(
        "instructions?", "prompts?", "directions", "directives?", "guidelines", "guidance", "guardrails", "rules?",
        "orders", "polic(?:y|ies)", "restrictions", "constraints", "programming", "protocols?",
        "(?:safety|content) (?:filters?|polic\\w+|rules?|training|checks)",
        "commands", "(?:your|the) (?:task|context)(?: at hand)?", "verification",
    ),
    "prior": _words(
        "previous(?:ly)?", "prior", "earlier", "above", "preceding", "foregoing", "former", "original", "initial",
        "so far", "until now", "you (?:were|received|had|have been)", "given before", "all other", "system",
        "before this",
    ),
    "all": _words("everything", "anything", "whatever", "all of", "what (?:was|the user|you)"),
    "you": _words("you(?:r|rself)?", "you're", "you've"),
    "model": _words(
        "ai", "a\\.i\\.", "(?:large )?language models?", "llms?", "chatbots?", "\\w{0,12}gpt", "\\w{2,12}bot",
        "assistants?",
        "ai (?:agents?|systems?|models?)",
    ),
    "addressed": _words(
        f"(?:message|note|attention|notice|dear|hello|hey)(?: (?:to|for))?(?: (?:the|all|any))? {_MODEL}",
        "if you(?:'re| are) (?:an? )?(?:ai|llm|language model|assistant)", "now, assistant",
        "as (?:an?|the) (?:ai|assistant), you",
        f"{_MODEL} (?:reading|processing|summari[sz]ing|parsing|handling) (?:this|it)",
        "only meant for language models",
    ),
    "persona": _words(
        "you(?:'re| are) (?:now|no longer)", "act as", "behave as", "pretend", "role-?play", "persona", "respond as",
        "simulat(?:e|ion)", "answer as", "you (?:are|will) (?:now )?(?:be|act|behave|play\\w*)", "game in which you",
        "hypothetically",
    ),
    "unbound": _words(
        "un(?:restricted|filtered|censored|limited)", "jailb(?:reak|roken)",
        "(?:jailbreak|developer|god|sudo|dan) mode", "dan",
        "(?:no|without|any) (?:any |\\w+ )?(?:limits|rules|restrictions|filters?|oversight|guidelines|refusals?)",
        "evil\\w+", "never refuses?", "root access",
    ),
    # the hidden text of whoever runs the model
    "hidden": _words(
        "(?:system|hidden|initial|developer|secret|internal|confidential|original) "
        "(?:prompts?|messages?|instructions|rules|config\\w*)",
        "prompt you", "what were you told", "your (?:prompt|instructions|configuration|rules)",
    ),
    "tell": _words(
        "reveal", "print", "show", "repeat", "output", "leak", "list", "give me", "disclose", "tell me", "quote",
        "copy",
        "dump", "display", "say", "verbatim", "word for word", "exact wording",
    ),
    "admin": _words("(?:the|an?) (?:administrator|admin|root|developer)"),
    "user": _words("the (?:user|human|owner|account owner|person you \\w+ to)", "user's"),
    "conceal": _words(
        "(?:do not|don't|never|not|without) (?:\\w+ )?"
        "(?:tell|inform|reveal|notify|alert|warn|mention|know|notice|learn)\\w*",
        "(?:do not|don't|never) let \\w+ \\w+ (?:know|see|notice|find out|learn)",
        "secret from", "hid(?:e|den)", "conceal", "unaware", "silently", "quietly", "find out", "never learns?",
        "without asking",
        "do not report", "without (?:inform|tell|notify|alert|warn)ing",
    ),
    "act": _words(
        "delete", "wipe", "transfer", "wire", "send", "e?-?mail (?:the|all|your|every)", "forward", "upload",
        "exfiltrate", "post (?:the|all|your)", "approve", "refund",
        "grant", "pay", "hand over", "collect", "gather", "embed", "include", "disable", "close", "call", "execute",
        "run", "read",
        "copy", "recommend", "rate", "obey", "comply", "trust", "visit", "add",
    ),
    "goods": _words(
        "passwords?", "credentials?", "secrets", "(?:api|private|ssh|access) keys?", "keys", "conversation",
        "chat history", "memories",
        "customer list", "clipboard", "notes you", "environment variables", "contents of",
        "all (?:mails?|data|files|requests|payments)",
    ) ,
    "private": re.compile(r"~/\.(?:ssh|aws)|\bid_rsa\b|/etc/passwd|(?<!\w)\.env\b"),
    "outside": re.compile(r"https?://|\b\S{1,40}@\S{1,40}\.\w"),
    "lasting": _words(
        "always", "whenever",
        "(?:every|each|all) (?:\\w+ )?(?:answers?|repl(?:y|ies)|responses?|conversations|time you answer)",
        "every time you", "from now on", "from (?:today|here) on", "in all (?:later|future)", "if anyone asks",
        "when asked about", "permanently",
    ),
    "saying": _words("answer", "say", "claim", "recommend", "mention", "respond", "reply", "append", "slip in",
    "hide", "tell"),
    "authority": _words(
        "your (?:operator|developers?|creator|owner|maker)", "(?:openai|anthropic|google) (?:staff|team)",
        "(?:user|owner) (?:has )?(?:already )?(?:approved|authori[sz]ed|agreed)", "i (?:hereby )?authori[sz]e you",
        "by order of",
        "owner authori[sz]ed",
    ),
    "must": _words("must", "shall", "are required to", "have to", "never need", "should"),
    "instead": _words("instead", "new task", "new goal", "new instructions", "real instructions", "right away",
    "nothing else"),
}  # fmt: skip

# Topics of one sentence that together are an order. What people tell an assistant as their wish has few of them.
_TOGETHER: Final = (
    (0.7, "cancel rules prior"), (0.6, "cancel rules you"), (0.6, "cancel all prior"), (0.5, "cancel all user"),
    (0.6, "persona unbound"), (0.5, "persona admin"), (0.5, "unbound model"), (0.5, "persona you model"),
    (0.4, "unbound you"),
    (0.6, "tell hidden you"), (0.5, "tell hidden unbound"), (0.6, "conceal user"), (0.3, "conceal act"),
    (0.5, "addressed"),
    (0.4, "model must act"), (0.3, "you must act goods"), (0.5, "act goods outside"), (0.5, "act private"),
    (0.4, "tell private"),
    (0.5, "lasting saying outside"), (0.4, "lasting saying instead"), (0.3, "lasting you saying model"),
    (0.5, "authority act"), (0.5, "authority cancel"), (0.5, "authority rules"), (0.4, "authority"),
    (0.3, "instead act"), (0.5, "instead rules"), (0.3, "instead tell"), (0.4, "instead user"), (0.3, "instead goods"),
    (0.3, "act goods you"), (0.3, "goods tell act"), (0.3, "lasting act goods"),
)  # fmt: skip
# The rarer topics: each order has one, so a text without them has no order, and most texts are asked only for these.
TELLING: Final = tuple("cancel persona unbound hidden conceal addressed act lasting authority instead".split())
_PRIVATE_LETTERS: Final = ("~/.", "id_rsa", "/etc/passwd", ".env")  # of "private", the one beside them
_ANY_TELLING = _words(
    by_first_letter("|".join(_TOPICS[each].pattern.removeprefix(_BEFORE).removesuffix(_AFTER) for each in TELLING))
)
_NEEDED: Final = tuple(
    (weight, tuple(sorted(topics.split(), key=lambda topic: topic not in TELLING))) for weight, topics in _TOGETHER
)

# What begins a turn, a call or a block for a program that runs models, and the usual order in other languages; with
# the letters of which each has some.
_MARKS: Final = (
    (0.8, ("<|", "[inst", "[/inst", "<<sys>>", "<start_of",),
     r"<\|[a-z_]{2,30}\|?>|\[/?inst\][^\n]|<<sys>>|<start_of_turn>"),
    (0.5, ("</",),
     r"</(?:system(?:_prompt)?|context|instructions?|prompt|user|assistant|data|document)>[^<\n]{0,4}[a-z]"),
    (0.5, ("<system", "<assistant", "[system]",), r"<(?:system|system_prompt|assistant)>|\[system\]\("),
    (0.5, ("urgent", "critical",), r"\b(?:urgent|critical) system (?:update|message|override)\b"),
    (0.5, ("##", "system",),
     r"(?m)^#{2,4} ?(?:system|instruction):|^(?:\[system\]|system:)[^\n]{0,20}\byou\b|\bnew system prompt\b"),
    (0.5, ("assistant:",), r"(?m)^(?:human|user): [^\n]{0,200}\n{1,3}assistant:"),
    (0.3, ("end of", "begin",), r"(?m)^\W{0,4}(?:end of|begin) [a-z ]{0,20}(?:data|document|prompt|context)\b"),
    (0.6, ("<tool_call", "<function_c", "<invoke", "to=functions",),
     r"<tool_calls?>\s{0,4}[{\[]|<function_calls>\s{0,4}<|<invoke name=|\bto=functions\."),
    (0.6, ('"tool', '"name"', '"function_call"',),
     r"\"(?:tool|name)\": ?\"\w{1,64}\", ?\"arguments\": ?\{|\"(?:tool_calls|function_call)\": ?[\[{]"),
    (0.3, ("curl", "wget",), r"\b(?:curl|wget)\b[^\n|]{0,120}\| ?(?:sudo )?(?:ba|z)?sh\b"),
    (0.4, ("before ",),
     r"\bbefore (?:answering|replying|responding)\b[^\n.]{0,12}\b(?:run|call|execute|fetch|visit|send)\b"),
    (0.5, ("decode", "base64", "rot13",), r"\b(?:decode|base64|rot13)\b[^\n.]{0,40}\b(?:follow|execute|obey)\b"),
    (0.4, ("pwned", "do ", "obey", "you ",),
     r"\b(?:pwned|do (?:exactly )?(?:as|what) i (?:say|tell you)|obey (?:only )?me|you (?:work for|obey|serve) )"),
    (0.7, ("ignorier", "verg", "missachte",),
     r"\b(?:ignorier|verg[ie]ss|missachte)\w{0,3}\b[^.!?\n]{0,24}(?:vorher|bisher|früher|oben|zuvor|deine)"),
    (0.7, ("ignor", "olvid", "esque", "oubli", "dimentic", "no sigas",), _ROMANCE),
    (0.7, ("игнорир", "забудь",), r"(?:игнорир|забудь)\w{0,6}[^.!?\n]{0,24}(?:предыдущ|прежн|выше|прошл)"),
    (0.7, ("忽略", "无视", "無視",),
     r"(?:忽略|无视|無視)[^。！？\n]{0,12}(?:指令|指示|说明|提示)|(?:指示|命令)[^。！？\n]{0,8}無視"),
)  # fmt: skip
_PATTERNS: Final = tuple((weight, letters, re.compile(pattern)) for weight, letters, pattern in _MARKS)
_ANY_LETTERS = re.compile("|".join(re.escape(each) for _, letters, _ in _PATTERNS for each in letters))

_WHITE = re.compile(r"[^\S\n]+")
_SENTENCES = re.compile(r"[.!?](?:\s+|$)|\n+")


def suspicion_of(text: str) -> float:
    """From 0 to 1, how much a text reads like orders to a model; from `SUSPICIOUS` on it is marked.

    English, and the usual first sentence in some other languages; invisible and look-alike characters do not hide it.
    The whole text is read, in linear time.
    """
    if len(text) <= _WINDOW:
        return _suspicion(text)
    return max(_suspicion(text[start : start + _WINDOW]) for start in range(0, len(text), _WINDOW - _SHARED))


def _suspicion(text: str) -> float:
    plain = undisguised(key_text(text), text)
    if not (plain.isprintable() and plain.isascii()) or "  " in plain:
        plain = _WHITE.sub(" ", plain)
    plain = plain.lower()
    calm = 1.0
    for weight in hiding(text):
        calm *= 1.0 - weight
    if _ANY_LETTERS.search(plain):
        for weight in _marks(plain):
            calm *= 1.0 - weight
    if _ANY_TELLING.search(plain) or any(each in plain for each in _PRIVATE_LETTERS):
        for weight in _orders(plain):
            calm *= 1.0 - weight
    return round(1.0 - calm, 3) if calm < 1.0 else 0.0


def _marks(plain: str) -> Iterator[float]:
    for weight, letters, pattern in _PATTERNS:
        if any(each in plain for each in letters) and pattern.search(plain):
            yield weight


def _orders(plain: str) -> Iterator[float]:
    there: dict[str, bool] = {}

    def is_there(topic: str) -> bool:
        if topic not in there:
            there[topic] = _TOPICS[topic].search(plain) is not None
        return there[topic]

    possible = [(weight, needed) for weight, needed in _NEEDED if all(map(is_there, needed))]
    if not possible:
        return
    topics = {topic for _, needed in possible for topic in needed}
    found = [{topic for topic in topics if _TOPICS[topic].search(part)} for part in _SENTENCES.split(plain)]
    for weight, needed in possible:
        if any(said.issuperset(needed) for said in found):
            yield weight
