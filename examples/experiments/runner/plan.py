"""Plans the runs of an experiment: one for each cell of its table and each seed."""

from __future__ import annotations

import copy
import itertools
import re
from dataclasses import dataclass, field
from typing import Any

from .file import Experiment, Row
from .values import Failure, Json, did_you_mean, raise_all, usage_failure, with_seed


@dataclass
class Run:
    """A training and its evaluations, with one seed."""

    seed: int
    folder: str  # below the output: "runs/shuffle/seed-1"
    # All that decides the result, kept as run.json: {"start", "steps": [{"name", "train",
    # "config"}], "evaluate": [{"task", "config"}]}. "start" is {"model", "load"} or {"create"} or
    # {"row", "folder", "trained_by": {"start", "steps"}}.
    plan: Json
    source: Run | None = None  # the run whose trained model this one starts from
    # What checks.py found out: for each task the report without figures, or a Failure; then for
    # each evaluation the columns whose data set is missing, and the paths its report will have.
    outlines: list[Any] = field(default_factory=list)
    open: list[list[str]] = field(default_factory=list)
    promised: list[list[str]] = field(default_factory=list)

    def training(self) -> Json:
        return {"start": self.plan["start"], "steps": self.plan["steps"]}

    def measures(self, experiment: Experiment, i: int) -> bool:
        """Whether any metric of evaluation `i` can be measured, as far as is known."""
        return not self.open or len(self.open[i]) < len(experiment.evaluate[i].figures)


@dataclass
class Cell:
    """A line of the table: a row of the file with one value of every key of the grid."""

    row: str
    labels: list[str]  # one for each key of the grid; empty for a row outside it
    name: str  # "MLM+del-word, 0.1"
    runs: list[Run] = field(default_factory=list)  # a single one if the seed changes nothing


class Draft:
    """A run while settings are laid over it: those of the file, the row, the grid and --set."""

    def __init__(self, experiment: Experiment, row: Row) -> None:
        self.model, self.load = experiment.model, dict(experiment.load)
        self.create = dict(experiment.create)
        self.steps = copy.deepcopy(experiment.steps if row.steps is None else row.steps)
        self.evaluate = copy.deepcopy(experiment.evaluate)
        self.has_source = bool(row.model_of)
        self.loading = ""  # the last setting that affects how the model is loaded

    def set(self, key: str, value: Any) -> None:
        """Applies a setting: "lr", or "SCOPE:lr". `None` removes a setting."""
        scope, colon, name = key.partition(":")
        if not colon:
            self.set_unscoped(key, value)
        elif scope == "model":
            self.loading = key
            put(self.load, name, value)
        elif scope == "create":
            if not self.create:
                raise usage_failure(
                    f"setting '{key}': nothing is created, the run starts from a model"
                )
            put(self.create, name, value)
        elif not self.set_scoped(scope, name, value):
            raise usage_failure(
                f"setting '{key}': '{scope}' is not a step or a task of this run",
                did_you_mean(scope, self.scopes(), f":{name}")
                or "use model, create, evaluate, a step or a task",
            )

    def set_unscoped(self, key: str, value: Any) -> None:
        if key == "model":
            if not isinstance(value, str):
                raise usage_failure(f"setting 'model' takes a folder, not {value!r}")
            self.model, self.create = value, {}
        elif key == "seed":
            raise usage_failure(
                "setting 'seed': the seeds of the runs are those of the key 'seeds'"
            )
        elif not self.steps:
            raise usage_failure(
                f"setting '{key}': this row trains nothing",
                '"grid": false leaves a row out of the grid',
            )
        else:
            for step in self.steps:
                self.set_in_step(step, key, value)

    def set_scoped(self, scope: str, name: str, value: Any) -> bool:
        steps = [step for step in self.steps if step.name == scope]
        for step in steps:
            self.set_in_step(step, name, value)
        if steps:
            return True
        tasks = [
            evaluation
            for evaluation in self.evaluate
            if evaluation.task != "training" and scope in ("evaluate", evaluation.task)
        ]
        for evaluation in tasks:
            put(evaluation.config, name, value)
        return bool(tasks) or scope == "evaluate"

    @staticmethod
    def set_in_step(step: Any, key: str, value: Any) -> None:
        if key != "train":
            put(step.config, key, value)
        elif isinstance(value, str):
            step.train = value
        else:
            raise usage_failure(f"setting 'train' takes a file, not {value!r}")

    def scopes(self) -> list[str]:
        return [
            "model",
            "create",
            "evaluate",
            *(step.name for step in self.steps),
            *(evaluation.task for evaluation in self.evaluate),
        ]

    def accepts(self, key: str) -> bool:
        """Whether --set of this key applies to this run."""
        scope, colon, _ = key.partition(":")
        if not colon:
            return not self.has_source if key == "model" else bool(self.steps)
        if scope == "create":
            return bool(self.create)
        if scope == "model":
            return not self.has_source and not self.create
        return scope in self.scopes()

    def start(self) -> Json:
        if self.loading and (self.has_source or self.create):
            raise usage_failure(
                f"setting '{self.loading}': no model folder is loaded, the run "
                "begins with " + ("the model of another row" if self.has_source else "a new model")
            )
        if self.has_source:
            return {}
        if self.create:
            return {"create": dict(sorted(self.create.items()))}
        if not self.model:
            raise usage_failure(
                "key 'model' is missing: a model folder, or 'create' with the keys of a new one"
            )
        return {"model": self.model, "load": dict(sorted(self.load.items()))}

    def plan(self, seed: int) -> Json:
        steps = []
        for step in self.steps:
            if not step.train:
                raise usage_failure(
                    f"key 'train' is missing: the file that step '{step.name}' trains on"
                )
            config = dict(sorted({**step.config, "seed": seed}.items()))
            steps.append({"name": step.name, "train": step.train, "config": config})
        evaluate = [
            {"task": evaluation.task, "config": dict(sorted(evaluation.config.items()))}
            for evaluation in self.evaluate
        ]
        return with_seed({"start": self.start(), "steps": steps, "evaluate": evaluate}, seed)


