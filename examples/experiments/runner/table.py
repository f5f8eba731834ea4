"""The table of an experiment: mean and standard deviation over seeds of every figure."""

from __future__ import annotations

import csv
import io
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, Optional

from .file import Evaluation, Experiment
from .plan import Cell, Run
from .values import Failure, Json, dump, is_number, usage_failure

Figures = dict[str, Optional[float]]  # column -> value; None if the report has none

# Found in place of an item of an empty list: only a model decides how long the list will be.
OPEN_LIST = object()
MISSING = "–"


@dataclass
class Result:
    """The known results of a run."""

    status: str = "new"  # or "begun", "finished", "failed"
    code: str = ""  # of the failure, and its message
    message: str = ""
    reports: list[Json] = field(default_factory=list)  # [{"task", "config", "report"}]
    metrics: Json | None = None  # of the last step of the training

    def report(self, evaluation: Json) -> Json | None:
        """The report of an evaluation, or None if it was not made yet."""
        if evaluation["task"] == "training":
            return self.metrics
        for made in self.reports:
            if made["task"] == evaluation["task"] and made["config"] == evaluation["config"]:
                return made["report"]
        return None

    def to_json(self) -> Json:
        return {key: value for key, value in vars(self).items() if value != ""}


def is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10


def find_figures(report: Any, path: str) -> list[tuple[str, Any]]:
    """Every value at `path`, each with the name that the last "*" of the path matched.

    Keys may hold dots themselves: the longest key is tried first.
    """
    found: list[tuple[str, Any]] = []

    def collect(value: Any, path: str, star: str) -> None:
        if not path:
            found.append((star, value))
            return
        end = len(path)
        while end >= 0:
            key, rest = path[:end], path[end + 1 :]
            if value == [] and not rest and (key == "*" or is_index(key)):
                found.append((star, OPEN_LIST))
                return
            if key == "*" and isinstance(value, (dict, list)):
                items = value.items() if isinstance(value, dict) else enumerate(value)
                for name, item in items:
                    collect(item, rest, str(name))
                return
            if isinstance(value, dict) and key in value:
                return collect(value[key], rest, star)
            if isinstance(value, list) and is_index(key) and int(key) < len(value):
                return collect(value[int(key)], rest, star)
            end = path.rfind(".", 0, end)

    collect(report, path, "")
    return found


def figures_of(evaluation: Evaluation, report: Json) -> Figures:
    """The figures of one report. A "*" in a column's name stands for what the path matched."""
    figures: Figures = {}
    for column, path in evaluation.figures.items():
        found = find_figures(report, path)
        if not found:
            raise usage_failure(
                f"key 'evaluate': column '{column}': the report of task "
                f"'{evaluation.task}' has no '{path}'",
                f"the report: {dump(report)[:600]}",
            )
        for star, value in found:
            value = None if value is OPEN_LIST else value
            if value is not None and not is_number(value):
                raise usage_failure(
                    f"key 'evaluate': '{path}' in the report of task "
                    f"'{evaluation.task}' is not a number",
                    f"it is: {dump(value)[:600]}",
                )
            name = column.replace("*", star, 1)
            if name in figures:
                raise usage_failure(
                    f"key 'evaluate': '{path}' finds more than one figure for column '{name}'",
                    "a * in the column's name stands for what the last * of the path finds",
                )
            figures[name] = None if value is None else evaluation.scale * value
    return figures


def figures_of_run(experiment: Experiment, run: Run, result: Result) -> Figures:
    """All figures of a finished run. What a report lacks is left out."""
    figures: Figures = {}
    for spec, evaluation in zip(experiment.evaluate, run.plan["evaluate"]):
        report = result.report(evaluation)
        if report is not None:
            lacking = [
                column for column, path in spec.figures.items() if not find_figures(report, path)
            ]
            figures.update(figures_of(spec.without(lacking), report))
    for column, parts in experiment.averages.items():
        values = [figures.get(part) for part in parts]
        known = [value for value in values if value is not None]
        figures[column] = sum(known) / len(parts) if len(known) == len(parts) else None
    return figures


