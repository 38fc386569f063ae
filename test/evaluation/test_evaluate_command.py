from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from malmm_ros.cli import main
from malmm_ros.cli.evaluate import read_disturb
from malmm_ros.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
PUT = ["evaluate", "--tasks", "put_block", "--workers", "1", "--seed", "5"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tasks", "put_blok"], "Did you mean 'put_block'"),
        (["--tasks", ""], "no task"),
        (["--team", "malm"], "Did you mean 'malmm'"),
        (["--episodes", "0"], "at least 1"),
        (["--episodes", "-2"], "at least 1"),
        (["--workers", "0"], "at least 1"),
        (["--disturb", "knock"], "knock=0.3"),
        (["--disturb", "knock=much"], "knock=0.3"),
        (["--experiment", "tabel_1", "--tasks", "all"], "Did you mean 'table_1'"),
        (["--experiment", "figure_5"], "the experiment says that itself"),
        (["--experiment", "figure_5", "--inject", "0.1"], "the experiment says that itself"),
        (["--role-model", "codr=x"], "Did you mean 'coder'"),
        (["--role-model", "coder"], "ROLE=MODEL"),
        (["--plot", "picture.txt"], "must end with .png"),
        (["--show", "put_block"], "TASK:INDEX"),
        (["--show", "put_block:x"], "TASK:INDEX"),
        (["--compare-with", "nowhere.json"], "cannot be read"),
        (["--json", "no/such/folder/a.json"], "cannot be written"),
        (["--markdown", "no/such/folder/a.md"], "cannot be written"),
    ],
)
def test_wrong_usage_is_said_before_any_work(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    started = time.monotonic()
    assert main(["evaluate", "--tasks", "put_block", *words]) == 2
    assert said in capsys.readouterr().err
    assert time.monotonic() - started < 10.0
    assert list(tmp_path.iterdir()) == []


def test_all_stands_for_every_kind_that_is_not_named() -> None:
    kinds = read_disturb("all=0.3,knock=0")
    assert kinds["knock"] == 0.0
    assert kinds["slip"] == 0.3
    assert read_disturb("") == {}
    with pytest.raises(ConfigurationError):
        read_disturb("knock=2")


def test_a_run_writes_report_table_and_plot_and_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, table = tmp_path / "a.json", tmp_path / "a.md"
    words = [*PUT, "--episodes", "2", "--json", str(report), "--markdown", str(table)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "2 episodes; expected:" in out
    assert "stand-in, not a language model" in out
    first = json.loads(report.read_text(encoding="utf-8"))
    assert first["success_rate"] == 1.0
    assert len(first["episodes"]) == 2
    assert "put_block" in table.read_text(encoding="utf-8")
    assert main([*words, "--compare-with", str(report)]) == 0
    assert "2 episodes are done already" in capsys.readouterr().out
    second = json.loads(report.read_text(encoding="utf-8"))
    assert second["comparison"]["difference"] == 0.0
    assert second["episodes"] == first["episodes"]
    assert main([*words, "--seed", "6"]) == 2
    assert "seed is 5 there, 6 here" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["strip.png", "film.gif"])
def test_an_episode_can_be_seen_by_its_number(tmp_path: Path, name: str) -> None:
    images = tmp_path / name
    assert main([*PUT, "--show", "put_block:1", "--images", str(images)]) == 0
    with Image.open(images) as picture:
        if name.endswith(".gif"):
            assert getattr(picture, "n_frames", 1) > 5
        else:
            assert picture.size[0] == 4 * 320


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_experiment_runs_all_of_its_teams_on_the_same_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figure.json"
    words = ["--experiment", "figure_5", "--episodes", "1", "--workers", "1"]
    assert main(["evaluate", *words, "--json", str(file)]) == 0
    assert capsys.readouterr().out.startswith("6 episodes; expected:")
    report = json.loads(file.read_text(encoding="utf-8"))
    runs = report["runs"]
    assert list(runs) == ["single", "malmm"]
    seeds = [[item["seed"] for item in run["episodes"]] for run in runs.values()]
    assert seeds[0] == seeds[1]
    assert list(runs["malmm"]["tasks"]) == [f"stack_blocks:count={n}" for n in (2, 3, 4)]
    assert len(report["comparisons"]) == 1
    assert (tmp_path / "figure.malmm.episodes.jsonl").exists()


@pytest.mark.slow
@pytest.mark.timeout(500)  # three runs with two workers each, on a machine that may be busy
def test_a_run_that_was_killed_goes_on_and_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    def command(name: str) -> list[str]:
        words = ["--tasks", "put_block", "--episodes", "6", "--workers", "2"]
        file = str(tmp_path / f"{name}.json")
        return [sys.executable, "-m", "malmm_ros", "evaluate", *words, "--json", file]

    log = tmp_path / "a.episodes.jsonl"
    process = subprocess.Popen(command("a"), cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 150.0
    while not (log.exists() and log.read_bytes().count(b"\n") >= 3):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10.0)
    done = log.read_bytes().count(b"\n") - 1
    assert 2 <= done < 6
    for name in ("a", "b"):
        subprocess.run(command(name), cwd=ROOT, stdout=subprocess.DEVNULL, check=True, timeout=200)
    a, b = (json.loads((tmp_path / f"{n}.json").read_text(encoding="utf-8")) for n in "ab")
    assert a["run"]["resumed_episodes"] >= done
    for report in (a, b):
        del report["wall_s"], report["run"], report["tasks"]["put_block"]["mean_wall_s"]
        for episode in report["episodes"]:
            del episode["wall_s"]
    assert a == b


def test_a_model_that_never_answers_is_a_failure_and_no_success_rate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint = ["--model", "a", "--base-url", "http://127.0.0.1:9/v1"]
    words = ["evaluate", "--tasks", "put_block", "--episodes", "1", "--workers", "1", *endpoint]
    assert main(words) == 1
    assert "never answered" in capsys.readouterr().err


def test_ctrl_c_while_the_workers_start_is_answered_with_one_line() -> None:
    # Started in a shell's background, tests are deaf to Ctrl-C, and so would this be.
    listening = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from malmm_ros.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", listening, *PUT, "--episodes", "20"]
    words[words.index("--workers") + 1] = "2"
    process = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    # The announcement comes before the workers, and they import for a second or more.
    assert "20 episodes" in process.stdout.readline()
    deadline = time.monotonic() + 30.0
    while len(children(process.pid)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    errors = interrupt(process)
    assert process.returncode == 1
    assert errors.splitlines()[-1] == "malmm evaluate: interrupted"
    assert "Traceback" not in errors


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C as people do, again when nothing happens; what was said on stderr.

    Python drops an interrupt that comes while it runs a destructor.
    """
    for _ in range(4):
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=5.0)[1]
    process.kill()
    return process.communicate()[1]


def children(pid: int) -> list[Path]:
    """The processes that a process has started, as far as they can be read."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1]
            found += [stat] if parent == str(pid) else []
    return found
