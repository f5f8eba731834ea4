"""Reads and checks an experiment file. README.md of the folder above describes the format.

What the keys of the library mean is not known here: the program checks those (checks.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .values import (
    EXIT_DATA,
    Failure,
    Json,
    Variables,
    did_you_mean,
    dump,
    flattened,
    is_integer,
    is_number,
    parse_json,
    raise_all,
    read_text,
    typed_value,
    usage_failure,
)


@dataclass
class Step:
    """One training of a run."""

    name: str
    train: str
    config: Json


@dataclass
class Row:
    name: str = ""
    model_of: str = ""  # the row whose trained model this one starts from
    settings: Json = field(default_factory=dict)
    in_grid: bool = True
    steps: list[Step] | None = None  # override the steps of the file


@dataclass
class Axis:
    """A key of the grid. Each of its values has a label, and settings that it stands for."""

    key: str
    values: list[tuple[str, Json]]


@dataclass
class Evaluation:
    task: str  # or "training": the metrics of the last training
    config: Json
    figures: dict[str, str]  # column -> path in the report
    scale: float

    def without(self, columns: list[str]) -> Evaluation:
        figures = {column: path for column, path in self.figures.items() if column not in columns}
        return Evaluation(self.task, self.config, figures, self.scale)


@dataclass
class Experiment:
    """An experiment file, with its variables replaced."""

    path: str
    name: str = ""
    about: str = ""
    model: str = ""
    load: Json = field(default_factory=dict)
    create: Json = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)  # one without a name if the file lists none
    grid: list[Axis] = field(default_factory=list)
    seeds: list[int] = field(default_factory=lambda: [1])
    overrides: Json = field(default_factory=dict)  # --set
    evaluate: list[Evaluation] = field(default_factory=list)
    averages: dict[str, list[str]] = field(default_factory=dict)
    lower: list[str] = field(default_factory=list)
    matrix: list[str] = field(default_factory=list)
    digits: int = 4
    save_every: int = 200
    keep_models: bool = True


# The types of values: a name and a test for each.
Kind = tuple[str, Callable[[Any], bool]]
TEXT: Kind = ("a text", lambda value: isinstance(value, str))
NUMBER: Kind = ("a number", is_number)
FLAG: Kind = ("true or false", lambda value: isinstance(value, bool))
OBJECT: Kind = ("an object", lambda value: isinstance(value, dict))
LIST: Kind = ("a list that is not empty", lambda value: isinstance(value, list) and value != [])
STEPS: Kind = ("a list", lambda value: isinstance(value, list))
TEXTS: Kind = ("a list of texts", lambda value: LIST[1](value) and all(map(TEXT[1], value)))
SEEDS: Kind = (
    "a list of whole numbers from 0",
    lambda value: (
        LIST[1](value) and all(is_integer(seed) and 0 <= seed < 1 << 63 for seed in value)
    ),
)
GRID: Kind = (
    "an object that is not empty: keys with lists of values",
    lambda value: isinstance(value, dict) and value != {},
)


def whole(low: int, high: int) -> Kind:
    return (
        f"a whole number from {low} to {high}",
        lambda value: is_integer(value) and low <= value <= high,
    )


FILE_KEYS = {
    "name": TEXT,
    "about": TEXT,
    "variables": OBJECT,
    "model": TEXT,
    "load": OBJECT,
    "create": OBJECT,
    "train": TEXT,
    "dev": TEXT,
    "base": OBJECT,
    "steps": LIST,
    "rows": LIST,
    "grid": GRID,
    "seeds": SEEDS,
    "evaluate": LIST,
    "averages": OBJECT,
    "lower": TEXTS,
    "matrix": TEXTS,
    "digits": whole(0, 15),
    "save_every": whole(1, 1 << 40),
    "keep_models": FLAG,
}
STEP_KEYS = {"name": TEXT, "train": TEXT, "dev": TEXT, "base": OBJECT}
ROW_KEYS = {"name": TEXT, "model_of": TEXT, "set": OBJECT, "grid": FLAG, "steps": STEPS}
EVALUATION_KEYS = {"task": TEXT, "config": OBJECT, "figures": OBJECT, "scale": NUMBER}


def read_experiment(
    path: str, defines: list[str], assignments: list[str], seeds: list[int]
) -> Experiment:
    """Reads and checks a file. `seeds` replace those of the file, if there are any."""
    try:
        document = parse_json(read_text(path), 32)
        if not isinstance(document, dict):
            raise Failure(EXIT_DATA, "FORMAT", "an experiment is a JSON object")
        defaults = document.get("variables", {})
        if not isinstance(defaults, dict):
            raise usage_failure("key 'variables' takes an object")
        reader = Reader()
        experiment = reader.read(path, Variables(defines, defaults).resolve(document), seeds)
        for assignment in assignments:
            key, equals, value = assignment.partition("=")
            if not key or not equals:
                reader.problem(f"--set '{assignment}': key=value is needed")
            experiment.overrides[key] = typed_value(value)
        raise_all(reader.problems)
        return experiment
    except Failure as failure:
        raise failure.at(path)


class Reader:
    """Reads the keys of a file and collects all errors."""

    def __init__(self) -> None:
        self.problems: list[Failure] = []

    def problem(self, message: str, hint: str = "") -> None:
        self.problems.append(usage_failure(message, hint))

    def fields(self, value: Any, kinds: dict[str, Kind], place: str, needed: str) -> Json:
        """The keys of an object that are given and good. Those in `needed` must be there."""
        if not isinstance(value, dict):
            self.problem(f"key '{place.rstrip('.')}' takes an object, not {dump(value)}")
            return {}
        fields: Json = {}
        for key, item in value.items():
            if key not in kinds:
                if not key.startswith("x-"):
                    self.problem(f"key '{place}{key}' is not known", did_you_mean(key, kinds))
            elif item is not None and not kinds[key][1](item):
                self.problem(f"key '{place}{key}' takes {kinds[key][0]}, not {dump(item)}")
            elif item is not None:
                fields[key] = item
        for key in needed.split():
            if value.get(key) in (None, "", {}):
                self.problem(f"key '{place}{key}' is missing")
        return fields

    def read(self, path: str, document: Json, seeds: list[int]) -> Experiment:
        fields = self.fields(document, FILE_KEYS, "", "name evaluate")
        if fields.get("model") and fields.get("create"):
            self.problem("keys 'model' and 'create' exclude each other")
        train, base = fields.get("train", ""), self.train_config(fields, "")
        steps = [Step("train", train, base)] if base or train else []
        if "steps" in fields:
            steps = self.steps(fields["steps"], "steps", train, base)
        averages = fields.get("averages", {})
        settings = {key: fields[key] for key in vars(Experiment("")) if key in fields}
        settings.update(
            load=flattened(fields.get("load", {})),
            create=flattened(fields.get("create", {})),
            steps=steps,
            rows=self.rows(fields, train, base),
            grid=[self.axis(key, values) for key, values in fields.get("grid", {}).items()],
            seeds=self.seeds(fields.get("seeds", [1]), seeds),
            evaluate=self.evaluations(fields.get("evaluate", [])),
            averages=self.fields(averages, dict.fromkeys(averages, TEXTS), "averages.", ""),
        )
        experiment = Experiment(path, **settings)
        self.check_columns(experiment)
        return experiment

    def train_config(self, fields: Json, place: str) -> Json:
        """The keys of a training: "base", and "dev" as a key of its own."""
        config = flattened(fields.get("base", {}))
        if fields.get("dev"):
            config["dev"] = fields["dev"]
        if "seed" in config:
            self.problem(
                f"key '{place}base.seed': the seeds of the runs are those of the key 'seeds'"
            )
        return config

    def steps(self, items: list[Any], place: str, train: str, base: Json) -> list[Step]:
        steps: list[Step] = []
        for i, item in enumerate(items):
            fields = self.fields(item, STEP_KEYS, f"{place}[{i}].", "name")
            name, key = fields.get("name", ""), f"key '{place}[{i}].name'"
            if name in ("model", "create", "evaluate") or not re.fullmatch("[A-Za-z0-9_-]*", name):
                self.problem(
                    f"{key}: '{name}' cannot be a step's name",
                    "use letters, digits, - and _; not model, create or evaluate",
                )
            self.check_new(name, [step.name for step in steps], f"{key}: two steps are called")
            steps.append(
                Step(
                    name,
                    fields.get("train", train),
                    {**base, **self.train_config(fields, f"{place}[{i}].")},
                )
            )
        return steps

    def check_new(self, name: str, names: list[str], problem: str) -> None:
        if name and name in names:
            self.problem(f"{problem} '{name}'")

    def rows(self, file: Json, train: str, base: Json) -> list[Row]:
        rows: list[Row] = []
        for i, item in enumerate(file.get("rows", [])):
            place = f"rows[{i}]."
            fields = self.fields(item, ROW_KEYS, place, "name")
            row = Row(
                fields.get("name", ""),
                fields.get("model_of", ""),
                flattened(fields.get("set", {})),
                fields.get("grid", True),
            )
            if "steps" in fields:
                row.steps = self.steps(fields["steps"], f"{place}steps", train, base)
            names = [other.name for other in rows]
            self.check_new(row.name, names, f"key '{place}name': two rows are called")
            if row.model_of and row.model_of not in names:
                self.problem(
                    f"key '{place}model_of': no row before this one is called '{row.model_of}'"
                )
            if row.model_of and not file.get("keep_models", True):
                self.problem(
                    f"key '{place}model_of' needs the model of another row, which "
                    "keep_models = false removes"
                )
            rows.append(row)
        return rows or [Row()]

    def axis(self, key: str, values: Any) -> Axis:
        """From a list of values, or labels with values, or labels with several settings each."""
        axis = Axis(key, [])
        if not isinstance(values, (dict, list)) or not values:
            self.problem(
                f"key 'grid.{key}' is empty: a list of values, or labels with values, is needed"
            )
            return axis
        pairs = (
            values.items()
            if isinstance(values, dict)
            else ((value if isinstance(value, str) else dump(value), value) for value in values)
        )
        for label, value in pairs:
            if any(label == other for other, _ in axis.values):
                self.problem(f"key 'grid.{key}' has '{label}' twice")
            axis.values.append(
                (label, flattened(value) if isinstance(value, dict) else {key: value})
            )
        return axis

    def seeds(self, seeds: list[int], given: list[int]) -> list[int]:
        for each, place in ((seeds, "key 'seeds'"), (given, "--seeds")):
            for seed in sorted({seed for seed in each if each.count(seed) > 1}):
                self.problem(f"{place} has {seed} twice")
        return given or seeds

    def evaluations(self, items: list[Any]) -> list[Evaluation]:
        evaluations: list[Evaluation] = []
        columns: list[str] = []
        for i, item in enumerate(items):
            place = f"evaluate[{i}]."
            fields = self.fields(item, EVALUATION_KEYS, place, "task figures")
            figures = fields.get("figures", {})
            paths = self.fields(figures, dict.fromkeys(figures, TEXT), f"{place}figures.", "")
            for column in figures:
                self.check_new(column, columns, f"key '{place}figures': two columns are called")
                columns.append(column)
            evaluations.append(
                Evaluation(
                    fields.get("task", ""),
                    flattened(fields.get("config", {})),
                    paths,
                    fields.get("scale", 1),
                )
            )
        return evaluations

    def check_columns(self, experiment: Experiment) -> None:
        """The columns that averages, "lower" and "matrix" name must be columns of the table."""
        columns = [column for evaluation in experiment.evaluate for column in evaluation.figures]
        if any("*" in column for column in columns):
            return  # the columns are known only when there is a report

        def check(names: Iterable[str], key: str) -> None:
            for name in names:
                if name not in columns:
                    self.problem(
                        f"key '{key}': there is no column '{name}'", did_you_mean(name, columns)
                    )

        for column, parts in experiment.averages.items():
            check(parts, f"averages.{column}")
        columns += experiment.averages
        check(experiment.lower, "lower")
        check(experiment.matrix, "matrix")
