from __future__ import annotations

import pytest
from coela_moments import said

from malmm_ros.cooperation.coela.configuration import CoelaConfig
from malmm_ros.cooperation.coela.episodic import Deed, EpisodicMemory, seed_messages
from malmm_ros.errors import ConfigurationError, UnknownNameError


def test_two_fixed_messages_open_the_dialogue() -> None:
    first, second = seed_messages(("Alice", "Bob"))
    assert (first.sender, second.sender) == ("Alice", "Bob")
    assert first.frame == second.frame == 0


def test_the_last_deeds_and_messages_stand_in_a_prompt() -> None:
    memory = EpisodicMemory(2, 3)
    memory.deeds += [Deed(frame=i, text=str(i)) for i in range(5)]
    memory.messages += [said("Bob", str(i)) for i in range(5)]
    assert [deed.text for deed in memory.recall_deeds("")] == ["3", "4"]
    assert [message.text for message in memory.recall_messages("Alice", ())] == ["2", "3", "4"]
    assert EpisodicMemory(0, 0, deeds=memory.deeds).recall_deeds("") == []


def test_ranked_memory_keeps_what_is_still_to_be_brought() -> None:
    memory = EpisodicMemory(10, 2, is_ranked=True)
    memory.messages += [
        said("Bob", "I found <apple> (100), <apple> (101) in <Kitchen> (1000)."),
        said("Alice", "I go to <Office> (3000)."),
        said("Bob", "I go to <Office> (3000)."),
        said("Alice", "Good."),
    ]
    recalled = [message.text for message in memory.recall_messages("Alice", set())]
    assert recalled[0].startswith("I found")
    assert recalled[1] == "Good."
    settled = {"<apple> (100)", "<apple> (101)"}
    recalled = [message.text for message in memory.recall_messages("Alice", settled)]
    assert recalled == ["I go to <Office> (3000).", "Good."]


def test_switches_and_sizes_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'memory'"):
        CoelaConfig(without=("memry",))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="twice"):
        CoelaConfig(without=("memory", "memory"))
    with pytest.raises(ConfigurationError, match="dialogues"):
        CoelaConfig(dialogues=-1)
