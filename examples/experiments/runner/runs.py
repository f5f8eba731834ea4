"""The folder of a run, and how a run is started or resumed from the files on disk.

A run has run.json (what it is), result.json (what came out so far), and a folder for each step of
its training:

    STEP/run.json          the config in force
    STEP/metrics.jsonl     the metrics of the updates
    STEP/model             the model that the step leaves
    STEP/metrics.json      the last metrics, written when the step is over
    STEP/unfinished/state  what `contrastive train` saved last, while the step is not over
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

from .checks import load_keys, load_keys_of_new
from .file import Experiment
from .plan import Run
from .program import Program
from .table import Result, find_figures
from .values import (
    EXIT_DATA,
    EXIT_FAILURE,
    EXIT_FILES,
    MEBIBYTE,
    Failure,
    Json,
    dump,
    parse_json,
    read_text,
    usage_failure,
)

NO_SOURCE = "SOURCE"  # the code of a run that failed because the one it starts from did
BROKEN_PIPE = 141


def write_text(path: Path, text: str) -> None:
    """Replaces a file atomically, even if the script is killed."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as problem:
        code = "NO_SPACE" if problem.errno in (errno.ENOSPC, errno.EDQUOT) else "IO"
        raise Failure(EXIT_FILES, code, f"cannot write '{path}': {problem.strerror}") from None


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def read_object(path: Path, keys: dict[str, type]) -> Json:
    """Reads a file of the runner: an object in which `keys`, where they are, have these types."""
    try:
        value = parse_json(read_text(str(path), 1024 * MEBIBYTE), 64)
        if isinstance(value, dict) and all(
            isinstance(value.get(key, kind()), kind) for key, kind in keys.items()
        ):
            return value
    except Failure as failure:
        if failure.exit_code != EXIT_DATA:
            raise
    raise malformed(path)


def malformed(path: Path) -> Failure:
    return Failure(
        EXIT_DATA,
        "FORMAT",
        "this is not what was written here; remove the folder of the run",
        file=str(path),
    )


def difference(there: Any, now: Any, place: str = "") -> str:
    """The first difference, "steps.0.config.lr was 0.1 and is 0.2", or "" if there is none."""
    if type(there) is type(now) and isinstance(there, (dict, list)):
        first, second = (
            {str(i): item for i, item in enumerate(value)} if isinstance(value, list) else value
            for value in (there, now)
        )
        places = {key: f"{place}.{key}" if place else key for key in [*first, *second]}
        found = (difference(first.get(key), second.get(key), full) for key, full in places.items())
        return next(filter(None, found), "")
    if there == now and isinstance(there, bool) == isinstance(now, bool):
        return ""
    before, after = ("nothing" if value is None else dump(value) for value in (there, now))
    return f"{place} was {before} and is {after}"


class RunFolder:
    def __init__(self, output: str, run: Run, experiment: Experiment) -> None:
        self.path, self.run, self.experiment = Path(output, run.folder), run, experiment

    def step_path(self, step: Json) -> Path:
        return self.path / step["name"]

    def model_path(self, step: Json) -> Path:
        return self.step_path(step) / "model"

    def step_is_over(self, step: Json) -> bool:
        return (self.step_path(step) / "metrics.json").exists()

    def other_settings(self) -> str:
        """How the training that the folder holds differs from the run; "" if it does not."""
        file = self.path / "run.json"
        if not file.exists():
            return ""
        there = read_object(file, {"start": dict, "steps": list})
        if "start" not in there or "steps" not in there:
            raise malformed(file)
        return difference({"start": there["start"], "steps": there["steps"]}, self.run.training())

    def check_settings(self) -> None:
        found = self.other_settings()
        if found:
            raise usage_failure(
                f"this run was made with other settings: {found}",
                "give another --output, or remove the folder of the run",
            ).at(str(self.path / "run.json"))

    def open(self) -> None:
        self.check_settings()
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(self.path / "run.json", self.run.plan)

    def result(self) -> Result:
        """The result so far, without reports that lack a figure which they would have by now."""
        file = self.path / "result.json"
        if not file.exists():
            return Result("begun" if (self.path / "run.json").exists() else "new")
        value = read_object(file, {"status": str, "code": str, "message": str, "reports": list})
        result = Result(**{key: value[key] for key in vars(Result()) if key in value})
        if not all(
            isinstance(made, dict) and {"task", "config", "report"} <= made.keys()
            for made in result.reports
        ):
            raise malformed(file)
        for i, evaluation in enumerate(self.run.plan["evaluate"]):
            report = result.report(evaluation)
            if evaluation["task"] == "training":
                continue
            promised = self.run.promised[i] if self.run.promised else []
            if report is not None and not all(find_figures(report, path) for path in promised):
                result.reports = [made for made in result.reports if made["report"] is not report]
                report = None
            due = report is None and self.run.measures(self.experiment, i)
            if due and result.status == "finished":
                result.status = "begun"
        return result

    def write(self, result: Result) -> None:
        write_json(self.path / "result.json", result.to_json())

    def forget_failure(self) -> None:
        """Keeps trained steps and reports of a failed run, and removes what failed."""
        for step in self.run.plan["steps"]:
            if not self.step_is_over(step):
                shutil.rmtree(self.step_path(step), ignore_errors=True)
        result = self.result()
        result.status, result.code, result.message = "begun", "", ""
        self.write(result)

    def remove_models(self) -> None:
        for step in self.run.plan["steps"]:
            shutil.rmtree(self.model_path(step), ignore_errors=True)


