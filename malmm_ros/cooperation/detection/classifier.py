"""A small network that tells classes by features; its weights are a file one can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classifier:
    """One hidden layer.

    Attributes:
        classes: Names, in the order of the scores.
        mean: ``(features,)``, subtracted first.
        scale: ``(features,)``, divided by next.
        weights: ``(features, hidden)`` and ``(hidden, classes)``.
        biases: ``(hidden,)`` and ``(classes,)``.
        temperature: What divides the last layer's output, so that scores are shares of hits.
    """

    classes: tuple[str, ...]
    mean: Matrix
    scale: Matrix
    weights: tuple[Matrix, Matrix]
    biases: tuple[Matrix, Matrix]
    temperature: float = 1.0

    def logits(self, inputs: Matrix) -> Matrix:
        """``(N, classes)`` for ``(N, features)``, before the temperature."""
        hidden = (inputs - self.mean) / self.scale @ self.weights[0] + self.biases[0]
        return np.asarray(np.maximum(hidden, 0.0) @ self.weights[1] + self.biases[1])

    def scores(self, inputs: Matrix) -> Matrix:
        """``(N, classes)``, each row adds up to 1."""
        return np.asarray(softmax(self.logits(inputs) / self.temperature, axis=1))

    def save(self, path: Path, **about: object) -> None:
        """Write the weights and how they were trained."""
        content = {
            **about,
            "temperature": round(self.temperature, 4),
            "classes": self.classes,
            "mean": _rounded(self.mean),
            "scale": _rounded(self.scale),
            "weights": [_rounded(item) for item in self.weights],
            "biases": [_rounded(item) for item in self.biases],
        }
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in content.items())
        path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


@cache
def load_classifier() -> Classifier:
    """The trained one."""
    file = files("malmm_ros.cooperation.detection") / "classifier.json"
    return read_classifier(file.read_text(encoding="utf-8"))


def read_classifier(text: str) -> Classifier:
    """What :meth:`Classifier.save` wrote."""
    content = json.loads(text)
    first, second = (np.array(item) for item in content["weights"])
    before, after = (np.array(item) for item in content["biases"])
    return Classifier(
        classes=tuple(content["classes"]),
        mean=np.array(content["mean"]),
        scale=np.array(content["scale"]),
        weights=(first, second),
        biases=(before, after),
        temperature=float(content["temperature"]),
    )


def _rounded(values: Matrix) -> Sequence[object]:
    listed: list[object] = np.round(values, 4).tolist()
    return listed
