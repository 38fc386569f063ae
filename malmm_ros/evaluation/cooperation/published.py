"""CoELA's published figures for its transport benchmark, to stand beside ours.

They come from another world (rooms, physics and durations differ) and another perception; one
number was tuned so that a lone RHP does as well here as there, so that row says nothing.
"""

from __future__ import annotations

LABEL = "published, another world"

# Transport rate with oracle perception, and efficiency improvement where given.
ORACLE: dict[str, tuple[float, float | None]] = {
    "RHP alone": (0.50, None),
    "RHP + RHP": (0.75, 0.34),
    "RHP + CoELA (GPT-4)": (0.81, 0.37),
    "CoELA + CoELA (GPT-4)": (0.85, 0.41),
    "CoELA + CoELA (LLaMA-2)": (0.62, 0.08),
    "CoELA + CoELA (CoLLAMA)": (0.80, None),
    "MAT": (0.15, None),
}
# Likewise with their detector.
DETECTED: dict[str, tuple[float, float | None]] = {
    "RHP alone": (0.43, None),
    "RHP + RHP": (0.61, 0.29),
    "RHP + CoELA (GPT-4)": (0.69, 0.36),
    "CoELA + CoELA (GPT-4)": (0.71, 0.39),
    "CoELA + CoELA (LLaMA-2)": (0.53, 0.10),
    "CoELA + CoELA (CoLLAMA)": (0.70, 0.38),
}
