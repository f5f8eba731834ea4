#!/usr/bin/env python3
"""Compares model folders with random options between sentence-transformers and the command line program.

    compare.py PROGRAM [COUNT [SEED]]     default: 40 folders, seed 1
    compare.py PROGRAM --only N [SEED]    folder N of that seed alone, with its options, files kept

Folder N of a seed is always the same. The vectors of every text, without a prompt and with each of the folder's prompts, and the scores of rerankers, must
differ by at most 1e-5. A folder that the program refuses counts as refused and fails the run, except for what REFUSED lists.
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
REFUSED = []


def texts_file(folder, rows):
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-300:])
    return done.stdout


def prompts_of(options):
    return [None, *sorted(options.get("prompts", {}))]


def reranked(program, folder, options, work):
    model = CrossEncoder(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    for prompt in prompts_of(options):
        theirs = np.asarray(model.predict(PAIRS, prompt_name=prompt, show_progress_bar=False)).reshape(len(PAIRS), -1)
        named = ["--prompt-name", prompt] if prompt else []
        pairs = texts_file(work, [{"a": a, "b": b} for a, b in PAIRS])
        lines = run(program, "rerank", "-q", "--json", "--model", folder, "-i", pairs, "--column", "a", "--column", "b", *named).splitlines()
        scores = [json.loads(line) for line in lines]
        yield prompt, theirs, np.asarray([row.get("scores", row.get("score")) for row in scores]).reshape(len(PAIRS), -1)


def embedded(program, folder, options, work):
    model = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    for prompt in prompts_of(options):
        theirs = model.encode(folders.TEXTS, prompt_name=prompt, show_progress_bar=False)
        named = ["--prompt-name", prompt] if prompt else []
        out = work / "out.npy"
        run(program, "encode", "-q", "--force", "--model", folder, "-i", texts_file(work, [{"text": text} for text in folders.TEXTS]), "--column",
            "text", "-o", out, *named)
        yield prompt, theirs, np.load(out)


def compare(program, number, seed, work):
    """"agrees", "refused: ..." or "differs: ..."."""
    options = folders.draw(random.Random(f"{seed} {number}"))
    folder = work / f"folder-{number}"
    folders.build(options, folder)
    try:
        for prompt, theirs, ours in (reranked if options["reranker"] else embedded)(program, folder, options, work):
            if theirs.shape != ours.shape:
                return f"differs: {ours.shape}, reference {theirs.shape}", options
            differences = np.abs(theirs - ours).reshape(len(theirs), -1).max(1) / max(1.0, np.abs(theirs).max())
            if not (differences <= TOLERANCE).all():
                worst = int(np.nanargmax(differences))
                return f"differs: {differences[worst]:.2e} in text {worst} with prompt {prompt}; {(differences > TOLERANCE).sum()} texts", options
    except RuntimeError as error:
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
    count, seed = (1, rest[0] if rest else 1) if only is not None else (int(rest[0]) if rest else 40, rest[1] if len(rest) > 1 else 1)
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch) if only is None else Path(tempfile.mkdtemp())
        for number in [only] if only is not None else range(count):
            outcome, options = compare(program, number, seed, work)
            expected = outcome.startswith("refused") and any(words in outcome for words in REFUSED)
            outcomes["refused as documented" if expected else outcome.split(":")[0]] += 1
            if outcome != "agrees" and not expected or only is not None:
                print(f"folder {number} of seed {seed}: {outcome}\n    {json.dumps(options)}", flush=True)
            if only is not None:
                print(work)
    print(", ".join(f"{n} {name}" for name, n in outcomes.items()))
    bad = outcomes["differs"] + outcomes["refused"]
    print(f"{sum(outcomes.values()) - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
