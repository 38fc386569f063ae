"""The words that the offline model knows, by what they do in a sentence."""

from __future__ import annotations

from typing import Literal

VerbKind = Literal[
    "place", "stack", "hold", "remove", "open", "close", "release", "throw", "cover", "swap",
    "spare", "home",
]  # fmt: skip
Relation = Literal[
    "on", "in", "to", "beside", "left_of", "right_of", "front_of", "behind", "between", "under",
    "around", "off", "from", "with", "at_left", "at_right", "at_front", "at_back", "at_middle",
    "at_top", "at_bottom", "up", "down", "away", "nearest", "farthest", "toward", "except", "shun",
    "hovering",
]  # fmt: skip

# Several words that mean one; the longest match is taken. "" drops them.
IDIOMS: dict[str, str] = {
    **dict.fromkeys(
        ("on top of", "on the top of", "onto the top of", "at the top of", "to the top of",
         "on to", "onto", "upon", "atop", "over", "on the surface of", "above",
         "onto the surface of",
         "on the middle of", "in the middle of", "in the center of", "in the centre of",
         "on the center of", "on the centre of", "at the center of", "at the centre of",
         "to the center of", "to the centre of", "to the middle of", "at the middle of"), "on"),
    **dict.fromkeys(
        ("inside of", "inside", "into", "in to", "within", "on the inside of", "through",
         "down into"), "in"),
    **dict.fromkeys(
        ("next to", "beside", "besides", "by the side of", "close to", "near to", "near",
         "adjacent to", "alongside", "by", "at the side of", "nearby"), "beside"),
    **dict.fromkeys(
        ("to the left of", "on the left of", "on the left side of", "to the left side of",
         "left of", "at the left of", "left from"), "left_of"),
    **dict.fromkeys(
        ("to the right of", "on the right of", "on the right side of", "to the right side of",
         "right of", "at the right of", "right from"), "right_of"),
    **dict.fromkeys(("in front of", "before the", "at the front of"), "front_of"),
    **dict.fromkeys(("behind", "in back of", "at the back of", "in the back of"), "behind"),
    **dict.fromkeys(("in between", "between", "midway between", "halfway between"), "between"),
    **dict.fromkeys(("under", "underneath", "below", "beneath"), "under"),
    **dict.fromkeys(("around", "round", "all around"), "around"),
    **dict.fromkeys(("off of", "off from", "off", "out of", "out from", "outside of"), "off"),
    **dict.fromkeys(("from on top of", "from the top of", "from inside", "from within"), "from"),
    **dict.fromkeys(("lying on", "sitting on", "resting on", "located on", "standing on"), "on"),
    **dict.fromkeys(("lying in", "sitting in", "resting in", "standing in", "seated in",
                     "located in"), "in"),
    **dict.fromkeys(("that is", "which is", "that are", "which are", "that lies", "that lie",
                     "that sits", "that stands"), "WHICH"),
    **dict.fromkeys(("next to each other", "side by side", "beside each other",
                     "next to one another", "beside one another", "close together"), "beside"),
    **dict.fromkeys(("a bit", "a little bit", "slightly", "a little", "a few", "you can",
                     "as possible", "and no more", "as you can", "and nothing else"), ""),
    **dict.fromkeys(("on the left side", "on the left", "to the left side", "to the left",
    "at left",
                     "at the left", "leftward", "leftwards", "on the left hand side"), "at_left"),
    **dict.fromkeys(("on the right side", "on the right", "to the right side", "to the right",
                     "at the right", "rightward", "rightwards", "on the right hand side"),
                    "at_right"),
    **dict.fromkeys(("in front", "at the front", "in the front", "to the front", "toward you",
                     "towards you", "toward the robot", "towards the robot", "backward",
                     "backwards", "closer to the robot", "closer to you",
                     "toward yourself", "towards yourself"), "at_front"),
    **dict.fromkeys(("at the back", "in the back", "to the back", "at the rear", "forward",
                     "forwards", "away from you", "away from the robot", "away from yourself",
                     "further back"), "at_back"),
    **dict.fromkeys(("in the middle", "in the center", "in the centre", "at the center",
                     "to the middle", "to the center", "to the centre",
                     "at the centre", "to the middle"), "at_middle"),
    **dict.fromkeys(("at the bottom", "on the bottom", "as the base", "as base", "as the bottom",
                     "at bottom", "on bottom", "as the foundation", "at the base"), "at_bottom"),
    **dict.fromkeys(("on top", "at the top", "on the top", "as the top", "at top", "to the top",
                     "uppermost"), "at_top"),
    **dict.fromkeys(("nearest to", "closest to", "nearest", "closest", "that is nearest to",
                     "that is closest to", "which is closest to", "which is nearest to"),
                    "nearest"),
    **dict.fromkeys(("farthest from", "furthest from", "farthest", "furthest", "most distant from",
                     "farthest away from", "furthest away from", "most distant",
                     "farthest away", "furthest away"), "farthest"),
    **dict.fromkeys(("towards", "toward", "in the direction of", "closer to", "nearer to"),
                    "toward"),
    **dict.fromkeys(("on top of each other", "on top of one another", "on each other",
                     "one on top of the other", "one on the other", "one above the other",
                     "one standing on the other", "one sitting on the other",
                     "one standing on top of the other",
                     "one on top of another", "on one another", "on top of the other",
                     "on top of themselves", "in a single stack", "in a stack", "into a stack",
                     "in a tower", "into a tower", "in a pile", "into a pile", "in a column",
                     "in one stack", "into one stack", "as a tower", "as a stack", "in one tower",
                     "one over the other", "atop each other", "atop one another", "stacked",
                     "piled", "stacked up", "one upon another",
                     "to form a tower", "to make a tower", "to form a stack"), "STACKED"),
    **dict.fromkeys(("pick up", "pick it up", "lift up", "grab hold of", "take hold of"), "pick"),
    "pick them up": "pick them",
    "pick it up": "pick it", "lift it up": "lift it", "raise it up": "lift it",
    "put it down": "release it", "set it down": "release it", "lay it down": "release it",
    "put down": "release", "set down": "release", "lay down": "release", "let go of": "release",
    "let go": "release", "drop it": "release it", "let it go": "release it",
    "get rid of": "discard", "tip out": "unload", "tipping out": "unload", "tipping": "unload",
    "throw away": "discard", "throw out": "discard",
    "throw it away": "discard it", "throw them away": "discard them", "toss out": "discard",
    "dispose of": "discard", "take away": "remove", "take off": "remove", "clear off": "clear",
    "take out": "remove", "clear out": "empty", "clean up": "clean", "empty out": "empty",
    "screw off": "uncap",  "clear away": "remove", "pull off": "remove",
    "screw on": "screw", "twist on": "screw", "make a basket": "shoot", "make the basket": "shoot",
    "make that basket": "shoot", "score": "shoot",
    "slam dunk": "dunk", "sink the ball": "dunk the ball", "sink it": "dunk it",
    **dict.fromkeys(("shoot a hoop", "shoot hoops", "get a basket", "take a shot",
                     "shoot some hoops"), "shoot"),
    **dict.fromkeys(("the opening of", "the mouth of", "the neck of", "the rim of"), ""),
    **dict.fromkeys(("contents", "content"), "everything"),
    "lower the": "put the", "lower it": "put it", "pull out": "remove", "out": "off",
    "come off": "off", "has to": "", "needs to": "", "needs to be": "be", "has to be": "be",
    "need to be": "be", "have to be": "be",
    "from where it is": "", "from where they are": "", "pour": "unload", "tip": "unload",
    "side table": "side shelf", "to the side table": "to side shelf",
    "score a basket": "shoot", "make a shot": "shoot", "shoot a basket": "shoot",
    "shoot the basket": "shoot", "score a goal": "shoot",
    **dict.fromkeys(("without touching", "without moving", "without disturbing", "do not touch",
                     "do not move", "do not disturb", "ignore", "ignoring"), "spare"),
    **dict.fromkeys(("alone", "untouched", "undisturbed", "in peace", "as they are", "as it is",
                     "where they are", "where it is", "in their place", "in its place"),
                    "UNTOUCHED"),
    "leaving": "leave", "keeping": "keep",
    **dict.fromkeys(("aside", "to the side", "to one side", "off to the side", "to its side",
                     "off to one side", "out of the way", "on the side"), "away"),
    **{f"on the side {noun}": f"on side {noun}"
       for noun in ("shelf", "area", "table", "platform", "board", "plate", "of")},
    # The longest idiom wins, so that these stay places.
    **{f"to the side {noun}": f"to the side {noun}"
       for noun in ("shelf", "area", "platform", "board", "plate")},
    "take down": "remove",
    "pile up": "stack", "stack up": "stack", "build up": "build", "put together": "build",
    "and then": "then", "after that": "then", "afterwards": "then", "next ,": "then",
    "and finally": "then", "finally": "then", "lastly": "then", "subsequently": "then",
    "followed by": "then", "and next": "then", "thereafter": "then", "and after that": "then",
    "after this": "then", "once done": "then", "when done": "then", "at last": "then",
    "so that": ",", "such that": ",", "in such a way that": ",", "as well as": "and",
    "plus": "and",
    "along with": "and", "together with": "and", "&": "and", "in addition": "and",
    "but leave": "except", "apart from": "except", "except for": "except", "other than": "except",
    "excluding": "except", "besides the": "except the",
    "made of": "of", "made up of": "of", "made from": "of", "consisting of": "of",
    "composed of": "of", "made out of": "of", "out of the": "off the", "using": "with",
    "make sure that": "", "make sure": "", "see to it that": "", "ensure that": "", "ensure": "",
    "go ahead and": "", "could you": "", "can you": "", "would you": "", "will you": "",
    "i would like you to": "", "i want you to": "", "i need you to": "", "i would like to": "",
    "i would like": "", "i want": "", "i need": "", "let us": "", "try to": "", "be so kind": "",
    "you should": "", "you must": "", "we need to": "", "you have to": "", "you need to": "",
    "your task is to": "", "your job is to": "", "the task is to": "", "i want to": "",
    "would you mind": "", "do me a favor": "", "have to": "", "need to": "", "thank you": "",
    "if possible": "", "if you can": "", "in order to": "", "to have": "", "want to": "",
    "at once": "", "one by one": "", "one at a time": "", "one after another": "",
    "one after the other": "", "take a shot": "shoot", "in turn": "",
    "in that order": "", "in this order": "", "in order": "", "all the way": "", "for me": "",
    "from bottom to top": "BOTTOM_UP", "from the bottom up": "BOTTOM_UP",
    "from bottom up": "BOTTOM_UP", "from the ground up": "BOTTOM_UP",
    "from the top down": "TOP_DOWN", "from top to bottom": "TOP_DOWN", "bottom up": "BOTTOM_UP",
    "at": "to",
    "in the middle of the table": "at_middle", "in the center of the table": "at_middle",
    "in the centre of the table": "at_middle", "on the middle of the table": "at_middle",
    "from the left": "at_left", "from the right": "at_right", "from the front": "at_front",
    "from the back": "at_back",
    "starting from the bottom": "BOTTOM_UP", "starting at the bottom": "BOTTOM_UP",
    "bottom to top": "BOTTOM_UP", "top to bottom": "TOP_DOWN", "starting from the top": "TOP_DOWN",
    "starting with": "BOTTOM_UP", "beginning with": "BOTTOM_UP",
    "left most": "leftmost", "right most": "rightmost", "far left": "leftmost",
    "far right": "rightmost", "front most": "frontmost", "top most": "topmost",
    **dict.fromkeys(("end up", "ends up", "winds up", "wind up", "is to be", "are to be",
                     "end up being", "both need to", "wants to be", "want to be"), "be"),
    "the open of": "", "and into": "in", "and onto": "on", "up off": "off",
    **dict.fromkeys(("would like to see", "want to see", "like to see", "need to see"), ""),
    **dict.fromkeys(("right there on", "over there on", "there on"), "on"),
    "going through": "in", "going into": "in", "going in": "in", "going on": "on",
    "going to": "to", "right there": "there",
    "closed up": "close", "close up": "close",
    "dark blue": "navy", "dark red": "maroon", "light green": "lime", "bright green": "lime",
    "dark green": "green", "light blue": "azure", "sky blue": "azure", "light gray": "silver",
    "light grey": "silver", "dark pink": "rose", "wine bottle": "bottle",
    "trash can": "bin", "garbage can": "bin", "rubbish bin": "bin", "trash bin": "bin",
    "waste bin": "bin", "waste basket": "bin", "garbage bin": "bin", "trash basket": "bin",
    "basketball hoop": "hoop", "basket ball": "ball", "side area": "side area",
    "dining table": "table", "table top": "table", "work surface": "table",
    "table surface": "table",
    "a couple of": "2", "couple of": "2", "a pair of": "2", "pair of": "2", "the pair of": "2",
    "the two of": "2", "half a dozen": "6",
    "each one of": "all", "every one of": "all", "every single": "all", "each of": "all",
    "all of": "all", "both of": "both", "the whole": "all", "whatever is": "everything",
    "after": "then",
    "all that is": "everything", "contents of": "everything from",
    "the contents of": "everything from", "content of": "everything from",
    "the content of": "everything from",
    "everything else": "rest", "all else": "rest", "anything else": "rest",
    "all the rest": "rest",
    "the rest of": "rest", "the remaining": "rest", "the rest": "rest", "remaining": "rest",
    "right in": "in", "right on": "on", "right next to": "beside", "right into": "in",
    "back on": "on", "back in": "in", "back into": "in", "back to": "to", "back onto": "on",
    "down on": "on", "down onto": "on", "up on": "on", "over to": "to", "over on": "on",
    "up onto": "on", "over onto": "on", "down in": "in", "over in": "in",
}  # fmt: skip

