from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from malmm_ros.agents.code_extraction import extract_code
from malmm_ros.agents.history import History
from malmm_ros.agents.offline import answer
from malmm_ros.agents.prompting import Prompts
from malmm_ros.agents.scene_text import render_scene
from malmm_ros.geometry import Pose, top_down, wrap_angle, yaw_difference
from malmm_ros.scene import TABLE_TOP_Z, GripperState, Scene, SceneObject

PROMPTS = Prompts()


def make_block(
    name: str,
    color: str,
    x: float,
    y: float,
    *,
    yaw: float = 0.0,
    size: float = 0.05,
    z: float = 0.0,
) -> SceneObject:
    height = z or TABLE_TOP_Z + 0.5 * size
    return SceneObject(
        name=name,
        category="block",
        color=color,
        pose=Pose.from_yaw((x, y, height), yaw),
        size=(size, size, size),
        yaw_symmetry=4,
    )


def make_area(
    x: float = 0.25, y: float = 0.0, *, name: str = "green target area", color: str = "green",
    size: float = 0.075, yaw: float = 0.3,
) -> SceneObject:  # fmt: skip
    return SceneObject(
        name=name,
        category="target area",
        color=color,
        pose=Pose.from_yaw((x, y, TABLE_TOP_Z + 0.001), yaw),
        size=(size, size, 0.002),
        yaw_symmetry=4,
        is_fixed=True,
    )


def make_scene(objects: Sequence[SceneObject], *, held: str = "") -> Scene:
    gripper = GripperState(
        tcp=top_down((0.15, 0.0, 1.15), 0.0), yaw=0.0, width=0.08, is_open=True, held_object=""
    )
    scene = Scene(stamp_s=0.0, objects=tuple(objects), gripper=gripper)
    return scene.with_held(held) if held else scene


class StepFailedError(Exception):
    pass


