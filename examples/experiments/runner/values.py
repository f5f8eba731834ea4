"""Shared helpers of the runner: failures, strict JSON, and ${NAME} variables."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable
from typing import Any

Json = dict[str, Any]
EXIT_FAILURE, EXIT_USAGE, EXIT_DATA, EXIT_FILES = 1, 2, 3, 4
MEBIBYTE = 1 << 20


class Failure(Exception):
    """Ends the script, or a run, with a message, a hint and an exit code."""

    def __init__(
        self, exit_code: int, code: str, message: str, hint: str = "", file: str = "", line: int = 0
    ) -> None:
        super().__init__(message)
        self.exit_code, self.code, self.message, self.hint = exit_code, code, message, hint
        self.file, self.line = file, line
        self.others: list[Failure] = []  # further problems, found at the same time

    def at(self, file: str) -> Failure:
        """Names the file at fault in this failure and in those found with it."""
        for failure in (self, *self.others):
            failure.file = failure.file or file
        return self

    def prefixed(self, prefix: str) -> Failure:
        """The same failure with a message that says where it happened."""
        return Failure(
            self.exit_code, self.code, prefix + self.message, self.hint, self.file, self.line
        )

    def to_json(self) -> Json:
        known = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "file": self.file,
            "line": self.line,
        }
        return {key: value for key, value in known.items() if value}


def usage_failure(message: str, hint: str = "") -> Failure:
    return Failure(EXIT_USAGE, "USAGE", message, hint)


def raise_all(problems: list[Failure]) -> None:
    """Raises the first problem with the others attached. Does nothing without problems."""
    if problems:
        problems[0].others = problems[1:]
        raise problems[0]


def did_you_mean(name: str, known: Iterable[str], suffix: str = "") -> str:
    """A hint that names the most similar known name, or "". A prefix may have been forgotten."""
    candidates = list(known)
    tails = {key.rpartition(".")[2]: key for key in reversed(candidates)}
    close = difflib.get_close_matches(name[:200], [*candidates, *tails], 1, 0.6)
    return f"did you mean '{tails.get(close[0], close[0])}{suffix}'?" if close else ""


def read_text(path: str, limit: int = 64 * MEBIBYTE) -> str:
    """The text of a regular file of at most `limit` bytes."""
    try:
        info = os.stat(path)
        if not stat.S_ISREG(info.st_mode):
            raise usage_failure("this is not a regular file").at(path)
        if info.st_size > limit:
            raise Failure(EXIT_DATA, "LIMIT", f"the file has more than {limit} bytes", file=path)
        with open(path, "rb") as file:
            return file.read(limit + 1).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Failure(EXIT_DATA, "FORMAT", f"this is not JSON: {problem}", file=path) from None
    except OSError as problem:
        code = "NOT_FOUND" if isinstance(problem, FileNotFoundError) else "IO"
        raise Failure(EXIT_FILES, code, f"cannot read '{path}': {problem.strerror}") from None


def parse_json(text: str, deepest: int) -> Any:
    """Parses strict JSON: no key twice in one object, no NaN, no infinity, no lone surrogate."""

    def unique(pairs: list[tuple[str, Any]]) -> Json:
        result = dict(pairs)
        if len(result) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Failure(EXIT_DATA, "FORMAT", f"key '{twice}' is in one object twice")
        return result

    def check_depth(value: Any, depth: int) -> None:
        if isinstance(value, (dict, list)):
            if depth == deepest:
                raise RecursionError
            for item in value.values() if isinstance(value, dict) else value:
                check_depth(item, depth + 1)

    try:
        value = json.loads(text, object_pairs_hook=unique)
        check_depth(value, 0)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # raises ValueError
        return value
    except RecursionError:
        message = f"it is nested deeper than {deepest} levels"
    except ValueError as problem:
        message = f"this is not JSON: {problem}"
    raise Failure(EXIT_DATA, "FORMAT", message)


def dump(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def flattened(value: Json, prefix: str = "") -> Json:
    """Nested objects as dotted keys: {"clsr": {"lr": 1}} becomes {"clsr.lr": 1}."""
    flat: Json = {}
    for key, item in value.items():
        flat.update(
            flattened(item, f"{prefix}{key}.") if isinstance(item, dict) else {prefix + key: item}
        )
    return flat


def typed_value(text: str) -> Any:
    """What a person typed: JSON where it is a number, a truth value or a list, else the text."""
    try:
        value = parse_json(text, 64)
    except Failure:
        return text
    return text if value is None or isinstance(value, (str, dict)) else value


def each_text(value: Any, key: str, change: Callable[[str, str], Any]) -> Any:
    """A copy of `value` with each text in it changed by change(text, key)."""
    if isinstance(value, str):
        return change(value, key)
    if isinstance(value, dict):
        return {
            name: each_text(item, f"{key}.{name}" if key else name, change)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [
            each_text(item, f"{key}.{i}" if key else str(i), change) for i, item in enumerate(value)
        ]
    return value


def with_seed(value: Any, seed: int) -> Any:
    """A copy of `value` with ${SEED} replaced."""
    return each_text(
        value, "", lambda text, _: seed if text == "${SEED}" else text.replace("${SEED}", str(seed))
    )


class Variables:
    """${NAME} in the texts of a file: from --define, else the environment, else the file."""

    DEEPEST = 16  # variables within variables

    def __init__(self, defines: list[str], defaults: Json) -> None:
        self.defines: dict[str, str] = {}
        self.defaults, self.unknown = defaults, set[str]()
        self.problems: list[Failure] = []
        for define in defines:
            name, equals, value = define.partition("=")
            if not name or not equals:
                self.problem(f"--define '{define}': NAME=VALUE is needed")
            elif name == "SEED":
                self.problem("--define SEED: the seeds are those of the key 'seeds', or of --seeds")
            elif not is_utf8(define):
                self.problem(f"--define {define!a} is not UTF-8")
            self.defines[name] = value

    def resolve(self, document: Any) -> Any:
        """A copy of `document` with every variable replaced, except ${SEED}."""
        resolved = each_text(document, "", lambda text, key: self.resolve_text(text, key, 0))
        raise_all(self.problems)
        return resolved

    def resolve_text(self, text: str, key: str, depth: int) -> Any:
        if depth > self.DEEPEST:
            raise usage_failure(f"key '{key}': its variables name each other in a circle")
        whole = re.fullmatch(r"\$\{([^}]*)\}", text)
        if whole and whole[1] != "SEED":  # keeps the type: a number stays a number
            return self.value_of(whole[1], key, depth)[0]
        if text.rfind("${") > text.rfind("}"):
            self.problem(f"key '{key}': '{text}' has a ${{ without its }}")
        return re.sub(
            r"\$\{([^}]*)\}",
            lambda match: (
                match[0] if match[1] == "SEED" else self.value_of(match[1], key, depth)[1]
            ),
            text,
        )

    def value_of(self, name: str, key: str, depth: int) -> tuple[Any, str]:
        """The value of a variable, and the text that it is inside of another text."""
        given = self.defines.get(name, os.environ.get(name))
        if given is not None:
            if name not in self.defines and not is_utf8(given):
                self.problem(f"the environment variable {name} is not UTF-8")
            return typed_value(given), given
        if name in self.defaults:
            value = self.defaults[name]
            if isinstance(value, str):
                value = self.resolve_text(value, f"variables.{name}", depth + 1)
            return value, value if isinstance(value, str) else dump(value)
        if name not in self.unknown:
            self.unknown.add(name)
            self.problem(
                f"key '{key}': ${{{name}}} is not known",
                f"set it with --define {name}=... or as an environment variable",
            )
        return "", ""

    def problem(self, message: str, hint: str = "") -> None:
        self.problems.append(usage_failure(message, hint))


def is_utf8(text: str) -> bool:
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False
