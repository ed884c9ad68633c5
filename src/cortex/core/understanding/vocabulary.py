"""Everyday words that several judgements ask about. Lists are short: what is frequent, not what is possible."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Who is whose. What a word says of its bearer: the other one's spouse, child, parent, acquaintance, or animal.
SPOUSES: Final = _words("wife husband spouse fiancé fiancée fiance fiancee bride groom")
CHILDREN: Final = _words("son daughter child kid baby toddler sons daughters children kids")
PARENTS: Final = _words("mother father mom mum dad mama papa parent stepmother stepfather")
ACQUAINTANCES: Final = _words(
    """
    brother sister sibling twin cousin aunt uncle niece nephew grandmother grandfather grandma grandpa granny friend
    friends partner girlfriend boyfriend ex colleague coworker co-worker teammate boss manager supervisor lead mentor
    mentee tutor teacher coach student neighbour neighbor roommate flatmate landlord landlady assistant therapist
    doctor dentist lawyer accountant godfather godmother in-law mother-in-law father-in-law brother-in-law
    sister-in-law stepbrother stepsister nanny babysitter trainer client co-founder cofounder
    """
)
ANIMALS: Final = _words("dog cat puppy kitten horse rabbit hamster parrot pet tortoise")
KIN: Final = SPOUSES | CHILDREN | PARENTS | ACQUAINTANCES

CALENDAR: Final = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays mon tue wed thu fri sat sun january february march april may june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec q1 q2 q3 q4 h1 h2 christmas easter ramadan halloween
    thanksgiving hanukkah diwali
    """
)
WEEKDAYS: Final = _words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS: Final = _words(
    "january february march april june july august september october november december"  # may: mostly a verb
)
LANGUAGES: Final = _words(
    """
    english german french spanish italian portuguese dutch polish russian ukrainian greek turkish arabic hebrew persian
    farsi hindi urdu bengali tamil chinese mandarin cantonese japanese korean vietnamese thai swedish norwegian danish
    finnish hungarian czech romanian bulgarian american british european african asian australian canadian mexican
    brazilian indian irish scottish welsh swiss austrian belgian latin christian muslim jewish buddhist catholic
    """
)
# Capitals that name no one thing.
ACRONYMS: Final = _words(
    """
    api apis ui ux db ci cd cpu gpu ram ssd os pr prs mr id ids url urls ok okay faq pdf cto ceo cfo coo vp hr qa it
    ai ml llm llms sdk cli ide sla slo kpi okr eta asap fyi btw tbd todo mvp poc rfc utc gmt cet est pst am pm tv sms
    gps vat vpn lan wan nat ip iot orm crud acl sso mfa 2fa otp gdpr soc hipaa vm vms pc io gb mb kb tb usd eur gbp
    imo tl dr ps nb eod eow dev ops devops saas paas b2b b2c crm erp cms cdn dom tz ttl etl p1 p2 sev1 acid cap null
    true false get put post delete patch select insert update and or not a
    """
)
# Verbs in the third person: what stands before one of them is a subject.
THIRD_PERSON: Final = _words(
    """
    is was has had isn't wasn't hasn't doesn't does did will would can cannot can't won't should lives lived works
    worked owns owned uses used runs ran likes loves hates prefers dislikes enjoys wants needs needed depends joined
    left moved married met knows knew said says told called leads led maintains maintained handles holds stores keeps
    sits talks asked asks reports became becomes replaced replaces supports provides exposes causes caused fixes fixed
    broke breaks went goes came comes started starts stopped got gets made makes took takes gave gives bought sold
    built writes wrote reads studies studied teaches taught plays quit retired visited turned tracks serves also still
    never always just now currently recently sent signed paid suggested recommended thinks thought manages managed
    lints formats terminates does forwards
    """
)
PERSON_VERBS: Final = _words(
    """
    lives lived works worked likes loves hates prefers dislikes enjoys wants joined married met knows knew said says
    told called asked asks reports studies studied teaches taught quit retired visited thinks thought suggested
    recommended signed bought complained believes
    """
)
# How an order or a piece of advice begins.
IMPERATIVES: Final = _words(
    """
    use run make keep set check avoid ensure remember write add ask call send put don't do never always please stop
    start create delete remove update install turn open close read follow put prefer return log include exclude let
    wait try verify test validate document name format store save load pin merge rebase commit push pull review answer
    reply respond speak talk explain show tell give bring take buy get go come look watch note notify inform remind
    skip ignore treat handle wrap move copy replace rename refactor build deploy restart reset configure enable disable
    limit back double only email text schedule book cancel order clean wash water feed lock switch press click
    refer see consult assume mind address stick begin end finish provide supply escape sanitize hash encrypt rotate
    report file tag label mark sort sign enter leave pass drop execute invoke import export generate mention cite
    """
)
# Nouns, adjectives and adverbs that often open a statement and name nothing by themselves.
OPENERS: Final = _words(
    """
    wow woah whoa yeah yep nope sure cool
    congrats congratulations awesome amazing definitely absolutely totally oh ah hmm well
    anyway plus bye welcome cheers haha
    everyone everybody everything someone somebody something anyone anybody anything nobody nothing none many much
    several various currently recently usually often sometimes normally typically generally yesterday today tomorrow
    tonight last next first second third finally later earlier soon now then right still maybe perhaps probably
    apparently actually basically unfortunately luckily sadly hopefully thanks thank sorry hello hi hey yes no ok okay
    good great nice bad new old big small long short high low whenever however therefore moreover besides instead
    two three four five six seven eight nine ten half whole every another other others one once twice
    users user customers customer people person team teams developers developer engineers engineer clients client
    members admins staff management sales marketing support design finance legal product engineering security
    data database databases server servers service services system systems application applications app apps code
    code-base codebase branch release releases version versions deploy deploys deployment deployments build builds
    pipeline job jobs task tasks ticket tickets issue issues bug bugs error errors exception failure failures outage
    incident login logins logout sign-in signup authentication authorization access permissions password passwords
    token tokens session sessions request requests response responses query queries table tables column columns index
    cache caches queue queues message messages event events log logs metric metrics alert alerts test tests unit
    integration performance latency memory disk network storage backup backups migration migrations search frontend
    backend mobile web page pages button form forms file files folder image images video document documents docs
    documentation feature features flag flags config configuration setting settings environment production staging
    development local remote work working meeting meetings call calls email emails mail mails phone office home house
    kitchen garden car train flight trip travel holiday vacation weekend morning evening night breakfast lunch dinner
    coffee tea food water weather rain music book books film films movie movies sport school university college mother
    father brother sister wife husband son daughter mom mum dad grandma grandpa parents family friend friends dog cat
    money budget price prices cost costs payment payments invoice invoices order orders project projects plan plans
    goal goals summary overview recap notes note feedback decision decisions context background status update updates
    upgrade upgrading moving switching using running writing reading learning building general minor major note
    important reminder question answer example problem solution reason result results overall summing version
    commit commits deadlock segfault timeout timeouts panic crash root retry retries sprint chapter ticket rate
    deadline milestone phase step thread threads process processes client-side server-side two-factor sunday
    """
)
