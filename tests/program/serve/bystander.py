"""Somebody who asks for one embedding after another while others misuse the server, and how long
each answer takes."""

import statistics
import threading
import time

from server import SANITIZED

TEXT = {"input": "the cat sat on the mat."}
MOST = 15.0 if SANITIZED else 1.0  # seconds that an answer may take
TICK = 0.01


class Bystander:
    """with Bystander(server, "what the others do") as somebody: ... At the end every request was
    answered 200, and none took more than a second, or as much more as a busy machine explains."""

    def __init__(self, server, what, headers=None):
        self.server, self.what, self.headers = server, what, headers or {}
        self.seconds, self.failures, self.ending = [], [], threading.Event()
        self.threads = [threading.Thread(target=self.ask), threading.Thread(target=self.watch)]
        # how much later than it should a thread of this program wakes up, where the machine has
        # other work
        self.late = 0.0

    def one(self):
        begin = time.monotonic()
        reply = self.server.ask(
            "/v1/embeddings", TEXT, headers=self.headers
        )  # a connection of its own: those that come again are the first to suffer
        if reply.status != 200:
            self.failures.append(f"{reply.status} {reply.body[:200]}")
        return time.monotonic() - begin

    def ask(self):
        while not self.ending.is_set():
            try:
                self.seconds.append(self.one())
            except OSError as problem:
                self.failures.append(repr(problem))
            self.ending.wait(0.02)

    def watch(self):
        while not self.ending.is_set():
            begin = time.monotonic()
            time.sleep(TICK)
            self.late = max(self.late, time.monotonic() - begin - TICK)

    def __enter__(self):
        self.alone = statistics.median(self.one() for _ in range(5))
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, kind, problem, trace):
        if kind is None:
            enough = len(self.seconds) + 3
            until = time.monotonic() + 30
            while len(self.seconds) < enough and time.monotonic() < until:
                time.sleep(0.02)
        self.ending.set()
        for thread in self.threads:
            thread.join()
        if kind is not None:
            return
        worst = max(self.seconds)
        print(
            f"{self.what}: {len(self.seconds)} requests of another client, "
            f"{1000 * statistics.median(self.seconds):.0f} ms, "
            f"at most {1000 * worst:.0f} ms; {1000 * self.alone:.0f} ms before; the machine was "
            f"up to {1000 * self.late:.0f} ms late",
            flush=True,
        )
        if self.failures:
            raise AssertionError(
                f"{self.what}: {len(self.failures)} requests of another client failed, first: "
                f"{self.failures[0]}"
            )
        if worst > max(MOST + 4 * self.late, 20 * self.alone):
            raise AssertionError(f"{self.what}: another client waited {worst:.2f} s")
