"""From goals and the present scene to the one next step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from malmm_ros.agents.offline import layout
from malmm_ros.agents.offline.attempts import Attempts
from malmm_ros.agents.offline.goals import (
    Above,
    Goal,
    Held,
    Home,
    Inside,
    Spot,
    Tower,
    column,
    forced_items,
    holds,
    moved_items,
    names_in,
)
from malmm_ros.agents.offline.grounding import by_convenience
from malmm_ros.agents.offline.hand import (
    SAFE_HEIGHT,
    Grasp,
    grasps,
    hand_conflicts,
    placing_yaws,
    safe_height,
)
from malmm_ros.agents.offline.naming import label
from malmm_ros.agents.offline.placements import Placement, aside, placement
from malmm_ros.agents.offline.steps import hold_step, home_step, pick_step, place_step, quote
from malmm_ros.geometry import wrap_angle
from malmm_ros.scene import Scene, SceneObject

# The prompts name 0.02 m as the usual gap; a lower release keeps a stack narrower.
_RELEASE_GAPS = (0.005, 0.010, 0.020)
_DROP_GAPS = (0.010, 0.040, 0.070, 0.070, 0.100)
_TURNS = (0.0, 0.0, 0.5 * math.pi, -0.5 * math.pi, 0.25 * math.pi, -0.25 * math.pi)
_MAX_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """What comes next; ``text`` is the last paragraph of the answer, with its heading."""

    kind: Literal["step", "complete", "impossible"]
    text: str
    why: str = ""


def open_goals(
    goals: Sequence[Goal], done: Sequence[bool], scene: Scene, tried: Attempts
) -> list[int]:
    """Indices of the goals still to be reached, what carries others first."""
    left = [
        index
        for index, goal in enumerate(goals)
        if not holds(goal, scene)
        and not _fell_through(goal, scene, tried)
        and not (done[index] and is_superseded(goals, index))
    ]
    return sorted(
        left,
        key=lambda index: (isinstance(goals[index], Home), _depth(goals, index, left), index),
    )


def _fell_through(goal: Goal, scene: Scene, tried: Attempts) -> bool:
    """Whether an object was let go in a hoop and is below it now, where it does not stay."""
    if not isinstance(goal, Inside) or tried.placed.get(goal.item) != goal.container:
        return False
    item, hoop = scene.find(goal.item), scene.find(goal.container)
    if item is None or hoop is None or "hoop" not in label(hoop).kinds:
        return False
    return not item.is_held and layout.top_z(item) < layout.bottom_z(hoop) + 0.01


def is_superseded(goals: Sequence[Goal], index: int) -> bool:
    """Whether a later goal moves the same thing elsewhere, so that once is enough."""
    own = set(moved_items(goals[index]))
    return any(own & forced_items(goal) for goal in goals[index + 1 :])


def decide(goals: Sequence[Goal], left: Sequence[int], scene: Scene, tried: Attempts) -> Decision:
    """Choose the next step.

    Args:
        goals: All of the instruction's.
        left: From :func:`open_goals`.
        scene: As it is now.
        tried: Failures so far.
    """
    held = scene.find(scene.gripper.held_object) if scene.gripper.is_holding else None
    pending = [goals[index] for index in left]
    if held is not None:
        return _with_full_hand(held, pending, goals, scene, tried)
    if not pending:
        return Decision("complete", "Complete: every goal above holds, and the gripper is empty.")
    refusal: Decision | None = None
    for goal in pending:
        decision = _next_for(goal, goals, scene, tried)
        if decision.kind == "step":
            return decision
        refusal = refusal or decision
    return refusal or Decision("impossible", "Impossible: I see no way to go on.")


def _depth(goals: Sequence[Goal], index: int, left: Sequence[int]) -> int:
    """How many open goals have to be reached before: those that move its support."""
    depth, seen = 0, {index}
    current = index
    while True:
        supports = set(names_in(goals[current])) - set(moved_items(goals[current]))
        below = [
            other
            for other in left
            if other not in seen and supports & forced_items(goals[other])
            and not is_superseded(goals, other)
        ]  # fmt: skip
        if not below:
            return depth
        current = below[0]
        seen.add(current)
        depth += 1


def _with_full_hand(
    held: SceneObject,
    pending: Sequence[Goal],
    goals: Sequence[Goal],
    scene: Scene,
    tried: Attempts,
) -> Decision:
    is_kept = any(isinstance(goal, Held | Above) and goal.item == held.name for goal in goals)
    if not pending and is_kept:
        return Decision("complete", f"Complete: {quote(held.name)} is in the gripper, as asked.")
    if pending and is_kept and isinstance(pending[0], Home):
        return _go_home(pending[0])
    for goal in pending:
        if isinstance(goal, Above) and goal.item == held.name:
            return _hold_over(goal, held, scene)
        if not _wants(goal, held.name, scene) or isinstance(goal, Held):
            continue
        place = placement(goal, held, scene)
        if isinstance(place, Placement):
            return _put_down(held, place, scene, tried, "It is the one to put there.")
        break
    avoid = [item for goal in pending for name in names_in(goal) if (item := scene.find(name))]
    points = [(goal.x, goal.y) for goal in pending if isinstance(goal, Spot)]
    fixed = [item for item in avoid if item.is_fixed]
    free = aside(held, scene, avoid=fixed, clear_of=points)
    free = free or aside(held, scene)
    if free is None:
        return Decision("impossible", "Impossible: there is no free place on the table to put "
                        f"{quote(held.name)} down.")  # fmt: skip
    return _put_down(held, free, scene, tried, "It is in the way, so it goes to a free place.")


def _go_home(goal: Home) -> Decision:
    text = home_step((goal.x, goal.y, goal.z), goal.yaw)
    return Decision("step", text, "All else is done.")


def _hold_over(goal: Above, held: SceneObject, scene: Scene) -> Decision:
    support = scene.find(goal.support)
    if support is None:
        return Decision("impossible", f"Impossible: {quote(goal.support)} is not in sight.")
    tool = scene.gripper.tcp.position
    x, y = _tool_point(held, layout.center(support), 0.0, tool)
    hang = tool[2] - layout.bottom_z(held)
    z = layout.top_z(support) + goal.height + hang
    way = safe_height((tool[0], tool[1]), (x, y), scene, ignore=[held.name])
    yaw = scene.gripper.yaw
    text = hold_step(held.name, support.name, (x, y, z), yaw, above=way + hang + 0.02)
    return Decision("step", text, f"It is to be held over {quote(support.name)}.")


def _wants(goal: Goal, name: str, scene: Scene) -> bool:
    if not isinstance(goal, Tower):
        return name in moved_items(goal)
    stack = column(goal, scene)
    return len(stack) < len(goal.levels) and name in goal.levels[len(stack)]


def _next_for(goal: Goal, goals: Sequence[Goal], scene: Scene, tried: Attempts) -> Decision:
    """The next step towards one goal with an empty hand."""
    if isinstance(goal, Home):
        return _go_home(goal)
    refusal: Decision | None = None
    for item in _movers(goal, scene, tried):
        target, why = _first_to_move(goal, item, scene)
        if target is None:
            refusal = refusal or Decision("impossible", f"Impossible: {why}")
            continue
        if tried.picks[target.name] >= _MAX_ATTEMPTS or target.is_fixed:
            reason = "is fixed" if target.is_fixed else f"cannot be taken: {tried.last_problem}"
            refusal = refusal or Decision(
                "impossible", f"Impossible: {quote(target.name)} {reason}."
            )
            continue
        return _pick_up(target, _destination_of(goal, item, target, scene), scene, tried, why)
    return refusal or Decision(
        "impossible", "Impossible: nothing that is left in the scene fits the goal."
    )


def _movers(goal: Goal, scene: Scene, tried: Attempts) -> list[SceneObject]:
    """What could be moved next for a goal, the best choice first."""
    if not isinstance(goal, Tower):
        return [item for name in moved_items(goal) if (item := scene.find(name))]
    stack = column(goal, scene)
    used = {item.name for item in stack}
    reserved = _reserved(goal, len(stack))
    found = [
        item
        for name in goal.levels[len(stack)]
        if name not in used and (item := scene.find(name)) is not None
    ]
    support = scene.find(goal.support)
    anchor = stack[0] if stack else support
    near = layout.center(anchor) if anchor is not None else (0.25, 0.0)
    ranked = by_convenience(found, scene, near=near)
    return sorted(
        ranked,
        key=lambda item: (tried.picks[item.name] >= 2, item.name in reserved, _is_wide(item)),
    )


def _reserved(tower: Tower, level: int) -> set[str]:
    """What the levels above need and cannot replace."""
    above = tower.levels[level + 1 :]
    return {name for names in above if len(names) == 1 for name in names}


def _is_wide(item: SceneObject) -> bool:
    return min(item.size[:2]) > 0.075


def _first_to_move(goal: Goal, item: SceneObject, scene: Scene) -> tuple[SceneObject | None, str]:
    """The item itself, or what has to be cleared away before; with the reason in words."""
    upper = _topmost_on(item, scene)
    if upper is not None:
        return upper, f"{quote(upper.name)} stands on {quote(item.name)} and goes first."
    if isinstance(goal, Held | Above):
        return item, "It is the one that is asked for."
    place = placement(goal, item, scene)
    if place is None:
        return None, f"there is no room for {quote(item.name)} where it should go."
    if isinstance(place, Placement):
        return item, f"It goes {place.where}."
    blocker = scene.find(place.name)
    if blocker is None:
        return item, ""
    top = _topmost_on(blocker, scene) or blocker
    return top, f"{quote(top.name)} is in the way of {quote(item.name)} and goes first."


def _topmost_on(item: SceneObject, scene: Scene) -> SceneObject | None:
    above = None
    seen = {item.name}
    current = item
    while True:
        loads = [one for one in layout.loads(current, scene) if one.name not in seen]
        if not loads:
            return above
        current = above = loads[0]
        seen.add(current.name)


def _destination_of(
    goal: Goal, item: SceneObject, target: SceneObject, scene: Scene
) -> layout.Point:
    if item.name != target.name or isinstance(goal, Held | Above):
        return layout.center(target)
    place = placement(goal, item, scene)
    return place.point if isinstance(place, Placement) else layout.center(target)


def _pick_up(
    item: SceneObject, toward: layout.Point, scene: Scene, tried: Attempts, why: str
) -> Decision:
    options = grasps(item, scene)
    if not options:
        return Decision("impossible", f"Impossible: {quote(item.name)} is too wide for the "
                        f"gripper, which takes at most {0.075:.3f}.")  # fmt: skip
    failures = tried.picks[item.name]
    option = options[failures % len(options)]
    crowd = _crowding(option, scene, failures)
    if crowd is not None:
        others = grasps(crowd, scene)
        if others and not others[0].conflicts and not layout.loads(crowd, scene):
            why = f"{quote(crowd.name)} leaves the fingers no room beside {quote(item.name)}."
            return _pick_up(crowd, layout.center(crowd), scene, tried, why)
    x, y, z = option.position
    above = layout.top_z(item) + SAFE_HEIGHT
    way = safe_height((x, y), toward, scene, ignore=[item.name])
    hang = z - layout.bottom_z(item)
    raised = above
    if failures == 0 and layout.is_reachable((x, y), margin=0.02):
        raised = max(above, way + hang + 0.02)
    text = pick_step(item.name, (x, y, z), option.yaw, above=above, raised=raised)
    return Decision("step", text, why)


def _crowding(option: Grasp, scene: Scene, failures: int) -> SceneObject | None:
    if failures or not option.conflicts:
        return None
    crowd = scene.find(option.conflicts[0])
    return crowd if crowd is not None and not crowd.is_fixed else None


def _put_down(
    held: SceneObject, place: Placement, scene: Scene, tried: Attempts, why: str
) -> Decision:
    tool = scene.gripper.tcp.position
    failures = tried.places[held.name]
    gaps = _DROP_GAPS if place.is_drop else _RELEASE_GAPS
    gap = gaps[min(failures, len(gaps) - 1)]
    hang = tool[2] - layout.bottom_z(held)
    height = place.top + gap + hang
    yaw = _placing_yaw(held, place, scene, height, failures)
    x, y = _tool_point(held, place.point, yaw - scene.gripper.yaw, tool)
    way = safe_height((tool[0], tool[1]), (x, y), scene, ignore=[held.name])
    above = max(place.top + SAFE_HEIGHT + hang, way + hang + 0.02)
    if failures:
        above = height + SAFE_HEIGHT
    text = place_step(held.name, place.where, (x, y, height), yaw, above=above)
    return Decision("step", text, why)


def _placing_yaw(
    held: SceneObject, place: Placement, scene: Scene, height: float, failures: int
) -> float:
    tool_yaw = scene.gripper.yaw
    # Round things, and any on a round support or the bare table, keep the present yaw.
    wanted: Iterable[float] = place.yaws if held.yaw_symmetry else ()
    options = placing_yaws(held, tool_yaw, tuple(wanted)) if wanted else []
    if held.yaw_symmetry == 0:
        turn = _TURNS[failures % len(_TURNS)]
        return wrap_angle(tool_yaw + turn)
    if not wanted and held.yaw_symmetry:
        options = placing_yaws(held, tool_yaw, (held.pose.yaw,))
        options.sort(key=lambda yaw: abs(yaw - tool_yaw))

    def conflicts(yaw: float) -> int:
        ignored = [held.name, place.support]
        position = (*place.point, height)
        return len(hand_conflicts(position, yaw, scene, ignore=ignored))

    ranked = sorted(options, key=conflicts)
    return ranked[failures % len(ranked)]


def _tool_point(
    held: SceneObject, goal: layout.Point, turn: float, tool: tuple[float, float, float]
) -> layout.Point:
    """Where the tool point has to be so that the held object's middle is at the goal."""
    offset = layout.rotation(turn) @ (
        held.pose.position[0] - tool[0],
        held.pose.position[1] - tool[1],
    )
    return (goal[0] - float(offset[0]), goal[1] - float(offset[1]))
