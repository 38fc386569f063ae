"""Which objects of a scene some phrases speak of."""

from __future__ import annotations

from malmm_ros.msg import SceneObject, SceneState
from malmm_ros.perception.phrases import read_phrase


def choose(message: SceneState, phrases: list[str]) -> tuple[SceneState, list[str]]:
    """Keep the objects that phrases speak of.

    A phrase speaks of an object when each of its words is in the object's name, colour or
    category, or when it is another word for its category: ``"cube"`` of a block.

    Returns:
        The scene with these objects (all, without phrases), and the phrases that fit none.
    """
    if not phrases:
        return message, []
    fits = {
        phrase: {item.name for item in message.objects if _speaks_of(phrase, item)}
        for phrase in phrases
    }
    kept = set().union(*fits.values())
    chosen = SceneState(
        header=message.header,
        source=message.source,
        missing=message.missing,
        objects=[item for item in message.objects if item.name in kept],
        gripper=message.gripper,
    )
    return chosen, [phrase for phrase, names in fits.items() if not names]


def _speaks_of(phrase: str, item: SceneObject) -> bool:
    words = f"{item.name} {item.color} {item.category}".lower().split()
    if set(phrase.lower().split()) <= set(words):
        return True
    return read_phrase(phrase).fits(item.category, item.color)
