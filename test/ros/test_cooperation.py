"""The cooperation world as nodes: the same episodes as in one process, and deaths."""

from __future__ import annotations

import collections
import json
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from malmm_ros.msg import CarriedMessage, Charge, HeardMessages, Turn, Utterance
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from malmm_ros.agents import read_transcript
from malmm_ros.bringup import COOPERATION
from malmm_ros.bringup.processes import ProcessGroup, node_command
from malmm_ros.cli import main
from malmm_ros.cooperation.channel import Channel, ChannelConfig
from malmm_ros.cooperation.transport.episode import load_episodes
from malmm_ros.cooperation.transport.observation import Message
from malmm_ros.cooperation.transport.rules import TransportRules
from malmm_ros.cooperation.transport.runner import run_episode
from malmm_ros.cooperation.transport.team import build_team
from malmm_ros.cooperation.transport.world import TransportWorld
from malmm_ros.errors import NodeDiedError
from malmm_ros.nodes.cooperation.client import CooperationClient
from malmm_ros.nodes.cooperation.profiles import LOCK_STEP
from malmm_ros.nodes.liveness import NodeWatch
from malmm_ros.nodes.qos import LATCHED, TRANSCRIPT

KINDS, NAMES = ("rhp", "rhp"), ("Alice", "Bob")
LAB = {"delay_frames": 40, "drop": 0.5, "most_characters": 20, "namespace": "lab"}
HORIZON = 150


@dataclass(slots=True)
class System:
    """Nodes, their output, and how to start one again."""

    group: ProcessGroup
    environment: dict[str, str]
    commands: dict[str, list[str]]
    lines: list[tuple[str, str]]

    def kill(self, label: str) -> None:
        os.kill(self.group.pid(label), signal.SIGKILL)

    def restart(self, label: str) -> None:
        deadline = time.monotonic() + 5.0
        while label not in self.group.dead():
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)
        self.group.restart(label, self.commands[label], environment=self.environment)

    def has_said(self, label: str, words: str) -> bool:
        return any(name == label and words in line for name, line in list(self.lines))