def columns_of(experiment: Experiment, runs: list[Figures]) -> list[str]:
    """The columns in the order of the file. A report decides what a "*" stands for."""
    columns: dict[str, None] = {}
    for evaluation in experiment.evaluate:
        for column in evaluation.figures:
            before, star, after = column.partition("*")
            if not star:
                columns[column] = None
                continue
            for name in itertools.chain.from_iterable(runs):
                long_enough = len(name) > len(before) + len(after)
                if long_enough and name.startswith(before) and name.endswith(after):
                    columns[name] = None
    return [*columns, *(column for column in experiment.averages if column not in columns)]


def summary(values: list[float | None]) -> Json:
    """Mean and deviation of a sample (n - 1) over the values that are there."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    mean = math.fsum(known) / len(known) if known else None
    squares = [(value - mean) ** 2 for value in known] if mean is not None else []
    deviation = math.sqrt(math.fsum(squares) / (len(known) - 1)) if len(known) > 1 else None
    return {"mean": mean, "std": deviation, "n": len(known), "values": values, "best": False}


def mark_best(experiment: Experiment, lines: list[Json], column: str) -> None:
    """Marks the best mean among the lines whose runs all have the figure."""
    figures = [(line["figures"][column], line["runs"]) for line in lines]
    whole = [figure for figure, runs in figures if 0 < figure["n"] >= runs]
    means = {figure["mean"] for figure in whole}
    if len(means) > 1:
        best = min(means) if column in experiment.lower else max(means)
        for figure in whole:
            figure["best"] = figure["mean"] == best


def line_of(
    experiment: Experiment,
    cell: Cell,
    results: dict[str, Result],
    figures: dict[str, Figures],
    columns: list[str],
) -> Json:
    finished = [figures[run.folder] for run in cell.runs if run.folder in figures]
    failures = [
        f"seed {run.seed}: {results[run.folder].code}: {results[run.folder].message}"
        for run in cell.runs
        if results[run.folder].status == "failed"
    ]
    return {
        "row": cell.row,
        "grid": {axis.key: label for axis, label in zip(experiment.grid, cell.labels)},
        "runs": len(cell.runs),
        "finished": len(finished),
        "failed": len(failures),
        "failures": failures,
        "figures": {column: summary([run.get(column) for run in finished]) for column in columns},
    }


def make_table(experiment: Experiment, cells: list[Cell], results: dict[str, Result]) -> Json:
    """The table as table.json holds it. `results` by the folders of the runs."""
    try:
        figures = {
            run.folder: figures_of_run(experiment, run, results[run.folder])
            for cell in cells
            for run in cell.runs
            if results[run.folder].status == "finished"
        }
    except Failure as failure:
        raise failure.at(experiment.path)
    columns = columns_of(experiment, [*figures.values()])
    lines = [line_of(experiment, cell, results, figures, columns) for cell in cells]
    for column in columns:
        mark_best(experiment, lines, column)
    return {
        "name": experiment.name,
        "seeds": experiment.seeds,
        "digits": experiment.digits,
        "columns": columns,
        "cells": lines,
    }


# ---- Forms ----------------------------------------------------------------------------------


def figure_text(experiment: Experiment, line: Json, column: str) -> str:
    figure = line["figures"][column]
    if figure["n"] == 0:
        if line["failed"] and not line["finished"]:
            return "failed"
        return MISSING if figure["values"] else ""
    text = f"{figure['mean']:.{experiment.digits}f}"
    text = f"**{text}**" if figure["best"] else text
    if figure["std"] is not None:
        text += f" ± {figure['std']:.{experiment.digits}f}"
    return f"{text} ({figure['n']})" if figure["n"] < line["finished"] else text


def heads_of(experiment: Experiment) -> list[str]:
    """The names of the columns that identify a row: the row and the keys of the grid."""
    keys = [axis.key for axis in experiment.grid]
    return ["row", *keys] if experiment.rows[0].name or not keys else keys


def labels_of(experiment: Experiment, line: Json) -> list[str]:
    labels = [line["grid"].get(axis.key, MISSING) for axis in experiment.grid]
    if experiment.rows[0].name:
        return [line["row"], *labels]
    return labels or [experiment.name]


def runs_text(line: Json) -> str:
    text = str(line["finished"])
    if line["finished"] + line["failed"] < line["runs"]:
        text += f" of {line['runs']}"
    return f"{text}, {line['failed']} failed" if line["failed"] else text


def markdown_lines(heads: list[str], texts: int, lines: list[list[str]]) -> str:
    """A Markdown table. All columns but the first `texts` hold numbers."""
    rule = "|" + "".join(" --- |" if i < texts else " ---: |" for i in range(len(heads)))
    rows = ["|" + "".join(f" {escaped(cell)} |" for cell in line) for line in (heads, *lines)]
    return "\n".join([rows[0], rule, *rows[1:]]) + "\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


@dataclass
class Matrix:
    """One column of the table, with one thing that tells its lines apart down, another across."""

    title: str
    corner: str
    column: str
    across: list[str]
    down: list[tuple[str, list[Json]]]  # a label, and a line of the table for each of `across`


def matrices_of(experiment: Experiment, table: Json) -> list[Matrix]:
    """Two keys of a grid make a matrix for each row, one key and several rows make one matrix."""
    columns = [column for column in experiment.matrix if column in table["columns"]]
    if not experiment.matrix:
        columns = table["columns"][-1:]
    rows = [row.name for row in experiment.rows if row.in_grid]
    lines = {
        row: [line for line in table["cells"] if line["row"] == row and line["grid"]]
        for row in rows
    }
    labels = [[label for label, _ in axis.values] for axis in experiment.grid]
    keys = [axis.key for axis in experiment.grid]
    matrices = []
    if len(keys) == 2:
        width, corner = len(labels[1]), f"{keys[0]} \\ {keys[1]}"
        for column, row in itertools.product(columns, rows):
            starts = range(0, len(lines[row]), width)
            down = [(label, lines[row][i : i + width]) for label, i in zip(labels[0], starts)]
            title = f"{column}, {row}" if row else column
            matrices.append(Matrix(title, corner, column, labels[1], down))
    elif len(keys) == 1 and len(experiment.rows) > 1:
        for column in columns:
            down = [(row, lines[row]) for row in rows]
            matrices.append(Matrix(column, f"row \\ {keys[0]}", column, labels[0], down))
    return matrices


def markdown_of(experiment: Experiment, table: Json) -> str:
    def figures(line: Json, columns: list[str]) -> list[str]:
        return [figure_text(experiment, line, column) for column in columns]

    heads, columns = heads_of(experiment), table["columns"]
    text = f"# {experiment.name}\n\n" + (f"{experiment.about}\n\n" if experiment.about else "")
    rows = [
        [*labels_of(experiment, line), runs_text(line), *figures(line, columns)]
        for line in table["cells"]
    ]
    text += markdown_lines([*heads, "runs", *columns], len(heads), rows)
    for matrix in matrices_of(experiment, table):
        rows = [
            [label, *(figure_text(experiment, line, matrix.column) for line in lines)]
            for label, lines in matrix.down
        ]
        text += f"\n{matrix.title}:\n\n"
        text += markdown_lines([matrix.corner, *matrix.across], 1, rows)
    seeds = ", ".join(map(str, experiment.seeds))
    text += (
        f"\nMean over the runs of a line, one for each seed ({seeds}). The number after ± is "
        "the standard deviation of a sample, if there are two or more. The best mean of a "
        "column is bold, among the lines whose runs all have the figure.\n"
    )
    for line in table["cells"]:
        names = [line["row"]] if line["row"] else []
        name = ", ".join([*names, *line["grid"].values()]) or experiment.name
        text += "".join(f"\nFailed: {name}, {failure}\n" for failure in line["failures"])
    return text


def csv_lines(lines: list[list[Any]]) -> str:
    """CSV. A number that does not exist is an empty field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def csv_of(experiment: Experiment, table: Json) -> str:
    fields = list(itertools.product(table["columns"], ("mean", "std", "n")))
    names = [f"{column} {kind}" for column, kind in fields]
    rows = [[*heads_of(experiment), "runs", "failed", *names]]
    for line in table["cells"]:
        figures = [line["figures"][column][kind] for column, kind in fields]
        rows.append([*labels_of(experiment, line), line["finished"], line["failed"], *figures])
    return csv_lines(rows)


def matrix_csv_of(experiment: Experiment, table: Json) -> str:
    """The means of the matrices as CSV, or "" if the table has none."""
    text = ""
    for matrix in matrices_of(experiment, table):
        rows = [[f"{matrix.title}: {matrix.corner}", *matrix.across]]
        for label, lines in matrix.down:
            rows.append([label, *(line["figures"][matrix.column]["mean"] for line in lines)])
        text += csv_lines(rows)
    return text