VERBS: dict[str, VerbKind] = {
    **dict.fromkeys(
        ("put", "place", "set", "move", "lay", "bring", "transfer", "shift", "relocate",
         "deposit", "position", "carry", "return", "insert", "load", "stick", "plop", "pop",
         "dunk", "slide", "transport", "slot", "thread", "slip", "pull", "screw", "twist", "dump",
         "leave", "deliver", "push", "stow", "store", "hang", "shoot", "arrange", "sort",
         "collect",
         "gather", "drop", "toss", "give", "have", "nudge", "hook", "ditch", "pass", "mount",
         "balance", "center",
         "add", "keep", "chuck", "sweep", "fasten", "hurl", "guide",
         "tidy", "attach", "fit", "seat", "send", "get", "park", "plonk", "plunk", "bung", "fling",
         "lob", "sling", "slam", "shove", "whip", "plant", "haul", "drag", "ferry", "convey",
         "install", "settle", "squeeze", "stash", "tuck", "nestle", "hoist", "heave", "sink",
         "dock", "impale", "lodge", "shuffle", "pitch", "steer", "lead", "direct"), "place"),
    **dict.fromkeys(
        ("stack", "pile", "build", "make", "create", "construct", "assemble", "erect", "form"),
        "stack"),
    **dict.fromkeys(("pick", "grab", "grasp", "choose", "select", "lift", "hold", "take",
                     "fetch", "raise", "seize", "find", "use"),
                    "hold"),
    **dict.fromkeys(("remove", "clear", "clean", "empty", "unstack", "uncap", "unload", "unscrew",
                     "withdraw", "extract", "detach"),
                    "remove"),
    **dict.fromkeys(("open", "uncork", "undo", "decap"), "open"),
    **dict.fromkeys(("close", "shut", "seal", "cap"), "close"),
    **dict.fromkeys(("cover", "fill", "crown"), "cover"),
    **dict.fromkeys(("release",), "release"),
    **dict.fromkeys(("swap", "exchange", "switch"), "swap"),
    **dict.fromkeys(("spare",), "spare"),
    **dict.fromkeys(("gohome",), "home"),
    **dict.fromkeys(("discard", "throw", "trash", "bin"), "throw"),
}  # fmt: skip

