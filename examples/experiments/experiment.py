#!/usr/bin/env python3
"""Reproduces a table of a paper from an experiment file. README.md describes the file.

It trains and measures a grid of settings over seeds with the `contrastive` program:

    experiment.py consert-figure7.json --define DATA=data --define BERT_BASE=bert-base -o sweep
    experiment.py FILE --output sweep --dry-run    # lists remaining and finished runs

The output folder contains table.md, table.csv, table.json, matrix.csv, and a folder for every run.
If you run the same command again, it keeps finished runs, resumes interrupted ones, and makes
missing ones. `contrastive report OUTPUT` shows everything on one page.

The program is the one that --program or CONTRASTIVE_PROGRAM names, or `contrastive` in PATH.

Exit codes: 0 ok; 1 a run failed, or another failure; 2 usage or the experiment file; 3 data or
model format; 4 files; 5 memory or device; 6 NaN; 9 training is not installed; 130, 143 stopped by a
signal.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import time
from pathlib import Path
from typing import NoReturn

from runner.checks import Checker, missing_files, settle_columns
from runner.file import Experiment, read_experiment
from runner.plan import Cell, Run, all_runs, make_plan
from runner.program import Program, Signals
from runner.runs import BROKEN_PIPE, NO_SOURCE, RunFolder, RunMaker, write_json, write_text
from runner.table import Result, csv_of, figures_of, make_table, markdown_of, matrix_csv_of
from runner.values import EXIT_FAILURE, EXIT_FILES, Failure, Json, did_you_mean, dump, usage_failure

LOCK_SECONDS = 2  # the program of a killed script needs a moment to end


class Parser(argparse.ArgumentParser):
    """Reports command line errors in the same form as all other errors."""

    def error(self, message: str) -> NoReturn:
        raise usage_failure(message, f"`{self.prog} --help` lists the options")


def seed_list(text: str) -> list[int]:
    seeds = text.split(",")
    if not all(seed.isascii() and seed.isdigit() and len(seed) < 19 for seed in seeds):
        raise argparse.ArgumentTypeError(f"'{text}': numbers from 0 are needed, such as 1,2,3")
    return [int(seed) for seed in seeds]


def parser() -> Parser:
    options = Parser(
        prog="experiment.py",
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = options.add_argument
    add("file", metavar="FILE", help="experiment file")
    add(
        "-o",
        "--output",
        default="",
        help="folder for the runs and the table; required without --dry-run",
    )
    add(
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a variable of the file: --define DATA=folder; may be repeated",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="assignments",
        help="a setting over all rows: --set max_steps=20; may be repeated",
    )
    add("--seeds", type=seed_list, default=[], help="seeds instead of those of the file: 1,2,3")
    add(
        "--only",
        action="append",
        default=[],
        metavar="ROW",
        help="only this row or cell; may be repeated",
    )
    add("-n", "--dry-run", action="store_true", help="check the file and list the runs")
    add("--retry-failed", action="store_true", help="make failed runs again, from what failed")
    add("--program", default="", help="the contrastive program")
    add("--threads", type=int, help="threads to compute with; default: one for each processor")
    add(
        "--json",
        action="store_true",
        help="results as JSON on standard output, errors as JSON on standard error",
    )
    add("-q", "--quiet", action="store_true", help="print errors only")
    add("--no-progress", action="store_true", help="no lines of progress")
    add("-v", "--verbose", action="count", default=0, help="more messages of the program")
    return options


def chosen_runs(cells: list[Cell], only: list[str]) -> list[Run]:
    """The runs of --only and those whose models they start from. All runs without --only."""
    names = [name for cell in cells for name in (cell.name, cell.row) if name]
    for name in only:
        if name not in names:
            raise usage_failure(
                f"--only '{name}': no row is called so",
                did_you_mean(name, names) or "--dry-run lists them",
            )
    chosen = [
        run
        for cell in cells
        if not only or cell.name in only or cell.row in only
        for run in cell.runs
    ]
    folders = {run.folder for run in chosen}
    for run in chosen:  # grows meanwhile
        if run.source is not None and run.source.folder not in folders:
            folders.add(run.source.folder)
            chosen.append(run.source)
    return [run for run in all_runs(cells) if run.folder in folders]


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


class Runner:
    """One call of the script."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.signals = Signals()
        self.signals.watch()
        options = [f"--threads={arguments.threads}"] if arguments.threads is not None else []
        options += ["--no-progress"] * arguments.no_progress + ["-v"] * arguments.verbose
        self.experiment: Experiment = read_experiment(
            arguments.file, arguments.define, arguments.assignments, arguments.seeds
        )
        self.cells = make_plan(self.experiment)
        self.runs = chosen_runs(self.cells, arguments.only)
        self.program = Program(arguments.program, options, arguments.quiet, self.signals)

    def run(self) -> None:
        Checker(self.experiment, self.program).check(self.cells)
        missing = missing_files(self.runs)
        if not missing:
            for warning in settle_columns(self.experiment, self.cells, self.runs):
                self.program.say(f"warning: {warning}")
        self.signals.check()
        if self.arguments.dry_run:
            return self.list_runs(missing)
        if missing:
            more = f" (and {count_of(len(missing) - 1, 'other')})" if len(missing) > 1 else ""
            raise Failure(
                EXIT_FILES,
                "NOT_FOUND",
                missing[0] + more,
                "--dry-run lists all that is missing",
                self.experiment.path,
            )
        for run in self.runs:  # report changed files now, not hours later
            self.folder(run).check_settings()
        Path(self.arguments.output).mkdir(parents=True, exist_ok=True)
        with open(Path(self.arguments.output, ".lock"), "ab") as lock:
            self.lock(lock.fileno())
            for number, run in enumerate(self.runs):
                self.signals.check()
                self.make(run, f"{number + 1}/{len(self.runs)} {self.name_of(run)}")
            self.write_table()
        self.report()

    def folder(self, run: Run) -> RunFolder:
        return RunFolder(self.arguments.output, run, self.experiment)

    def lock(self, descriptor: int) -> None:
        """Locks the output folder against other scripts and their programs."""
        end = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise Failure(
                        EXIT_FAILURE,
                        "BUSY",
                        f"another process makes the runs in '{self.arguments.output}'",
                    ) from None
                time.sleep(0.05)
        self.program.inherited = [descriptor]

    def name_of(self, run: Run) -> str:
        cell = next(cell for cell in self.cells if run in cell.runs)
        return f"{cell.name}, seed {run.seed}" if len(cell.runs) > 1 else cell.name

    def list_runs(self, missing: list[str]) -> None:
        listed: list[Json] = []
        for run in self.runs:
            status = "new"
            if self.arguments.output:
                other = self.folder(run).other_settings()
                status = (
                    f"made with other settings: {other}"
                    if other
                    else self.folder(run).result().status
                )
            listed.append(
                {
                    "name": self.name_of(run),
                    "folder": run.folder,
                    "seed": run.seed,
                    "status": status,
                    "plan": run.plan,
                }
            )
        if self.arguments.json:
            print(dump(listed))
        else:
            for line, run in zip(listed, self.runs):
                print(f"{line['folder']}  [{line['status']}]\n    {summary_of(run)}")
            print(count_of(len(listed), "run"))
        for text in missing:
            self.program.say(f"missing: {text}")

    def make(self, run: Run, label: str) -> None:
        folder = self.folder(run)
        result = folder.result()
        if result.status == "failed":
            # A run whose source failed waits for it.
            waited = (
                run.source is not None
                and result.code == NO_SOURCE
                and self.folder(run.source).result().status == "finished"
            )
            if not self.arguments.retry_failed and not waited:
                return
            folder.forget_failure()
        elif result.status == "finished":
            return self.finish(run, folder, result)
        result = RunMaker(self.experiment, run, self.arguments.output, self.program, label).make()
        if result.status == "finished":
            self.finish(run, folder, result)
        else:
            self.program.say(f"{label} failed: {result.message}")
        self.write_table()

    def finish(self, run: Run, folder: RunFolder, result: Result) -> None:
        """Called for finished runs too, because the script may have been killed in here."""
        if not self.experiment.keep_models:
            folder.remove_models()
        # Unknown metrics of training are found only after the first run.
        for spec, evaluation, open_columns in zip(
            self.experiment.evaluate, run.plan["evaluate"], run.open
        ):
            report = result.report(evaluation)
            if report is not None:
                try:
                    figures_of(spec.without(open_columns), report)
                except Failure as failure:
                    raise failure.at(self.experiment.path)

    def table(self) -> Json:
        """The table of all runs from the files on disk."""
        results = {
            run.folder: Result() if self.folder(run).other_settings() else self.folder(run).result()
            for run in all_runs(self.cells)
        }
        return make_table(self.experiment, self.cells, results)

    def write_table(self) -> None:
        table, output = self.table(), Path(self.arguments.output)
        write_text(output / "table.md", markdown_of(self.experiment, table))
        write_text(output / "table.csv", csv_of(self.experiment, table))
        write_json(output / "table.json", table)
        matrix = matrix_csv_of(self.experiment, table)
        if matrix:
            write_text(output / "matrix.csv", matrix)

    def report(self) -> None:
        table = self.table()
        if self.arguments.json:
            print(dump(table), flush=True)
        elif not self.arguments.quiet:
            print(markdown_of(self.experiment, table), end="", flush=True)
        failed = sum(self.folder(run).result().status == "failed" for run in self.runs)
        if failed:
            raise Failure(
                EXIT_FAILURE,
                "FAILED",
                f"{failed} of {count_of(len(self.runs), 'run')} failed: the table says why",
                "--retry-failed makes them again",
            )


