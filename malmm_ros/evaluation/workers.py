"""Episodes over several processes; one that dies costs no more than its episode's second try."""

from __future__ import annotations

import collections
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from malmm_ros.errors import MalmmError
from malmm_ros.evaluation.configuration import EvaluationConfig
from malmm_ros.evaluation.episode import EpisodeRunner
from malmm_ros.evaluation.result import EpisodeResult

Job = tuple[str, int]

_MOST_TRIES = 2
# On top of the episode's own budget, before a worker counts as hung.
_GRACE_S = 120.0
_LOOK_S = 1.0


@dataclass(slots=True)
class _Worker:
    """A process and what it is doing."""

    process: Any
    connection: Connection
    job: Job | None = None
    deadline_s: float = 0.0

    def give(self, job: Job, budget_s: float) -> None:
        self.job, self.deadline_s = job, time.monotonic() + budget_s + _GRACE_S
        self.connection.send(job)

    def end(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join(5.0)


def run_in_workers(
    config: EvaluationConfig,
    jobs: Sequence[Job],
    *,
    workers: int,
    transcripts: Path | None = None,
) -> Iterator[EpisodeResult]:
    """Run episodes in processes and give each result as it comes.

    A process that dies, or hangs beyond its episode's budget, is replaced, and its episode run
    once more; if that ends the same way, the episode counts as failed.

    Raises:
        MalmmError: A worker found a setting wrong.
    """
    pool = _Pool(config, transcripts)
    try:
        yield from pool.run(jobs, workers=min(workers, len(jobs)))
    finally:
        pool.close()


class _Pool:
    def __init__(self, config: EvaluationConfig, transcripts: Path | None) -> None:
        # Spawned, since MuJoCo's renderer and the planners' threads do not survive a fork.
        self._context = multiprocessing.get_context("spawn")
        self._config = config
        self._transcripts = transcripts
        self._workers: list[_Worker] = []
        self._tries: collections.Counter[Job] = collections.Counter()

    def run(self, jobs: Sequence[Job], *, workers: int) -> Iterator[EpisodeResult]:
        waiting = collections.deque(jobs)
        for _ in range(workers):
            self._workers.append(self._start())
        while waiting or any(worker.job for worker in self._workers):
            for worker in self._workers:
                if worker.job is None and waiting:
                    self._hand_out(worker, waiting)
            wait([worker.connection for worker in self._workers if worker.job], timeout=_LOOK_S)
            for worker in list(self._workers):
                result = self._collect(worker, waiting)
                if result is not None:
                    yield result

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(theirs, self._config, self._transcripts), daemon=True
        )
        with _interrupts_held():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _hand_out(self, worker: _Worker, waiting: collections.deque[Job]) -> None:
        job = waiting.popleft()
        self._tries[job] += 1
        try:
            worker.give(job, self._config.budget.wall_s)
        except OSError:
            return  # it died while idle; found when its answer is looked for

    def _collect(self, worker: _Worker, waiting: collections.deque[Job]) -> EpisodeResult | None:
        """The worker's result, if it has one; its funeral, if it died."""
        if worker.job is None:
            return None
        try:
            if worker.connection.poll():
                answer = worker.connection.recv()
                job, worker.job = worker.job, None
                return self._accept(answer, job)
        except (EOFError, OSError):
            return self._bury(worker, waiting, "its process died")
        if time.monotonic() > worker.deadline_s:
            return self._bury(worker, waiting, "its process hung")
        return None

    def _accept(self, answer: EpisodeResult | str, job: Job) -> EpisodeResult:
        if isinstance(answer, str):
            raise MalmmError(answer)
        return replace(answer, attempts=self._tries[job])

    def _bury(
        self, worker: _Worker, waiting: collections.deque[Job], what: str
    ) -> EpisodeResult | None:
        job = worker.job
        assert job is not None
        worker.end()
        self._workers[self._workers.index(worker)] = self._start()
        if self._tries[job] < _MOST_TRIES:
            waiting.appendleft(job)
            return None
        task, index = job
        return EpisodeResult(
            task=task,
            index=index,
            seed=self._config.episode_seed(task, index),
            reason="worker_died",
            category="worker_died",
            message=f"{what} {_MOST_TRIES} times; the last: {_words(worker.process.exitcode)}",
            attempts=_MOST_TRIES,
        )


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start children whole and deaf to Ctrl-C, which is the parent's to handle, afterwards.

    A handler of the child's own would come too late: importing takes seconds. A mask alone would
    not do: Python runs the handler in the main thread, whichever thread got the signal.
    """
    pressed: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if is_main:
        signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if pressed:
        signal.raise_signal(signal.SIGINT)


def _words(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    return f"killed by {signal.Signals(-code).name}"


def _work(connection: Connection, config: EvaluationConfig, transcripts: Path | None) -> None:
    """A worker's life: an episode after the other, until nobody asks any more."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        runner = EpisodeRunner(config, transcripts=transcripts)
        while True:
            connection.send(runner.run(*connection.recv()))
    except MalmmError as error:
        # As text: our errors have constructors that pickle does not know.
        connection.send(str(error))
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