# A word before which these are nouns, not verbs ("the stack", "the top block").
PARTICLES = frozenset(("up", "down", "away", "over", "back", "together"))

NUMBERS = {
    "zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "single": 1, "twenty": 20, "fifteen": 15, "thirty": 30,
}  # fmt: skip
ORDINALS = {"second": 2, "third": 3, "fourth": 4}

DETERMINERS = frozenset(
    ("the", "a", "an", "this", "that", "these", "those", "my", "your", "some", "any", "of", "its",
     "their", "our", "his", "her")
)  # fmt: skip
QUANTIFIERS = frozenset(("all", "every", "each", "both"))
REST = frozenset(("other", "others", "another", "rest"))
PRONOUNS = frozenset(("it", "them", "they", "itself"))
PLACES = frozenset(("there", "here"))
GENERIC = frozenset(
    (
        "everything",
        "thing",
        "object",
        "item",
        "stuff",
        "something",
        "anything",
        "piece",
        "toy",
        "lot",
        "bit",
        "bits",
        "content",
        "whatnot",
    )
)
SIZES = {
    **dict.fromkeys(("biggest", "largest", "tallest", "big", "large", "tall", "bigger",
    "larger"), 1),
    **dict.fromkeys(("smallest", "shortest", "small", "short", "little", "tiny", "smaller"), -1),
}  # fmt: skip
SELECTORS: dict[str, str] = {
    "leftmost": "at_left", "rightmost": "at_right", "left": "at_left", "right": "at_right",
    "front": "at_front", "frontmost": "at_front", "back": "at_back", "rear": "at_back",
    "backmost": "at_back", "rearmost": "at_back", "middle": "at_middle", "central": "at_middle",
    "top": "at_top", "topmost": "at_top", "upper": "at_top", "bottom": "at_bottom",
    "lower": "at_bottom", "lowest": "at_bottom", "highest": "at_top", "center": "at_middle",
    "centre": "at_middle",
}  # fmt: skip

