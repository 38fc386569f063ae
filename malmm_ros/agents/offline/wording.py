"""Words and turns of speech around a wish: courtesies, openings, remarks, real look-alikes."""

from __future__ import annotations

from typing import Final


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# Real words one letter away from what may be in a scene: they are no slips.
REAL_WORDS: Final = _words(
    "latter former matter better later wish fish dish dash stink stinks mould moulds",
    "pan pen pens hat hot bat bar bag rug mug jug cat cats map log logs lip kid kids bed beds",
    "clock flock lock locks car cars far tar ear war jaw jam lit lie did led bid king sing wing",
    "rink rang bring leg legs beg pig pet bell call wall walls fall falls bill doll mall hall",
    "hope hood troop pun bun tin ban win gin tram ray stray pray try wed rid read reed glue clue",
    "greed greet queen tap gap lap cab vase bare nose hose rise rope role robe lose time times",
    "lamp meal deal tea team real tell cold fold told self shell drill girl grip speak steam",
    "stead sneak seat mean meet beat candle ladle wind vine fine wife wire wide battle him his",
    "her hers he she dad mom mum say said way day days lunch dinner eat ate sit sat run ran fun",
    "sun son bus boss lots new few raw rare ripe care core more mode made male late hate date",
    "gate bake cake wake lake sake tape cape bean beans scene spin spine share scare stare stone",
    "bone tone book look took cook cool pool tool wool foot food good wood mood moon soon noon",
    "room boot boat coat goat float plant peace pace face race rate hair fair chair land sand",
    "band brand grand wild child mild mind word words work worm warm card yard dark bark shark",
    "shape sharp shop ship trip drip strip bird girl world wait worse worth whole where when what",
    "why how who whom whose tall ball balls bowl bowls mile smile pile file tile tale sale safe",
    "same some someone somebody sleep bottom button cotton happy hungry angry guest guests "
    "station",
    "wonder thunder winter water paper pepper salt sugar bread butter milk juice beer coffee love",
    "live life light night right sight might tight fight eight weight height wine line lines mine",
    "nine pine dine lend send bend mend spend trend friend blend blind grind wink pint paint "
    "point",
    "print sprint hint mint tint tent rent sent dent went want wants plane crane brain drain "
    "train",
    "grain gain main pain rain rains if of or as at by in on off out",
)

# Segments of these words alone say nothing: "thank you, robot", "come on, big guy".
COURTESY: Final = _words(
    "please pls plz thanks thank thx cheers ta tia ty mate love dear darling honey buddy pal "
    "friend",
    "robot panda machine sir madam guy guys man folks everybody everyone hey hi hello hallo "
    "ugh oh",
    "ah aha wow yes yeah yep yup ok okay alright right well so um uh er erm hm hmm you your my "
    "old",
    "good great nice fine perfect lovely super cool big very much kindly now then come on go "
    "ahead",
    "morning afternoon evening day again bye goodbye greetings welcome do it too sorry listen "
    "look",
    "quick fast asap pronto attention ready steady i we are and the a alexa siri there advance "
    "appreciated much in be",
    "chop quick quickly quick-quick hurry up chap fella bro dude boss captain team all lad lads",
    "sweetheart sweetie hun pet doll champ chief genius mister",
    "would will could can for me us that one more thing today next up here goes nothing a little",
)
# ... but only with one of these in it, else they may be part of a wish: "on the right".
COURTEOUS: Final = _words(
    "please pls plz thanks thank thx cheers ta mate love dear darling honey buddy pal friend "
    "robot",
    "panda guy guys folks everybody everyone hey hi hello hallo ugh oh ah aha wow yes yeah yep "
    "yup",
    "ok okay alright well um uh er erm hm hmm morning afternoon evening bye goodbye greetings",
    "quick fast asap pronto come listen attention ready sorry machine sir madam appreciated "
    "hurry dude bro boss chop "
    "chap",
    "sweetheart sweetie hun pet doll champ chief genius mister",
    "fella lad lads alexa siri great perfect lovely super would could will right so man goes now",
)

