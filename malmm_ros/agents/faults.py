"""The faults that language models make as text edits: an answer in, the spoilt answer out.

They work on the words and the calls of an answer, whoever wrote it: a plan in words, a program,
or both in one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from malmm_ros.agents.scene_text import parse_scene
from malmm_ros.scene import Scene, SceneObject

_CALL_LINE = re.compile(
    r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?(execute_trajectory|open_gripper|close_gripper)[ \t]*"
    r"\(.*\)[^\n]*\n?",
    re.M,
)
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_POINT = re.compile(rf"\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\]")
_STEP = re.compile(r"^[\s*#>_-]*step[\s*_]*:", re.I | re.M)
_OPTION = re.compile(r'"option"\s*:\s*"([A-Z]+)"')
_LISTED = re.compile(r"^([A-Z]+)\. ", re.M)
_ACTION_WORDS = re.compile(r"\b(?:open|close|move|go|lower|raise|lift|descend)\b", re.I)
# A waypoint this near an object's middle, seen from above, belongs to it.
_NEAR_M = 0.03
_TOO_LOW_M = 0.04


@dataclass(frozen=True, slots=True)
class Context:
    """What a fault may look at.

    Attributes:
        prompt: The message that was answered.
        previous: The same role's answer before; empty at first.
    """

    prompt: str
    previous: str = ""


def essence(answer: str) -> str:
    """What an answer wants done: what it closes on, else where it lets go; empty for neither."""
    text = answer[_last_step(answer) :]
    close = re.search(r"close(?:_gripper\(| the gripper on )[^\n;)]*", text)
    if close is not None:
        return "close " + ", ".join(re.findall(r'"[^"\n]*"', close[0]))
    point = _POINT.search(text)
    if point is None or not re.search(r"\bopen(?:_| the )gripper\b", text):
        return ""
    return f"open at {float(point[1]):.2f}, {float(point[2]):.2f}"


def split_steps(answer: str) -> list[str]:
    """Cut an answer with a program into the steps of it; joined they give the answer.

    A step ends with the first motion after the hand has closed, or opened to let go.
    """
    pieces: list[str] = []
    start = 0
    has_moved = has_gripped = False
    for match in _CALL_LINE.finditer(answer):
        if match[1] != "execute_trajectory":
            has_gripped = has_moved
            continue
        has_moved = True
        if has_gripped:
            pieces.append(answer[start : match.end()])
            start, has_moved, has_gripped = match.end(), False, False
    if not pieces:
        return [answer]
    pieces[-1] += answer[start:]
    return pieces


def undefined_variable(answer: str, _context: Context) -> str | None:
    """Use a variable that was never set."""
    point = _POINT.search(answer, _first_call(answer))
    if point is None or not _CALL_LINE.search(answer):
        return None
    return f"{answer[: point.start(3)]}target_z{answer[point.end(3) :]}"


def missing_argument(answer: str, _context: Context) -> str | None:
    """Leave out the yaw of a motion, or the name to close on."""
    line = re.search(
        rf"(execute_trajectory\(\s*\[[^\]\n]*\])\s*,\s*(?:\w+\s*=\s*)?(?:{_NUMBER}|\w+)\s*\)",
        answer,
    )
    if line is not None:
        return f"{answer[: line.end(1)]}){answer[line.end() :]}"
    close = re.search(r"close_gripper\([^)\n]+\)", answer)
    return None if close is None else _cut(answer, close, "close_gripper()")


def forgotten_close(answer: str, _context: Context) -> str | None:
    """Never close the hand on the object."""
    line = next((item for item in _CALL_LINE.finditer(answer) if item[1] == "close_gripper"), None)
    return None if line is None else _cut(answer, line, "")


def ignored_collision(answer: str, _context: Context) -> str | None:
    """Go lower than what lies below allows."""
    lines = [item for item in _CALL_LINE.finditer(answer) if item[1] == "execute_trajectory"]
    points = [
        point for item in lines if (point := _POINT.search(answer, item.start(), item.end()))
    ]
    if not points:
        return None
    lowest = min(points, key=lambda point: float(point[3]))
    low = float(lowest[3]) - _TOO_LOW_M
    return f"{answer[: lowest.start(3)]}{low:.3f}{answer[lowest.end(3) :]}"


def skipped_step(answer: str, _context: Context) -> str | None:
    """Leave out one of the actions: of a program a call, of a plan in words a clause."""
    lines = list(_CALL_LINE.finditer(answer))
    if lines:
        return _cut(answer, lines[len(lines) // 2], "") if len(lines) > 2 else None
    start = _last_step(answer)
    clauses = re.split(r"(;\s*|\n+)", answer[start:])
    actions = [i for i, text in enumerate(clauses[::2]) if _ACTION_WORDS.search(text)]
    if len(actions) < 3:
        return None
    skipped = 2 * actions[len(actions) // 2]
    return answer[:start] + "".join(clauses[:skipped] + clauses[skipped + 2 :])


def wrong_object(answer: str, context: Context) -> str | None:
    """Take another object than the one that is meant, with its waypoints."""
    scene = _scene(context.prompt)
    start = max(_last_step(answer), 0)
    text = answer[start:]
    close = re.search(r'clos\w*(?:_gripper\(| the gripper on )\s*("(?:[^"\\\n]|\\.)*")', text)
    if scene is None or close is None:
        return None
    meant = scene.find(_name(close[1]))
    other = next(
        (item for item in scene.objects if meant and item != meant and not item.is_fixed), None
    )
    if meant is None or other is None:
        return None
    text = text.replace(close[1], json.dumps(other.name, ensure_ascii=False))
    return answer[:start] + _shifted(text, meant, other)


def repetition(answer: str, context: Context) -> str | None:
    """Say once more what was said the last time."""
    return context.previous or None


def early_success(answer: str, _context: Context) -> str | None:
    """Claim that all is done."""
    if _STEP.search(answer) is None and not _CALL_LINE.search(answer):
        return None
    return "The last step went as intended.\n\nComplete: the instruction is fulfilled."


def without_calls(piece: str) -> str:
    """A piece of a program with nothing left to do."""
    return "".join(_CALL_LINE.split(piece)[::2])


def only_calls(piece: str) -> str:
    """The calls of a piece of a program."""
    return "".join(match[0] for match in _CALL_LINE.finditer(piece))


def malformed_routing(answer: str, _context: Context) -> str | None:
    """Break off in the middle of the choice."""
    return answer[: len(answer) // 3] or "the"


def wrong_option(answer: str, context: Context) -> str | None:
    """Choose another option of the list than the one that is meant."""
    chosen = _OPTION.search(answer)
    labels = [match[1] for match in _LISTED.finditer(context.prompt)]
    others = [label for label in labels if chosen is not None and label != chosen[1]]
    if chosen is None or not others:
        return None
    return f"{answer[: chosen.start(1)]}{others[-1]}{answer[chosen.end(1) :]}"


FAULTS: dict[str, Callable[[str, Context], str | None]] = {
    "undefined_variable": undefined_variable,
    "missing_argument": missing_argument,
    "forgotten_close": forgotten_close,
    "skipped_step": skipped_step,
    "wrong_object": wrong_object,
    "ignored_collision": ignored_collision,
    "repetition": repetition,
    "early_success": early_success,
    "malformed_routing": malformed_routing,
    "wrong_option": wrong_option,
}


def _cut(text: str, match: re.Match[str], instead: str) -> str:
    return text[: match.start()] + instead + text[match.end() :]


def _first_call(answer: str) -> int:
    match = _CALL_LINE.search(answer)
    return match.start() if match else 0


def _last_step(answer: str) -> int:
    return max((match.start() for match in _STEP.finditer(answer)), default=0)


def _scene(prompt: str) -> Scene | None:
    try:
        return parse_scene(prompt)
    except ValueError:
        return None


def _name(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return quoted.strip('"')


def _shifted(text: str, meant: SceneObject, other: SceneObject) -> str:
    """Move the waypoints at one object to another."""
    (a, b, _), (c, d, _) = meant.pose.position, other.pose.position

    def move(match: re.Match[str]) -> str:
        x, y, z = (float(value) for value in match.groups())
        if max(abs(x - a), abs(y - b)) > _NEAR_M:
            return match[0]
        return f"[{x + c - a:.3f}, {y + d - b:.3f}, {z:.3f}]"

    return _POINT.sub(move, text)
