"""Put turns of speech into plainer words, before a text is taken apart into sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from malmm_ros.agents.offline import lexicon
from malmm_ros.agents.offline.wording import OPENERS

View = Literal["", "robot", "camera"]

_VERBS: Final = "|".join(sorted(lexicon.VERBS, key=len, reverse=True))
_END: Final = r"(?=\s*(?:[,.!?;]|$|\band\b|\bthen\b))"
_COUNT: Final = (
    r"\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|"
    r"twenty"
)
_UNIT: Final = r"cm|mm|m|centimet(?:er|re)s?|millimet(?:er|re)s?|met(?:er|re)s?|inch(?:es)?"
_STATE: Final = (
    r"been|done|gone|not|very|so|too|already|still|getting|ready|rotten|hot|cold|bad|off|over\w*|"
    r"burn\w*|a|an|the|on|in|at|(?!opening)\w+ing|\w+ed|\w+en"
)
_OWN: Final = r"(?:yourself|(?:your|the) (?:robot|arm|hand|gripper))"
_HOME: Final = (
    r"(?:(?:your|the|its) )?(?:home|start(?:ing)?|initial|original|resting|parking|neutral|idle|"
    r"default|rest)[ -](?:pose|position|place|point|spot|configuration|posture|location)|"
    r"(?:your |the )?(?:home|start)(?! \w*(?:block|tray|jar|area|peg))|"
    r"where you (?:started|began|start|came|were)(?: (?:out|from|at the (?:start|beginning)|"
    r"originally|before|initially))*"
)
_SUPERLATIVE: Final = r"nearest|closest|farthest|furthest|leftmost|rightmost|biggest|smallest"

_REWORDINGS: Final[Sequence[tuple[str, str]]] = (
    # Short forms
    (r"\bcannot\b", "can not"), (r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"),
    (r"\bdont\b", "do not"), (r"\bisnt\b", "is not"), (r"\bain't\b", "is not"),
    (r"n't\b", " not"), (r"'d (?=(?:like|love|prefer|want|be|appreciate|rather)\b)", " would "),
    (r"\b(i|we|you|they)'d\b", r"\1 would"),
    (r"'ll\b", " will"), (r"'re\b", " are"), (r"'ve\b", " have"), (r"\bi'm\b", "i am"),
    (r"\blet's\b", "let us"), (r"\b(who|it|that|there|here|what|which|whatever|he|she|where)'s\b",
                               r"\1 is"),
    (rf"\b(\w+)'s (?={_STATE}\b)", r"\1 is "),
    (r"\b(take|get|lift|pull|come|pop) of (?=the |it |its |that )", r"\1 off "),
    (rf"^((?:please )?(?:{_VERBS}) .+) form (?=the )", r"\1 from "),
    (r"\b(?:finds?|makes?) (?:its|their) way (?:back )?(?=on|in|to)", "goes "),
    ((r"\bhandle (?:it|them|the [\w ]+?|that [\w ]+?) (?:with (?:great )?care|carefully|gently) "
     r"(?:when|while|as) you "), ""),
    (r"\b(the [\w ]+?) (?:needs|wants|is missing|lacks|is without) (?:its|a|the) "
     r"(lid|cap|cover|top)(?: (?:back )?on| back)?" + _END, r"put the \2 on \1"),
    (r"\bgonna\b", "going to"), (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"),
    (r"\b(?:thru)\b", "through"), (r"\bwould (?:really |just |so |absolutely )*(?:love|fancy)\b",
    "would like"), (r"\bu\b", "you"),
    # What a robot does at the end
    (rf"\b(?:go|move|return|come|drive|head|get|retreat|withdraw|swing|fly)(?: {_OWN})?"
     rf"(?: straight| right)?(?: back)?(?: (?:to|into|at))? (?:{_HOME})" + _END, "gohome"),
    (rf"\b(?:bring|take|move|drive|put|return|park|send) {_OWN}(?: back)?"
     rf"(?: (?:to|into|in|at))? (?:{_HOME})" + _END, "gohome"),
    (r"(?<=\band )(?:then )?back home\b|(?<=, )(?:and )?(?:then )?back home\b", "then gohome"),
    (rf"\b(?:and |then |, )+back (?:to|into|at) (?=your|home|where you)(?:{_HOME})" + _END,
     " then gohome"),
    # Heights over something
    (rf"\b({_COUNT}) ?({_UNIT}) (?:high )?(?:above|over)\b", r"\1 \2 hovering"),
    ((r"\bfor (?:a|one|two|three|some|a few|a couple of)? ?"
     r"(?:moments?|seconds?|whiles?|instant|bit|little while|short while|secs?)\b"), ""),
    # How many, which
    (r"\bhalf (?:of )?(?=(?:the|all|these|those|my)\b)", "halfof "),
    ((r"\b(\d+|two|three|four|five|six) (?:storeys?|stories|floors|levels|layers|units|pieces)"
     r" (?:high|tall)\b"), r"\1 blocks high"),
    (r"\b(two|three|four|five|six)[- ](?:storey|story|level|layer|floor)(?:ed)? (?=tower|stack)",
     r"\1 block "),
    ((rf"\b(?:whichever|whatever|which(?: of the)?) ([\w ]+?) (?:is|are|lies|stands|sits)"
     rf" (?:the )?(?={_SUPERLATIVE})"), r"the \1 "),
    ((rf"\b(?:what|whatever|whichever|the one) (?:is|lies|stands|sits) (?:the )?"
     rf"(?={_SUPERLATIVE})"), "the object "),
    ((r"\b(?:that|which) (?:stands|lies|sits|is) (?:in )?between the (?:other two|two others|"
    r"others)"
     r"(?: \w+)?"), "in the middle"),
    (r"\bbetween the (?:other two|two others)(?: \w+)?" + _END, "in the middle"),
    ((r"\b(?:that|which|who) (?:is|are|stands?|lies?|sits?) (?:the )?"
     rf"(?=(?:{_SUPERLATIVE})\b)"), "that is "),
    (r"\bround (thing|object|item|piece|one|stuff)\b", r"roundthing"),
    (r"\bthings? what (is|are)\b", r"things that \1"),
    (r"(?<!is )(?<!are )(?<!be )(?<!been )(?<!was )\b(lying|located|laying) (?=on |in |at )",
     r"that is "),
    (r"\b(\w+) of (?:the )?(?:colou?r (\w+)|(\w+) colou?r)\b", r"\2\3 \1"),
    (r"\b(one|two|three|four|five) of the (?:two|three|four|five|six|\d+) (?=\w)", r"\1 of the "),
    (r"\b(tower|stack|column|pile), (?=(?:\d+|two|three|four|five|six) blocks high\b)", r"\1 "),
    ((r"^(?:out )?of (?:all )?(?:the|these|those)(?: (?:two|three|four|five|six|\d+))? "
     r"([\w ]*?)(\w+?)s, ([^.;!?]*?)\bone\b"), r"\3\1\2"),
    ((r"^(?:out )?of (?:all )?(?:of )?(?:the|these|those|both) (?:(?!\b(?:put|take|move|stack)\b)"
     r"[^,.;!?])+, (?=\w+ (?:the|it|that|only)|only|just|i |it |the )"), ""),
    (r"\b(?:that|which) (?:is|stands|lies|sits) (?:closer|nearer) to\b", "that is nearest to"),
    (r"\b(?:that|which) (?:is|stands|lies|sits) (?:further|farther)(?: away)? from\b",
     "that is farthest from"),
    (r"\bthe (?:closer|nearer) (?=\w+)(?!to\b)", "the nearest "),
    (r"\bthe (?:further|farther) (?=\w+)(?!from\b|away\b)", "the farthest "),
    (r"\b(everything|anything|all) but (?=the |tomato|my |this |that |those )", r"\1 except "),
    (r"\bdo not (?:leave|keep) (the [\w ]+?) (?:on|in|inside) (?=the (?!table\b))",
     r"take \1 off "),
    (r"\b(from|to) you (?=(?:should|must|has|have|needs?|can|could|may|is|are|goes)\b)",
     r"\1 the robot "),
    # Where
    (r"(?<=\w )no (?=the\b|teh\b)", "on "), (r"\b2 (?=the\b|my\b|teh\b)", "to "),
    (r",? (?:right )?where (?:it|they) belongs?\b[,:]? ?(?=on |in |into |onto )", " "),
    (r"\b(carry|bring|move|take) (it|them|the [\w ]+?) across(?=\s*(?:,|and\b|[.;!?]|$))",
    r"\1 \2"),
    ((r"\blet (the [\w ]+?) (?:drop|fall|go|slide|slip|land|sink|come)(?: down)? "
     r"(?=into |in |on |onto |through |over |down )"), r"put \1 "),
    (r"\bdrop ((?:the|my|that) [\w ]+?|it) off (?=on|in|at|onto)", r"drop \1 "),
    (r"\b(?:right |exactly |down )?(?:to |at |on )?where (the [\w ]+?) (?:is|are|lies|stands)\b",
     r"on \1"),
    ((r"\b(on|onto|in|into|to) (?:its|their|the|that|a) [\w ]*?(?:destination|goal|target|place|"
     r"spot),? (?:that is(?: to say)?|i\.e\.|ie|namely|in other words|meaning),? (?=the )"),
     r"\1 "),
    (r"\b(on|in|onto|into|over|to) (?:that|this)(?=\s*(?:[,.;!?]|$))", r"\1 it"),
    (r"\b(bring|get|fetch|carry|move) (the [\w ]+?|it) over(?=\s*(?:,|and\b|[.;!?]|$))", r"\1 \2"),
    # What is wished
    (r"\bbefore (?:you )?(?:do|doing|start|starting) (?:anything|something|everything) else,? ",
    ""),
    (r", (?:is|are|do|does|has|have|can|will|would) not (?:it|they|you|we|there)(?=\?)", ""),
    (r"\b(should|must|has to|have to|needs to|need to) leave (?=the )", r"\1 come off "),
    (r"\bthe (\w+) (?:nearer|closer) to\b", r"the \1 nearest to"),
    (r"\b(?:is|are) not (?:supposed|meant|expected|intended) to\b", "should not"),
    (r"\b(?:give|get|make|bring|show) (?:me|us) (?=an? (?:\w+ )?(?:tower|stack|pile)\b)",
    "build "),
    ((r"(?:when|once|as soon as|whenever) you (?:are|feel|get) (?:ready|done|finished|free|able|"
    r"there|set),? "),
     ""),
    ((r"\bdo not (?:leave|keep) (the [\w ]+?) (?:lying |standing |sitting )?"
     r"(?:there|around|here|on the (?:table|floor|desk))(?=, )"), r"\1"),
    ((r"\b(should|must|shall|ought to|has to|needs to|is to|are to) (?:sit|stand|lie|hang|land)\b"
     r"(?= on| in| at| over| around| next| inside)"), r"\1 be"),
    (r", which(?: in turn)? (?:should|must|has to|is to) be ", ", which is "),
    (r"(?<=\w )(?:that )?there (?:is|are) (?=to |on |and |in |,)", ""),
    (r"^(on|in) (the [\w ]+?) there (?:should|must|needs to|has to|ought to|is to) be ([^.!?;]+)",
     r"put \3 \1 \2"),
    ((r"\b(the [\w ]+?) gets (?=(?:closed|opened|moved|placed|put|emptied|removed|thrown|taken|"
    r"stacked)\b)"),
     r"\1 should be "),
    (r"\ball (?=(?:belongs?|go|should|must|need|have to)\b)", ""),
    (r"\b(the [\w ]+?) should not be (?:on|in|inside) (the (?!table|floor|desk)[\w ]+?)"
     r"(?: any ?more| any longer)?" + _END, r"take \1 off \2"),
    (r"\bslam dunk\b", "dunk"),
    (r"\bi would rather (?:have |see |like |you )?", "i would like "),
    (r",? (?:rather )?than (?:on|in|to|at|into|onto) [^,.;!?]+", ""),
    (r"\b(?:is|are) (?:supposed|meant|expected|required|intended) to\b", "should"),
    (r"\b(the (?:[\w]+ )?\w+) (?:should|must|needs to|has to|ought to) have (the|a|its) ([\w ]+?) "
     r"(on|in|around|over|inside)(?: it)?" + _END, r"put \2 \3 \4 \1"),
    (r"\bwhat(?:ever)? is round\b", "the roundthing"),
    # Who does it
    ((rf"^(the|that|this|my|both|all) ([^,.;!?]+?) you (?:must|should|have to|need to|can|could|"
     rf"may|shall|will)(?: now| please| to)* (?=(?:{_VERBS})\b)(\w+)"), r"\3 \1 \2"),
    (rf"(^|[.;] )you (?=(?:{_VERBS})\b)", r"\1"),
    (rf"\bplease you (?=(?:{_VERBS})\b)", "please "),
    (r"\bmake (?=open\b)", ""), (r"\bmake (?:closed|shut)\b", "close"),
    (r"(^|, |\band |\bto |\bplease |\byou |\bthen )rest (?=(?:the|it|my|that|them|a)\b)",
     r"\1put "),
    ((r"\buse (it|(?:the|that) (?:lid|cap|top|cover)) (?:for|on) "
     r"(?=the (?:\w+ )?(?:jar|bottle|pot|one)\b)"), r"put \1 on "),
    # "It is the red one that has to be closed"
    (r"\bit is not (the (?:\w+ )*?(\w+)),? but (the (?:\w+ )?)one (?:that|which) ",
     r"instead_of \1 ; \3\2 "),
    ((r"\bit (?:is|was|will be) ((?:only |just )?(?:the|my|that|this) [\w' ]+?) (?:that|which) "
     r"(?=(?:has|have|needs?|should|must|is|are|ought|gets?|goes|go|belongs?|i|we|you|shall|"
     r"wants?)\b)"), r"\1 "),
    (r"\bthat is the one (?:that |which )?(?:i|we) (?:would like|want|need) (.+?) "
     r"(on|in|onto|into|over)(?: to (?:go|be))?" + _END, r"put \1 \2 it"),
    (rf"\bthat is (?:the one|where) (?:to|you (?:should|must)|i want you to) (?=(?:{_VERBS})\b)"
     r"(\w+ .+?) (on|in|onto|into|over)" + _END, r"\1 \2 it"),
    # "It is time the chicken came off"
    ((r"\b(?:it is|is not it|is it not) (?:about |high |really )?time (?:that |for )?(the .+?) "
     r"(?:to )?(?:came|come|went|go|goes|got|get|was|were|be|is)(?: (?:moved|taken|put|placed))? "
     r"(?=off|from|out|on|in|into|onto|to)"), r"\1 should go "),
    # What is not to be any more
    (r"\b(?:make sure|see to it|ensure|i want|i would like)(?: that)? (the [\w ]+?) "
     r"(?:no longer has|does not have|has no|to have no|not to have) (?:its |the |a |any )?(\w+)"
     r"(?: on(?: it)?)?(?: any ?more| any longer)?" + _END, r"remove the \2 from \1"),
    (r"\b(?:make sure|see to it|ensure)(?: that)? (the [\w ]+?) (?:is|are) "
     r"(?:no longer|not) (?:on|in|inside) (the [\w ]+?)(?: any ?more| any longer)?" + _END,
     r"take \1 off \2"),
    (r"\b(the [\w ]+?) (?:should|must|shall|is to|are to) (?:no longer be|not be) "
     r"(?:on|in|inside) (the [\w ]+?) (?:any ?more|any longer)" + _END, r"take \1 off \2"),
    # Questions that ask for something
    ((r"(^|[.!?] )(?:could|can|should|shall|may|might|would|will) (the|my|that|this|both|all) "
     r"([^,.;!?]+?) (not )?(be|go|get|come)\b"), r"\1\2 \3 should \4\5"),
    ((r"\bnot (?:be )?((?:on|in|inside|at|onto|into) [^,.;!?]+?),? but (?:rather |instead )?"
     r"(?:be )?(?=on|in|inside|at|onto|into)"), r"be "),
    (r"\bnot (?!only)(the [\w ]+?),? but (?:rather |instead )?(?=the |a |my )",
    r"instead_of \1 ; "),
    (r"\bwhat(?:ever)? (?:is|are) not ", "everything except "),
    (r", (?:just )?(?:like|as in) an? [^,.;!?]+" + r"(?=\s*(?:[.!?;]|$))", ""),
)  # fmt: skip
_RULES: Final = tuple((re.compile(pattern), new) for pattern, new in _REWORDINGS)
_OPENING: Final = re.compile(
    r"(^|[.!?;,:] |\band |\bso |\bthen |\bbut )(?:please |now |well |so |and |just |then |hey |"
    r"ok |"
    rf"okay |robot |,)*(?:{'|'.join(OPENERS)}) (?=\w)"
)
_ROBOT_VIEW: Final = re.compile(
    r"(?:as seen |looking |viewed )?from (?:the robot's|your|the arm's|robot's|the robot) "
    r"(?:own )?"
    r"(?:point of view|perspective|side|viewpoint|view|vantage point|position)\s*,?|"
    r"\bas (?:you see|the robot sees) it\s*,?|\b(?:as )?seen (?:by|from) (?:you|the robot)\s*,?"
)
_CAMERA_VIEW: Final = re.compile(
    r"(?:as seen |looking |viewed )?from the (?:front )?camera(?:'s)?(?: (?:own )?"
    r"(?:point of view|perspective|side|viewpoint|view|vantage point|position))?\s*,?|"
    r"\b(?:as )?seen (?:by|from) the (?:front )?camera\s*,?|\bin the camera (?:image|picture)\s*,?"
)
_ARROW: Final = re.compile(r"\s*(?:-+>|=+>|→|➔|➡️?|⟶)\s*")


_TALL: Final = re.compile(
    r"\b(?P<kind>tower|stack|pile|column)(?: of (?P<what>[\w ]+?))?,? (?:exactly |that is |"
    r"which is |just )*"
    r"(?P<count>\d+|two|three|four|five|six)(?: (?P<more>\w+ )?(?:blocks|cubes|bricks|"
    r"pieces))? (?:high|tall)\b,?"
)


_TOWER_IT: Final = re.compile(
    r"\b((?:build|make|stack|create|form|erect|construct) an? [^,.;!?]*?(?:tower|stack|pile|"
    r"column)[^,.;!?]*?),? and (?:then )?(?:put|place|set|move) it (?=on |onto )"
)


def _tall(match: re.Match[str]) -> str:
    """Read "a tower of red blocks, three high" as "a tower of three red blocks"."""
    more = match["more"] or ""
    what = re.sub(r"^(?:the|some|all) ", "", match["what"] or f"{more}blocks")
    return f"{match['kind']} of {match['count']} {what}"


def plain(text: str) -> str:
    """Lower case, straight quotes, single spaces."""
    text = text.replace("\x00", " ").lower().translate(str.maketrans("’‘“”´`–—", "''\"\"''--"))
    text = re.sub(r"\s+-+\s+", ", ", text.replace("…", ", "))
    text = re.sub(r"\.{2,}", ", ", text)
    text = re.sub(r"[ \t]*\n+[ \t]*", "\n", text)
    return re.sub(r"[^\S\n]+", " ", text).strip()


def with_view(text: str) -> tuple[str, View]:
    """Take out from where left and right are meant."""
    if _ROBOT_VIEW.search(text):
        return _ROBOT_VIEW.sub("", text).strip(), "robot"
    if _CAMERA_VIEW.search(text):
        return _CAMERA_VIEW.sub("", text).strip(), "camera"
    return text, ""


def reworded(text: str) -> str:
    """Apply all of it, from lower case to lower case."""
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    text = _TALL.sub(_tall, re.sub(r" {2,}", " ", text))
    text = _TOWER_IT.sub(r"\1 ", text)
    for _ in range(2):
        text = _OPENING.sub(r"\1", text)
    return _without_arrows(text).strip()


def _without_arrows(text: str) -> str:
    """Read "ring -> red peg" as "put ring to red peg"; several arrows are left as a word."""
    parts = _ARROW.split(text)
    if len(parts) == 1:
        return text
    if len(parts) > 2 and not re.search(r"[.;,\n]", text):
        return " arrow ".join(parts)
    if all(len(_ARROW.split(part)) == 2 for part in text.split(",")):
        text = text.replace(",", ";")
    lines = [line for line in re.split(r"(?<=[.;\n])\s*", text) if line]
    found = []
    for line in lines:
        ends = _ARROW.split(line)
        starts_with_verb = ends[0].split()[:1] and ends[0].split()[0] in lexicon.VERBS
        found.append((" to ".join(ends) if starts_with_verb else "put " + " to ".join(ends))
                     if len(ends) == 2 else " arrow ".join(ends))  # fmt: skip
    return " ".join(found)
