"""The client of moveit_py, before its signatures, or (marker ``moveit``) before the real one."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import moveit_double
import numpy as np
import pytest

from malmm_ros.bench.planning_queries import block
from malmm_ros.errors import ConfigurationError, MissingDependencyError, MotionError
from malmm_ros.geometry import Pose, top_down
from malmm_ros.models import READY_POSITIONS, arm_joint_names
from malmm_ros.motion import HeldObject, PlanningScene
from malmm_ros.motion.moveit import MoveItPlanner
from malmm_ros.motion.moveit_config import MoveItConfig
from malmm_ros.motion.moveit_scene import TABLE_BODY
from malmm_ros.motion.roboplan_config import RoboplanConfig
from malmm_ros.nodes.moveit_bridge import chosen_interface, make_client
from malmm_ros.nodes.moveit_bridge.settings import library_settings
from malmm_ros.trajectory import JointState

is_real = importlib.util.find_spec("moveit") is not None
READY = JointState.at_rest(arm_joint_names(), np.array(READY_POSITIONS))
ABOVE = top_down((0.25, 0.0, 1.0), 0.0)
LIBRARY = "malmm_ros.nodes.moveit_bridge.library"


class NodeDouble:
    """What the client asks of our node."""

    def __init__(self, namespace: str = "/") -> None:
        self._namespace, self.lines = namespace, list[str]()

    def get_name(self) -> str:
        return "motion"

    def get_namespace(self) -> str:
        return self._namespace

    def get_logger(self) -> Any:
        return SimpleNamespace(info=self.lines.append)

    def get_parameter(self, name: str) -> Any:
        assert name == "use_sim_time"
        return SimpleNamespace(value=True)


class Library:
    """A planner with the library behind it; ``backstage`` only of the double."""

    def __init__(self, backstage: moveit_double.Backstage | None, *, namespace: str = "/") -> None:
        node: Any = NodeDouble(namespace)
        watch: Any = None
        self.backstage = backstage
        config = MoveItConfig(interface="moveit_py")
        client = make_client(node, config, RoboplanConfig(), watch=watch)
        self.planner = MoveItPlanner(client, config)


@pytest.fixture(
    scope="module",
    params=[
        "double",
        pytest.param(
            "real",
            marks=[
                pytest.mark.moveit,
                pytest.mark.skipif(not is_real, reason="moveit_py is not installed"),
            ],
        ),
    ],
)
def library(request: pytest.FixtureRequest) -> Iterator[Library]:
    if request.param == "real":
        made = Library(None)
        yield made
        made.planner.close()
        return
    with pytest.MonkeyPatch.context() as patch:
        modules: dict[str, Any] = {}
        backstage = moveit_double.install(modules)
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        patch.delitem(sys.modules, LIBRARY, raising=False)
        yield Library(backstage)
        patch.delitem(sys.modules, LIBRARY, raising=False)


@pytest.mark.parametrize("straight", [False, True])
def test_a_plan_leads_to_the_goal(library: Library, straight: bool) -> None:
    trajectory = library.planner.plan(READY, ABOVE, PlanningScene(), straight=straight)
    end = library.planner.tcp_pose(trajectory.end)
    np.testing.assert_allclose(end.position, ABOVE.position, atol=1e-3)
    np.testing.assert_array_equal(trajectory.velocities[[0, -1]], 0.0)


def test_objects_come_and_go_and_are_held(library: Library) -> None:
    lying = block("red block", 0.3, 0.2)
    held = HeldObject(item=lying, tcp_from_object=Pose((0.0, 0.0, 0.0)))
    library.planner.plan(READY, ABOVE, PlanningScene(objects=(lying,)))
    library.planner.plan(READY, ABOVE, PlanningScene(held=held, finger_width=0.05))
    if library.backstage is not None:
        server = library.backstage.server
        assert set(server.attached) == {"malmm/red block"}
        assert set(server.bodies) == {TABLE_BODY}
        assert "panda_link7" in server.touch_links["malmm/red block"]
    library.planner.plan(READY, ABOVE, PlanningScene())
    if library.backstage is not None:
        assert not library.backstage.server.attached
        assert set(library.backstage.server.bodies) == {TABLE_BODY}


def test_what_is_held_is_seen_by_the_line_and_may_touch_what_is_allowed(
    library: Library,
) -> None:
    held = HeldObject(item=block("red block", 0.0, 0.0), tcp_from_object=Pose((0.0, 0.0, 0.0)))
    scene = PlanningScene(held=held, finger_width=0.05)
    over = library.planner.plan(READY, top_down((0.25, 0.0, 0.9), 0.0), scene).end
    down = top_down((0.25, 0.0, 0.752 + 0.0249), 0.0)
    with pytest.raises(MotionError, match="straight line is free only for its first"):
        library.planner.plan(over, down, scene, straight=True)
    allowed = replace(scene, held_touchable=frozenset({"table"}))
    library.planner.plan(over, down, allowed, straight=True)
    with pytest.raises(MotionError):  # the permission is taken back
        library.planner.plan(over, down, scene, straight=True)


def test_refusals_have_their_reasons(library: Library) -> None:
    with pytest.raises(MotionError) as caught:
        library.planner.plan(READY, top_down((0.57, 0.45, 0.8), 0.0), PlanningScene())
    assert caught.value.category == "unreachable"
    scene = PlanningScene(objects=(block("red block", 0.2, 0.0, size=(0.05, 0.12, 0.05)),))
    with pytest.raises(MotionError) as caught:
        library.planner.plan(READY, top_down((0.2, 0.0, 0.77), 0.0), scene)
    assert caught.value.category == "in_collision"


def test_closing_lets_the_parts_go_before_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = {}
    backstage = moveit_double.install(modules)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)
    library = Library(backstage)
    library.planner.close()
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)
    assert backstage.is_shut_down
    settings = backstage.settings
    assert settings["use_sim_time"] is True
    assert settings["planning_pipelines"] == {"pipeline_names": ["ompl"]}
    assert "panda_hand_tcp" in settings["robot_description"]
    assert "panda_arm" in settings["robot_description_semantic"]
    assert settings["robot_description_kinematics"]["panda_arm"]["kinematics_solver"]


@pytest.mark.parametrize("namespace", ["/", "/left", "/lab/left"])
def test_the_library_starts_in_any_namespace_and_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, namespace: str
) -> None:
    modules: dict[str, Any] = {}
    backstage = moveit_double.install(modules)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)
    library = Library(backstage, namespace=namespace)
    assert "panda_arm" in backstage.settings["robot_description_semantic"]
    # move_group's services are move_group's.
    assert not backstage.serves_scene
    library.planner.close()
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)
    (file,) = backstage.files
    assert not file.exists()
    assert not file.parent.exists()


def test_the_node_says_how_it_reaches_moveit(monkeypatch: pytest.MonkeyPatch) -> None:
    modules: dict[str, Any] = {}
    moveit_double.install(modules)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)
    node: Any = NodeDouble()
    watch: Any = None
    make_client(node, MoveItConfig(), RoboplanConfig(), watch=watch).close()
    assert node.lines == ["MoveIt is reached through moveit_py (moveit.interface: auto)"]
    monkeypatch.delitem(sys.modules, LIBRARY, raising=False)


def test_the_library_is_chosen_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_interface(MoveItConfig(interface="move_group")) == "move_group"
    modules: dict[str, Any] = {}
    moveit_double.install(modules)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    assert chosen_interface(MoveItConfig()) == "moveit_py"


@pytest.mark.skipif(is_real, reason="moveit_py is installed")
def test_a_missing_library_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "moveit"]:
        monkeypatch.delitem(sys.modules, name)
    assert chosen_interface(MoveItConfig()) == "move_group"
    node: Any = NodeDouble()
    watch: Any = None
    with pytest.raises(MissingDependencyError, match=r"apt install ros-.*-moveit-py"):
        make_client(node, MoveItConfig(interface="moveit_py"), RoboplanConfig(), watch=watch)


def test_the_description_states_the_limits_of_the_arm_that_is_meant() -> None:
    settings = library_settings(
        MoveItConfig(), RoboplanConfig(arm="fr3"), uses_simulated_time=False
    )
    assert 'lower="0.5445"' in settings["robot_description"]


def test_the_library_needs_the_name_of_a_pipeline() -> None:
    config = MoveItConfig(pipeline="")
    with pytest.raises(ConfigurationError, match=r"moveit\.pipeline: must name a pipeline"):
        library_settings(config, RoboplanConfig(), uses_simulated_time=False)


def test_settings_of_another_robot_must_be_given() -> None:
    left = RoboplanConfig(robot_name="left")
    with pytest.raises(ConfigurationError, match="config_folder"):
        library_settings(MoveItConfig(), left, uses_simulated_time=False)
