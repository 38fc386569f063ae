"""Set-up: quick when nothing changed, and the source tree runs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the set-up looks at, in another place."""
    names = ("tools", "cmake", "interfaces_compat", "msg", "srv", "action", "malmm_ros")
    for name in names:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("models"))
    for name in ("Makefile", "CMakeLists.txt", "package.xml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def interface_hash(root: Path) -> str:
    code = "import install; print(install.hash_files(install.INTERFACE_SOURCES, extra=''))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env={**os.environ, "PYTHONPATH": str(root / "tools"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.stdout


def test_a_changed_module_rebuilds_nothing(copy: Path) -> None:
    before = interface_hash(copy)
    (copy / "malmm_ros/scene.py").write_text("changed = True\n")
    assert interface_hash(copy) == before


@pytest.mark.parametrize(
    "changed",
    [
        "msg/SceneState.msg",
        "CMakeLists.txt",
        "interfaces_compat/tf2_msgs/msg/TFMessage.msg",
    ],
)
def test_a_changed_interface_rebuilds(copy: Path, changed: str) -> None:
    before = interface_hash(copy)
    with (copy / changed).open("a") as file:
        file.write("# a comment is part of an interface, too\n")
    assert interface_hash(copy) != before


def test_a_removed_interface_rebuilds(copy: Path) -> None:
    before = interface_hash(copy)
    (copy / "msg/AgentEvent.msg").unlink()
    assert interface_hash(copy) != before


def test_a_folder_that_is_no_environment_is_left_alone(copy: Path) -> None:
    precious = copy / "mine/thesis.txt"
    precious.parent.mkdir()
    precious.write_text("three years")
    done = subprocess.run(
        [sys.executable, str(copy / "tools/install.py"), "--venv", str(precious.parent)],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "is not a virtual environment" in done.stderr
    assert precious.read_text() == "three years"


@pytest.mark.parametrize("instruction", ["put Ann's block down", 'say "hello"', "$HOME `id` \\n"])
def test_an_instruction_reaches_the_demo_unchanged(copy: Path, instruction: str) -> None:
    makefile = copy / "Makefile"
    makefile.write_text(makefile.read_text() + '\nshow:\n\t@printf %s "$$INSTRUCTION"\n')
    done = subprocess.run(
        ["make", "-s", "-C", str(copy), "show", f"INSTRUCTION={instruction}"],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stdout == instruction


def test_the_environment_runs_the_source_tree_from_any_folder(tmp_path: Path) -> None:
    decoy = tmp_path / "malmm_ros"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise RuntimeError('the copy in the current folder')\n")
    (decoy / "cli.py").write_text("")
    launcher = Path(sys.prefix) / "bin/malmm"
    if not launcher.exists() or "source tree" not in launcher.read_text():
        pytest.skip("not the environment of `make install`")
    done = subprocess.run(
        [str(launcher), "--help"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "the copy in the current folder" not in done.stderr


def test_make_demo_asks_for_what_the_demo_itself_does(copy: Path) -> None:
    makefile = copy / "Makefile"
    makefile.write_text(makefile.read_text() + '\nshow:\n\t@echo "$$SEED|$$INSTRUCTION"\n')
    done = subprocess.run(
        ["make", "-s", "-C", str(copy), "show"],
        check=True,
        env={k: v for k, v in os.environ.items() if k not in ("SEED", "INSTRUCTION")},
        capture_output=True,
        text=True,
        timeout=30,
    )
    from malmm_ros.demo.__main__ import build_parser

    arguments = build_parser().parse_args([])
    assert done.stdout.strip() == f"{arguments.seed}|{arguments.instruction}"


def test_the_docs_extra_names_what_make_docs_runs() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\ndocs:", 1)[1].split("\n\n", 1)[0]
    extra = (ROOT / "setup.py").read_text().split('"docs": [', 1)[1].split("]", 1)[0]
    assert f"-m {extra.strip(chr(34))} " in recipe


def pins(name: str) -> set[str]:
    lines = (ROOT / name).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_the_colcon_routes_list_is_the_wheels_with_the_same_pins() -> None:
    colcon = pins("requirements-colcon.txt")
    assert colcon <= pins("requirements.txt")
    listed = (ROOT / "setup.py").read_text().split("install_requires=[", 1)[1]
    wheel = set(re.findall(r'"([a-z][a-z0-9-]*)', listed.split("extras_require", 1)[0]))
    names = {re.split(r"[=\[]", pin)[0] for pin in colcon}
    assert wheel <= names
    assert "venv --system-site-packages" in (ROOT / "docs/installing.md").read_text()


@pytest.fixture(scope="module")
def extras() -> ModuleType:
    """The set-up's reader and installer of optional packages."""
    spec = importlib.util.spec_from_file_location("extras", ROOT / "tools/extras.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["extras"] = module
    spec.loader.exec_module(module)
    return module


def test_the_optional_groups_are_the_wheels_extras(extras: ModuleType) -> None:
    groups = {
        group.name: {pin.split("==")[0] for pin in group.pins}
        for group in extras.read_groups(ROOT / "requirements-extras.txt")
    }
    declared = (ROOT / "setup.py").read_text().split("extras_require={", 1)[1]
    for name, packages in groups.items():
        listed = declared.split(f'"{name}": [', 1)[1].split("]", 1)[0]
        assert packages == set(re.findall(r'"([a-z0-9-]+)', listed))


def test_optional_pins_do_not_contradict_the_core() -> None:
    names = [re.split(r"[=\[]", pin)[0] for pin in pins("requirements-extras.txt")]
    assert len(names) == len(set(names))
    core = {re.split(r"[=\[]", pin)[0] for pin in pins("requirements.txt")}
    assert not core & set(names)


def test_a_group_that_cannot_be_installed_gives_a_reason(extras: ModuleType) -> None:
    group = extras.Group(name="nothing", pins=("no-such-package==1",))
    assert extras.install_group(Path("/bin/false"), group, ()) == "pip ended with 1"


def test_groups_end_at_blank_lines_and_say_whether_they_bring_more(
    extras: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "extras.txt"
    path.write_text("# Words\n\n# [a] --no-deps: why\nx==1\n\n# [b] why\ny==2\n\n# Rest\nz==3\n")
    first, second = extras.read_groups(path)
    assert (first.name, first.pins, first.brings_more) == ("a", ("x==1",), False)
    assert (second.name, second.pins, second.brings_more) == ("b", ("y==2",), True)
