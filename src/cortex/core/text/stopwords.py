"""Function words, by language: they say how words hang together, not what a memory is about.

Left out of English on purpose: may (a month), us (a country), who, what and the other question words (the
names of bands and agencies when stored; only questions drop them).
"""

from __future__ import annotations

from functools import cache
from typing import Final

from cortex.core.text.normal import fold


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in text.split())


NONE: Final[frozenset[str]] = frozenset()

ENGLISH: Final = _words(
    """
    a an the this that these those
    i me my mine myself we our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    am is are was were be been being have has had having do does did doing done
    will would shall should can could might must cannot
    and or but nor so yet if then else because as until while although though unless whereas
    of at by for with about against between into through during before after above below to from up down in
    out on off over under upon onto within without toward towards among per via
    again further once here there both each few more most other some such only own same than too very just
    also no not
    dont didnt doesnt isnt arent wasnt werent wont cant couldnt wouldnt shouldnt im ive
    eg ie etc
    """
)

QUESTION: Final = _words(
    """
    what when where who whom whose which why how whats whos wheres hows
    do does did any ever many much kind kinds
    """
)

_GERMAN = """
    der die das den dem des ein eine einen einem einer eines kein keine keinen und oder aber denn sondern
    ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine meinen meinem meiner dein deine
    sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere bin bist ist sind seid war waren
    wird werden wurde wurden habe hast hat haben hatte hatten kann können muss müssen soll sollen will wollen
    nicht auch nur noch schon sehr so wie als wenn dass ob weil da dort hier nach von vom zu zum zur bei beim mit
    für gegen ohne um an am auf aus in im ins über unter vor hinter zwischen durch bis seit
    dieser diese dieses diesen diesem jeder jede jedes man sich was wer wo wann warum dann doch mal
    """
_SPANISH = """
    el la los las lo un una unos unas de del al a ante con contra desde en entre hacia hasta para por según sin
    sobre tras y e o u pero sino ni que si como cuando donde porque aunque mientras
    yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus
    nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas aquel aquella
    soy eres es somos son era eran fue fueron ser sido está están estaba estar estoy he has ha hemos han había
    haber hay no sí muy más menos ya también tampoco qué quién cuál cuándo dónde cómo
    """
_FRENCH = """
    le la les l un une des de du d au aux à en dans par pour avec sans sous sur vers chez entre contre depuis
    et ou mais donc or ni car que qu qui quoi dont où si comme quand lorsque puisque parce
    je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y moi toi soi eux
    mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ça
    suis es est sommes êtes sont était étaient étais été être sera ai as a avons avez ont avait avoir eu
    ne n pas plus jamais rien aussi très déjà encore bien
    """
_ITALIAN = """
    il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dalla
    dai dalle in nel nello nella nei nelle con su sul sulla sui sulle per tra fra e ed o od ma però anche che
    se come quando dove perché chi cui quale quali
    io tu lui lei noi voi loro mi ti ci vi si ne me te mio mia miei mie tuo tua suo sua suoi sue nostro nostra
    questo questa questi queste quello quella quelli quelle
    sono sei è siamo siete era erano essere stato stata ho hai ha abbiamo avete hanno aveva avere
    non più già molto ancora c
    """
_PORTUGUESE = """
    o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo pela pelos pelas
    para com sem sob sobre entre até desde contra e ou mas nem que se como quando onde porque embora enquanto
    eu tu ele ela nós vós eles elas você vocês me te lhe lhes meu minha meus minhas teu tua seu sua seus suas
    nosso nossa este esta isto estes estas esse essa isso esses essas aquele aquela aquilo
    sou é somos são era eram foi foram ser sido está estão estava estar estou tenho tem têm temos tinha ter há
    não sim muito mais menos já também ainda
    """
_DUTCH = """
    de het een der den des en of maar want dus noch dat die dit deze daar hier waar
    ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun mijn jouw zijn uw onze
    ben bent is was waren wordt worden werd werden geweest heb hebt heeft hebben had hadden kan kunnen moet moeten
    zal zullen zou zouden wil willen mag
    in op aan van voor met bij naar uit over onder door tegen tussen zonder tot om te als dan toen omdat hoewel
    niet geen ook nog al er zo wel heel zeer wie wat wanneer hoe waarom
    """
_RUSSIAN = """
    и а но или да же ли бы не ни в во на с со к ко у о об от до из за по под над при для без через между про
    я ты он она оно мы вы они меня тебя его её нас вас их мне тебе ему ей нам вам им мной тобой мой моя моё мои
    твой твоя наш наша ваш ваша свой своя свои это этот эта эти тот та то те что чтобы как так когда где
    если потому был была было были быть есть буду будет уже ещё очень только
    """

FUNCTION_WORDS: Final = {
    "de": _words(_GERMAN),
    "es": _words(_SPANISH),
    "fr": _words(_FRENCH),
    "it": _words(_ITALIAN),
    "nl": _words(_DUTCH),
    "pt": _words(_PORTUGUESE),
}
RUSSIAN: Final = _words(_RUSSIAN)


@cache
def stop_words(language: str | None, scaffolding: frozenset[str]) -> frozenset[str]:
    """The folded words to leave out: English and Russian always, those of the language, the scaffolding."""
    return ENGLISH | RUSSIAN | FUNCTION_WORDS.get(language or "", NONE) | scaffolding
