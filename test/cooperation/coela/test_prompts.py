from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coela_moments import bed, held, said, seen

from malmm_ros.cooperation.coela.options import list_plans, message_option
from malmm_ros.cooperation.coela.prompting import CoelaPrompts
from malmm_ros.cooperation.coela.single_actions import list_actions
from malmm_ros.cooperation.transport.observation import AgentPose, VisibleTeammate

GOLDEN = Path(__file__).parent / "golden"


def check_golden(name: str, text: str) -> None:
    """Compare with the kept text; ``UPDATE_GOLDEN=1`` keeps the new one instead."""
    path = GOLDEN / f"{name}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text + "\n"


@pytest.fixture
def memory(make_agent: Callable[..., Any], observe: Callable[..., Any]) -> Any:
    """Of somebody who has seen and heard something."""
    agent = make_agent()
    mate = VisibleTeammate(
        name="Bob",
        pose=AgentPose(x=4.0, y=4.0, heading=0.0),
        held=(held(111, "plate", 102), None),
    )
    agent._memory.update(observe([bed(), seen(103, "apple", 10.0, 2.0)], teammates=(mate,)))
    agent._memory.update(
        observe(
            [seen(100, "apple", 4.0), seen(110, "bowl", 4.5)],
            (held(101, "apple"), None),
            [said("Bob", "I go to <Bedroom> (2000).", 8)],
            frame=40,
        )
    )
    agent._memory.note("grasp target <apple> (101) in <Kitchen> (1000): done")
    return agent._memory


@pytest.mark.parametrize(
    ("name", "names", "talks"),
    [
        ("system.communicating", ("Alice", "Bob"), True),
        ("system.silent", ("Alice", "Bob"), False),
        ("system.single", ("Alice",), False),
    ],
)
def test_system_prompts_are_as_kept(
    make_agent: Callable[..., Any], name: str, names: tuple[str, ...], talks: bool
) -> None:
    briefing = make_agent(names).memory.briefing
    check_golden(name, CoelaPrompts(briefing, talks=talks).system().content)


def test_messages_are_as_kept(memory: Any) -> None:
    prompts = CoelaPrompts(memory.briefing, talks=True)
    plans = list_plans(memory)
    check_golden("draft", prompts.draft(memory, plans).content)
    options = [message_option("I take <bowl> (110).", 1), *plans]
    check_golden("reason", prompts.reason(memory, options).content)
    check_golden("choose", prompts.choose().content)
    check_golden("repair", prompts.repair("it is empty.").content)
    check_golden("objection", prompts.object_to("it is too late.").content)
    silent = CoelaPrompts(memory.briefing, talks=False)
    check_golden("reason.silent", silent.reason(memory, plans).content)
    single = CoelaPrompts(memory.briefing, talks=False, plans=False)
    check_golden("reason.single_actions", single.reason(memory, list_actions(memory)).content)


def test_progress_is_told_in_the_order_of_the_paper(memory: Any) -> None:
    prompts = CoelaPrompts(memory.briefing, talks=True)
    text = prompts.draft(memory, []).content
    order = [
        "frames have passed",
        "are delivered",
        "My hands hold",
        "I am in",
        "saw Bob",
        "<Bedroom> (2000) is",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_whoever_is_silent_reads_of_no_messages(memory: Any) -> None:
    silent = CoelaPrompts(memory.briefing, talks=False)
    texts = [silent.system().content, silent.reason(memory, list_plans(memory)).content]
    assert not any("message" in text.lower() or "Dialogue" in text for text in texts)
