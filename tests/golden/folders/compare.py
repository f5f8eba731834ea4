#!/usr/bin/env python3
"""Compares model folders with random options between sentence-transformers and the command line
program.

    compare.py PROGRAM [COUNT [SEED]]     default: 40 folders, seed 1
    compare.py PROGRAM --only N [SEED]    folder N of that seed alone, with its options, files kept

Folder N of a seed is always the same. The vectors of every text, without a prompt and with each of
the folder's prompts, and the scores of rerankers, must differ by at most 1e-5. A folder that the
program refuses fails the run, except for what REFUSED lists.

Python embeds one text at a time, because padding changes the vectors of some models there. Left out
is what Python gives no vector for: a text without any token, and a model whose tokenizer states no
limit and lets a text run over the last position.
"""

import json
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer

import folders

TOLERANCE = 1e-5
PAIRS = [[a, b] for a, b in zip(folders.TEXTS, folders.TEXTS[3:] + folders.TEXTS[:3]) if a and b]
# What the library refuses on purpose: words of its message.
REFUSED = [
    "modules.layer_norm.LayerNorm' is not known",
    "adapts the classification head",
    "its modules have names that are not read here",
]


class NoReference(Exception):
    """Python itself fails on the folder."""


class Refused(Exception):
    """The program does not take the folder."""


def reference(function):
    try:
        return function()
    except (IndexError, RuntimeError) as error:
        raise NoReference(str(error)[-200:]) from error


def texts_file(folder, rows):
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip()[-400:])
    return done.stdout


def prompts_of(options):
    return [None, *sorted(options.get("prompts", {}))]


def reranked(program, folder, options, work):
    model = CrossEncoder(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    for prompt in prompts_of(options):
        theirs = np.asarray(
            reference(
                lambda: model.predict(
                    PAIRS, prompt_name=prompt, batch_size=1, show_progress_bar=False
                )
            )
        )
        theirs = theirs.reshape(len(PAIRS), -1)
        named = ["--prompt-name", prompt] if prompt else []
        pairs = texts_file(work, [{"a": a, "b": b} for a, b in PAIRS])
        lines = run(
            program,
            "rerank",
            "-q",
            "--json",
            "--model",
            folder,
            "-i",
            pairs,
            "--column",
            "a",
            "--column",
            "b",
            *named,
        ).splitlines()
        scores = [json.loads(line) for line in lines]
        ours = [
            list(row["score"].values()) if isinstance(row["score"], dict) else row["score"]
            for row in scores
        ]
        yield prompt, theirs, np.asarray(ours).reshape(len(PAIRS), -1)


def embedded(program, folder, options, work):
    model = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    for prompt in prompts_of(options):
        front = (
            options["prompts"][prompt or options.get("default_prompt_name")]
            if prompt or options.get("default_prompt_name")
            else ""
        )
        texts = [text for text in folders.TEXTS if model.tokenizer(front + text)["input_ids"]]
        theirs = reference(
            lambda: model.encode(texts, prompt_name=prompt, batch_size=1, show_progress_bar=False)
        )
        named = ["--prompt-name", prompt] if prompt else []
        out = work / "out.npy"
        run(
            program,
            "encode",
            "-q",
            "--force",
            "--model",
            folder,
            "-i",
            texts_file(work, [{"text": text} for text in texts]),
            "--column",
            "text",
            "-o",
            out,
            *named,
        )
        yield prompt, theirs, np.load(out)


def compare(program, number, seed, work):
    """ "agrees", "no reference: ...", "refused: ..." or "differs: ..."."""
    options = folders.draw(random.Random(f"{seed} {number}"))
    folder = work / f"folder-{number}"
    folders.build(options, folder)
    try:
        for prompt, theirs, ours in (reranked if options["reranker"] else embedded)(
            program, folder, options, work
        ):
            if theirs.shape != ours.shape:
                return f"differs: {ours.shape}, reference {theirs.shape}", options
            finite = np.isfinite(theirs)  # max over no token is minus infinity there
            differences = np.where(finite, np.abs(np.where(finite, theirs, 0) - ours), 0).max(
                1
            ) / np.abs(theirs[finite]).max(initial=1.0)
            if not (differences <= TOLERANCE).all():
                worst = int(np.nanargmax(differences))
                return (
                    f"differs: {differences[worst]:.2e} in text {worst} with prompt {prompt}; "
                    f"{(differences > TOLERANCE).sum()} texts",
                    options,
                )
    except NoReference as error:
        return f"no reference: {error}", options
    except Refused as error:
        return f"refused: {error}", options
    return "agrees", options


def main():
    warnings.filterwarnings("ignore")
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    torch.set_num_threads(1)
    program, *rest = sys.argv[1:]
    only = int(rest[1]) if rest[:1] == ["--only"] else None
    rest = rest[2:] if only is not None else rest
    count, seed = (
        (1, rest[0] if rest else 1)
        if only is not None
        else (int(rest[0]) if rest else 40, rest[1] if len(rest) > 1 else 1)
    )
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch) if only is None else Path(tempfile.mkdtemp())
        for number in [only] if only is not None else range(count):
            outcome, options = compare(program, number, seed, work)
            expected = outcome.startswith("refused") and any(words in outcome for words in REFUSED)
            outcomes["refused as documented" if expected else outcome.split(":")[0]] += 1
            if (
                not outcome.startswith(("agrees", "no reference"))
                and not expected
                or only is not None
            ):
                print(
                    f"folder {number} of seed {seed}: {outcome}\n    {json.dumps(options)}",
                    flush=True,
                )
            if only is not None:
                print(work)
    print(", ".join(f"{n} {name}" for name, n in outcomes.items()))
    bad, left_out = outcomes["differs"] + outcomes["refused"], outcomes["no reference"]
    print(f"{sum(outcomes.values()) - bad - left_out} passed, {bad} failed, {left_out} skipped")
    sys.exit(1 if bad or 10 * left_out > sum(outcomes.values()) else 0)


if __name__ == "__main__":
    main()
