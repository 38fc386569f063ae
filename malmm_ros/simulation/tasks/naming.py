"""Names and counts as people say them."""

from __future__ import annotations

from collections.abc import Sequence

NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")


def numbered(kinds: Sequence[str]) -> tuple[str, ...]:
    """Unique names: ``"red block 1"``, ``"red block 2"``; one of its kind has no number.

    The numbers follow the given order, so shuffle first.
    """
    seen: dict[str, int] = {}
    names = []
    for kind in kinds:
        seen[kind] = seen.get(kind, 0) + 1
        names.append(kind if kinds.count(kind) == 1 else f"{kind} {seen[kind]}")
    return tuple(names)
