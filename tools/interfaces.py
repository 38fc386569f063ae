"""Build our interfaces, and those that the wheels lack, into the environment that runs this.

The interfaces only: the Python modules run from the source tree. Logs go to build/interfaces/.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ament_build import build, install

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/interfaces" / f"python3.{sys.version_info.minor}"
PREFIX = Path(sys.prefix)
SITE = Path(sysconfig.get_path("purelib"))
MARKER = ".built_by_malmm_ros"


def compat_packages(prefix: Path) -> list[Path]:
    """List the compat packages that nobody else has installed below ``prefix``."""
    wanted = []
    for folder in sorted((ROOT / "interfaces_compat").iterdir()):
        if not (folder / "package.xml").exists():
            continue
        installed = prefix / "share" / folder.name / "package.xml"
        if not installed.exists() or installed.with_name(MARKER).exists():
            wanted.append(folder)
    return wanted


def in_waves(packages: list[Path]) -> list[list[Path]]:
    """Sort packages so that each wave needs only those before it; one wave builds side by side."""
    left = {folder.name: folder for folder in packages}
    waves: list[list[Path]] = []
    while left:
        wave = [folder for folder in left.values() if not set(left) & _depends(folder)]
        waves.append(wave or list(left.values()))
        for folder in waves[-1]:
            del left[folder.name]
    return waves


def _depends(folder: Path) -> set[str]:
    """Names of the packages that a package needs to be built."""
    return set(re.findall(r"<depend>(\w+)</depend>", (folder / "package.xml").read_text()))


def clear_cache_of_another_place(source: Path, work: Path) -> None:
    """Drop a CMake cache that was made for another folder or another environment."""
    cache = work / "CMakeCache.txt"
    if not cache.exists():
        return
    text = cache.read_text()
    needed = (f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n", f"CMAKE_INSTALL_PREFIX:PATH={PREFIX}\n")
    if not all(line in text for line in needed):
        shutil.rmtree(work)


def build_one(source: Path) -> str | None:
    """Build one package; return what went wrong."""
    name = "malmm_ros" if source == ROOT else source.name
    work = WORK / name
    log = WORK / f"{name}.log"
    clear_cache_of_another_place(source, work)
    try:
        build(source, work, PREFIX, "-DMALMM_ROS_INTERFACES_ONLY=ON", log=log)
        shutil.rmtree(SITE / name, ignore_errors=True)  # a removed message must not stay
        install(work, log=log)
    except subprocess.CalledProcessError:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        return f"{tail}\n{name} failed to build; the whole log: {log}"
    if source == ROOT:
        # Without it the folder only adds to the package of the source tree, wherever that comes
        # on sys.path.
        (SITE / name / "__init__.py").unlink(missing_ok=True)
        for metadata in SITE.glob(f"{name}-*.egg-info"):  # else pip takes it for an installed one
            shutil.rmtree(metadata)
    else:
        (PREFIX / "share" / name / MARKER).touch()
    return None


def main() -> int:
    """Build what can be side by side: configuring uses one core only."""
    with ThreadPoolExecutor() as pool:
        failures = [
            failure
            for wave in in_waves([ROOT, *compat_packages(PREFIX)])
            for failure in pool.map(build_one, wave)
            if failure
        ]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
