"""Render a camera of a task's world: colour, and depth in metres along the optical axis."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from malmm_ros.simulation import MujocoWorld

world = MujocoWorld()
world.reset("stack_blocks", seed=4)
image = world.render("front")
print(f"depth from {np.min(image.depth[image.depth > 0]):.2f} m")
if len(sys.argv) > 1:
    Image.fromarray(image.rgb).save(Path(sys.argv[1]))
world.close()
