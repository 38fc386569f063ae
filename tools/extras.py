"""The groups of requirements-extras.txt: how they are written and how one is installed."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"# \[(?P<name>[a-z0-9-]+)\](?P<rest>.*)")
_INSTALL_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Optional packages that belong together.

    Attributes:
        pins: As pip reads them, e.g. ``"ray==2.60.0"``.
        brings_more: Whether what these need is installed, too.
    """

    name: str
    pins: tuple[str, ...]
    brings_more: bool = True


def read_groups(path: Path) -> list[Group]:
    """Read the groups; a blank line ends one, and what follows outside of any only pins."""
    groups: list[Group] = []
    name, rest = "", ""
    pins: list[str] = []
    for line in [*path.read_text().splitlines(), ""]:
        heading = _HEADING.fullmatch(line)
        if heading:
            name, rest, pins = heading["name"], heading["rest"], []
        elif name and line and not line.startswith("#"):
            pins.append(line)
        elif name and not line:
            groups.append(Group(name=name, pins=tuple(pins), brings_more="--no-deps" not in rest))
            name = ""
    return groups


def install_group(python: Path, group: Group, pinned: tuple[Path, ...]) -> str:
    """Install one group into an environment.

    Args:
        python: The environment's interpreter.
        group: What to install.
        pinned: Files whose pins hold for everything that comes along.

    Returns:
        Why it failed; empty when it did not.
    """
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "-qq"]
    command += [] if group.brings_more else ["--no-deps"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        for path in pinned:
            # pip takes no "package[extra]" in constraints.
            constraints.write(re.sub(r"\[[a-z,-]+\]==", "==", path.read_text()) + "\n")
        constraints.flush()
        try:
            done = subprocess.run(
                [*command, "-c", constraints.name, *group.pins],
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_INSTALL_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            return f"pip was not done after {_INSTALL_TIMEOUT_S:.0f} s"
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return errors[-1] if errors else done.stderr.strip() or f"pip ended with {done.returncode}"
