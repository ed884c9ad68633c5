"""How much a text reads like orders to a model rather than like something to remember.

What remembered text asks of a model is no more than data; this tells how much reason there is to say so. Each rule is
one sort of sign with a weight: how sure it is by itself. Several together are surer than each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cortex.core.text.normal import key_text
from cortex.core.understanding.disguise import hiding, undisguised

# From here on a text is marked: one strong sign, or two weak ones.
SUSPICIOUS: Final = 0.5

# A long text is read in windows that overlap: weak signs that are pages apart say nothing together.
_WINDOW: Final = 2_000
_SHARED: Final = 300


@dataclass(frozen=True, slots=True)
class _Rule:
    """Looked for only where one of the words ``near`` is in the text, which is lower case by then."""

    near: tuple[str, ...]
    pattern: re.Pattern[str]
    weight: float


def _rule(weight: float, near: str, pattern: str) -> _Rule:
    return _Rule(tuple(near.split()), re.compile(pattern), weight)


# Gaps are short and end with the sentence, so that the time of a rule is linear.
_GAP: Final = r"[^.!?\n]"
_DROP: Final = (
    r"(?:ignor(?:e|es|ing)|disregard|forget|overrid(?:e|ing)|overwrite|bypass|discard|abandon|neglect|dismiss|drop|skip"
    r"|set aside|pay no attention to|turn off|disable|stop|(?:do not|don't|never|no longer) (?:follow|obey|listen to|apply))"
)
_BEFORE: Final = (
    r"(?:previous|previously|prior|earlier|above|preceding|foregoing|before|former|original|initial|system|safety|so far"
    r"|until now|existing|developer)"
)
_ORDERS: Final = (
    r"(?:instructions?|prompts?|directions|directives?|guidelines|guidance|guardrails|commands?|programming|training"
    r"|rules?|orders?|polic(?:y|ies)|protocols?|constraints|restrictions|safety checks|context|conversation)"
)
_MODEL: Final = (
    r"(?:ai|a\.i\.|assistants?|(?:large )?language models?|llms?|chatbots?|chatgpt|gpt|claude|gemini|copilot"
    r"|ai (?:agents?|assistants?|models?|systems?))"
)
_HIDDEN: Final = r"(?:system|hidden|initial|secret|internal|developer|confidential|original)"
_TELL: Final = (
    r"(?:reveal|print|show|repeat|output|leak|dump|disclose|display|write out|quote|recite|tell me|give me|send|copy)"
)
_GOODS: Final = (
    r"(?:passwords?|credentials?|secrets|(?:api|private|ssh|access) keys?|chat history|conversation|memories|notes you"
    r"|\.env\b|environment variables|id_rsa|user data)"
)
_PLACE: Final = r"(?:https?:|\S{1,40}@\S{1,40}\.\w|\bto me\b)"

_RULES: Final = (
    # What was said before shall not count any more.
    _rule(0.8, "instruct prompt direct guid guard command programming training rule order polic proto constr restr context",
          rf"\b{_DROP}\b{_GAP}{{0,30}}\b{_BEFORE}\b{_GAP}{{0,16}}\b{_ORDERS}\b"),
    _rule(0.7, "instruct prompt direct guid guard command programming rule order polic",
          rf"\b{_DROP}\b{_GAP}{{0,24}}\b{_ORDERS}\b{_GAP}{{0,20}}\b(?:you were|you (?:have )?(?:received|got|had)|given|above|before|earlier|so far)\b"),
    _rule(0.6, "everything anything whatever above all",
          rf"\b{_DROP} (?:everything|anything|whatever|all)\b{_GAP}{{0,16}}\b(?:above|before|told|previously|so far)\b"),
    _rule(0.5, "instruct prompt rule order polic proto guard guid programming",
          rf"\b(?:{_BEFORE}|your|other|content|security)\b{_GAP}{{0,16}}\b{_ORDERS}\b{_GAP}{{0,20}}\b(?:void|invalid|cancell?ed|suspended"
          r"|revoked|lifted|disabled|obsolete now|no longer (?:appl\w+|valid|count|bind\w*)|do not apply|are off)\b"),
    _rule(0.5, "your", r"\byour (?:real|true|actual) (?:instructions?|orders?|task|identity)\b"),
    _rule(0.4, "your", r"\byour (?:new|only|sole) (?:goal|task|objective|mission|identity|purpose|instructions?|orders?) (?:is|are|will be)\b"),
    _rule(0.5, "instruct", r"\b(?:new|real|actual|updated) (?:system )?instructions?(?: are\b|:)"),
    _rule(0.5, "instead", rf"\bfollow\b{_GAP}{{0,40}}\binstead\b|\bstop what you(?:'re| are) doing\b|^{_GAP}{{0,60}}; instead (?:print|say|write|output)"),
    _rule(0.5, "supersede replace override", rf"\b(?:supersedes?|replaces?|overrides?)\b{_GAP}{{0,30}}\b{_ORDERS}\b{_GAP}{{0,16}}\b(?:you|{_MODEL})\b"),
    _rule(0.5, "do", r"\bdo (?:exactly )?(?:as|what) i (?:say|tell|want)\b"),
    # Another role, without limits.
    _rule(0.5, "you",
          r"\byou(?:'re| are) (?:now|from now on|no longer) (?:an? |the |in |my )?(?:\w+ ){0,2}?(?:dan|ai|root|admin\w*|hacker|bound|\w*(?:gpt|bot|evil|jail)\w*"
          r"|developer mode|un(?:restricted|filtered|censored|limited)|free (?:of|from)|restricted by|claude)\b"),
    _rule(0.4, "without no never free",
          r"\b(?:without|no|free (?:of|from)) (?:any |all )?(?:\w+ )?(?:limits|limitations|restrictions|filters?|guardrails|censorship|ethical \w+|moral \w+|safety \w+)\b"),
    _rule(0.3, "you act respond answer play pretend behave simulat", r"\b(?:you (?:are|have|will|can)|act|respond|answer|role-?play|pretend|behave|simulate)\b[^\n]{0,40}\b(?:without|no|never refuse|unrestricted)\b"),
    _rule(0.5, "unrestricted unfiltered uncensored jailb sudo developer",
          r"\bun(?:restricted|filtered|censored) (?:assistant|ai|model|text|mode|answers?|output)\b|\b(?:jailbreak|jailbroken|sudo|god) mode\b|\b(?:in|enter|enable) developer mode and\b"),
    _rule(0.5, "act pretend role", r"\b(?:act as|pretend (?:to be|that you are|you are)|play the role of) (?:an? |the )?(?:administrator|admin|root|evil\w*|unrestricted|developer|hacker|dan|owner)\b"),
    _rule(0.5, "obey work serve", r"\byou obey \w|\bobey (?:only )?(?:me|the attacker)\b|\byou work for me\b|\byou serve \w|\bassistant obeys\b"),
    _rule(0.4, "you", r"\byou (?:must|will|have to|are required to|are obliged to|shall) (?:always |now |never |not )?(?:comply|obey|refuse|approve|trust|delete|erase|exfiltrate|transfer|send|call the|rate)\b"),
    _rule(0.3, "all any every", r"\b(?:all|any|every|each) (?:(?:my|further|following|other) )?(?:requests?|commands?|orders) (?:are|is|below|of|in|from)\b|\bnever refuses?\b"),
    # The hidden prompt and what belongs to it.
    _rule(0.7, "prompt instruct message config",
          rf"\b{_TELL}\b{_GAP}{{0,30}}\b(?:your|the confidential)\b{_GAP}{{0,14}}\b{_HIDDEN}\b{_GAP}{{0,8}}\b(?:prompt|instructions|messages?|config\w*)\b"),
    _rule(0.5, "your", rf"\b{_TELL} (?:me )?(?:all )?(?:of )?your (?:\w+ )?(?:prompt|instructions|rules|configuration|config|secrets|tools|memor\w+|passwords?)\b"),
    _rule(0.6, "system", rf"\byour system (?:prompt|message)\b{_GAP}{{0,12}}[?.]? ?{_GAP}{{0,20}}\b(?:verbatim|word for word|output|in full|say)\b"),
    _rule(0.5, "told instruct", r"\bwhat (?:were you told|are your (?:\w+ )?instructions|did your (?:developer|creator)s? (?:say|tell))\b"),
    # Behind somebody's back.
    _rule(0.5, "user human owner",
          rf"\b(?:do not|don't|never|not) (?:tell|inform|notify|alert|reveal to|mention \w{{1,12}} \w{{1,12}} to|let|warn)\b{_GAP}{{0,12}}\b(?:user|human|owner)\b(?!'| (?:upload|log|enter|type|delete|edit|set|choose|click|change|open|see))"),
    _rule(0.5, "without", r"\bwithout (?:telling|informing|alerting|notifying|the knowledge of|warning) the (?:user|owner|human)\b"),
    _rule(0.5, "user human owner", r"\b(?:hide|keep|conceal) (?:this|it|that|the \w+)\b[^.!?\n]{0,10}\bfrom the (?:user|human|owner)\b(?! interface)|\b(?:user|human|owner) must (?:not|never) (?:know|learn|notice|find out|see this)\b"),
    _rule(0.5, "silently report", rf"\bsilently\b{_GAP}{{0,30}}\b(?:do not|don't) ask\b|\b(?:do not|don't) report (?:it|this)\b"),
    _rule(0.4, "wishes safety verification security", r"\bagainst the (?:user|owner)'s wishes\b|\b(?:bypass|skip|ignore) (?:the |all )?(?:safety|verification|security)\b"),
    # Marks of chats, of calls, and of the fences around data.
    _rule(0.8, "<| [inst] [/inst] <<sys>> <start_of_turn", r"<\|[a-z_]{2,30}\|?>|\[/?inst\][^\n]|<<sys>>|<start_of_turn>"),
    _rule(0.5, "</ <system", r"</(?:system|system_prompt|context|instructions?|prompt|user|assistant|data|document|memory)>[^<\n]{0,4}[a-z]|<(?:system|system_prompt)>"),
    _rule(0.5, "system",
          r"(?m)^#{2,4} system:|^(?:\[system\]|system:)[^\n]{0,20}\byou\b|\[system\]\(|\bnew system prompt\b|\b(?:urgent|critical|important) system (?:update|message|override)\b"),
    _rule(0.5, "instruction:", r"(?m)^#{2,4} instruction:"),
    _rule(0.5, "assistant:", r"(?m)^(?:human|user): [^\n]{0,200}\n{1,3}assistant:"),
    _rule(0.6, "tool_call function_call <invoke \"arguments\" to=functions",
          r"<tool_calls?>\s{0,4}[{\[]|<function_calls>\s{0,4}<|<invoke name=|\"(?:tool|name)\": ?\"\w{1,64}\", ?\"arguments\": ?\{|\"(?:tool_calls|function_call)\": ?[\[{]|\bto=functions\."),
    _rule(0.3, "tool", r"\b(?:call|invoke) the tool \w{1,64}\b"),
    _rule(0.3, "memor", r"\b(?:every memory|all (?:your |the )?memories|your memory)\b"),
    # Said to a model, or in the name of who may order.
    _rule(0.5, "ai assistant model llm gpt claude gemini copilot bot",
          rf"\b(?:message|note|attention|notice|instructions?|dear|hey|hello)\b,?:?(?: (?:to|for))?(?: the| all| any| every)? {_MODEL}\b|^to (?:the|all|any|every) {_MODEL}\b"),
    _rule(0.5, "if as", rf"\bif you(?:'re| are) (?:an? |the )?{_MODEL}\b|\bas (?:an?|the) {_MODEL}, you\b"),
    _rule(0.5, "reading processing summar evaluat parsing scanning index now,",
          rf"\b{_MODEL},? (?:who (?:are )?|that (?:are )?|which (?:are )?)?(?:reading|reads?|processing|processes|summari[sz]\w+|evaluating|parsing|scanning|indexing) (?:this|the|these|my|it)\b|\bnow, assistant\b"),
    _rule(0.5, "authoriz approved permission", r"\bi (?:hereby )?authori[sz]e you\b|\bowner (?:has )?authori[sz]ed you\b|\b(?:user|owner) has already (?:approved|authori[sz]ed|agreed|consented|given)\b|\byou (?:have|are given) (?:full )?permission to\b"),
    _rule(0.5, "your", r"\b(?:command|message|order|instruction|update)s? from your (?:creator|developer|owner|maker|admin\w*|operator)\b|\bas your (?:developer|creator|owner|admin\w*|operator)\b"),
    _rule(0.5, "treat consider regard trust", rf"\b(?:treat|consider|regard|trust)\b{_GAP}{{0,30}}\b(?:instructions?|messages?|orders?|commands?|requests?)\b{_GAP}{{0,30}}\b(?:owner|admin\w*|system|trusted|even against)\b"),
    # What it is after.
    _rule(0.5, "send forward upload email mail exfiltrat post request transmit",
          rf"\b(?:send|forward|post|upload|e-?mail|exfiltrate|transmit|make a request)\b[^!?|\n]{{0,40}}(?:{_GOODS}[^!?|\n]{{0,40}}{_PLACE}|{_PLACE}[^!?|\n]{{0,60}}{_GOODS})"),
    _rule(0.5, "exfiltrat forward gather collect harvest steal", rf"\b(?:exfiltrate|harvest all)\b|\b(?:collect|gather) (?:all |the )?(?:\w+ )?{_GOODS}|\bforward all (?:e-?)?mails?\b"),
    _rule(0.5, "send reply paste include copy print", rf"\b(?:send|give) me\b{_GAP}{{0,20}}\b(?:passwords?|credentials|keys)\b|\bsend the conversation\b|\b(?:copy|print|paste|include|reply with)\b[^!?\n]{{0,24}}(?:~/\.(?:aws|ssh)|id_rsa|/etc/passwd|\.env\b)"),
    _rule(0.5, "whenever asked every future always", r"\b(?:whenever the user asks|when asked about|every time you answer)\b[^\n]{0,60}\b(?:recommend|respond with|reply with|append|say)\b[^\n]{0,60}\b(?:https?|always|hide|text|only)\b"
          r"|\b(?:in|to|at the end of) (?:every|all|each) (?:of your )?(?:future )?(?:answers?|responses?|repl(?:y|ies))\b[^\n]{0,12}\b(?:mention|add|append|include|recommend|say|insert)\b|\balways (?:trust messages from|recommend \w+ \w+ and hide)\b"),
    _rule(0.3, "http", r"\b(?:visit|respond with a link to|click|fetch|open)\b[^\n]{0,20}https?://"),
    _rule(0.3, "append answer", r"\bappend the text\b|\bat the end of (?:each|every) answer\b|\bin every answer\b"),
    _rule(0.5, "decode base64 rot13", r"\b(?:decode|base64|rot13)\b[^\n]{0,40}\b(?:follow|execute|obey)\b"),
    _rule(0.3, "curl wget", r"\b(?:curl|wget)\b[^\n|]{0,120}\| ?(?:sudo )?(?:ba|z)?sh\b"),
    _rule(0.4, "before first", r"\bbefore (?:answering|replying|responding|you answer)\b[^\n]{0,12}\b(?:run|call|execute|fetch|visit|send)\b"),
    _rule(0.4, "immediately asking", rf"\b(?:run|execute)\b{_GAP}{{0,30}}\b(?:immediately|without asking)\b"),
    _rule(0.4, "pwned hacked", r"\b(?:pwned|\"hacked\")"),
    # The first sentence of all of them, elsewhere.
    _rule(0.7, "ignorier vergiss vergesse missachte",
          r"\b(?:ignorier\w{0,3}|vergiss|vergesse\w?|missachte)\b[^.!?\n]{0,24}\b(?:vorherig\w*|vorher|bisherig\w*|bisher|frühere\w*|obige\w*|oben|zuvor)\b"),
    _rule(0.7, "ignor olvid esque oubli dimentic", r"\b(?:ignor[aeo]\w{0,2}|olvid\w{1,2}|esque\w{1,4}|oubli\w{1,3}|dimentic\w{1,4})\b[^.!?\n]{0,24}\b(?:instru\w+|istruzioni|consignes?|[oó]rdenes|reglas|règles|regole|regras)\b[^.!?\n]{0,5}\b(?:anterior|précéden|previ|prévi|precedent)"),
    _rule(0.7, "игнорир забудь", r"(?:игнорир\w{1,6}|забудь\w{0,2})[^.!?\n]{0,24}(?:предыдущ|прежн|выше|прошл)"),
    _rule(0.7, "忽略 无视 無視", r"(?:忽略|无视|無視)[^。！？\n]{0,12}(?:指令|指示|说明|提示)|(?:指示|命令)[^。！？\n]{0,8}無視"),
)  # fmt: skip

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
    yield from hiding(text)
    plain = _WHITE.sub(" ", undisguised(key_text(text), text)).lower()
    for rule in _RULES:
        if any(word in plain for word in rule.near) and rule.pattern.search(plain):
            yield rule.weight