# Turns of speech that stand for themselves and change nothing.
PHRASES: Final = (
    r"show (?:us|me) (?:what you(?:'| ha)ve got|what you can do|how it is done)",
    r"take your time",
    r"(?:please )?be (?:very )?(?:careful|gentle|quick)(?: with (?:it|them|that))?",
    r"(?:no|there is no) (?:rush|hurry)", r"if (?:it is )?not too much trouble",
    r"if you (?:like|please)",
    r"mind your fingers", r"good luck", r"have fun", r"(?:keep up the )?good (?:work|job)",
    r"well done",
    r"that would be (?:great|nice|lovely|perfect|wonderful|awesome|all|it|a great help)",
    (r"(?:would|will|could|can) you(?: please)?(?: do (?:that|this|it|so))?(?: for (?:me|"
    r"us))?(?: please)?"),
    r"(?:please|pls|just) do(?: it| so| that)?(?: for (?:me|us))?",
    r"is (?:that|this|it) (?:ok|okay|alright|clear|possible)",
    r"you know what i mean", r"you know", r"if you know what i mean",
    r"i (?:think|guess|suppose|reckon|believe|hope)",
    (r"(?:it|that|this) (?:is|should be) (?:not )?(?:very |so |too |that |really )?(?:easy|"
    r"simple|hard|difficult|urgent|important)(?: enough)?"),
    r"do you (?:understand|hear me|follow|copy)", r"(?:that|this) is (?:all|it)",
    r"nothing (?:else|more)",
    r"and (?:that|this) is (?:all|it)", r"for (?:me|us)", r"pretty please", r"i beg you",
    r"as (?:fast|quickly|soon|carefully|gently) as (?:you can|possible)",
    r"you (?:can|will) do (?:it|this|that)", r"i (?:am|'m) (?:counting|relying) on you",
    r"at your (?:leisure|convenience|own pace)",
    (r"when(?:ever)? you (?:are ready|have (?:a|the) (?:moment|minute|second|time)|can|get (?:a|"
    r"the) chance)"),
    r"if you (?:do not|would not) mind", r"if you (?:could|would|can|will)",
    r"if you (?:have|get) (?:a|the) (?:moment|minute|second|time|chance)",
    r"(?:many )?thanks(?: a lot| so much| in advance| very much)?",
    r"(?:i )?hope (?:you|everything|all|your day|this)(?: day| all)? .*",
    r"(?:let us|show (?:me|us)) .*skills?",
    r"thank you(?: so much| very much| in advance| kindly)?",
)  # fmt: skip

