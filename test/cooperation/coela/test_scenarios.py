"""What the stand-in says and does in situations that the paper describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coela_moments import BEDROOM, KITCHEN, NOTHING, bed, held, said, seen

from malmm_ros.cooperation.coela.agent import CoelaAgent

Agents = Callable[..., CoelaAgent]
Observations = Callable[..., Any]

FULL_BOWL = held(110, "bowl", 101, 102, 103)


def test_a_full_container_asks_for_help(make_agent: Agents, observe: Observations) -> None:
    visible = [seen(100, "apple", 4.0), seen(104, "apple", 4.0, 2.0), bed()]
    action = make_agent().act(observe(visible, (FULL_BOWL, held(120, "bread"))))
    assert action.kind == "send"
    assert "please fetch <apple> (100), <apple> (104) in <Kitchen> (1000)" in action.text


def test_a_request_is_answered_and_heeded(make_agent: Agents, observe: Observations) -> None:
    agent = make_agent()
    request = said("Bob", f"I carry all I can; please fetch <apple> (100) in {KITCHEN}.")
    action = agent.act(observe([seen(100, "apple", 4.0), bed()], messages=[request]))
    assert action.kind == "send"
    assert action.text.startswith("Yes, I do that.")
    agent.act(observe([seen(100, "apple", 4.0), bed()], frame=1))
    assert agent.execution.plan is not None
    assert (agent.execution.plan.kind, agent.execution.plan.object_id) == ("grasp", 100)


def test_where_a_teammate_is_one_need_not_go(make_agent: Agents, observe: Observations) -> None:
    plans = {}
    for word in ("", f"I am in {KITCHEN} and explore it."):
        agent = make_agent()
        for frame in (0, 1):
            messages = [said("Bob", word)] if word and frame == 0 else []
            agent.act(
                observe([bed()], messages=messages, frame=frame, x=9.0, room=BEDROOM, scan=NOTHING)
            )
        plans[bool(word)] = agent.execution.plan
    assert plans[False] is not None
    assert (plans[False].kind, plans[False].room) == ("go_to", KITCHEN)
    assert plans[True] != plans[False]


def test_what_a_teammate_takes_is_left_to_it(make_agent: Agents, observe: Observations) -> None:
    agent = make_agent()
    visible = [seen(100, "apple", 3.5, 2.5), seen(101, "apple", 4.5, 2.5), bed()]
    for frame in (0, 1):
        messages = [said("Bob", "I take <apple> (100).")] if frame == 0 else []
        agent.act(observe(visible, messages=messages, frame=frame))
    assert agent.execution.plan is not None
    assert agent.execution.plan.object_id == 101


def test_with_the_last_target_in_hand_nothing_is_said(
    make_agent: Agents, observe: Observations
) -> None:
    agent = make_agent()
    # Six targets in all: five lie at the bed, one is in the hand.
    lying = [seen(100 + i, "apple", 10.0, 2.0) for i in range(5)]
    observation = observe([bed(), *lying], (held(120, "bread"), None), x=7.0, room=BEDROOM)
    action = agent.act(observation)
    assert action.kind != "send"
    assert agent.execution.plan is not None
    assert agent.execution.plan.kind == "transport"


def test_what_is_carried_is_let_go_as_soon_as_it_counts(
    make_agent: Agents, observe: Observations
) -> None:
    actions = {}
    for x in (7.5, 7.8):  # the bed's middle is at 10.5; 3 m count
        agent = make_agent()
        lying = [seen(100 + i, "apple", 10.0, 2.0) for i in range(5)]
        hands = (held(120, "bread"), None)
        actions[x] = agent.act(observe([bed(), *lying], hands, x=x, room=BEDROOM)).kind
    assert actions == {7.5: "forward", 7.8: "drop"}


def test_a_message_is_followed_by_a_deed_and_not_said_again(
    make_agent: Agents, observe: Observations
) -> None:
    agent = make_agent()
    visible = [seen(100, "apple", 4.0), seen(104, "apple", 4.0, 2.0), bed()]
    kinds = [
        agent.act(observe(visible, (FULL_BOWL, held(120, "bread")), frame=frame)).kind
        for frame in range(3)
    ]
    assert kinds[0] == "send"
    assert "send" not in kinds[1:]


def test_without_communication_nothing_is_said_or_heard(
    make_agent: Agents, observe: Observations
) -> None:
    agent = make_agent(without=("communication",))
    visible = [seen(100, "apple", 3.5, 2.5), seen(101, "apple", 4.5, 2.5), bed()]
    action = agent.act(observe(visible, messages=[said("Bob", "I take <apple> (100).")]))
    assert action.kind != "send"
    assert agent.execution.plan is not None
    assert agent.execution.plan.object_id == 100


def test_a_stale_belief_costs_one_try(make_agent: Agents, observe: Observations) -> None:
    agent = make_agent(without=("communication",))
    agent.act(observe([seen(100, "apple", 5.0, 2.5), bed()]))
    assert agent.memory.objects[100].where == "lying"
    # A teammate took it unseen: it is believed until its place is seen without it.
    agent.act(observe([bed()], frame=10, scan=NOTHING))
    assert 100 in agent.memory.objects
    for frame in (20, 30, 40):
        agent.act(observe([bed()], frame=frame))
    assert 100 not in agent.memory.objects
    assert agent.execution.plan is None or agent.execution.plan.object_id != 100


def test_what_both_take_is_left_to_who_is_first_by_name(
    make_agent: Agents, observe: Observations
) -> None:
    agent = make_agent()
    visible = [seen(100, "apple", 7.5, 2.5), seen(101, "apple", 7.5, 0.5), bed()]
    said_first = agent.act(observe(visible))
    assert "I take <apple> (100)" in said_first.text
    messages = [said("Alice", said_first.text), said("Bob", "I take <apple> (100).")]
    agent.act(observe(visible, messages=messages, frame=1))
    assert agent.execution.plan is not None
    assert agent.execution.plan.object_id == 100


def test_a_message_says_what_is_carried(make_agent: Agents, observe: Observations) -> None:
    visible = [seen(100, "apple", 4.0), seen(104, "apple", 4.0, 2.0), bed()]
    action = make_agent().act(observe(visible, (FULL_BOWL, held(120, "bread"))))
    for number in (101, 102, 103, 120):
        assert f"({number})" in action.text
    assert "to the bed" in action.text


def test_what_a_teammate_brings_need_not_be_looked_for(
    make_agent: Agents, observe: Observations
) -> None:
    kinds = {}
    others = ", ".join(f"<apple> ({number})" for number in (100, 101, 102, 103))
    for word in ("", f"I bring {others}, <bread> (120) to the bed."):
        agent = make_agent()
        for frame in (0, 1, 2):
            messages = [said("Bob", word)] if word and frame == 0 else []
            hands = (held(104, "apple"), None)
            agent.act(observe([bed()], hands, messages=messages, frame=frame, scan=NOTHING))
        kinds[bool(word)] = agent.execution.plan.kind if agent.execution.plan else ""
    assert kinds == {False: "explore", True: "transport"}