@dataclass
class Tabletop:
    """A table with blocks and a hand; objects fall straight, nothing collides but fingertips."""

    objects: dict[str, SceneObject]
    tcp: tuple[float, float, float] = (0.15, 0.0, 1.15)
    yaw: float = 0.0
    is_open: bool = True
    held: str = ""
    log: list[str] = field(default_factory=list)
    claims: int = 0
    before_move: Callable[[Tabletop], None] = lambda _: None
    refuses: Callable[[Tabletop, Sequence[float], float], str] = lambda *_: ""
    overlooked: str = ""

    def scene(self) -> Scene:
        gripper = GripperState(
            tcp=top_down(self.tcp, self.yaw),
            yaw=self.yaw,
            width=0.08 if self.is_open else 0.05,
            is_open=self.is_open,
        )
        seen = [item for item in self.objects.values() if item.name != self.overlooked]
        scene = Scene(stamp_s=0.0, objects=tuple(seen), gripper=gripper)
        return scene.with_held(self.held)

    def execute_trajectory(self, position: Sequence[float], yaw: float) -> None:
        self.before_move(self)
        problem = self.refuses(self, position, yaw)
        if problem:
            raise StepFailedError(f"execute_trajectory: FAILED, {problem}")
        x, y, z = position
        assert -math.pi <= yaw <= math.pi
        assert z - 0.009 > TABLE_TOP_Z, "the fingertips would touch the table"
        assert -0.075 <= x <= 0.575
        assert -0.455 <= y <= 0.455
        assert z <= 1.5
        if self.held:
            item = self.objects[self.held]
            moved = top_down((x, y, z), yaw) @ top_down(self.tcp, self.yaw).inverse() @ item.pose
            self.objects[self.held] = replace(item, pose=Pose.from_yaw(moved.position, moved.yaw))
            self._check_held()
        self.tcp, self.yaw = (x, y, z), yaw

    def _check_held(self) -> None:
        item = self.objects[self.held]
        assert item.bottom_z > TABLE_TOP_Z, "pushed into the table"
        for other in self.objects.values():
            if other.name != item.name and _overlap(item, other):
                overlap = min(item.top_z, other.top_z) - max(item.bottom_z, other.bottom_z)
                assert overlap <= 0.0, f"{item.name} was moved into {other.name}"

    def open_gripper(self) -> None:
        self.is_open = True
        if self.held:
            name, self.held = self.held, ""
            self.drop(name)

    def close_gripper(self, name: str) -> None:
        item = self.objects[name]
        self.is_open = False
        off = np.subtract(self.tcp, item.pose.position)
        square = yaw_difference(self.yaw, item.pose.yaw, symmetry=item.yaw_symmetry) < 0.1
        loaded = any(
            abs(other.bottom_z - item.top_z) < 0.01 and _overlap(item, other)
            for other in self.objects.values()
        )
        assert not loaded, f"{name} carries something"
        if np.hypot(*off[:2]) > 0.012 or abs(off[2]) > 0.5 * item.size[2] or not square:
            raise StepFailedError(f"close_gripper({name!r}): FAILED, closed_on_nothing")
        self.held = name

    def check_task_completion(self) -> None:
        self.claims += 1

    def drop(self, name: str) -> None:
        """Let an object fall to what is below it; beside it, when it does not stand on it."""
        item = self.objects[name]
        below = [
            other
            for other in self.objects.values()
            if other.name != name and _overlap(item, other) and other.top_z <= item.bottom_z + 0.01
        ]
        carrier = max(below, key=lambda other: other.top_z, default=None)
        x, y, _ = item.pose.position
        top = TABLE_TOP_Z if carrier is None else carrier.top_z
        if carrier is not None and carrier.size[2] > 0.01:
            away = np.subtract((x, y), carrier.pose.position[:2])
            if np.abs(away).max() > 0.5 * carrier.size[0]:
                x, y = (x, y) + 0.06 * away / np.linalg.norm(away)
                top = TABLE_TOP_Z
        pose = Pose.from_yaw((float(x), float(y), top + 0.5 * item.size[2]), item.pose.yaw)
        self.objects[name] = replace(item, pose=pose)

    def run(self, code: str) -> str:
        calls = {
            "execute_trajectory": self.execute_trajectory,
            "open_gripper": self.open_gripper,
            "close_gripper": self.close_gripper,
            "check_task_completion": self.check_task_completion,
        }
        try:
            exec(code, calls)  # type: ignore[arg-type]
        except StepFailedError as failure:
            return f"Stopped:\nline 1: {failure}"
        return "Done:\nline 1: ok"


def _overlap(first: SceneObject, second: SceneObject) -> bool:
    one, two = first.corners()[:, :2], second.corners()[:, :2]
    for yaw in (first.pose.yaw, second.pose.yaw):
        axes = np.array([(math.cos(yaw), math.sin(yaw)), (-math.sin(yaw), math.cos(yaw))]).T
        a, b = one @ axes, two @ axes
        if np.any((a.max(0) <= b.min(0) + 1e-6) | (b.max(0) <= a.min(0) + 1e-6)):
            return False
    return True


@dataclass
class Ending:
    text: str
    steps: int
    history: History
    is_accepted: bool = False


def ask(role: str, instruction: str, scene: Scene, history: History, turn: str = "") -> str:
    system = PROMPTS.system(role)  # type: ignore[arg-type]
    user = PROMPTS.user(
        instruction=instruction,
        history=history.render(role),  # type: ignore[arg-type]
        scene=render_scene(scene),
        turn=turn or role,  # type: ignore[arg-type]
    )
    return answer([system, user])


def run_team(
    instruction: str,
    table: Tabletop,
    *,
    after_step: Callable[[Tabletop, int], None] | None = None,
    limit: int = 40,
) -> Ending:
    """Let the three roles work on a tabletop until the Planner ends it."""
    history = History()
    for step in range(limit):
        text = ask("planner", instruction, table.scene(), history)
        history.add("planner", text)
        last = text.rsplit("\n\n", 1)[-1]
        if not last.startswith("Step:"):
            verdict = ask("planner", instruction, table.scene(), history, turn="verify")
            return Ending(last, step, history, '"is_complete": true' in verdict)
        code = ask("coder", instruction, table.scene(), history)
        history.add("coder", code)
        history.add("executor", table.run(extract_code(code)))
        if after_step is not None:
            after_step(table, step)
    return Ending("(limit)", limit, history)


