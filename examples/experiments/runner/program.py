"""Runs verbs of the command line program with --json and passes signals on to it."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

from .values import EXIT_FILES, Failure, Json, parse_json

# Variables that are not config keys. The others would change what the file says, so the program
# is started without them.
KEPT_VARIABLES = ("CONTRASTIVE_LIBTORCH", "CONTRASTIVE_THREADS")
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Signals:
    """Ctrl-C and SIGTERM: the running program saves and stops, and so does the script after it."""

    def __init__(self) -> None:
        self.received = 0
        self.running: set[subprocess.Popen[bytes]] = set()

    def watch(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle)

    def handle(self, number: int, _: Any) -> None:
        self.received = self.received or number
        for process in list(self.running):
            process.send_signal(number)

    def check(self) -> None:
        if self.received:
            raise Failure(
                128 + self.received,
                "CANCELLED",
                "stopped; what was done is saved",
                "the same command continues",
            )


class Program:
    """The `contrastive` program."""

    def __init__(self, path: str, options: list[str], quiet: bool, signals: Signals) -> None:
        """`path`: "" for the usual places. `options` are passed to every verb."""
        found = shutil.which(path or os.environ.get("CONTRASTIVE_PROGRAM") or "contrastive")
        if found is None:
            raise Failure(
                EXIT_FILES,
                "NOT_FOUND",
                "the program 'contrastive' was not found",
                "name it with --program or CONTRASTIVE_PROGRAM, or put it on PATH",
            )
        self.path, self.quiet, self.signals = found, quiet, signals
        self.options = ["--json", *options, *(["--quiet"] if quiet else [])]
        self.inherited: list[int] = []  # file descriptors of a lock that the program holds too
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CONTRASTIVE_") or name in KEPT_VARIABLES
        }

    def say(self, text: str) -> None:
        """Prints a line on standard error, unless --quiet was given."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def call(
        self,
        verb: str,
        arguments: list[str],
        config: Json | None = None,
        model: str | None = None,
        load: Json | None = None,
        label: str = "",
    ) -> Any:
        """Runs a verb and returns the JSON that it prints. `config` becomes its --config file.

        `load` are the keys that `model` is loaded with. Lines on standard error are passed on with
        `label` before them. Raises what the program reports as a Failure.
        """
        with tempfile.TemporaryDirectory() as folder:
            command = [self.path, verb, *self.options, *arguments]
            if model is not None:
                command += ["--model", model]
            load = dict(load or {})
            if "pooling" in load:  # not in the config: the task glue has a key of this name
                command += ["--pooling", str(load.pop("pooling"))]
            if config is not None:
                name = os.path.join(folder, "config.json")
                with open(name, "w", encoding="utf-8") as file:
                    json.dump({**load, **config}, file)
                command += ["--config", name]
            with open(os.path.join(folder, "out"), "w+b") as out:
                code, error = self.run(command, out, label)
                out.seek(0)
                text = out.read().decode()
            if code == 0:
                return json.loads(text) if text.strip() else None
        if not error or error.get("code") == "CANCELLED":
            self.signals.check()
        file = error.get("file", "")
        raise Failure(
            code,
            error.get("code", "INTERNAL"),
            error.get("message", f"the program ended without a message, with exit code {code}"),
            error.get("hint", ""),
            "" if file.startswith(folder) else file,
            error.get("line", 0),
        )

    def run(self, command: list[str], out: Any, label: str) -> tuple[int, Json]:
        """The exit code, and the error that the program reported."""
        self.signals.check()
        error: Json = {}
        # In its own session the program gets Ctrl-C once, from the script, and can save. Only runs,
        # which hold the lock, must die with the script; a check ends on its own.
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            env=self.environment,
            start_new_session=True,
            pass_fds=self.inherited,
            preexec_fn=die_with_parent if self.inherited else None,
        ) as process:
            earlier = self.signals.received  # received while the program was being started
            self.signals.running.add(process)
            if earlier:
                process.send_signal(earlier)
            for line in process.stderr or ():
                text = line.decode(errors="replace").rstrip("\n")
                if text.startswith('{"error"'):
                    error = error_of(text)
                else:
                    self.say(f"{label}: {text}" if label else text)
            code = process.wait()
            self.signals.running.discard(process)
        return 128 - code if code < 0 else code, error


def die_with_parent() -> None:
    """Called in the program before it starts: kill -9 of the script ends the program too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def error_of(text: str) -> Json:
    try:
        error = parse_json(text, 8)["error"]
        return error if isinstance(error, dict) else {}
    except Failure:
        return {}