# What a colour word may name in the scene, best first.
COLORS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in (
        "red", "maroon", "lime", "green", "blue", "navy", "yellow", "cyan", "magenta", "silver",
        "orange", "olive", "purple", "teal", "azure", "violet", "rose", "black", "white", "brown",
        "gold", "beige")},
    "gray": ("gray", "grey"), "grey": ("gray", "grey"), "pink": ("pink", "rose", "magenta"),
    "crimson": ("red", "rose", "maroon"), "scarlet": ("red",), "turquoise": ("cyan", "teal"),
    "aqua": ("cyan",), "fuchsia": ("magenta",), "burgundy": ("maroon",), "indigo": ("violet",
    "navy"),
    "bluish": ("blue", "azure", "navy", "cyan", "teal"), "blueish": ("blue", "azure", "navy",
    "cyan", "teal"), "reddish": ("red", "maroon", "rose"), "greenish": ("green", "lime", "olive",
    "teal"), "yellowish": ("yellow", "gold", "beige"), "purplish": ("purple", "violet",
    "magenta"), "greyish": ("gray", "grey", "silver"), "grayish": ("gray", "grey", "silver"),
    "pinkish": ("pink", "rose", "magenta"), "brownish": ("brown", "maroon"),
    "orangey": ("orange",), "orangish": ("orange",), "whitish": ("white", "silver", "beige"),
    "golden": ("gold", "yellow"), "lilac": ("violet", "purple"), "lavender": ("violet",),
}  # fmt: skip