def summary_of(run: Run) -> str:
    start = run.plan["start"]
    text = f"model of {start['folder']}" if "row" in start else start.get("model", "new model")
    for step in run.plan["steps"]:
        text += f"; {step['name']}: {step['config'].get('method', '')} on {step['train']}"
    return f"{text}; evaluate: " + " ".join(each["task"] for each in run.plan["evaluate"])


def print_failure(failure: Failure, as_json: bool) -> None:
    if as_json:
        document: Json = {"error": failure.to_json()}
        if failure.others:
            document["others"] = [other.to_json() for other in failure.others]
        print(json.dumps(document), file=sys.stderr)
        return
    for each in (failure, *failure.others):
        place = f"{each.file}:{each.line}: " if each.line else f"{each.file}: " if each.file else ""
        hint = f"\n  {each.hint}" if each.hint else ""
        text = f"experiment.py: {place}{each.message}{hint}"
        print(text.encode(errors="replace").decode(), file=sys.stderr)


def main() -> int:
    as_json = "--json" in sys.argv[1:]
    try:
        arguments = parser().parse_args()
        if not arguments.output and not arguments.dry_run:
            raise usage_failure("--output is needed: the folder for the runs and the table")
        Runner(arguments).run()
        return 0
    except Failure as failure:
        print_failure(failure, as_json)
        return failure.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as problem:
        print_failure(Failure(EXIT_FILES, "IO", str(problem)), as_json)
        return EXIT_FILES


if __name__ == "__main__":
    sys.exit(main())
