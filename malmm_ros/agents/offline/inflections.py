"""Forms of the known verbs: "dropped", "binning", "taken"."""

from __future__ import annotations

from typing import Final

from malmm_ros.agents.offline import lexicon

_IRREGULAR: Final = {
    "thrown": "throw", "taken": "take", "brought": "bring", "built": "build", "hung": "hang",
    "stuck": "stick", "swept": "sweep", "sent": "send", "given": "give", "shot": "shoot",
    "slid": "slide", "kept": "keep", "got": "get", "gotten": "get", "laid": "lay",
    "undone": "undo", "found": "find",
}  # fmt: skip
# "the block you are holding", "the opening of the jar": not what is to be done.
_OTHER: Final = frozenset(("holding", "held", "having", "finding", "keeping", "leaving", "used"))


def _stems(verb: str) -> tuple[str, ...]:
    """What endings are added to: "slid" of "slide", "binn" of "bin"."""
    if verb.endswith("e"):
        return (verb[:-1],)
    is_short = len(verb) >= 3 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou"
    if is_short and verb[-3] not in "aeiou":
        return (verb + verb[-1], verb)
    return (verb,)


def _forms() -> dict[str, str]:
    forms = {
        stem + ending: verb
        for verb in lexicon.VERBS
        for stem in _stems(verb)
        for ending in ("ing", "ed")
    }
    forms |= {verb[:-1] + "ied": verb for verb in lexicon.VERBS if verb.endswith("y")}
    forms |= _IRREGULAR
    taken = lexicon.FILLERS | lexicon.NOUNS | lexicon.VERBS.keys() | _OTHER
    idioms = {word for key in lexicon.IDIOMS for word in key.split()} - {"opening"}
    return {form: verb for form, verb in forms.items() if form not in taken | idioms}


FORMS: Final = _forms()
