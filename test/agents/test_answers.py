from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malmm_ros.agents.answers import (
    UnusableAnswerError,
    read_choice,
    read_plan,
    read_verdict,
)
from malmm_ros.agents.json_answers import find_object


@pytest.mark.parametrize(
    "answer",
    [
        '{"next": "coder", "reason": "a step is there"}',
        '```json\n{"next": "coder", "reason": "a step is there"}\n```',
        'The planner spoke, so {"next": "coder", "reason": "a step is there"} it is.',
        "{'next': 'Coder', 'reason': 'a step is there'}",
        '{"next": "coder", "reason": "a step is there",}',
        '<think>{"next": "finish"}</think>{"next": "coder", "reason": "a step is there"}',
        'Not {"next": "planner"} but\n{"next": "coder", "reason": "a step is there"}',
        '{"next": "coder", "reason": "a step\n is there"}'.replace("\n", "\\n"),
    ],
)
def test_a_choice_is_found_in_what_stands_around_it(answer: str) -> None:
    choice = read_choice(answer)
    assert (choice.next, choice.reason) == ("coder", "a step is there")


def test_other_names_of_the_executor_are_understood() -> None:
    assert read_choice('{"next": "Code Executor"}').next == "executor"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "no JSON object"),
        ("coder", "no JSON object"),
        ('{"reason": "x"}', "no JSON object"),
        ('{"next": "codre"}', "Did you mean 'coder'"),
        ('{"next": null}', "valid: coder, executor, finish, planner"),
        ('{"next": ["coder"]}', "valid"),
        ('{"next": "coder"', "no JSON object"),
        ("[" * 10_000, "no JSON object"),
        ('{"next":' * 5_000, "no JSON object"),
    ],
)
def test_an_unusable_choice_says_what_is_wrong(answer: str, problem: str) -> None:
    with pytest.raises(UnusableAnswerError, match=problem.replace("(", r"\(")):
        read_choice(answer)


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        ("Step: pick up the block.", "step", "pick up the block."),
        (
            "It went well.\n\nStep: lower it:\n1. down\n2. open",
            "step",
            "lower it:\n1. down\n2. open",
        ),
        ("**Step:** go", "step", "go"),
        ("### Complete: all is done", "complete", "all is done"),
        ("step: was done.\n\nComplete: all three stand.", "complete", "all three stand."),
        ("IMPOSSIBLE: no blue jar", "impossible", "no blue jar"),
    ],
)
def test_a_plan_is_what_follows_the_last_heading(answer: str, kind: str, text: str) -> None:
    plan = read_plan(answer)
    assert (plan.kind, plan.text) == (kind, text)


@pytest.mark.parametrize("answer", ["", "pick it up", "Step:", "The step: is unclear", "Step"])
def test_a_plan_without_heading_or_text_is_unusable(answer: str) -> None:
    with pytest.raises(UnusableAnswerError):
        read_plan(answer)


@pytest.mark.parametrize(
    ("text", "is_not_understood"),
    [
        ("I do not understand 'blorp'.", True),
        ("I cannot understand this.", True),
        ("the words make no sense", True),
        ("There is no jar.", False),
        ("Only two red blocks are here, four are asked for.", False),
    ],
)
def test_words_not_understood_are_told_from_things_not_there(
    text: str, is_not_understood: bool
) -> None:
    assert read_plan(f"Impossible: {text}").is_not_understood is is_not_understood


@pytest.mark.parametrize(
    ("answer", "is_complete"),
    [
        ('{"is_complete": true, "reason": "r"}', True),
        ('{"is_complete": False, "reason": "r"}', False),
        ('{"is_complete": "yes"}', True),
        ('{"is_complete": "False"}', False),
    ],
)
def test_a_verdict_is_a_yes_or_a_no(answer: str, is_complete: bool) -> None:
    assert read_verdict(answer).is_complete is is_complete


@pytest.mark.parametrize("answer", ["yes", "{}", '{"is_complete": "maybe"}', '{"is_complete": 3}'])
def test_a_verdict_that_is_neither_is_unusable(answer: str) -> None:
    with pytest.raises(UnusableAnswerError):
        read_verdict(answer)


@given(st.text() | st.text(alphabet="{}[]\"\\'next:,` \ntrueSp"))
def test_no_answer_raises_anything_else(answer: str) -> None:
    for read in (read_choice, read_plan, read_verdict):
        with contextlib.suppress(UnusableAnswerError):
            read(answer)


@given(st.text(alphabet='{}"\\ab', max_size=30), st.text(alphabet='}"\\{\n', max_size=10))
def test_an_object_is_found_after_any_prose(prose: str, value: str) -> None:
    import json

    text = json.dumps({"key": value})
    found = find_object(f"{prose}\n```json\n{text}\n```", key="key")
    assert found == {"key": value}