def random_layout(
    rng: np.random.Generator, colors: Sequence[str], *, gap: float = 0.1
) -> dict[str, SceneObject]:
    """Blocks of the given colours and a target area; centres at least ``gap`` apart."""
    area = make_area(rng.uniform(0.15, 0.35), rng.uniform(-0.1, 0.1), yaw=rng.uniform(-3, 3))
    objects: dict[str, SceneObject] = {}
    points = [area.pose.position[:2]]
    while len(objects) < len(colors):
        point = (rng.uniform(-0.04, 0.42), rng.uniform(-0.38, 0.38))
        reach = math.hypot(point[0] + 0.27, point[1])
        near = min(math.dist(point, other) for other in points)
        if near < gap or not 0.3 < reach < 0.74:
            continue
        points.append(point)
        color = colors[len(objects)]
        name = f"{color} block {1 + sum(color in known for known in objects)}"
        yaw = wrap_angle(rng.uniform(-3, 3))
        objects[name] = make_block(name, color, *point, yaw=yaw)
    return {**objects, area.name: area}


def tower_height(table: Tabletop, color: str, support: str) -> int:
    """How many blocks of a colour stand on the support in one column."""
    base = table.objects[support]
    height, top, (x, y) = 0, base.top_z, base.pose.position[:2]
    while True:
        found = [
            item
            for item in table.objects.values()
            if item.color == color and item.name != support and item.name != table.held
            and abs(item.bottom_z - top) < 0.006
            and math.dist(item.pose.position[:2], (x, y)) < 0.02
        ]  # fmt: skip
        if not found:
            return height
        height, top = height + 1, found[0].top_z


def make_thing(
    name: str,
    category: str,
    color: str,
    position: tuple[float, float],
    size: tuple[float, float, float],
    *,
    z: float = 0.0,
    symmetry: int = 4,
    is_fixed: bool = False,
) -> SceneObject:
    height = z or TABLE_TOP_Z + 0.5 * size[2]
    return SceneObject(
        name=name,
        category=category,
        color=color,
        pose=Pose((*position, height)),
        size=size,
        yaw_symmetry=symmetry,
        is_fixed=is_fixed,
    )


