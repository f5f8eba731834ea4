#!/usr/bin/env python3
"""Every STS file below a folder, by sentence-transformers' EmbeddingSimilarityEvaluator and by
`contrastive eval --task sts`: prints both Spearman and Pearson correlations, the largest
differences at the end, and fails where a Spearman differs by more than --limit.

    sts_compare.py --model DIR --data DIR [--program build/release/contrastive]
        [--only sts/STS12,sts/SICK] [--limit 1e-4] [--threads 2]
        [--write tests/golden/eval/sts_minilm.json]

The files are lines "score TAB sentence TAB sentence" (*.tsv), and each side encodes a file once.
Equal sentences have one embedding here and so a cosine of exactly 1: they tie. In
sentence-transformers their cosines differ in the last digits, and Spearman ranks that noise. So the
figures stand there a second time, "ties", from the cosines of both sides rounded to six digits; a
file of more than --limit is excused where those agree. --write keeps sentence-transformers' figures
for the test tests/core/eval/sts/sts_minilm_test.cpp: of an excused file "rounded", the Spearman of
the rounded cosines, in place of "spearman". Needs sentence-transformers, scipy; the kept figures
were made with 6.2.0 on torch 2.11.0 and all-MiniLM-L6-v2.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.stats

FIGURES = ("spearman", "pearson")
DIGITS = 6


def rounded(gold, cosines):
    """Spearman of the rounded cosines, and how many pairs are alike by them."""
    cosines = np.round(np.asarray(cosines, np.float64), DIGITS)
    return float(scipy.stats.spearmanr(gold, cosines)[0]), int((cosines == 1).sum())


def ours(program, model, path, gold):
    with tempfile.TemporaryDirectory() as folder:
        pairs = pathlib.Path(folder) / "pairs.tsv"
        command = [
            program,
            "eval",
            "--model",
            model,
            "--task",
            "sts",
            "--data",
            str(path),
            "--set",
            f"output={pairs}",
            "--json",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{path}: {done.stderr.strip()}")
        rows = [line.split("\t") for line in pairs.read_bytes().decode().split("\n") if line]
    if [float(row[2]) for row in rows] != gold:
        sys.exit(f"{path}: other pairs than those of the file were written")
    report = json.loads(done.stdout)
    return {
        **{name: report[name]["all"] for name in FIGURES},
        "rounded": rounded(gold, [float(row[3]) for row in rows]),
    }


def theirs(model, rows, gold):
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    class Recording(EmbeddingSimilarityEvaluator):
        """Keeps what it has encoded."""

        def embed_inputs(self, model, sentences, **kwargs):
            embeddings = super().embed_inputs(model, sentences, **kwargs)
            self.kept = [*getattr(self, "kept", []), np.asarray(embeddings, np.float64)]
            return embeddings

    evaluator = Recording(
        [row[1] for row in rows],
        [row[2] for row in rows],
        gold,
        main_similarity="cosine",
        write_csv=False,
    )
    found = evaluator(model)
    a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in evaluator.kept)
    return {
        **{name: float(found[f"{name}_cosine"]) for name in FIGURES},
        "rounded": rounded(gold, (a * b).sum(1)),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument(
        "--only", default="sts,sts_multi", help="folders or files below --data, separated by commas"
    )
    parser.add_argument("--limit", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: its own choice")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument(
        "--name", default="all-MiniLM-L6-v2", help="of the model, for the file that is written"
    )
    arguments = parser.parse_args()
    named = [arguments.data / name for name in arguments.only.split(",")]
    files = [
        path
        for name in named
        for path in ([name] if name.is_file() else sorted(name.rglob("*.tsv")))
    ]
    if not files:
        sys.exit(f"{arguments.data}: no *.tsv below {arguments.only}")

    import sentence_transformers
    import torch

    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    model = sentence_transformers.SentenceTransformer(arguments.model, device="cpu")
    kept, largest, excused, failed = (
        [],
        {figure: (0.0, None) for figure in (*FIGURES, "rounded")},
        [],
        [],
    )
    print(
        f"{'':36} {'pairs':>5}  {'spearman: theirs':>16} {'ours':>9} {'':9}  "
        f"{'pearson: theirs':>15} {'ours':>9} {'':9}  "
        f"{'ties: theirs':>12} {'ours':>9} {'':9}  cosines of 1"
    )
    for path in files:
        name = path.relative_to(arguments.data).as_posix()
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]
        gold = [float(row[0]) for row in rows]
        expected, found = (
            theirs(model, rows, gold),
            ours(arguments.program, arguments.model, path, gold),
        )
        (rounded_expected, ones), (rounded_found, _) = expected["rounded"], found["rounded"]
        difference = {
            **{figure: abs(found[figure] - expected[figure]) for figure in FIGURES},
            "rounded": abs(rounded_found - rounded_expected),
        }
        largest = {
            figure: max(largest[figure], (difference[figure], name), key=lambda pair: pair[0])
            for figure in largest
        }
        print(
            f"{name:36} {len(rows):5}  {expected['spearman']:16.6f} {found['spearman']:9.6f} "
            f"({difference['spearman']:.1e})  "
            f"{expected['pearson']:15.6f} {found['pearson']:9.6f} ({difference['pearson']:.1e})  "
            f"{rounded_expected:12.6f} {rounded_found:9.6f} ({difference['rounded']:.1e})  "
            f"{ones:12}",
            flush=True,
        )
        if not difference["spearman"] <= arguments.limit:
            (excused if difference["rounded"] <= arguments.limit else failed).append(name)
            if name in failed:
                continue
        spearman = (
            {"rounded": round(rounded_expected, 8)}
            if name in excused
            else {"spearman": round(expected["spearman"], 8)}
        )
        kept.append(
            {"file": name, "pairs": len(rows), **spearman, "pearson": round(expected["pearson"], 8)}
        )
        if arguments.write:  # after each file, so that a run that was cut off leaves what it found
            lines = ",\n".join(json.dumps(entry) for entry in kept)
            about = (
                f"{arguments.name}: cosine, by sentence-transformers "
                f"{sentence_transformers.__version__}; written by sts_compare.py"
            )
            arguments.write.write_text(
                f'{{"about": {json.dumps(about)}, "files": [\n{lines}\n]}}\n'
            )
    for figure, what in (
        ("spearman", "Spearman"),
        ("pearson", "Pearson"),
        ("rounded", f"Spearman of cosines rounded to {DIGITS} digits"),
    ):
        print(
            f"{len(files)} files: the largest difference in {what} is {largest[figure][0]:.2e} "
            f"({largest[figure][1]})"
        )
    print(
        f"within {arguments.limit:g}: {len(kept) - len(excused)}; only with ties as ties: "
        f"{', '.join(excused) or 'none'}; not: {', '.join(failed) or 'none'}"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