def put(settings: Json, key: str, value: Any) -> None:
    if value is None:
        settings.pop(key, None)
    else:
        settings[key] = value


def path_part(name: str) -> str:
    """A name as part of a path: other characters than letters, digits and ._+=- become '-'."""
    part = re.sub(r"-?[^A-Za-z0-9._+=-]+", "-", name).rstrip("-.").lstrip(".")
    return part[:120] or "run"


class Planner:
    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.cells: list[Cell] = []
        self.folders: set[str] = set()
        self.used: set[str] = set()  # keys of --set
        self.problems: dict[str, Failure] = {}  # by message: the same in many cells counts once

    def make(self) -> list[Cell]:
        for row in self.experiment.rows:
            axes = self.experiment.grid if row.in_grid else []
            for choice in itertools.product(*(axis.values for axis in axes)):
                labels = [label for label, _ in choice]
                names = [row.name, *labels] if row.name else labels
                cell = Cell(row.name, labels, ", ".join(names) or self.experiment.name)
                folder = "runs/" + self.unused(path_part(",".join(names)))
                try:
                    self.add_cell(cell, row, [settings for _, settings in choice], folder)
                except Failure as failure:
                    self.problems.setdefault(failure.message, failure.prefixed(f"'{cell.name}': "))
        raise_all([*self.problems.values()])
        raise_all(
            [
                usage_failure(f"--set '{key}': no row has such a setting")
                for key in self.experiment.overrides
                if key not in self.used
            ]
        )
        return self.cells

    def unused(self, name: str) -> str:
        names = itertools.chain([name], (f"{name}~{i}" for i in itertools.count(2)))
        free = next(each for each in names if each not in self.folders)
        self.folders.add(free)
        return free

    def add_cell(self, cell: Cell, row: Row, settings: list[Json], folder: str) -> None:
        draft = Draft(self.experiment, row)
        for each in (row.settings, *settings):
            for key, value in each.items():
                draft.set(key, value)
        for key, value in self.experiment.overrides.items():
            if draft.accepts(key):
                draft.set(key, value)
                self.used.add(key)
        for seed in self.experiment.seeds:
            run = Run(seed, f"{folder}/seed-{seed}", draft.plan(seed))
            if row.model_of:
                run.source = self.source_of(row, cell, seed)
                run.plan["start"] = {
                    "row": row.model_of,
                    "folder": run.source.folder,
                    "trained_by": run.source.training(),
                }
            if not cell.runs or run.plan != cell.runs[0].plan:  # else the seed changes nothing
                cell.runs.append(run)
        self.cells.append(cell)

    def source_of(self, row: Row, cell: Cell, seed: int) -> Run:
        for other in self.cells:
            if other.row == row.model_of and other.labels in (cell.labels, []):
                for run in other.runs:
                    if run.seed == seed or len(other.runs) == 1:
                        return run
        raise usage_failure(
            f"key 'model_of': row '{row.model_of}' has no run with the same value of the grid"
        )


def make_plan(experiment: Experiment) -> list[Cell]:
    """The cells of the table with their runs. Opens no file."""
    try:
        return Planner(experiment).make()
    except Failure as failure:
        raise failure.at(experiment.path)


def all_runs(cells: list[Cell]) -> list[Run]:
    """The runs in the order in which they are made."""
    return [run for cell in cells for run in cell.runs]
