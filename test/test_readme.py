"""What the README shows, works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from malmm_ros.cli import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_block_stacks_the_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("completed (True,")


def test_every_command_and_make_target_exists() -> None:
    shown = set(re.findall(r"`malmm ([a-z-]+)", README))
    assert shown
    assert shown <= set(COMMANDS)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake ([a-z-]+)", README)):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_every_link_to_a_file_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing
