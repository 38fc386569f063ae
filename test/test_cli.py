from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from malmm_ros import cli
from malmm_ros.bringup.domain import DomainLease
from malmm_ros.cli import COMMANDS, main
from malmm_ros.errors import ConfigurationError, SimulationError

MALMM = [sys.executable, "-m", "malmm_ros"]
ROOT = Path(__file__).parents[1]


def malmm(*words: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MALMM, *words], capture_output=True, text=True, timeout=timeout_s, check=False, cwd=ROOT
    )


def test_help_lists_every_command_and_is_quick() -> None:
    started = time.monotonic()
    # Half a second is the aim; what a busy machine adds is not ours.
    done = malmm("--help", timeout_s=10.0)
    assert done.returncode == 0
    assert time.monotonic() - started < 3.0
    for name in COMMANDS:
        assert f"  {name} " in done.stdout


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from malmm_ros.cli import main; main(['--help']);"
        "heavy = {'numpy', 'mujoco', 'rclpy', 'pydantic_ai', 'yaml'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30.0,
        check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(COMMANDS[name][0])
    assert module.EXAMPLE.startswith(f"malmm {name}")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert "example:" in capsys.readouterr().out


def test_a_misspelt_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docter"]) == 2
    assert "Did you mean 'doctor'" in capsys.readouterr().err


def test_no_command_is_a_usage_error() -> None:
    assert main([]) == 2


@pytest.mark.parametrize(
    ("error", "code"), [(ConfigurationError("x", "is wrong"), 2), (SimulationError("broke"), 1)]
)
def test_our_errors_are_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    code: int,
) -> None:
    module = importlib.import_module(COMMANDS["doctor"][0])

    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(module, "run", fail)
    assert main(["doctor"]) == code
    assert capsys.readouterr().err == f"malmm doctor: {error}\n"


def test_wrong_arguments_of_up_are_refused() -> None:
    done = malmm("up", "sim", "--motion", "robplan")
    assert done.returncode == 2
    assert "roboplan" in done.stderr
    done = malmm("up", "sim", "--only", "motoin")
    assert done.returncode == 2
    assert "Did you mean 'motion'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_says_what_runs_and_whether_it_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    done = malmm("doctor", "--json", str(file), timeout_s=110.0)
    report = json.loads(file.read_text(encoding="utf-8"))
    findings = {item["name"]: item for item in report["findings"]}
    assert report["is_fit"] == all(
        item["is_ok"] for item in report["findings"] if item["is_needed"]
    )
    assert done.returncode == (0 if report["is_fit"] else 1)
    assert "source tree" in findings["malmm_ros"]["detail"]
    assert findings["middleware"]["detail"] == "rmw_fastrtps_cpp"
    assert findings["interfaces"]["is_ok"]


def test_the_doctor_notices_interfaces_of_other_sources(tmp_path: Path) -> None:
    from malmm_ros.doctor import interface_hash

    (tmp_path / "msg").mkdir()
    (tmp_path / "msg" / "A.msg").write_text("int32 a\n", encoding="utf-8")
    before = interface_hash(tmp_path)
    (tmp_path / "msg" / "A.msg").write_text("int64 a\n", encoding="utf-8")
    assert interface_hash(tmp_path) != before


@pytest.mark.ros
def test_ctrl_c_ends_every_process_of_up_within_three_seconds() -> None:
    with DomainLease() as lease:
        process = subprocess.Popen(
            [*MALMM, "up", "sim", "--only", "simulator,scene", "--task", "put_block"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=lease.environment(),
        )
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if "ready: put_block" in line:
                    break
            children = _children(process.pid)
            assert len(children) == 2
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            rest = lines.read()
            assert process.wait(timeout=5.0) == 0
        assert time.monotonic() - started < 3.0
    assert "all nodes have ended" in rest
    assert "Traceback" not in rest
    assert not any(Path(f"/proc/{child}").exists() for child in children)


@pytest.mark.ros
def test_up_names_a_node_that_died_and_the_others_go_on() -> None:
    with DomainLease() as lease:
        process = subprocess.Popen(
            [*MALMM, "up", "sim", "--only", "simulator,scene", "--task", "put_block"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=lease.environment(),
        )
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if "ready: put_block" in line:
                    break
            (scene,) = [pid for pid in _children(process.pid) if "nodes.scene" in _command(pid)]
            os.kill(scene, signal.SIGKILL)
            said = [lines.readline(), lines.readline()]
            assert len([pid for pid in _children(process.pid) if _command(pid)]) == 1
            process.send_signal(signal.SIGTERM)
            lines.read()
            assert process.wait(timeout=5.0) == 1
    assert said == [
        "malmm up: node 'scene' was killed by SIGKILL\n",
        "the others go on; start it again with: malmm up sim --task put_block --only scene\n",
    ]


@pytest.mark.ros
def test_a_wrong_parameter_of_one_node_ends_all_with_its_words(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("/**/scene:\n  ros__parameters:\n    marker_rate: 3.0\n", encoding="utf-8")
    with DomainLease() as lease:
        done = subprocess.run(
            [*MALMM, "up", "sim", "--only", "simulator,scene", "--config", str(file)],
            capture_output=True, text=True, timeout=60.0, check=False, cwd=ROOT,
            env=lease.environment(),
        )  # fmt: skip
    assert done.returncode == 2
    assert "Did you mean 'marker_rate_hz'" in done.stdout
    assert "node 'scene' ended with exit code 2" in done.stderr


def _children(parent: int) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8")
    return [int(word) for word in text.split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").replace("\0", " ")


def test_the_front_door_is_also_a_module() -> None:
    assert malmm("--version").stdout.startswith("malmm ")
    assert cli.overview().startswith("malmm")


@pytest.mark.parametrize(
    ("option", "where"),
    [
        (["--model", "gpt-4.1"], "malmm up sim"),
        (["--seed", "3"], "malmm up sim"),
        (["--model-options", "{temperature: 1}"], "malmm up sim"),
        (["--approve"], "config/sim.yaml"),
        (["--inject", "0.5"], "config/sim.yaml"),
    ],
)
def test_an_option_of_the_nodes_is_refused_with_ros_instead_of_ignored(
    option: list[str], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "stack 2 red blocks", "--ros", *option]) == 2
    assert where in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", ""], "empty"),
        (["run", "x", "--task", "stak_blocks"], "Did you mean 'stack_blocks'"),
        (["run", "x", "--team", "malm"], "Did you mean 'malmm'"),
        (["run", "x", "--options", "["], "YAML"),
        (["run", "x", "--options", "{color: rde}"], "Did you mean 'red'"),
        (["evaluate", "--tasks", "stack_bloks"], "Did you mean 'stack_blocks'"),
        (["evaluate", "--episodes", "0"], "at least 1"),
        (["evaluate", "--episodes", "-2"], "at least 1"),
        (["evaluate", "--workers", "0"], "at least 1"),
        (["evaluate", "--json", "/no/such/folder/x.json"], "cannot be written"),
    ],
)
def test_wrong_usage_ends_with_two_and_a_readable_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_a_model_without_a_key_is_refused_before_anything_is_built(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["run", "stack 2 red blocks", "--model", "gpt-4.1"]) != 0
    assert "OPENAI_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "x", "--seed", "-1"], "whole number from 0"),
        (["run", "x", "--timeout", "-1"], "0 or more"),
        (["run", "x", "--json", "/no/such/folder/x.json"], "cannot be written"),
        (["run", "x", "--json", "/tmp"], "cannot be written"),
        (["run", "x", "--transcripts", "/proc/x"], "cannot be made"),
        (["run", "x", "--images", "/proc/x"], "cannot be made"),
        (["doctor", "--json", "/tmp"], "cannot be written"),
    ],
)
def test_an_argument_that_could_only_fail_later_is_refused_by_the_parser(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
