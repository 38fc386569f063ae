"""The Coder: turns the sentences of a step into calls, whoever wrote them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.conversation import Conversation
from malmm_ros.agents.offline.hand import grasp_height
from malmm_ros.agents.offline.steps import unquote
from malmm_ros.scene import Scene, SceneObject

_HEADING = re.compile(r"^[\s*#>_-]*(step|complete)[\s*_]*:[\s*_]*", re.I | re.M)
_NUMBER = r"[-+]?\d*\.?\d+"
_POINT = rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]"
_YAW = rf"(?:yaw|orientation|angle|rotation)\s*(?:of|is|=|:|to|at)?\s*({_NUMBER})"
_NAME = r'"(?:[^"\\]|\\.)*"'
_CLOSE = r"\b(?:close|closing)\b|\bgrasp (?:it|the object)\b"
_ACTION = re.compile(
    rf"(?P<point>{_POINT})"
    r"|(?P<open>\b(?:re)?open(?:ing)?\b(?!\s+gripper\s+(?:above|over))|\brelease\b|\blet go\b)"
    rf"|(?P<close>{_CLOSE})"
    rf"|(?P<rise>\b(?:raise|lift|rise|up|lower|descend|down)\b[^.;,\n]*?\bby\s+({_NUMBER}))"
    rf"|(?P<above>\b(?:above|over)\s+(?:the\s+)?({_NAME}))"
    rf"|(?P<center>\b(?:center|centre|middle)\s+of\s+(?:the\s+)?({_NAME}))"
    r"|(?P<check>\b(?:check|verify)\b[^.;\n]*\b(?:complet\w*|done|fulfilled)\b"
    r"|check_task_completion)",
    re.I,
)
_STATES = re.compile(
    r"\b(?:with|keep(?:ing)?)\s+the\s+(?:gripper|hand|fingers)\s+(?:still\s+)?(?:open|closed?)\b",
    re.I,
)


def write_code(talk: Conversation) -> str:
    """Answer the Coder's turn."""
    step = _newest_step(talk)
    if step is None:
        return "The planner has not named a step yet, so there is nothing to write."
    calls = _Writer(scene=talk.scene).read(step)
    if not calls:
        return f"I find no waypoint and no gripper command in the step: {step[:200]!r}"
    return "```python\n" + "\n".join(calls) + "\n```"


def _newest_step(talk: Conversation) -> str | None:
    for entry in reversed(talk.said("planner")):
        headings = list(_HEADING.finditer(entry.text))
        if not headings:
            return entry.text
        last = headings[-1]
        if last[1].lower() == "complete":
            return "check_task_completion"
        return entry.text[last.end() :]
    return None


@dataclass(slots=True)
class _Writer:
    """Collects the calls of one step; follows where the tool point will be."""

    scene: Scene
    calls: list[str] = field(default_factory=list)
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0

    def read(self, step: str) -> list[str]:
        self.position = self.scene.gripper.tcp.position
        self.yaw = self.scene.gripper.yaw
        text = _STATES.sub("", step)
        actions = list(_ACTION.finditer(text))
        for index, action in enumerate(actions):
            end = actions[index + 1].start() if index + 1 < len(actions) else len(text)
            rest = text[action.end() : end]
            is_named_first = re.match(rf"[\s:,=]*(?:at|to|is)?\s*{_POINT}", text[action.end() :])
            if action["point"] or not (is_named_first and (action["above"] or action["center"])):
                self._add(action, rest=rest, whole=text)
        return self.calls

    def _add(self, action: re.Match[str], *, rest: str, whole: str) -> None:
        groups = action.groupdict()
        kind = next(name for name, value in groups.items() if value is not None)
        if kind == "open":
            self._once("open_gripper()")
        elif kind == "close":
            self._once(f"close_gripper({_name_for(rest, whole, self.scene)})")
        elif kind == "check":
            self._once("check_task_completion()")
        else:
            self._move(kind, action[0], rest)

    def _once(self, call: str) -> None:
        """Add a call, unless the sentence only said it twice ("open the gripper to release")."""
        if not self.calls or self.calls[-1] != call:
            self.calls.append(call)

    def _move(self, kind: str, said: str, rest: str) -> None:
        x, y, z = self.position
        if kind == "point":
            x, y, z = (float(value) for value in re.findall(_NUMBER, said))
        elif kind == "rise":
            amount = abs(float(re.findall(_NUMBER, said)[-1]))
            is_down = re.match(r"lower|descend|down", said, re.I) is not None
            z += -amount if is_down else amount
        else:
            item = _named(said, self.scene)
            if item is None:
                return
            x, y, _ = item.pose.position
            height = re.search(rf"\bby\s+({_NUMBER})", rest)
            lift = float(height[1]) if height else 0.10
            z = layout.top_z(item) + lift if kind == "above" else grasp_height(item)
        if found := re.search(_YAW, rest, re.I):
            self.yaw = float(found[1])
        self.position = (x, y, z)
        self.calls.append(f"execute_trajectory([{x:.3f}, {y:.3f}, {z:.3f}], {self.yaw + 0.0:.3f})")


def _name_for(rest: str, whole: str, scene: Scene) -> str:
    """The name to close on, as a Python literal: named right after, else in the step."""
    for text in (rest, whole):
        for match in re.finditer(_NAME, text):
            name = unquote(match[0])
            item = scene.find(name)
            if item is not None and (text is rest or not item.is_fixed):
                return json.dumps(name, ensure_ascii=False)
    mentioned = [name for name in scene.names if name in rest] or [
        name for name in scene.names if name in whole
    ]
    best = max(mentioned, key=len, default="")
    return json.dumps(best, ensure_ascii=False)


def _named(text: str, scene: Scene) -> SceneObject | None:
    match = re.search(_NAME, text)
    return scene.find(unquote(match[0])) if match else None
