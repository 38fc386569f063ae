"""Fill the prompt templates; the wording itself is in ``prompts/*.md``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from malmm_ros.agents.messages import AgentRole, ChatMessage
from malmm_ros.errors import ConfigurationError
from malmm_ros.scene import MAX_GRIPPER_WIDTH, TABLE_TOP_Z, Workspace

Viewpoint = Literal["robot", "camera"]
Turn = Literal["supervisor", "planner", "coder", "single", "single_open_loop", "verify"]

# Measured on the Panda hand: fingertips past the tool point, and what may stand between palm and
# tool point before the palm touches it.
_FINGERTIP_M = 0.009
_FINGER_DEPTH_M = 0.035


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptConfig:
    """The numbers and conventions that the prompts state.

    Attributes:
        viewpoint: Whose left and right an instruction means.
        safe_height: Free height over obstacles while moving sideways, metres.
        release_gap: Between what is held and its destination when the hand opens, metres.
        clearance: Least height of the tool point above any surface, metres.
        graspable: Widest thing to close on, metres.
        max_calls: Robot calls that one program may make.
    """

    viewpoint: Viewpoint = "robot"
    workspace: Workspace = field(default_factory=Workspace)
    safe_height: float = 0.10
    release_gap: float = 0.02
    clearance: float = 0.010
    graspable: float = 0.075
    max_calls: int = 30

    def __post_init__(self) -> None:
        if self.viewpoint not in ("robot", "camera"):
            raise ConfigurationError("viewpoint", f"must be robot or camera, got {self.viewpoint}")
        if not _FINGERTIP_M < self.clearance < self.safe_height:
            raise ConfigurationError("clearance", "must lie between 0.009 and safe_height")
        if not 0.0 <= self.release_gap < self.safe_height:
            raise ConfigurationError("release_gap", "must lie between 0 and safe_height")
        if not 0.0 < self.graspable <= MAX_GRIPPER_WIDTH:
            raise ConfigurationError("graspable", f"must be in (0, {MAX_GRIPPER_WIDTH}]")

    def slots(self) -> dict[str, str]:
        """Every named slot of the templates, as it is printed."""
        space = self.workspace
        return {
            "viewpoint": self.viewpoint,
            "table_z": f"{TABLE_TOP_Z:.3f}",
            **{f"low_{axis}": f"{v:.3f}" for axis, v in zip("xyz", space.low, strict=True)},
            **{f"high_{axis}": f"{v:.3f}" for axis, v in zip("xyz", space.high, strict=True)},
            "tip_mm": f"{1000.0 * _FINGERTIP_M:.0f}",
            "finger_depth": f"{_FINGER_DEPTH_M:.3f}",
            "opening": f"{MAX_GRIPPER_WIDTH:.2f}",
            "safe_height": f"{self.safe_height:.2f}",
            "release_gap": f"{self.release_gap:.3f}",
            "clearance": f"{self.clearance:.3f}",
            "graspable": f"{self.graspable:.3f}",
            "max_calls": str(self.max_calls),
        }


class Prompts:
    """Renders system prompts and messages; equal inputs give equal text.

    Args:
        config: Numbers and conventions.
        team: Whose prompts; the facts are the same for all teams.
    """

    def __init__(self, config: PromptConfig | None = None, *, team: str = "malmm") -> None:
        self._team = team
        self.config = config or PromptConfig()
        self._environment = Environment(
            loader=PackageLoader("malmm_ros.agents", "prompts"),
            undefined=StrictUndefined,
            autoescape=False,  # plain text, not HTML
        )
        self._slots = {**self.config.slots(), "team": team}

    def system(self, role: AgentRole) -> ChatMessage:
        """What a role is, knows and answers."""
        template = "single_open_loop" if self._team == "single-open-loop" else role
        return ChatMessage("system", self._render(f"{template}.md", **self._slots))

    def user(self, *, instruction: str, history: str, scene: str, turn: Turn) -> ChatMessage:
        """The message of one turn.

        Args:
            instruction: The user's words; line ends become spaces, so they cannot pose as a
                section.
            history: As :meth:`History.render` gives it.
            scene: As ``render_scene`` gives it.
            turn: Whose turn it is, or ``verify``.
        """
        text = self._render(
            "message.md",
            instruction=" ".join(instruction.split()),
            history=history,
            scene=scene,
            turn=self._render(f"turns/{turn}.md"),
        )
        return ChatMessage("user", text)

    def repair(self, problem: str) -> ChatMessage:
        """Say what was wrong with an answer."""
        return ChatMessage("user", self._render("turns/repair.md", problem=problem))

    def _render(self, template: str, **values: str) -> str:
        return self._environment.get_template(template).render(**values).strip()


def prompt_hash(prompt: str) -> str:
    """A short name for a system prompt, stable across machines."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]