@pytest.fixture(scope="module")
def system(
    ros_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[System]:
    """Two agents; in another namespace, a communication node with a bad connection."""
    lines: list[tuple[str, str]] = []
    values = {"agents": ",".join(KINDS), "rviz": "false"}
    values["transcripts"] = str(tmp_path_factory.mktemp("runs"))
    nodes = {node.label: node for node in COOPERATION.resolve(values)}
    lab = {node.label: node for node in COOPERATION.resolve(values | LAB)}
    commands = {label: node_command(node) for label, node in nodes.items()}
    commands["lab"] = node_command(lab["communication"])
    with ProcessGroup(on_line=lambda name, line: lines.append((name, line))) as group:
        for label, command in commands.items():
            group.start(label, command, environment=ros_environment)
        yield System(group, ros_environment, commands, lines)


@pytest.fixture(scope="module")
def cooperation(system: System) -> Iterator[CooperationClient]:
    with CooperationClient(f"test_cooperation_{os.getpid()}") as cooperation:
        cooperation.wait_for_world(timeout_s=60.0)
        yield cooperation


def in_one_process(
    kinds: tuple[str, ...], episode: str, *, seed: int, horizon: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Actions, step by step, and the record."""
    steps: list[dict[str, Any]] = []
    found = next(item for item in load_episodes("test") if item.name == episode)
    rules = TransportRules(horizon_frames=horizon)
    world = TransportWorld(found, agents=NAMES, rules=rules)
    record = run_episode(
        world,
        build_team(kinds, world, seed=seed),
        on_step=lambda world, actions: steps.append(
            {"frame": world.frame, "actions": {n: asdict(a) for n, a in actions.items()}}
        ),
    )
    return steps, asdict(record)


def steps_of(result: Any) -> list[dict[str, Any]]:
    events = read_transcript(Path(result.transcript))
    return [dict(event.data) for event in events if event.kind == "execution"]


def assert_same_episode(result: Any, *, seed: int, horizon: int) -> None:
    steps, record = in_one_process(KINDS, result.episode, seed=seed, horizon=horizon)
    assert steps_of(result) == steps
    assert json.loads(result.record) == json.loads(json.dumps(record))


def test_equal_seeds_give_the_same_episode_through_nodes_and_in_one_process_and_rviz_sees_it(
    system: System,
    cooperation: CooperationClient,
    client: Node,
    wait_until: Callable[..., None],
) -> None:
    shown: dict[str, list[Any]] = collections.defaultdict(list)
    for kind, topic, profile in (
        (MarkerArray, "flat_markers", LATCHED),
        (MarkerArray, "cooperation_markers", LATCHED),
        (OccupancyGrid, "alice/map", LATCHED),
        (TFMessage, "/tf", QoSProfile(depth=100)),
    ):
        client.create_subscription(kind, topic, shown[topic].append, profile)
    deadline = time.monotonic() + 20.0
    while not shown["/tf"] and time.monotonic() < deadline:  # not latched: be heard of first
        assert cooperation.run("test/05", horizon=30).success
    told: list[Any] = []
    result = cooperation.run("test/02", seed=3, horizon=HORIZON, on_feedback=told.append)
    assert result.success, result.message
    assert (result.episode, result.reason) == ("test/02", "horizon")
    assert_same_episode(result, seed=3, horizon=HORIZON)
    assert told
    assert {item.horizon for item in told} == {HORIZON}
    assert [item.frame for item in told] == sorted(item.frame for item in told)
    topics = ("flat_markers", "cooperation_markers", "alice/map")
    wait_until(lambda: all(shown[topic] for topic in topics), timeout_s=20.0, what="all topics")
    layout = load_episodes("test")[2].layout
    walls = [marker for marker in shown["flat_markers"][-1].markers if marker.ns == "walls"]
    assert len(walls) == len(layout.walls)
    # One who comes after the end sees how it ended.
    late: list[OccupancyGrid] = []
    client.create_subscription(OccupancyGrid, "bob/map", late.append, LATCHED)
    wait_until(lambda: late, timeout_s=20.0, what="the map for a latecomer")
    assert {m.ns for m in shown["cooperation_markers"][-1].markers} >= {"agents", "things"}
    frames = {frame.child_frame_id for item in shown["/tf"] for frame in item.transforms}
    assert frames == {"alice/base", "bob/base"}
    explored = [cell for cell in shown["alice/map"][-1].data if cell >= 0]
    assert len(explored) > 500


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_whole_episode_is_the_same_through_nodes_and_in_one_process(
    cooperation: CooperationClient,
) -> None:
    result = cooperation.run("test/00", seed=0)
    assert result.success, result.message
    assert result.delivered > 0
    assert_same_episode(result, seed=0, horizon=TransportRules().horizon_frames)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_agents_that_talk_hear_the_same_through_nodes_until_the_way_of_messages_dies(
    ros_environment: dict[str, str], processes: ProcessGroup, tmp_path: Path
) -> None:
    kinds, horizon = ("coela", "coela"), 250
    values = {"agents": ",".join(kinds), "rviz": "false", "namespace": "talk"}
    for node in COOPERATION.resolve(values | {"transcripts": str(tmp_path)}):
        processes.start(node.label, node_command(node), environment=ros_environment)
    with CooperationClient(f"test_talk_{os.getpid()}", namespace="talk") as talk:
        talk.wait_for_world(timeout_s=60.0)
        result = talk.run("test/00", seed=1, horizon=horizon)
        steps, record = in_one_process(kinds, "test/00", seed=1, horizon=horizon)
        assert record["messages"] > 0
        assert steps_of(result) == steps
        assert json.loads(result.record) == json.loads(json.dumps(record))
        killed = threading.Event()

        def kill(_feedback: Any) -> None:
            if not killed.is_set():
                killed.set()
                os.kill(processes.pid("communication"), signal.SIGKILL)

        result = talk.run("test/00", seed=1, on_feedback=kill)
    assert not result.success
    assert result.reason == "node_died"
    assert "node 'communication' is gone: nobody hears anybody any more" in result.message
    # What agents with a mind thought is kept, each one's for itself.
    assert len(list(tmp_path.glob("cooperation-*-Alice.jsonl"))) == 2


def test_the_command_line_runs_episodes_of_running_nodes_and_reports_them(
    system: System,
    cooperation: CooperationClient,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "report.json"
    words = ["cooperate", "--ros", "--episodes", "test/02,test/05", "--horizon", "30"]
    assert main([*words, "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "test/02, seed 0: 0 of 10 delivered in 30 frames" in printed
    report = json.loads(path.read_text())
    assert [item["episode"] for item in report["episodes"]] == ["test/02", "test/05"]
    assert {item["record"]["frames"] for item in report["episodes"]} == {30}
    assert report["success"]
    assert main([*words, "--agents", "coela,coela"]) == 2
    assert "--agents: is the nodes' own setting" in capsys.readouterr().err


def test_one_episode_at_a_time_and_one_that_is_cancelled_says_so(
    system: System, cooperation: CooperationClient
) -> None:
    second: list[Any] = []

    def follow(_feedback: Any) -> None:
        if thread.ident is None:
            thread.start()

    def interfere() -> None:
        with CooperationClient(f"test_busy_{os.getpid()}") as other:
            second.append(other.run("test/01"))
        cooperation.cancel()

    thread = threading.Thread(target=interfere)
    result = cooperation.run("test/02", on_feedback=follow)
    thread.join(10.0)
    assert (result.success, result.reason) == (False, "cancelled")
    assert "cancelled by the client" in result.message
    assert (second[0].success, second[0].reason) == (False, "busy")
    unknown = cooperation.run("test/99")
    assert unknown.reason == "refused"
    assert "'test/99' is unknown" in unknown.message


def test_a_bad_connection_cuts_delays_and_loses_as_the_channel_does_alone(
    system: System, client: Node, wait_until: Callable[..., None]
) -> None:
    """The nodes' own texts, played by hand in a namespace of its own."""
    heard: list[tuple[str, HeardMessages]] = []
    charges: list[Charge] = []
    log: list[CarriedMessage] = []
    for name in NAMES:
        client.create_subscription(
            HeardMessages,
            f"/lab/{name.lower()}/heard",
            lambda message, name=name: heard.append((name, message)),
            LOCK_STEP,
        )
    client.create_subscription(Charge, "/lab/charges", charges.append, LOCK_STEP)
    client.create_subscription(CarriedMessage, "/lab/messages", log.append, TRANSCRIPT)
    turns = client.create_publisher(Turn, "/lab/turn", LOCK_STEP)
    says = client.create_publisher(Utterance, "/lab/alice/say", LOCK_STEP)
    config = ChannelConfig(delay_frames=40, drop=0.5, most_characters=20)
    channel = Channel(config, seed=(0, 7))
    spoken: list[str] = []
    for step in range(8):
        frame = 30 * step
        turn = Turn(run="by hand", seed=7, step=step, frame=frame, spoken=spoken)
        turn.spoken_frames = [frame - 1] * len(spoken)
        turns.publish(turn)
        count = 2 * (step + 1)
        wait_until(lambda count=count: len(heard) == count, timeout_s=20.0, what="hearing")
        for name, message in heard[-2:]:
            expected = channel.collect(name, frame)
            got = tuple(
                Message(sender=item.sender, text=item.text, frame=item.frame)
                for item in message.messages
            )
            assert (message.step, got) == (step, expected)
        text = f"message {step}, which is too long"
        says.publish(Utterance(run="by hand", step=step, text=text))
        wait_until(lambda step=step: len(charges) == step + 1, timeout_s=10.0, what="a charge")
        charge = channel.charge("Alice", text)
        assert (charges[-1].text, charges[-1].characters_cut) == (charge.text, charge.cut)
        assert charges[-1].frames == charge.frames == 1
        channel.post(Message(sender="Alice", text=charge.text, frame=frame + 29), charge, NAMES)
        spoken = ["Alice"]
    assert len(log) == 7
    assert {tuple(item.lost_for) for item in log} == {(), ("Bob",)}


def test_an_agent_that_is_killed_is_lost_within_two_seconds_and_the_other_goes_on(
    system: System, cooperation: CooperationClient
) -> None:
    killed_s: list[float] = []
    lost_s: list[float] = []

    def follow(feedback: Any) -> None:
        if not killed_s and feedback.frame > 30:
            system.kill("bob/agent")
            killed_s.append(time.monotonic())
        if feedback.lost_agents and not lost_s:
            assert list(feedback.lost_agents) == ["Bob"]
            lost_s.append(time.monotonic())

    # Long enough to be under way still when we have heard of its beginning.
    result = cooperation.run("test/02", seed=3, horizon=3000, on_feedback=follow)
    assert lost_s[0] - killed_s[0] < 2.0
    assert not result.success
    assert (result.reason, list(result.lost_agents)) == ("horizon", ["Bob"])
    assert "from some moment on without Bob" in result.message
    steps = steps_of(result)
    assert steps[-1]["actions"]["Bob"]["kind"] == "ongoing"
    alone = [step for step in steps if step["actions"]["Bob"]["kind"] == "ongoing"]
    assert {step["actions"]["Alice"]["kind"] for step in alone} - {"ongoing"}


def test_an_episode_waits_for_a_missing_agent_and_ends_with_the_world(
    system: System,
    cooperation: CooperationClient,
    client: Node,
    wait_until: Callable[..., None],
) -> None:
    if "bob/agent" not in system.group.dead():
        watch = NodeWatch(client, ("bob/agent",))
        assert watch.wait_for(timeout_s=20.0) == ()
        system.kill("bob/agent")
        wait_until(lambda: watch.is_lost("bob/agent"), timeout_s=5.0)
        watch.destroy()
    outcome: queue.Queue[Any] = queue.Queue()
    begun = threading.Event()

    def run() -> None:
        try:
            outcome.put(cooperation.run(horizon=3000, on_feedback=lambda _feedback: begun.set()))
        except NodeDiedError as error:
            outcome.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    system.restart("bob/agent")
    assert begun.wait(40.0)
    system.kill("world")
    killed_s = time.monotonic()
    error = outcome.get(timeout=10.0)
    assert isinstance(error, NodeDiedError)
    assert "node 'world' is gone while we waited for the result of run_episode" in str(error)
    words = "node '/world' is gone: the episode is over, nobody waits for it any more"
    wait_until(lambda: system.has_said("alice/agent", words), timeout_s=5.0, what=words)
    assert time.monotonic() - killed_s < 2.5
    # It has heard of no world for a while.
    words = "waiting for the next step of the world node"
    wait_until(lambda: system.has_said("lab", words), timeout_s=10.0, what=words)
    thread.join(5.0)