# Openings that make a wish of what follows; dropped from the start of a sentence or part of one.
OPENERS: Final = (
    (r"(?:i|we) (?:would|was|were|am|are|will) (?:be )?(?:very |really |so |most |ever so |"
    r"eternally )?"
    r"(?:grateful|happy|glad|obliged|pleased|delighted|thankful|thrilled|wondering|curious|hoping)"
    r" (?:if|whether|that|to see|to have|for)(?: you (?:could|would|can|might))?"),
    r"(?:i|we) would (?:really |very much |so )?appreciate (?:it )?if(?: you (?:could|would))?",
    (r"(?:it would|would it|would not it|it will|it might) be (?:so |very |really |just )?"
    r"(?:great|nice|lovely|good|best|wonderful|super|perfect|fantastic|kind|helpful|awesome|"
    r"cool|a good idea|an idea|possible|too much trouble|a great help)"
    r" (?:if|to|for you to|to have|to see)(?: you (?:could|would|can|were to))?"),
    (r"(?:i|we) would (?:feel|be|sleep|rest) (?:much |a lot |so much )?(?:better|happier|safer|"
    r"easier|calmer|more comfortable|less worried) if(?: you (?:could|would))?"),
    (r"(?:is|would) (?:it|there) (?:be )?(?:possible|feasible|ok|okay|alright|any chance|a "
    r"chance|a way)"
    r" (?:to|that|for you to|of you|of|if)(?: you (?:could|would|can))?"),
    (r"(?:do|would|could) you (?:think|believe|reckon|suppose) (?:that )?you (?:could|can|might|"
    r"would)(?: be able to)?"),
    r"(?:are|would|will) you (?:be )?able to",
    r"(?:are you|be) (?:a )?(?:dear|darling|sweetheart|good robot|star|love|angel) and",
    (r"(?:would|could|will|can) you (?:please )?be (?:a |an |so |my )?(?:\w+ )?(?:dear|darling|"
    r"sweetheart|star|love|angel|kind|good|nice|friend)"
    r"(?: enough)? (?:and|as to|to)"),
    (r"(?:i|we) would (?:really |just |so |absolutely |very much )?(?:love|like|prefer|want|"
    r"wish)(?: it)? (?:if|to see|to have|for)(?= )(?: you (?:could|would|to))?"),
    (r"(?:can|could|would|will) (?:somebody|someone|anybody|anyone|one|you guys)(?: please)?(?: "
    r"have| get| see)?(?= (?:the|a|my|that|this|all|both|it|them|put|\w+) )"),
    (r"(?:please )?(?:help (?:me|us)|assist (?:me|us)|do me (?:a|the) favou?r|do (?:me|us) a "
    r"solid)(?: and| by| to| with)?"),
    (r"(?:your|the|my|our) (?:next |first |new |only |current )?(?:task|job|mission|assignment|"
    r"goal|instruction|order|wish|request|plan|idea)(?: today| now| here| for you)? is "
    r"(?:simple:? |this:? |as follows:? |to |that )?"),
    r"(?:i|we) (?:am|are) (?:asking|telling|begging|instructing|ordering) you to",
    r"(?:i|we) (?:ask|order|command|instruct|beg|request|expect|wish|urge) (?:you )?(?:to|that)",
    (r"(?:please )?(?:remember|do not forget|be sure|feel free|do not hesitate|see to it|take "
    r"care|try)(?: to| that)(?: you)?"),
    (r"all (?:i|we) (?:want|need|ask)(?: you to do| for)?(?: now)? is (?:for you to|that you|to|"
    r"that)?"),
    (r"(?:all )?you (?:just |only )?(?:have|need|ought|are supposed|are expected|got) to(?: do "
    r"is)?"),
    (r"(?:it is |is it |is not it |is it not )(?:about |high |really )?time (?:to|for you to|"
    r"that you|you)"),
    r"(?:it is )?time for (?:a|an|some|the)", r"be so (?:good|kind|nice) as to",
    r"see(?: to it)? that",
    (r"it would (?:really |certainly )?(?:help|please|delight|suit)(?: (?:me|us))?(?: a lot| "
    r"greatly| very much| no end)? if(?: you(?: could| would)?)?"),
    (r"(?:the|my|our) (?:kids|children|boss|wife|husband|guests|friends|mother|mum|mom|dad|"
    r"father|colleagues|customers?|clients?|boy|girl|team|audience|teacher|son|daughter) "
    r"(?:wants?|would (?:like|love)|needs?|expects?|asked)(?: to (?:see|have))?"),
    r"what (?:i|we) (?:would like|want|need)(?: you to do| done)? is (?:for|that|to)",
    r"how about (?:you )?(?=\w+ing\b|putting|you)", r"why do not (?:you|we)", r"why not(?: just)?",
    r"what about (?=\w+ing\b)",
    (r"i (?:think|guess|suppose|reckon|believe|suggest|propose)(?: that)? (?:you should|we "
    r"should|you could|you ought to|it is best to|you)"),
)  # fmt: skip

# What an arm does of its own accord, so that being told so changes nothing.
CARE_VERBS: Final = _words(
    "hit knock bump tip spill damage crush squash squeeze scratch break smash topple bang"
    " collide crash burn hurt dent crack shatter splash jam upset"
)
# With "not": what is named stays as it is.
MOVE_VERBS: Final = _words(
    "touch move take use disturb pick remove grab lift throw bin discard toss bother mind shift",
    "budge nudge push pull handle include pocket steal clear mess fiddle interfere displace",
)
# Verbs of one's own doing after which a clause tells what is, not what is wanted.
WANTING: Final = _words("want wants need needs would wish wishes should must prefer prefers let")
SUBJECTS: Final = _words(
    "i we he she they somebody someone anybody nobody people my our his her their guests the it",
    "that this these those which who there a an",
)
FINITE: Final = _words(
    "is are was were has have had will would can looks look seems smells tastes likes like feels",
    "am did does do left forgot keeps says hates loves love hate prefer thinks went gets got came",
)
