"""The 20 colours that tasks, instructions and perception share, by name."""

from __future__ import annotations

Rgb = tuple[float, float, float]

# RLBench's palette, as the paper's tasks use it; 0 to 1 per channel.
COLORS: dict[str, Rgb] = {
    "red": (1.0, 0.0, 0.0),
    "maroon": (0.5, 0.0, 0.0),
    "lime": (0.0, 1.0, 0.0),
    "green": (0.0, 0.5, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "navy": (0.0, 0.0, 0.5),
    "yellow": (1.0, 1.0, 0.0),
    "cyan": (0.0, 1.0, 1.0),
    "magenta": (1.0, 0.0, 1.0),
    "silver": (0.75, 0.75, 0.75),
    "gray": (0.5, 0.5, 0.5),
    "orange": (1.0, 0.5, 0.0),
    "olive": (0.5, 0.5, 0.0),
    "purple": (0.5, 0.0, 0.5),
    "teal": (0.0, 0.5, 0.5),
    "azure": (0.0, 0.5, 1.0),
    "violet": (0.5, 0.0, 1.0),
    "rose": (1.0, 0.0, 0.5),
    "black": (0.0, 0.0, 0.0),
    "white": (1.0, 1.0, 1.0),
}
COLOR_NAMES: tuple[str, ...] = tuple(COLORS)