# Words that may name the same kind of thing. A word may be in several kinds.
KINDS: dict[str, tuple[str, ...]] = {
    "block": ("block", "cube", "brick", "box", "die", "dice", "cuboid", "bloc"),
    "area": ("area", "zone", "square", "pad", "patch", "goal", "spot", "target", "mat", "region",
             "field", "tile", "marker", "location", "destination", "rectangle", "plate", "place",
             "mark", "base", "platform", "shelf", "plane", "marking", "sticker", "ledge",
             "slab"),
    "tray": ("tray", "container", "box", "crate", "dish", "basket", "holder", "bowl", "case"),
    "bin": ("bin", "can", "trash", "garbage", "dustbin", "wastebasket", "trashcan", "bucket",
            "basket", "container", "wastebin", "bowl", "cup"),
    "rubbish": ("rubbish", "trash", "garbage", "litter", "waste", "paper", "junk", "wrapper",
                "scrap", "debris", "refuse", "crap", "packaging"),
    "lid": ("lid", "cap", "cover", "top", "stopper", "cork", "closure", "plug", "bung",
            "roundthing"),
    "jar": ("jar", "pot", "vessel", "glass", "canister", "urn"),
    "bottle": ("bottle", "wine", "flask"),
    "ball": ("ball", "basketball", "sphere", "orb", "roundthing"),
    "hoop": ("hoop", "net", "rim", "basket"),
    "peg": ("peg", "spoke", "pole", "post", "stick", "pin", "rod", "pillar", "spike", "stake",
            "dowel", "bar", "shaft", "mast", "stem", "prong"),
    "ring": ("ring", "loop", "washer", "nut", "gasket", "collar"),
    "chicken": ("chicken", "meat", "poultry", "bird", "fowl", "drumstick", "hen", "food"),
    "steak": ("steak", "meat", "beef", "sirloin", "cutlet", "fillet", "food"),
    "grill": ("grill", "barbecue", "bbq", "barbie", "barbeque", "grate", "heat", "fire"),
    "tomato": ("tomato", "fruit", "vegetable", "veggie", "food", "roundthing"),
    "cylinder": ("cylinder", "can", "disc", "disk", "tube", "roundthing"),
    "cradle": ("cradle", "holder", "stand", "support", "mount"),
    "backboard": ("backboard", "board", "panel"),
}  # fmt: skip
# What people also call them, where nothing else here is called so: a word for many kinds says
# nothing about an object that bears it as its own name.
LOOSE_KINDS: dict[str, tuple[str, ...]] = {
    "block": ("crate", "piece"), "jar": ("container", "tin"), "hoop": ("ring",),
    "ring": ("hoop", "frame"), "area": ("side", "rack"), "tray": ("bin",),
}  # fmt: skip
CONTAINERS = frozenset(("tray", "bin", "hoop"))
TOWER = frozenset(("tower", "stack", "pile", "column"))
TABLE = frozenset(
    ("table", "desk", "surface", "floor", "ground", "workspace", "tabletop", "bench")
)
HAND = frozenset(("gripper", "hand", "robot", "arm", "finger", "yourself", "you", "claw"))
NEGATIONS = frozenset(("not", "never", "no", "dont", "without", "nothing", "neither", "avoid"))