class RunMaker:
    """Trains and evaluates one run. Finished parts on disk are not repeated."""

    def __init__(
        self, experiment: Experiment, run: Run, output: str, program: Program, label: str
    ) -> None:
        self.experiment, self.run, self.output = experiment, run, output
        self.program, self.label = program, label  # the label begins the lines of progress
        self.folder = RunFolder(output, run, experiment)
        self.created = self.folder.path / "unfinished" / "new-model"  # what the run starts from
        self.load = load_keys(experiment, run)  # of models that were trained here
        self.steps: list[Json] = run.plan["steps"]

    def make(self) -> Result:
        """Returns a finished or failed result. Raises errors that make further runs pointless."""
        self.folder.open()
        result = self.folder.result()
        if result.status in ("finished", "failed"):
            return result
        result.status = "begun"
        try:
            self.train(result)
            self.evaluate(result)
            result.status = "finished"
        except Failure as failure:
            if failure.code == "CANCELLED" or failure.exit_code in (EXIT_FILES, BROKEN_PIPE):
                raise
            place = f"{failure.file}:{failure.line}: " if failure.file else ""
            result.status, result.code = "failed", failure.code
            result.message = place + failure.message
        finally:
            shutil.rmtree(self.created.parent, ignore_errors=True)
        self.folder.write(result)
        return result

    def start_of(self, run: Run) -> tuple[Path, Json]:
        """The model that a run starts from, and the keys to load it with."""
        start = run.plan["start"]
        if run.source is not None:
            result = RunFolder(self.output, run.source, self.experiment).result()
            if result.status != "finished":
                raise Failure(
                    EXIT_FAILURE,
                    NO_SOURCE,
                    f"the run it begins with, {run.source.folder}, has not finished: "
                    + result.message,
                )
            return self.trained_by(run.source)
        if "create" not in start:
            return Path(start["model"]), start["load"]
        if not self.created.exists():
            arguments = ["--output", str(self.created), "--force"]
            self.program.call("create", arguments, start["create"], label=self.label)
        return self.created, load_keys_of_new(start["create"])

    def trained_by(self, run: Run) -> tuple[Path, Json]:
        """The model that a run leaves, or the one it starts from if it trains nothing."""
        if not run.plan["steps"]:
            return self.start_of(run)
        path = RunFolder(self.output, run, self.experiment).model_path(run.plan["steps"][-1])
        if not path.exists():
            raise Failure(
                EXIT_FILES,
                "NOT_FOUND",
                f"'{path}', the model of this run, was removed",
                f"remove {run.folder} too, and it is made again",
            )
        return path, self.load

    def train(self, result: Result) -> None:
        for i, step in enumerate(self.steps):
            path = self.folder.step_path(step)
            if not self.folder.step_is_over(step):
                if not (path / "unfinished" / "metrics.json").exists():
                    if i == 0:
                        model, load = self.start_of(self.run)
                    else:
                        model, load = self.folder.model_path(self.steps[i - 1]), self.load
                    self.train_step(step, path, model, load)
                self.finish_step(path)
            shutil.rmtree(path / "unfinished", ignore_errors=True)
        if self.steps:
            metrics = self.folder.step_path(self.steps[-1]) / "metrics.json"
            result.metrics = read_object(metrics, {})

    def train_step(self, step: Json, path: Path, model: Path, load: Json) -> None:
        """Trains until the step is over, from the last save if there is one."""
        state = path / "unfinished" / "state"
        state.parent.mkdir(parents=True, exist_ok=True)
        resumes = (state / "training_state" / "manifest.json").exists()
        if not resumes:
            shutil.rmtree(state, ignore_errors=True)
        for name in ("metrics.jsonl", "run.json"):  # links: `contrastive report` looks here
            file = path / name
            if resumes and file.exists() and not file.is_symlink() and not (state / name).exists():
                os.replace(file, state / name)
            file.unlink(missing_ok=True)
            file.symlink_to(Path("unfinished", "state", name))
        label = f"{self.label}, {step['name']}" if len(self.steps) > 1 else self.label
        arguments = ["--train", step["train"], "--output", str(state), "--force"]
        arguments += ["--save-every", str(self.experiment.save_every)]
        arguments += ["--resume", str(state)] if resumes else []
        try:
            answer = self.program.call("train", arguments, step["config"], str(model), load, label)
        except Failure as failure:
            failure.message = failure.message.replace("; the run is saved", "")
            raise
        write_json(path / "unfinished" / "metrics.json", answer["metrics"])

    def finish_step(self, path: Path) -> None:
        """Moves everything to its place. An earlier call may have been interrupted."""
        unfinished = path / "unfinished"
        state = unfinished / "state"
        if state.exists():
            if (state / "metrics.jsonl").exists():
                os.replace(state / "metrics.jsonl", path / "metrics.jsonl")
            (path / "run.json").unlink(missing_ok=True)
            shutil.copyfile(state / "run.json", path / "run.json")
            shutil.rmtree(state / "training_state", ignore_errors=True)
            shutil.rmtree(path / "model", ignore_errors=True)
            os.rename(state, path / "model")
        os.replace(unfinished / "metrics.json", path / "metrics.json")

    def evaluate(self, result: Result) -> None:
        model: Path | None = None
        for i, evaluation in enumerate(self.run.plan["evaluate"]):
            task = evaluation["task"]
            due = result.report(evaluation) is None and self.run.measures(self.experiment, i)
            if task == "training" or not due:
                continue
            if model is None:
                model, load = self.trained_by(self.run)
            label = f"{self.label}, {task}"
            self.program.say(label)
            report = self.program.call(
                "eval", ["--task", task], evaluation["config"], str(model), load, label
            )
            result.reports.append({**evaluation, "report": report})
            self.folder.write(result)  # finished measurements are not repeated
