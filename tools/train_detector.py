"""Train the small network that tells classes apart in `malmm cooperate --observations detected`.

    .venv/bin/python tools/train_detector.py

puts agents at random into training episodes, renders what they see, parts the images and fits a
network with one hidden layer to what the renderer's own segmentation calls each part. Of every
four episodes the last is held out: it sets the temperature that calibrates scores, and measures.
It writes malmm_ros/cooperation/detection/classifier.json; the seed fixes the views and the
network's start.

    .venv/bin/python tools/train_detector.py --judge test --views 4

trains nothing and says how good the shipped network is on random views of a set of episodes.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.neural_network import MLPClassifier

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from malmm_ros.camera import RgbdImage  # noqa: E402
from malmm_ros.cooperation.detection.classifier import (  # noqa: E402
    Classifier,
    load_classifier,
)
from malmm_ros.cooperation.detection.detector import (  # noqa: E402
    AGENTS,
    BACKGROUND,
    CLASSES,
    VISOR,
    detect,
)
from malmm_ros.cooperation.detection.features import features  # noqa: E402
from malmm_ros.cooperation.detection.quality import (  # noqa: E402
    Boxed,
    Judge,
    class_of,
    true_boxes,
)
from malmm_ros.cooperation.detection.segments import (  # noqa: E402
    Segment,
    cut_out,
    part,
    world_points,
)
from malmm_ros.cooperation.transport.episode import (  # noqa: E402
    EPISODE_SETS,
    Episode,
    load_episodes,
)
from malmm_ros.cooperation.transport.state import Body  # noqa: E402
from malmm_ros.cooperation.transport.view import EgocentricView  # noqa: E402
from malmm_ros.cooperation.transport.world import AGENT_NAMES, TransportWorld  # noqa: E402

WEIGHTS = ROOT / "malmm_ros/cooperation/detection/classifier.json"
NAMED = dict(zip(AGENT_NAMES, AGENTS, strict=True))
CLEARANCE_M = 0.25
HIDDEN, DECAY, ROUNDS = 48, 1e-3, 400
VISOR_HEIGHT_M = 0.13


class Scenes:
    """Random views into one episode, with agents that stand before each other and carry things."""

    def __init__(self, episode: Episode, rng: np.random.Generator) -> None:
        self._world = TransportWorld(episode, agents=AGENT_NAMES, observations="pixels")
        self._view = EgocentricView(episode, AGENT_NAMES, self._world.rules)
        self._world.use_camera(self._view.look)
        self._rng = rng

    def take(self, count: int) -> list[RgbdImage]:
        """Render some; the last call: what was drawn with is freed."""
        images = []
        for index in range(count):
            bodies = list(self._world.floor.bodies.values())
            for body in bodies:
                self._scatter(body)
            looker, mate = (bodies[number] for number in self._rng.permutation(4)[:2])
            if index % 2:
                self._step_before(looker, mate)
            self._hand_out(mate)
            images.append(self._world.observe()[looker.name].look())
            self._put_back(mate)
        self._view.close()
        return images

    def _scatter(self, body: Body) -> None:
        bounds = self._world.episode.layout.bounds
        while True:
            x = self._rng.uniform(bounds.x0, bounds.x1)
            y = self._rng.uniform(bounds.y0, bounds.y1)
            if self._is_free(x, y):
                break
        body.x, body.y, body.heading = x, y, self._rng.uniform(-math.pi, math.pi)

    def _step_before(self, looker: Body, mate: Body) -> None:
        angle = looker.heading + self._rng.uniform(-0.6, 0.6)
        distance = self._rng.uniform(0.7, 4.0)
        x = looker.x + distance * math.cos(angle)
        y = looker.y + distance * math.sin(angle)
        if self._is_free(x, y):
            mate.x, mate.y = x, y

    def _is_free(self, x: float, y: float) -> bool:
        is_inside = self._world.episode.layout.room_at(x, y) is not None
        return is_inside and self._world.floor.obstacles.distances(x, y).min() > CLEARANCE_M

    def _hand_out(self, mate: Body) -> None:
        things = list(self._world.floor.things.values())
        for arm, number in enumerate(self._rng.permutation(len(things))[:2]):
            mate.held[arm] = things[number]
            things[number].holder = mate.name

    def _put_back(self, mate: Body) -> None:
        for arm, thing in enumerate(mate.held):
            if thing is not None:
                thing.holder = None
            mate.held[arm] = None


def label_of(segment: Segment, image: RgbdImage) -> str:
    """The class that most of a segment's pixels belong to."""
    assert image.labels is not None
    votes = np.bincount(image.labels[segment.window][segment.mask] + 1)
    most = int(votes.argmax()) - 1
    kind = class_of(image.label_names[most], NAMED) if most >= 0 else None
    if kind in AGENTS and np.ptp(segment.points[:, 2]) < VISOR_HEIGHT_M:
        is_gray = np.ptp(np.median(segment.colors, axis=0)) < 0.05
        return VISOR if is_gray else kind
    return kind or BACKGROUND


