"""The figures of the MALMM paper, to stand beside ours; not comparable one to one.

They come from another simulator (where grasped objects are attached) and language models; the
rows of LLaMA-3.3-70B are from the project's page. Success in per cent, apparently of 25 episodes
a task.
"""

from __future__ import annotations

LABEL = "published, another simulator, GPT-4-turbo"

TASKS = (
    "basketball_in_hoop",
    "close_jar",
    "empty_container",
    "insert_onto_square_peg",
    "meat_off_grill",
    "open_wine_bottle",
    "put_block",
    "put_rubbish_in_bin",
    "stack_blocks",
)


def _row(*percents: float) -> dict[str, float]:
    return dict(zip(TASKS, percents, strict=True))


# Table I.
STATE = {
    "CAP": _row(0, 0, 0, 8, 0, 0, 76, 0, 0),
    "VoxPoser": _row(20, 0, 0, 0, 0, 0, 36, 64, 32),
    "single agent": _row(52, 40, 48, 24, 44, 80, 92, 48, 20),
    "MALMM": _row(88, 84, 64, 68, 92, 96, 100, 80, 56),
    "MALMM, LLaMA-3.3-70B": _row(84, 88, 60, 80, 64, 84, 84, 56, 32),
}

# Table II.
ABLATION: dict[str, dict[str, float]] = {
    "single agent, no feedback": {"stack_blocks": 8, "empty_container": 12},
    "single agent": {"stack_blocks": 20, "empty_container": 36},
    "multi agent": {"stack_blocks": 36, "empty_container": 48},
    "MALMM": {"stack_blocks": 56, "empty_container": 64},
}

# Table III.
VISION: dict[str, dict[str, float]] = {
    "single agent": {"close_jar": 24, "put_block": 68, "put_rubbish_in_bin": 40},
    "MALMM": {"close_jar": 56, "put_block": 84, "put_rubbish_in_bin": 52},
}
