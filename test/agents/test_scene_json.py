from __future__ import annotations

import json
from dataclasses import replace

from malmm_ros.agents.scene_json import scene_from_json, scene_to_json
from malmm_ros.geometry import Pose, top_down
from malmm_ros.scene import Solid
from malmm_ros.testing import FakeRobot


def test_a_scene_comes_back_exactly(robot: FakeRobot) -> None:
    scene = robot.observe()
    block = replace(
        scene.objects[0],
        pose=Pose.from_yaw((0.1, 0.2, 0.3), 1.0 / 3.0),
        solids=(Solid(shape="cylinder", size=(0.1, 0.1, 0.2)),),
        grasp=top_down((0.1, 0.2, 0.3), 0.5),
        is_remembered=True,
    )
    scene = replace(scene, objects=(block, scene.objects[1])).with_held(block.name)
    assert scene_from_json(json.loads(json.dumps(scene_to_json(scene)))) == scene
