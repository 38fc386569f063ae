"""Planning: think about the options, then name one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.cooperation.coela.answers import read_choice, read_reasoning
from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option
from malmm_ros.cooperation.coela.prompting import CoelaPrompts
from malmm_ros.cooperation.coela.session import Mind

# Says what is wrong with a plan before it is begun; empty when nothing is.
PlanCheck = Callable[[Option], str]
_SAFE_KINDS = ("put", "transport", "explore", "go_to", "grasp")


def safe_option(options: Sequence[Option]) -> Option:
    """What is done when no choice can be read: never a message, nothing that could lose a target.

    The first there is of: put, transport, explore this room, go to the first room listed, grasp;
    without plans, the first action that says nothing.
    """
    for kind in _SAFE_KINDS:
        for option in options:
            if option.plan is not None and option.plan.kind == kind:
                return option
    return next(option for option in options if not option.is_message)


class Planning:
    """Chooses with a language model, in two steps: thoughts, then the option."""

    def __init__(
        self, memory: Memory, prompts: CoelaPrompts, mind: Mind, *, check: PlanCheck | None
    ) -> None:
        self._memory = memory
        self._prompts = prompts
        self._mind = mind
        self._check = check

    def choose(self, options: Sequence[Option]) -> Option:
        """One of the options; the safe one when the model names none."""
        self._mind.decisions += 1
        chat = [self._prompts.system(), self._prompts.reason(self._memory, options)]
        thoughts, _ = self._mind.ask(chat, read_reasoning, purpose="reasoning", wants_json=False)
        chat += [ChatMessage("assistant", thoughts or "(no thoughts)"), self._prompts.choose()]
        answer, option = self._ask(chat, options, "choice")
        problem = self._check(option) if self._check and option else ""
        if problem:
            self._mind.record("check", f"not begun: {problem}")
            chat += [ChatMessage("assistant", answer), self._prompts.object_to(problem)]
            _, option = self._ask(chat, options, "second choice")
        return option or safe_option(options)

    def _ask(
        self, chat: list[ChatMessage], options: Sequence[Option], purpose: str
    ) -> tuple[str, Option | None]:
        return self._mind.ask(chat, lambda text: read_choice(text, options), purpose=purpose)
