"""Checks the runs of an experiment before the first of them begins.

The program knows the keys and their values, and tells what the report of a task will hold.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .file import Evaluation, Experiment
from .plan import Cell, Run
from .program import Program
from .table import OPEN_LIST, figures_of, find_figures
from .values import (
    EXIT_FILES,
    EXIT_USAGE,
    Failure,
    Json,
    did_you_mean,
    dump,
    is_integer,
    raise_all,
    usage_failure,
)

# Keys that name a file which must exist.
TRAIN_FILES = ("dev", "clear.synonyms", "stage2.dataset", "task2.dataset", "task3.dataset")
TASK_FILES = ("data", "counts.pairs", "counts.corpus")
GROUPS = ("sets", "subsets")  # members of a report that contain one report per data set


def load_keys(experiment: Experiment, run: Run) -> Json:
    """The load keys of the models that a run trains. Their folders specify the pooling."""
    start = run.plan["start"]
    while "trained_by" in start:
        start = start["trained_by"]["start"]
    keys = dict(start.get("load", experiment.load))
    if "device" in start.get("create", {}):
        keys["device"] = start["create"]["device"]
    keys.pop("pooling", None)
    return keys


def load_keys_of_new(create: Json) -> Json:
    """The load keys of a model that was just created."""
    return {key: create[key] for key in ("device", "precision") if key in create}


def unseeded(config: Json) -> Json:
    """The config with fixed seeds, because seeds change neither checks nor the shape of reports."""
    seeds = config.get("seeds")
    fixed: Json = {"seed": 1} if is_integer(config.get("seed")) else {}
    if isinstance(seeds, list) and all(map(is_integer, seeds)):
        fixed["seeds"] = [*range(len(seeds))]
    return {**config, **fixed}


# The arguments of Program.call for a --dry-run: verb, arguments, config, model and load keys.
Question = tuple[str, list[str], Json, str, Json]


class Checker:
    """Asks the program about each config once."""

    def __init__(self, experiment: Experiment, program: Program) -> None:
        self.experiment, self.program = experiment, program
        self.recipe: dict[str, Json] = {}  # the keys of `create`
        self.answers: dict[str, Any] = {}  # by the question as JSON; a Failure if it failed

    def check(self, cells: list[Cell]) -> None:
        """Checks every config of every run."""
        problems: dict[str, Failure] = {}  # by message: the same in many cells counts once
        questions: dict[str, list[tuple[str, Question]]] = {}  # with the place, by the run
        runs = [(cell.name, run) for cell in cells for run in cell.runs]
        for cell, run in runs:
            try:
                questions[run.folder] = self.questions(run)
            except Failure as failure:
                problems.setdefault(failure.message, failure.prefixed(f"'{cell}': "))
        self.ask([question for each in questions.values() for _, question in each])
        for cell, run in runs:
            for place, question in questions.get(run.folder, []):
                answer = self.answers[dump(question)]
                if question[0] == "eval":
                    run.outlines.append(answer)
                # Errors in the data of a task may not matter: see settle_columns.
                fatal = (EXIT_USAGE,) if question[0] == "eval" else range(1, 256)
                if isinstance(answer, Failure) and answer.exit_code in fatal:
                    message = f"{place}: {answer.message}"
                    problems.setdefault(message, answer.prefixed(f"'{cell}': {place}: "))
        raise_all([failure.at(self.experiment.path) for failure in problems.values()])

    def ask(self, questions: list[Question]) -> None:
        def answer(question: Question) -> Any:
            try:
                return self.program.call(*question)
            except Failure as failure:
                self.program.signals.check()
                return failure

        distinct = {dump(question): question for question in questions}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.answers = dict(zip(distinct, pool.map(answer, distinct.values())))

    def questions(self, run: Run) -> list[tuple[str, Question]]:
        """The questions about a run: one for each step and each task."""
        start, steps = run.plan["start"], run.plan["steps"]
        load = start.get("load", load_keys(self.experiment, run))
        if "create" in start:
            self.check_recipe(start["create"])
            load = load_keys_of_new(start["create"])
        scores = [step["config"].get("method") == "reranker" for step in steps]
        if any(scores[:-1]):
            raise usage_failure(
                f"step '{steps[scores.index(True) + 1]['name']}' follows one that "
                "trains a reranker: make that the last one"
            )
        questions: list[tuple[str, Question]] = []
        for step in steps:
            arguments = ["--dry-run", "--train", "-", "--output", "-"]
            question = ("train", arguments, unseeded(step["config"]), start.get("model", ""), load)
            questions.append((f"step '{step['name']}'", question))
        for evaluation in run.plan["evaluate"]:
            task = evaluation["task"]
            if task == "training":
                continue
            if any(scores):
                raise usage_failure(
                    f"evaluate {task}: the task measures vectors, and the run "
                    "trains a reranker: measure it with 'dev'"
                )
            arguments = ["--dry-run", "--task", task]
            config = unseeded(evaluation["config"])
            question = ("eval", arguments, config, "", {} if steps else load)
            questions.append((f"evaluate {task}", question))
        return questions

    def check_recipe(self, create: Json) -> None:
        self.recipe = self.recipe or {
            row["key"]: row for row in self.program.call("config", ["recipe"])
        }
        for key in ("tokenizer", "pooling"):
            if key not in create:
                raise usage_failure(f"create: key '{key}' is missing")
        for key, value in create.items():
            if key not in self.recipe:
                raise usage_failure(
                    f"create: key '{key}' is not known", did_you_mean(key, self.recipe)
                )
            row = self.recipe[key]
            types = {"integer": (int, float), "real": (int, float), "list": (list, str)}
            good = isinstance(value, types.get(row["type"], str)) and not isinstance(value, bool)
            if row["type"] == "boolean":
                good = isinstance(value, bool)
            if not good or (row["type"] == "choice" and value not in row["values"]):
                raise usage_failure(
                    f"create: key '{key}' does not take {dump(value)}",
                    f"`contrastive config recipe` says what '{key}' takes",
                )


def missing_files(runs: list[Run]) -> list[str]:
    """Missing files and folders that the runs need, without duplicates."""
    missing: dict[str, str] = {}

    def look(settings: Json, keys: tuple[str, ...], place: str) -> None:
        for key in keys:
            path = settings.get(key)
            if isinstance(path, str) and path and not os.path.exists(path):
                missing.setdefault(path, f"{place} {key}: '{path}' does not exist")

    for run in runs:
        look(run.plan["start"], ("model",), run.folder)
        look(run.plan["start"].get("create", {}), ("tokenizer",), f"{run.folder} create")
        for step in run.plan["steps"]:
            place = f"{run.folder} step '{step['name']}'"
            look(step, ("train",), place)
            look(step["config"], TRAIN_FILES, place)
        for evaluation in run.plan["evaluate"]:
            look(evaluation["config"], TASK_FILES, f"{run.folder} evaluate {evaluation['task']}")
    return [*missing.values()]


# ---- Columns --------------------------------------------------------------------------------


def settle_columns(experiment: Experiment, cells: list[Cell], chosen: list[Run]) -> list[str]:
    """Looks up every column in the report that its task will give, and notes the result in the
    runs. Columns whose data set is missing, in a folder that exists, stay open. Returns a warning
    for each of those in a chosen run, and refuses paths that find nothing else."""
    warnings: list[str] = []
    for cell in cells:
        for run in cell.runs:
            is_chosen = any(run is other for other in chosen)
            run.open, run.promised, found = [], [], []
            outlines = iter(run.outlines)
            for spec, evaluation in zip(experiment.evaluate, run.plan["evaluate"]):
                report = None if spec.task == "training" else next(outlines)
                try:
                    missing, promised, warning = columns_of(spec, evaluation, report, is_chosen)
                except Failure as failure:
                    place = f"'{cell.name}': evaluate {spec.task}: "
                    raise failure.prefixed(place).at(experiment.path) from None
                run.open.append(missing)
                run.promised.append(promised)
                found += [warning] if warning else []
            if is_chosen:
                warnings += [text for text in found if text not in warnings]
                if not any(run.measures(experiment, i) for i in range(len(run.open))):
                    raise Failure(
                        EXIT_FILES, "NOT_FOUND", f"'{cell.name}': {found[-1]}", file=experiment.path
                    )
    return warnings


def columns_of(
    spec: Evaluation, evaluation: Json, report: Any, chosen: bool
) -> tuple[list[str], list[str], str]:
    """The columns whose data set is missing, the paths that the report will have, a warning."""
    if spec.task == "training":
        return [], [], ""
    if isinstance(report, Failure):
        if chosen and report.code != "NOT_FOUND":
            raise report
        place = f"{report.file}: " if report.file else ""
        return [*spec.figures], [], no_figures([*spec.figures], place + report.message)
    open_columns = [
        column
        for column, path in spec.figures.items()
        if not find_figures(report, path) and names_absent_set(report, path)
    ]
    present = spec.without(open_columns)
    figures_of(present, report)
    promised = [
        path
        for path in present.figures.values()
        for _, value in find_figures(report, path)
        if value is not OPEN_LIST
    ]
    if not open_columns:
        return [], promised, ""
    group = next((group for group in GROUPS if group in report), None)
    sets = ", ".join(report[group]) if group else "one data set"
    data = evaluation["config"].get("data")
    reason = f"'{data}' has no such data set: it has {sets}"
    return open_columns, promised, no_figures(open_columns, reason)


def no_figures(columns: list[str], reason: str) -> str:
    noun = "columns" if len(columns) > 1 else "column"
    return f"{noun} {', '.join(columns)}: no figures, because {reason}"


def names_absent_set(report: Json, path: str) -> bool:
    """Whether only the data set of the path is missing: "sets.STS13.spearman.all" if another set
    has "spearman.all"."""
    group, _, rest = path.partition(".")
    if group not in GROUPS:
        return False
    # If there is only one data set, its report is the whole report.
    sets = report[group].values() if group in report else [report]
    parts = rest.split(".")  # the name of a set may contain dots
    return any(
        find_figures(each, ".".join(parts[i:])) for i in range(1, len(parts)) for each in sets
    )
