"""Injected errors: drawn alike for every team, recorded, and dealt with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from malmm_ros.agents import (
    FAULT_KINDS,
    TEAMS,
    InjectionConfig,
    ModelConfig,
    TaskResult,
    build_team,
    faults,
    read_transcript,
)
from malmm_ros.agents.code_extraction import extract_code
from malmm_ros.agents.injection import Injector
from malmm_ros.agents.scene_text import render_scene
from malmm_ros.errors import ConfigurationError
from malmm_ros.testing import FakeRobot, make_area, make_block

PROGRAM = """```python
open_gripper()
execute_trajectory([0.200, 0.100, 0.902], 0.000)
execute_trajectory([0.200, 0.100, 0.777], 0.000)
close_gripper("red block 1")
execute_trajectory([0.200, 0.100, 0.902], 0.000)
```"""
PLAN = (
    'Step: pick up "red block 1": open the gripper; move to [0.200, 0.100, 0.902], yaw 0.000; '
    "move to [0.200, 0.100, 0.777], yaw 0.000; "
    'close the gripper on "red block 1"; move to [0.200, 0.100, 0.902], yaw 0.000.'
)
ROUTING = '{"next": "planner", "reason": "it begins"}'
TWO_STEPS = PROGRAM.removesuffix("```") + PROGRAM.removeprefix("```python\n").replace(
    "open_gripper()\n", ""
).replace('close_gripper("red block 1")', "open_gripper()")
INSTRUCTION = "stack 3 red blocks on the green area"


def stack_robot() -> FakeRobot:
    return FakeRobot(
        [
            make_block("red block 1", (0.2, 0.1, 0.777)),
            make_block("red block 2", (0.1, -0.2, 0.777), yaw=0.4),
            make_block("red block 3", (0.3, 0.25, 0.777)),
            make_block("blue block", (0.45, 0.2, 0.777), color="blue"),
            make_area("green area", 0.3, -0.1),
        ]
    )


def run(team: str, seed: int, *, probability: float = 0.3, **settings: Any) -> TaskResult:
    inject = InjectionConfig(probability=probability, seed=seed)
    return build_team(team, ModelConfig(), inject=inject).run(
        INSTRUCTION, stack_robot(), **settings
    )


def spoil(kind: str, answer: str, *, previous: str = "") -> str | None:
    context = faults.Context(prompt=render_scene(stack_robot().observe()), previous=previous)
    return faults.FAULTS[kind](answer, context)


@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [
        ("undefined_variable", PROGRAM, PROGRAM.replace("0.902", "target_z", 1)),
        ("missing_argument", PROGRAM, PROGRAM.replace("902], 0.000)", "902])", 1)),
        ("forgotten_close", PROGRAM, PROGRAM.replace('close_gripper("red block 1")\n', "")),
        ("ignored_collision", PROGRAM, PROGRAM.replace("0.777", "0.737")),
        ("skipped_step", PLAN, PLAN.replace("move to [0.200, 0.100, 0.777], yaw 0.000; ", "")),
        (
            "wrong_object",
            PLAN,
            PLAN.replace("red block 1", "red block 2").replace("0.200, 0.100", "0.100, -0.200"),
        ),
        ("malformed_routing", ROUTING, ROUTING[:14]),
    ],
)
def test_each_fault_changes_what_it_names_and_no_more(
    kind: str, answer: str, expected: str
) -> None:
    assert spoil(kind, answer) == expected


def test_an_early_claim_and_a_repetition_replace_the_answer() -> None:
    assert "Complete:" in (spoil("early_success", PLAN) or "")
    assert spoil("repetition", PLAN, previous="Step: as before.") == "Step: as before."


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_a_fault_that_does_not_fit_leaves_the_answer_alone(kind: str) -> None:
    for answer in ("", "hm", "Complete: done.", "```python\n```", "[1, 2", "(" * 50):
        if kind != "malformed_routing":
            assert spoil(kind, answer) in (None, answer)


def test_the_essence_of_an_answer_is_what_it_grips_or_where_it_lets_go() -> None:
    assert faults.essence(PLAN) == faults.essence(PROGRAM) == 'close "red block 1"'
    place = "execute_trajectory([0.3, -0.1, 0.9], 0.0)\nopen_gripper()\n"
    assert faults.essence(place) == "open at 0.30, -0.10"
    assert faults.essence("Complete: done.") == ""


def test_a_program_is_cut_into_its_steps() -> None:
    pieces = faults.split_steps(TWO_STEPS)
    assert "".join(pieces) == TWO_STEPS
    assert [piece.count("execute_trajectory") for piece in pieces] == [3, 3]
    assert faults.split_steps("no program") == ["no program"]


def test_a_program_with_an_early_claim_does_nothing_from_there_on() -> None:
    for seed in range(200):
        injector = Injector(InjectionConfig(probability=0.5, seed=seed))
        spoilt = injector.alter("single", TWO_STEPS, prompt="", step=0)
        found = {(item.kind, item.step) for item in injector.take_new()}
        if found == {("early_success", 1)}:
            assert extract_code(spoilt).count("execute_trajectory") == 3
            return
    pytest.fail("no seed drew it")


def test_without_probability_nothing_is_touched() -> None:
    injector = Injector()
    assert injector.alter("coder", PROGRAM, prompt="", step=0) == PROGRAM
    assert injector.outcomes(True) == ()


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_out_of_range_is_refused(probability: float) -> None:
    with pytest.raises(ConfigurationError, match="probability"):
        InjectionConfig(probability=probability)


@pytest.mark.parametrize("seed", [3])
def test_every_team_meets_the_same_faults_as_long_as_it_plans_the_same(seed: int) -> None:
    firsts = []
    for team in TEAMS:
        met = [
            (item.step, item.kind)
            for item in run(team, seed).injections
            if item.role != "supervisor"
        ]
        firsts.append(min(met, default=None))
    assert len(set(firsts)) == 1


def test_equal_seeds_give_equal_runs() -> None:
    assert run("malmm", 7).injections == run("malmm", 7).injections


def test_the_transcript_tells_of_every_fault(tmp_path: Path) -> None:
    result = run("malmm", 1, transcript=tmp_path / "t.jsonl")
    events = read_transcript(tmp_path / "t.jsonl")
    told = [event.data["kind"] for event in events if event.kind == "injection"]
    assert told
    assert told == [item.kind for item in result.injections]
    assert events[-1].data["injections"][0]["kind"] == told[0]
    assert events[0].data["inject"] == {"probability": 0.3, "seed": 1}


@pytest.mark.parametrize("team", ["malmm", "multi", "single"])
def test_teams_with_feedback_recover_from_most_faults(team: str) -> None:
    results = [run(team, seed, probability=0.15) for seed in range(3)]
    injections = [item for result in results for item in result.injections]
    assert injections
    assert sum(item.is_recovered for item in injections) >= 0.8 * len(injections)
    assert any(item.is_detected for item in injections)


def test_the_team_without_feedback_does_not_recover() -> None:
    results = [run("single-open-loop", seed, probability=0.3) for seed in range(6)]
    assert not any(result.is_success for result in results if result.injections)
