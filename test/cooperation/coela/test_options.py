from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from coela_moments import bed, held, seen

from malmm_ros.agents.answers import UnusableAnswerError
from malmm_ros.cooperation.coela.answers import read_choice, read_message
from malmm_ros.cooperation.coela.options import (
    Option,
    count_frames,
    find_option,
    label,
    list_plans,
    message_option,
)
from malmm_ros.cooperation.coela.planning import safe_option
from malmm_ros.cooperation.transport.plan import Plan

OPTIONS = [
    message_option("Hi", 1),
    *(Option(text=f"go to {i}", deed="", plan=Plan(kind="go_to")) for i in range(60)),
]


def test_labels_go_on_after_z() -> None:
    assert [label(i) for i in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip
    assert all(find_option(OPTIONS, label(i)) is item for i, item in enumerate(OPTIONS))
    assert find_option(OPTIONS, "ZZ") is None


@pytest.mark.parametrize(
    "answer",
    ['{"option": "AB"}', 'I do not want to send a message.\n```json\n{"option": "ab"}\n```',
     "AB", "(AB)", "Option AB.", '{"option": "A"} no: {"option": "AB."}'],
)  # fmt: skip
def test_a_choice_is_the_label_and_nothing_else(answer: str) -> None:
    assert read_choice(answer, OPTIONS) is OPTIONS[27]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "no JSON object"),
        ("I will not send a message but go on.", "no JSON object"),
        ('{"option": "ZZ"}', "no option; they go from A to BI"),
        ('{"option": ""}', "no option"),
    ],
)
def test_what_names_no_option_says_so(answer: str, problem: str) -> None:
    with pytest.raises(UnusableAnswerError, match=problem):
        read_choice(answer, OPTIONS)


def test_a_draft_is_empty_short_or_refused() -> None:
    assert read_message('{"message": ""}', 500) == ""
    assert read_message('{"message": "a\\n b"}', 500) == "a b"
    with pytest.raises(UnusableAnswerError, match="501 characters; 500"):
        read_message('{"message": "' + "x" * 501 + '"}', 500)
    with pytest.raises(UnusableAnswerError, match="no JSON object"):
        read_message("Hello Bob", 500)


def kinds(agent: Any) -> list[str]:
    return [item.plan.kind for item in list_plans(agent._memory) if item.plan is not None]


def test_plans_are_those_that_can_be_begun(
    make_agent: Callable[..., Any], observe: Callable[..., Any]
) -> None:
    visible = [seen(100, "apple", 4.0), seen(110, "bowl", 4.5)]
    agent = make_agent(without=("communication",))
    agent.act(observe(visible))
    assert kinds(agent) == ["grasp", "grasp", "go_to"]  # the scan showed all of the kitchen
    agent.act(observe(visible, (held(101, "apple"), held(111, "bowl")), frame=10))
    assert kinds(agent) == ["put", "go_to"]  # the bed is not known yet
    agent.act(observe([*visible, bed()], (held(101, "apple"), held(102, "apple")), frame=20))
    assert kinds(agent) == ["transport", "go_to"]


def test_the_safe_option_is_never_a_message() -> None:
    assert safe_option(OPTIONS) is OPTIONS[1]
    transport = Option(text="", deed="", plan=Plan(kind="transport"))
    assert safe_option([*OPTIONS, transport]) is transport


def test_a_way_that_nobody_knows_has_no_cost_in_frames() -> None:
    assert [count_frames(cost) for cost in (1.2, 30.0, float("inf"))] == [
        "1 frame", "30 frames", "no way known",
    ]  # fmt: skip