FILLERS = frozenset(
    ("please", "kindly", "now", "just", "also", "hey", "hi", "hello", "panda", "ok", "okay",
     "carefully", "gently", "slowly", "quickly", "well", "again", "exactly", "directly", "too",
     "thanks", "first", "is", "are", "be", "being", "should", "must", "goes", "go", "belongs",
     "belong", "been", "will", "was", "next", "simply", "neatly", "safely", "firmly", "softly",
     "located", "lying", "sitting", "standing", "which", "who", "i", "we", "can", "there's",
     "straight", "properly", "precisely", "currently", "already", "onwards", "immediately",
     "called", "named", "to", "color", "colour", "colored", "coloured", "flat", "respectively",
     "directly", "high", "tall", "upright", "everyone", "thereby", "nicely", "shall", "would",
     "wish", "like", "want", "need", "while", "as", "high", "height", "level", "levels", "side",
     "consecutively", "accurately", "securely", "loose", "own", "up", "down", "away",
     "back", "over", "together", "inside", "see", "think", "very", "really", "so", "me", "us",
     "moved", "placed", "positioned", "transferred", "brought", "yet", "needs", "has", "sits",
     "stands", "lies", "could", "may", "ought", "gets", "only", "done", "ready", "might", "had",
     "let", "still", "were", "quick", "fast", "asap", "pronto", "across", "sat", "stood",
     "seated", "am",
     "um", "uh", "resting", "seen", "crumpled", "dirty", "used", "old",
     "you")
)  # fmt: skip

# Adverbs that may say what is to be true at the end; others are dropped.
LASTING = frozenset(
    (
        "vertically",
        "horizontally",
        "diagonally",
        "separately",
        "partly",
        "partially",
        "randomly",
        "alternately",
        "alternatingly",
        "simultaneously",
        "symmetrically",
        "equally",
        "evenly",
        "exclusively",
        "solely",
        "hardly",
        "barely",
        "nearly",
        "almost",
        "family",
        "fly",
        "supply",
        "temporarily",
        "repeatedly",
        "daily",
        "hourly",
        "possibly",
        "optionally",
        "preferably",
    )
)

ALIASES = {
    "centre": "center", "teh": "the", "pls": "please", "plz": "please", "colour": "color",
    "putting": "put", "placing": "place", "moving": "move", "stacking": "stack",
    "building": "build", "closed": "close", "opened": "open", "sealed": "seal",
    "capped": "cap", "uncapped": "uncap",
    "uncorked": "uncork", "corked": "close", "covering": "cover", "closing": "close",
    "inserted": "insert", "inserting": "insert", "dropping": "drop",
    "throwing": "throw", "removing": "remove", "emptying": "empty", "removed": "remove",
    "emptied": "empty", "picked": "pick", "lifted": "lift", "cleared": "clear",
    "thrown": "throw", "covered": "cover", "picking": "pick", "taking": "take", "setting": "set",
    "topmost": "top", "gripper's": "gripper", "everyting": "everything", "metres": "m",
}  # fmt: skip

UNITS = {
    **dict.fromkeys(("cm", "centimeter", "centimetre"), 0.01),
    **dict.fromkeys(("mm", "millimeter", "millimetre"), 0.001),
    **dict.fromkeys(("m", "meter", "metre"), 1.0),
    **dict.fromkeys(("inch", "inches", "in."), 0.0254),
}  # fmt: skip

# Of an object's own words, and of the words that people use.
OBJECT_KIND_OF: dict[str, frozenset[str]] = {
    word: frozenset(kind for kind, words in KINDS.items() if word in words)
    for words in KINDS.values()
    for word in words
}
KIND_OF: dict[str, frozenset[str]] = OBJECT_KIND_OF | {
    word: OBJECT_KIND_OF.get(word, frozenset())
    | frozenset(kind for kind, words in LOOSE_KINDS.items() if word in words)
    for words in LOOSE_KINDS.values()
    for word in words
}
NOUNS = frozenset(KIND_OF) | TOWER | TABLE | HAND | GENERIC
