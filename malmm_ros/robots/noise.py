"""What imperfect sensing does to a scene: noise on poses, an object that is missed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from malmm_ros.errors import ConfigurationError
from malmm_ros.geometry import Pose, vector3
from malmm_ros.scene import Scene, SceneObject


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseConfig:
    """How far a noisy observation may be off.

    Attributes:
        sigma_m: Standard deviation of x and y, metres; z gets a third of it, since the table
            tells heights well.
        sigma_degrees: Of the yaw.
    """

    sigma_m: float = 0.004
    sigma_degrees: float = 2.0

    def __post_init__(self) -> None:
        for name in ("sigma_m", "sigma_degrees"):
            if getattr(self, name) < 0.0:
                raise ConfigurationError(f"noise: {name}", "must be 0 or more")


def noisy(scene: Scene, rng: np.random.Generator, config: NoiseConfig) -> Scene:
    """Shift and turn everything but furniture and what is in the hand, each on its own."""
    return replace(
        scene,
        objects=tuple(
            item if item.is_fixed or item.is_held else _shifted(item, rng, config)
            for item in scene.objects
        ),
    )


def missing(scene: Scene, name: str) -> Scene:
    """The scene without one object; what is held cannot be missed."""
    return replace(
        scene,
        objects=tuple(item for item in scene.objects if item.name != name or item.is_held),
    )


def _shifted(item: SceneObject, rng: np.random.Generator, config: NoiseConfig) -> SceneObject:
    sigma = config.sigma_m * np.array([1.0, 1.0, 1.0 / 3.0])
    shift = Pose(vector3(rng.normal(0.0, sigma)))
    turn = Pose.from_yaw((0.0, 0.0, 0.0), float(rng.normal(0.0, np.radians(config.sigma_degrees))))
    center = Pose(item.pose.position)
    # About its own upright axis, so that a proposed grasp stays where it is on the object.
    change = shift @ center @ turn @ center.inverse()
    grasp = None if item.grasp is None else change @ item.grasp
    return replace(item, pose=change @ item.pose, grasp=grasp)
