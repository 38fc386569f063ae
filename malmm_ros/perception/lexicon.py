"""Words of instructions: nouns with the kinds of things they may mean, and what is no thing.

The table of nouns is no limit to what can be asked for: any other noun is its own kind. It only
says what is called by several words, and which kinds the embedded segmenter tells apart.
"""

from __future__ import annotations

import re

from malmm_ros.colors import COLOR_NAMES

# Only their colours make tomatoes of balls, and rubbish or meat of slabs, in the embedded
# segmenter's eyes: people may well ask for them by their form.
_SLAB = ("slab", "block", "brick", "box")
# Kinds that scenes speak of, with the words by which people ask for them. A word that is listed
# several times means the first kind when nothing else is known.
CATEGORY_WORDS: dict[str, tuple[str, ...]] = {
    "block": ("block", "cube", "brick", "box"),
    "target area": ("target area", "target zone", "square area", "area", "target", "zone", "goal",
                    "pad", "patch", "mat", "region", "square"),
    "jar": ("jar", "pot"),
    "lid": ("lid", "cover"),
    "bottle": ("wine bottle", "bottle", "wine", "flask"),
    "cap": ("cap", "cork", "stopper", "lid"),
    "ball": ("basketball", "ball", "sphere"),
    "hoop": ("basketball hoop", "hoop", "basket", "net", "rim"),
    "backboard": ("backboard", "board"),
    "cradle": ("cradle", "holder"),
    "ring": ("square ring", "ring", "loop"),
    "peg": ("peg", "spoke", "post", "pole", "rod"),
    "bin": ("rubbish bin", "trash can", "trash bin", "garbage can", "garbage bin", "waste bin",
            "bin", "dustbin", "wastebasket", "bucket", "basket", "can", "container"),
    "rubbish": ("rubbish", "trash", "garbage", "litter", "waste", "paper", *_SLAB),
    "tomato": ("tomato", "tomatoe", "ball"),
    "meat": ("meat", "chicken", "steak", *_SLAB),
    "chicken": ("chicken", "meat", *_SLAB),
    "steak": ("steak", "meat", *_SLAB),
    "grill": ("grill", "barbecue"),
    "shelf": ("side shelf", "side table", "side area", "shelf"),
    "container": ("tray", "container", "box", "crate", "basket", "dish", "case"),
    "can": ("can", "tin"),
    "cylinder": ("cylinder", "roll", "can", "tin"),
    "base": ("peg base", "base"),
}  # fmt: skip
# Where the table's order would say otherwise.
_FIRST_MEANING = {"container": "container", "can": "can"}
# Words for any thing at all.
GENERIC = frozenset(("object", "thing", "item", "everything", "one", "stuff", "piece"))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Nouns that name no thing to look for: places, parts, measures, the robot itself.
NO_THINGS = GENERIC | _set(
    "side top bottom left right front back middle center centre corner edge end rear surface "
    "table robot arm gripper hand finger camera world scene room air floor ground tower stack "
    "pile row line column circle pattern order place position spot location direction way time "
    "moment second minute step task job instruction distance height width size color colour "
    "meter metre centimeter centimetre millimeter millimetre cm mm degree rest other half pair "
    "couple set group lot bit number sure care turn"
)
PREPOSITIONS = _set(
    "in into inside on onto upon from off over under underneath below beneath above beside "
    "behind between through near around against next"
)
_FUNCTION_WORDS = PREPOSITIONS | _set(
    "of to with without at by for as than like about along across toward towards until while "
    "when where which who that if because so but or and then also not no nor only just please "
    "is are was were be been being has have had do does did could will would should shall "
    "may might must let lets i me we us you he she him they them their it its itself there here "
    "now first second third last again away together alone apart back down up out upright "
    "anywhere somewhere everywhere once twice before after afterwards later next"
)
DETERMINERS = _set(
    "the a an this that these those all every each both some any another my your our his her "
    "one two three four five six seven eight nine ten"
)
# Adjectives that say nothing of what a thing is; they are left out of phrases.
ADJECTIVES = _set(
    "colored coloured small large big little tiny huge flat tall short long wide narrow thin "
    "thick round full empty open closed other same new old clean dirty nearest closest farthest "
    "furthest leftmost rightmost upper lower remaining single whole heavy light dark bright "
    "smaller larger bigger smallest largest biggest taller tallest shortest wooden "
    "plastic metal"
)
# Verbs after which an instruction may name a thing without any article: "grab screwdriver".
VERBS = _set(
    "put take grab pick place move push pull stack pile close open lift raise hold get bring "
    "fetch drop throw give hand insert slide remove empty fill turn rotate screw unscrew uncap "
    "cap cover shut clear set lay leave carry pass grasp release build make find pour toss lower "
    "stand keep seal swap sort collect gather transfer deliver dump cook wipe touch press"
)
# And verbs that need no thing: "and wait".
_OTHER_VERBS = _set(
    "go wait stop return come look start check finish repeat continue wave watch say tell"
)
ANY_VERBS = VERBS | _OTHER_VERBS
_CAN_AS_VERB = r"\b(?:i|we|you|it|he|she|they) can\b|\bcan (?:i|we|you|it|he|she|they)\b"
_WORD_OF_COLOR = {name: name for name in COLOR_NAMES} | {"grey": "gray"}


def words_of(text: str) -> list[str]:
    """Its words, in lower case and in their order; what ends a clause is ``","``."""
    text = re.sub(r"['’]s\b", "", text.lower())
    text = re.sub(_CAN_AS_VERB, lambda match: match.group().replace("can", ""), text)
    return [
        "," if word in ",.;:!?()" else word for word in re.findall(r"[a-z]+|\d+|[,.;:!?()]", text)
    ]


def color_word(word: str) -> str:
    """The colour that a word names; empty when it names none."""
    return _WORD_OF_COLOR.get(word, "")


def singular(word: str) -> str:
    """One of what a word names; table nouns and short words stay."""
    if word in _MEANINGS or len(word) < 4 or word.endswith("ss") or word in COLOR_NAMES:
        return word
    if word.endswith(("oes", "xes", "shes", "ches", "sses")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word.removesuffix("s")


def is_function_word(word: str) -> bool:
    """Whether no thing is called by it, nor described: ``"into"``, ``"them"``, ``","``."""
    return word == "," or word in _FUNCTION_WORDS or (word.endswith("ly") and word not in _LY)


def categories_of(noun: str) -> tuple[str, ...]:
    """The kinds that a noun may mean, the likeliest first; an unknown noun is its own kind."""
    return _MEANINGS.get(noun, (noun,))


def is_known(noun: str) -> bool:
    """Whether the table of nouns has it."""
    return noun in _MEANINGS


# Not all that ends on these letters is an adverb.
_LY = frozenset(("fly", "jelly", "lily", "belly", "trolley", "ply"))


def _meanings() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for category, words in CATEGORY_WORDS.items():
        for word in words:
            found.setdefault(word, []).append(category)
    for word, category in _FIRST_MEANING.items():
        found[word] = [category, *(item for item in found[word] if item != category)]
    return {word: tuple(categories) for word, categories in found.items()}


_MEANINGS = _meanings()