def _scenes() -> dict[str, Scene]:
    reds = [(0.05, 0.2), (0.2, 0.3), (0.4, 0.2), (0.1, -0.2)]
    red_blocks = [make_block(f"red block {n}", "red", *at) for n, at in enumerate(reds, start=1)]
    blue_blocks = [
        make_block("blue block 1", "blue", 0.25, -0.25),
        make_block("blue block 2", "blue", 0.4, -0.2),
    ]
    tray, jar, spoke = (0.125, 0.2, 0.05), (0.09, 0.09, 0.11), (0.025, 0.025, 0.12)
    piece, tomato = (0.03, 0.05, 0.06), (0.066, 0.066, 0.066)
    scenes: dict[str, list[SceneObject]] = {
        "PUT": [
            make_block("block", "red", 0.1, 0.2, size=0.058),
            make_area(0.3, -0.1, name="target area", color="gray", size=0.15),
        ],
        "MIX": [
            make_block("red block", "red", 0.05, 0.2),
            make_block("blue block", "blue", 0.25, -0.25),
            make_block("yellow block", "yellow", 0.4, 0.2),
            make_area(),
        ],
        "STACK": [*red_blocks, *blue_blocks, make_area()],
        "JARS": [
            make_thing("azure jar", "jar", "azure", (0.2, 0.2), jar, symmetry=0),
            make_thing("olive jar", "jar", "olive", (0.2, -0.2), jar, symmetry=0),
            make_thing("lid", "lid", "gray", (0.1, 0.0), (0.074, 0.074, 0.021), symmetry=0),
        ],
        "TRAYS": [
            make_thing(
                "big tray", "tray", "white", (0.25, 0.0), (0.318, 0.318, 0.05), is_fixed=True
            ),
            make_thing("blue tray", "tray", "blue", (0.25, -0.3), tray, is_fixed=True),
            make_thing("red tray", "tray", "red", (0.25, 0.3), tray, is_fixed=True),
            make_thing("yellow object", "object", "yellow", (0.2, 0.02), piece, z=0.79),
            make_thing("green object", "object", "green", (0.3, 0.05), piece, z=0.79),
            make_thing("purple object", "object", "purple", (0.25, -0.06), piece, z=0.79),
        ],
        "PEGS": [
            make_thing("red spoke", "spoke", "red", (0.2, -0.125), spoke, z=0.832, is_fixed=True),
            make_thing("green spoke", "spoke", "green", (0.2, 0.0), spoke, z=0.832, is_fixed=True),
            make_thing("cyan spoke", "spoke", "cyan", (0.2, 0.125), spoke, z=0.832, is_fixed=True),
            make_thing("square ring", "ring", "yellow", (0.05, 0.2), (0.05, 0.05, 0.01)),
        ],
        "GRILL": [
            make_thing("chicken", "meat", "orange", (0.25, 0.0), (0.094, 0.08, 0.042), z=1.061),
            make_thing("steak", "meat", "brown", (0.3, 0.1), (0.088, 0.074, 0.029), z=1.055),
            make_thing("grill", "grill", "black", (0.25, 0.0), (0.3, 0.4, 0.288), is_fixed=True),
            make_thing(
                "side area", "side area", "gray", (0.25, 0.35), (0.2, 0.2, 0.2), is_fixed=True
            ),
        ],
        "BIN": [
            make_thing("bin", "bin", "gray", (0.3, 0.2), (0.2, 0.2, 0.19), symmetry=0,
                       is_fixed=True),
            make_thing("rubbish", "rubbish", "white", (0.2, -0.1), (0.087, 0.05, 0.034)),
            make_thing("tomato 1", "tomato", "red", (0.2, 0.0), tomato, symmetry=0),
            make_thing("tomato 2", "tomato", "red", (0.3, -0.2), tomato, symmetry=0),
        ],
        "HOOP": [
            make_thing("basketball", "ball", "orange", (0.1, 0.2), (0.06, 0.06, 0.06), symmetry=0),
            make_thing("hoop", "hoop", "orange", (0.35, 0.0), (0.14, 0.14, 0.13), z=0.925,
                       symmetry=0, is_fixed=True),
        ],
        "SHED": [
            make_thing("bin", "bin", "gray", (0.3, 0.25), (0.2, 0.2, 0.19), symmetry=0,
                       is_fixed=True),
            make_thing("red jar", "jar", "red", (0.2, -0.2), jar, symmetry=0),
            make_thing("lid", "lid", "gray", (0.1, 0.0), (0.074, 0.074, 0.021), symmetry=0),
            make_block("blue block", "blue", 0.35, -0.05),
            make_area(0.1, 0.15),
        ],
        "WINE": [
            make_thing("wine bottle", "bottle", "green", (0.25, 0.0), (0.0745, 0.0745, 0.298),
                       symmetry=0),
            make_thing("cap", "cap", "brown", (0.25, 0.0), (0.03, 0.03, 0.02), z=1.06, symmetry=0),
        ],
    }  # fmt: skip
    return {name: make_scene(objects) for name, objects in scenes.items()}


SCENES = _scenes()


class Kit:
    """The helpers of this folder; tests are imported by path and see no module of it."""

    Tabletop = Tabletop
    ask = staticmethod(ask)
    make_area = staticmethod(make_area)
    make_block = staticmethod(make_block)
    make_scene = staticmethod(make_scene)
    random_layout = staticmethod(random_layout)
    run_team = staticmethod(run_team)
    scenes = SCENES
    tower_height = staticmethod(tower_height)

    def __repr__(self) -> str:
        return "kit"


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit()