def lessons(images: list[RgbdImage]) -> tuple[NDArray[np.float64], list[str]]:
    """Features and classes of all segments."""
    rows, names = [], []
    for image in images:
        points = world_points(image)
        eye = np.asarray(image.world_from_camera.position, dtype=np.float32)
        for segment in cut_out(image, points, part(image, points)):
            rows.append(features(segment, eye))
            names.append(label_of(segment, image))
    return np.array(rows), names


def fit(inputs: NDArray[np.float64], names: list[str], seed: int) -> Classifier:
    """Train the network."""
    # Some bins of the histograms are nearly always empty.
    mean, scale = inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 0.02)
    network = MLPClassifier((HIDDEN,), alpha=DECAY, max_iter=ROUNDS, random_state=seed)
    network.fit((inputs - mean) / scale, names)
    return Classifier(
        classes=tuple(network.classes_.tolist()),
        mean=mean,
        scale=scale,
        weights=(network.coefs_[0], network.coefs_[1]),
        biases=(network.intercepts_[0], network.intercepts_[1]),
    )


def calibrate(
    classifier: Classifier, inputs: NDArray[np.float64], names: list[str]
) -> tuple[Classifier, float]:
    """Choose the temperature that makes held-out classes likeliest; and the share of hits."""
    order = {name: index for index, name in enumerate(classifier.classes)}
    true = np.array([order[name] for name in names])
    logits = classifier.logits(inputs)

    def loss(log_temperature: float) -> float:
        chances = softmax(logits / math.exp(log_temperature), axis=1)
        return float(-np.log(chances[np.arange(len(true)), true] + 1e-12).mean())

    best = math.exp(minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded").x)
    hits = float((logits.argmax(axis=1) == true).mean())
    return replace(classifier, temperature=best), hits


def judge(classifier: Classifier, images: list[RgbdImage]) -> Judge:
    """Detect in whole images and compare boxes."""
    result = Judge()
    for image in images:
        found = [
            Boxed(kind=item.kind, box=item.segment.box, score=item.score)
            for item in detect(image, classifier).detections
            if item.kind not in (BACKGROUND, VISOR)
        ]
        result.add(found, true_boxes(image, NAMED, least_pixels=5))
    return result


def main() -> None:
    """Train, or only measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=24, help="how many of the set")
    parser.add_argument("--views", type=int, default=30, help="of each episode")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", choices=EPISODE_SETS, help="only measure, on this set")
    arguments = parser.parse_args()
    if arguments.judge:
        judge_set(arguments.judge, arguments.episodes, arguments.views, arguments.seed)
        return
    train(arguments)


def judge_set(name: str, episodes: int, views: int, seed: int) -> None:
    """Measure the shipped network on random views of every episode of a set."""
    total = Judge()
    for number, episode in enumerate(load_episodes(name)[:episodes]):
        images = Scenes(episode, np.random.default_rng([seed, number])).take(views)
        total.merge(judge(load_classifier(), images))
    print(json.dumps({name: total.report()}, indent=1))


def train(arguments: argparse.Namespace) -> None:
    """Train, calibrate, measure on the held-out episodes, write."""
    taught: list[tuple[NDArray[np.float64], list[str]]] = []
    held_out: list[tuple[NDArray[np.float64], list[str]]] = []
    judged: list[RgbdImage] = []
    for number, episode in enumerate(load_episodes("training")[: arguments.episodes]):
        rng = np.random.default_rng([arguments.seed, number])
        images = Scenes(episode, rng).take(arguments.views)
        (held_out if number % 4 == 3 else taught).append(lessons(images))
        judged += images[:10] if number % 4 == 3 else []
    inputs = np.concatenate([rows for rows, _ in taught])
    names = [name for _, listed in taught for name in listed]
    classifier = fit(inputs, names, arguments.seed)
    others = np.concatenate([rows for rows, _ in held_out])
    classifier, hits = calibrate(classifier, others, [n for _, m in held_out for n in m])
    quality = judge(classifier, judged).report()
    about = {
        "segments": len(names),
        "held_out_accuracy": round(hits, 4),
        "episodes": arguments.episodes,
        "views": arguments.views,
        "seed": arguments.seed,
    }
    classifier.save(WEIGHTS, **about)
    print(f"{len(names)} segments of {len(CLASSES)} classes; held-out accuracy {hits:.4f}")
    print(f"held-out episodes: {quality}")
    print(WEIGHTS.relative_to(ROOT))


if __name__ == "__main__":
    main()
