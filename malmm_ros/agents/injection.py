"""Put the errors that language models make into any model's answers, by seeded draws.

What is injected is an error, not a language model: it shows how a team deals with a fault of a
known kind. A draw depends on the seed, the number of the plan's step and the duty (planning,
coding, routing, choosing) alone, so every team with that duty meets the same faults. A step is
hit by a duty's fault once; what the team asks for afterwards is left alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from malmm_ros.agents import faults
from malmm_ros.agents.messages import AgentRole
from malmm_ros.errors import ConfigurationError

# A team's roles, and an agent that shares a long task with others.
InjectedRole = AgentRole | Literal["cooperator"]
Duty = Literal["routing", "planning", "coding", "choosing"]
FaultKind = Literal[
    "undefined_variable",
    "missing_argument",
    "forgotten_close",
    "skipped_step",
    "wrong_object",
    "ignored_collision",
    "repetition",
    "early_success",
    "malformed_routing",
    "wrong_option",
]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

_KINDS: dict[Duty, tuple[FaultKind, ...]] = {
    "routing": ("malformed_routing",),
    "planning": ("skipped_step", "wrong_object", "repetition", "early_success"),
    "coding": ("undefined_variable", "missing_argument", "forgotten_close", "ignored_collision"),
    "choosing": ("malformed_routing", "wrong_option", "repetition"),
}
_DUTIES: dict[InjectedRole, tuple[Duty, ...]] = {
    "supervisor": ("routing",),
    "planner": ("planning",),
    "coder": ("coding",),
    "single": ("planning", "coding"),
    "cooperator": ("choosing",),
}
# A fault that shows does so in the report of its own program or of the next.
_REPORTS_UNTIL_QUIET = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionConfig:
    """How often answers are spoilt.

    Attributes:
        probability: Of a fault, for each step of the plan and each duty; 0 injects none.
    """

    probability: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise ConfigurationError(
                "inject.probability", f"must be from 0 to 1, got {self.probability}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One injected error.

    Attributes:
        role: Whose answer was spoilt.
        step: Number of the plan's step, from 0.
        is_detected: The team got an error about it (a report, a repair, a rejected claim), or
            did again what it had spoilt.
        is_recovered: The task was completed all the same, as the team believes; whoever knows
            the truth about the world may correct it.
    """

    kind: FaultKind
    role: InjectedRole
    step: int
    is_detected: bool = False
    is_recovered: bool = False


@dataclass(slots=True)
class _Open:
    """A fault under way; ``essence`` is what the unspoilt answer wanted done."""

    injection: Injection
    essence: str
    reports_left: int = _REPORTS_UNTIL_QUIET
    is_detected: bool = False


class Injector:
    """Spoils the answers of one run.

    Args:
        config: How often, and the seed.
    """

    def __init__(self, config: InjectionConfig | None = None) -> None:
        self._config = config or InjectionConfig()
        self._met: set[tuple[int, Duty]] = set()
        self._open: list[_Open] = []
        self._new: list[Injection] = []
        self._previous: dict[InjectedRole, str] = {}

    def alter(self, role: InjectedRole, answer: str, *, prompt: str, step: int) -> str:
        """Give an answer back, spoilt where the draws say so.

        Args:
            role: Who answered.
            answer: What it said.
            prompt: The message that it answered; names of objects are taken from its scene.
            step: Programs that were run so far.
        """
        if self._config.probability <= 0.0:
            return answer
        essence = faults.essence(answer)
        for item in self._open:
            if item.essence and item.essence in essence:
                item.is_detected = True
        pieces = faults.split_steps(answer) if role == "single" else [answer]
        spoilt: list[str] = []
        for index, piece in enumerate(pieces):
            if index:
                self._previous[role] = faults.only_calls(pieces[index - 1])
            before = len(self._open)
            text = self._alter_step(role, piece, prompt=prompt, step=step + index)
            kinds = [item.injection.kind for item in self._open[before:]]
            if len(pieces) > 1 and "early_success" in kinds:
                # In the middle of a program, the claim is that nothing more has to be done.
                spoilt += [faults.without_calls(rest) for rest in pieces[index:]]
                break
            spoilt.append(text)
        self._previous[role] = answer
        # As a client gives answers: without space around them.
        return "".join(spoilt).strip()

    def notice(self) -> None:
        """The team got an error: what was injected lately is detected."""
        for item in self._open:
            if item.reports_left > 0:
                item.is_detected = True

    def acted(self) -> None:
        """A program was reported on."""
        for item in self._open:
            item.reports_left -= 1

    def take_new(self) -> tuple[Injection, ...]:
        """What was injected since the last time."""
        new, self._new = tuple(self._new), []
        return new

    def outcomes(self, is_success: bool) -> tuple[Injection, ...]:
        """Everything that was injected, with what became of it."""
        return tuple(
            replace(item.injection, is_detected=item.is_detected, is_recovered=is_success)
            for item in self._open
        )

    def _alter_step(self, role: InjectedRole, answer: str, *, prompt: str, step: int) -> str:
        for duty in _DUTIES[role]:
            if (step, duty) in self._met:
                continue
            self._met.add((step, duty))
            draw = _generator(self._config.seed, step, duty)
            if draw.random() >= self._config.probability:
                continue
            answer = self._spoil(role, duty, answer, prompt=prompt, step=step, draw=draw)
        return answer

    def _spoil(
        self,
        role: InjectedRole,
        duty: Duty,
        answer: str,
        *,
        prompt: str,
        step: int,
        draw: np.random.Generator,
    ) -> str:
        """Take the first kind, in a drawn order, that this answer can suffer from."""
        for index in draw.permutation(len(_KINDS[duty])):
            kind = _KINDS[duty][int(index)]
            spoilt = faults.FAULTS[kind](
                answer, faults.Context(prompt=prompt, previous=self._previous.get(role, ""))
            )
            if spoilt is None or spoilt == answer:
                continue
            injection = Injection(kind=kind, role=role, step=step)
            self._open.append(_Open(injection, faults.essence(answer)))
            self._new.append(injection)
            return spoilt
        return answer


def _generator(seed: int, step: int, duty: Duty) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}/{step}/{duty}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
