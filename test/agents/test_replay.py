"""A recording is followed to its end, and the first difference is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import TEAMS, Desk, InjectionConfig, ModelConfig, TaskResult, build_team
from malmm_ros.agents.replay import Recording, Replay
from malmm_ros.agents.transcript import TranscriptError
from malmm_ros.cancellation import CancelToken
from malmm_ros.robots.robot import GripResult
from malmm_ros.testing import FakeRobot, make_area, make_block
from test.agents.conftest import completion

INSTRUCTION = "stack 2 red blocks on the green area"


def stack_robot(**settings: Any) -> FakeRobot:
    return FakeRobot(
        [
            make_block("red block 1", (0.2, 0.1, 0.777)),
            make_block("red block 2", (0.1, -0.2, 0.777), yaw=0.4),
            make_area("green area", 0.3, -0.1),
        ],
        **settings,
    )


def record(path: Path, team: str = "malmm", **settings: Any) -> TaskResult:
    inject = InjectionConfig(probability=0.3, seed=1)
    return build_team(team, ModelConfig(), inject=inject).run(
        INSTRUCTION, stack_robot(), transcript=path, world={"task": "none"}, **settings
    )


def follow(path: Path, robot: FakeRobot) -> tuple[Replay, TaskResult]:
    recording = Recording.read(path)
    replay = Replay(recording)
    team = build_team(recording.team, replay.model, config=recording.config)
    result = team.run(
        recording.instruction,
        robot,
        budget=recording.budget,
        cancel=replay.cancel,
        on_event=replay.compare,
        operator=replay,
    )
    return replay, result


@pytest.mark.parametrize("team", TEAMS)
def test_an_equal_world_gives_equal_events(team: str, tmp_path: Path) -> None:
    recorded = record(tmp_path / "t.jsonl", team)
    replay, result = follow(tmp_path / "t.jsonl", stack_robot())
    assert replay.divergence is None
    assert (result.reason, result.steps) == (recorded.reason, recorded.steps)


def test_the_first_difference_is_named(tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl")
    lost = GripResult(is_success=False, width=0.0, reason="closed_on_nothing", message="empty")
    replay, _ = follow(tmp_path / "t.jsonl", stack_robot(failures={3: lost}))
    assert replay.divergence is not None
    assert replay.divergence.recorded.startswith("execution of executor: Done:")
    assert replay.divergence.now.startswith("execution of executor: Stopped:")


def test_decisions_and_words_of_a_person_are_repeated(tmp_path: Path) -> None:
    left = ["no", "correct"]
    desk = Desk(
        approves_steps=True,
        on_ask=lambda _request: desk.decide(left.pop() if left else "yes", "gently"),
    )
    desk.say("with care")
    record(tmp_path / "t.jsonl", operator=desk)
    replay, _ = follow(tmp_path / "t.jsonl", stack_robot())
    assert replay.divergence is None


def test_a_recording_that_was_cut_off_is_followed_to_there(tmp_path: Path) -> None:
    cancel = CancelToken()

    def stop(event: Any) -> None:
        if event.kind == "execution":
            cancel.cancel()

    record(tmp_path / "t.jsonl", cancel=cancel, on_event=stop)
    replay, _ = follow(tmp_path / "t.jsonl", stack_robot())
    assert replay.divergence is None
    assert replay.matched > 5


@pytest.mark.parametrize("kept", [4, 8, 12])
def test_a_transcript_of_a_killed_run_ends_where_it_ends(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:kept]) + lines[kept][:20], encoding="utf-8")
    turns = sum('"kind": "message"' in line for line in lines[:kept])
    replay, result = follow(path, stack_robot())
    assert replay.divergence is None
    assert replay.end.startswith("the transcript ends here, before its run did, after ")
    assert result.reason != "completed"
    assert turns == 0 or " turn" in replay.end


def test_an_answer_that_was_cut_is_sent_back_again_in_a_replay(
    endpoint: Any, tmp_path: Path
) -> None:
    for text, finish in (
        ('{"next": "planner", "reason": "x"}', "stop"),
        ("Step: pick up the", "length"),
        ("Impossible: there is nothing to do.", "stop"),
    ):
        body = completion(text)
        body["choices"][0]["finish_reason"] = finish
        endpoint.replies.append((200, {}, body))
    path = tmp_path / "t.jsonl"
    team = build_team("malmm", ModelConfig(name="tiny", base_url=endpoint.url))
    result = team.run(INSTRUCTION, stack_robot(), transcript=path)
    team.close()
    assert (result.reason, result.repairs) == ("impossible", 1)
    assert "your answer" not in path.read_text()
    assert "it was cut at the token limit. Give a shorter one." in path.read_text()
    replay, again = follow(path, stack_robot())
    assert replay.divergence is None
    assert (again.reason, again.repairs) == ("impossible", 1)


def test_the_header_says_how_to_make_the_world_again(tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl")
    assert Recording.read(tmp_path / "t.jsonl").world == {"task": "none"}


def test_a_file_without_a_task_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path)
    path.write_text(path.read_text().split("\n")[0] + "\n")
    with pytest.raises(TranscriptError, match="before the instruction"):
        Recording.read(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.pop("budget"), "budget"),
        (lambda data: data.pop("team"), "team"),
        (lambda data: data.update(config=None), "config"),
        (lambda data: data.update(config=[]), "config"),
        (lambda data: data.update(world=5), "how the world was made"),
    ],
)
def test_a_damaged_first_line_is_named_and_no_crash(
    change: Callable[[dict[str, Any]], Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    record(path)
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    header = json.loads(first)
    change(header["data"])
    path.write_text("\n".join([json.dumps(header), *rest]) + "\n", encoding="utf-8")
    with pytest.raises(TranscriptError, match=words):
        Recording.read(path)
