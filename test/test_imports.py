"""The import rules between the floors, and what importing the package costs."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = "from importlinter.cli import lint_imports_command as main; main()"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_imports_go_down_the_floors_only() -> None:
    done = run("-c", LINT, "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


def imported(file: Path) -> set[str]:
    """Every module that a file imports, anywhere in it; names count as modules, too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_the_rule_against_ros_names_every_ros_package_that_the_nodes_import() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(c for c in settings["contracts"] if c["id"] == "no-ros-in-the-core")
    nodes = {
        name.split(".")[0]
        for file in (ROOT / "malmm_ros/nodes").rglob("*.py")
        for name in imported(file)
    }
    ours = {"malmm_ros", *sys.stdlib_module_names}
    ros = {name for name in nodes - ours if name.endswith(("_msgs", "_srvs", "_interfaces"))}
    assert ros | {"rclpy", "launch", "launch_ros"} <= set(contract["forbidden_modules"])


def test_only_nodes_import_our_own_interfaces() -> None:
    """They are generated, so import-linter does not see them."""
    generated = {f"malmm_ros.{kind}" for kind in ("msg", "srv", "action")}
    guilty = [
        str(file.relative_to(ROOT))
        for file in (ROOT / "malmm_ros").rglob("*.py")
        if "nodes" not in file.parts
        and any(
            name == g or name.startswith(f"{g}.") for name in imported(file) for g in generated
        )
    ]
    assert not guilty


def test_importing_the_package_imports_nothing_heavy() -> None:
    done = run("-c", "import sys, malmm_ros; print(*sys.modules)")
    heavy = {"numpy", "mujoco", "roboplan", "rclpy", "pydantic_ai"}
    assert not heavy & set(done.stdout.split()), done.stderr


@pytest.mark.parametrize("kind", ["msg", "srv", "action"])
def test_the_generated_interfaces_join_the_source_tree(kind: str) -> None:
    code = f"import malmm_ros.{kind} as m; import malmm_ros; print(malmm_ros.__file__)"
    done = run("-c", code)
    assert done.stdout.strip() == str(ROOT / "malmm_ros/__init__.py"), done.stderr


def test_the_core_imports_without_ros() -> None:
    code = """
import importlib, pkgutil, sys
class NoRos:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"rclpy", "std_msgs", "geometry_msgs", "launch"}:
            raise ImportError(f"{name} is ROS")
sys.meta_path.insert(0, NoRos())
import malmm_ros
from malmm_ros.errors import MissingDependencyError
floors = {"agents", "cooperation", "evaluation", "models", "motion", "perception", "robots",
          "simulation"}
optional = {"torch", "transformers", "open3d", "ray", "moveit", "cgn_pytorch",
            "m2t2", "lang_sam", "gymnasium", "pettingzoo", "coppeliasim_zmqremoteapi_client"}
def fail(name):
    raise
def walk(package):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=fail):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] not in optional:
                raise
        except MissingDependencyError:
            pass
        count[0] += 1
count = [0]
for found in pkgutil.iter_modules(malmm_ros.__path__, "malmm_ros."):
    if found.name.split(".")[1] in floors:
        walk(importlib.import_module(found.name))
assert count[0] > 20, count
"""
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
