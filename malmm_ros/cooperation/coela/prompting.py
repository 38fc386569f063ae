"""Fill the agent's prompt templates; the wording itself is in ``prompts/*.md``."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from malmm_ros.agents.messages import ChatMessage
from malmm_ros.cooperation.coela.episodic import Deed
from malmm_ros.cooperation.coela.memory import Memory
from malmm_ros.cooperation.coela.options import Option, name_of, render_options
from malmm_ros.cooperation.coela.progress import describe_goal, describe_progress
from malmm_ros.cooperation.coela.single_actions import describe_directions
from malmm_ros.cooperation.transport.observation import Briefing, Message


class CoelaPrompts:
    """Renders one agent's prompts; equal inputs give equal text.

    Args:
        briefing: Whose.
        talks: Whether there are messages.
        plans: Whether plans are chosen; else single actions, for which directions matter.
    """

    def __init__(self, briefing: Briefing, *, talks: bool, plans: bool = True) -> None:
        own = PackageLoader("malmm_ros.cooperation.coela", "prompts")
        shared = PackageLoader("malmm_ros.agents", "prompts")
        self._environment = Environment(
            loader=ChoiceLoader([own, shared]),
            undefined=StrictUndefined,
            autoescape=False,  # plain text, not HTML
        )
        self._talks = talks
        self._plans = plans
        self._slots = _slots(briefing)

    def system(self) -> ChatMessage:
        """Who the agent is and what it can do."""
        return ChatMessage("system", self._render("system.md", talks=self._talks, **self._slots))

    def draft(self, memory: Memory, plans: Sequence[Option]) -> ChatMessage:
        """Ask for a message; the plans say what could be done next."""
        return self._situation(memory, plans, self._render("draft.md", **self._slots))

    def reason(self, memory: Memory, options: Sequence[Option]) -> ChatMessage:
        """Ask for thoughts about a choice."""
        has_message = any(option.is_message for option in options)
        turn = self._render("reason.md", has_message=has_message, **self._slots)
        return self._situation(memory, options, turn)

    def choose(self) -> ChatMessage:
        """Ask for the option itself, after the thoughts."""
        return ChatMessage("user", self._render("choose.md"))

    def object_to(self, problem: str) -> ChatMessage:
        """Say why a chosen plan was not begun."""
        return ChatMessage("user", self._render("objection.md", problem=problem))

    def repair(self, problem: str) -> ChatMessage:
        """Say what was wrong with an answer; the wording is that of all agents."""
        return ChatMessage("user", self._render("turns/repair.md", problem=problem))

    def _situation(self, memory: Memory, options: Sequence[Option], turn: str) -> ChatMessage:
        listed = render_options(options)
        progress, episodic = describe_progress(memory), memory.episodic
        if not self._plans:
            progress = f"{progress}\n{describe_directions(memory)}"
        settled = {
            name_of(item.kind, item.id)
            for item in memory.semantic.objects.values()
            if item.where == "delivered" or item.holder == memory.briefing.agent
        }
        text = self._render(
            "situation.md",
            goal=describe_goal(memory),
            progress=progress,
            talks=self._talks,
            dialogue=_dialogue(episodic.recall_messages(memory.briefing.agent, settled)),
            actions=_deeds(episodic.recall_deeds(listed)),
            options=listed,
            turn=turn,
        )
        return ChatMessage("user", text)

    def _render(self, template: str, **values: object) -> str:
        return self._environment.get_template(template).render(**values).strip()


def _slots(briefing: Briefing) -> dict[str, str]:
    rules = briefing.rules
    circle = round(360.0 / rules.turn_deg) * rules.frames(rules.turn_frames)
    return {
        "agent": briefing.agent,
        "teammates": " and ".join(briefing.teammates),
        "horizon": str(rules.horizon_frames),
        "capacity": str(rules.capacity),
        "most": str(rules.capacity + 1),
        "frames_per_m": f"{1.0 / rules.walk_m:.0f}",
        "circle": str(circle),
        "grasp": str(rules.frames(rules.grasp_frames)),
        "characters": str(rules.message_characters),
    }


def _dialogue(messages: Sequence[Message]) -> str:
    lines = [f"[{item.frame}] {item.sender}: {' '.join(item.text.split())}" for item in messages]
    return "\n".join(lines) or "(nothing was said)"


def _deeds(deeds: Sequence[Deed]) -> str:
    return "\n".join(f"[{item.frame}] {item.text}" for item in deeds) or "(none)"
