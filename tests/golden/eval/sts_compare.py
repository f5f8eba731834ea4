#!/usr/bin/env python3
"""Every STS file below a folder, by sentence-transformers' EmbeddingSimilarityEvaluator and by `contrastive eval --task sts`: prints both Spearman
and Pearson correlations, the largest differences at the end, and fails where a Spearman differs by more than --limit.

    sts_compare.py --model DIR --data DIR [--program build/release/contrastive] [--only sts/STS12,sts/SICK] [--limit 1e-4]
                   [--write tests/golden/eval/sts_minilm.json]

The files are lines "score TAB sentence TAB sentence" (*.tsv). --write keeps sentence-transformers' figures for the test
tests/core/eval/sts/sts_minilm_test.cpp. Needs sentence-transformers; the kept figures were made with 6.2.0 on torch 2.11.0 and all-MiniLM-L6-v2.
"""
import argparse
import json
import pathlib
import subprocess
import sys

FIGURES = ("spearman", "pearson")


def ours(program, model, path):
    done = subprocess.run([program, "eval", "--model", model, "--task", "sts", "--data", str(path), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    return {name: report[name]["all"] for name in FIGURES}


def theirs(model, path):
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]
    evaluator = EmbeddingSimilarityEvaluator([row[1] for row in rows], [row[2] for row in rows], [float(row[0]) for row in rows],
                                             main_similarity="cosine", write_csv=False)
    found = evaluator(model)
    return len(rows), {name: float(found[f"{name}_cosine"]) for name in FIGURES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default="build/release/contrastive")
    parser.add_argument("--only", default="sts,sts_senteval_tok,sts_multi", help="folders or files below --data, separated by commas")
    parser.add_argument("--limit", type=float, default=1e-4)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--name", default="all-MiniLM-L6-v2", help="of the model, for the file that is written")
    arguments = parser.parse_args()
    named = [arguments.data / name for name in arguments.only.split(",")]
    files = [path for name in named for path in ([name] if name.is_file() else sorted(name.rglob("*.tsv")))]
    if not files:
        sys.exit(f"{arguments.data}: no *.tsv below {arguments.only}")

    import sentence_transformers
    model = sentence_transformers.SentenceTransformer(arguments.model, device="cpu")
    kept, largest = [], dict.fromkeys(FIGURES, (0.0, None))
    for path in files:
        name = path.relative_to(arguments.data).as_posix()
        pairs, expected = theirs(model, path)
        found = ours(arguments.program, arguments.model, path)
        kept.append({"file": name, "pairs": pairs, **{figure: round(expected[figure], 8) for figure in FIGURES}})
        difference = {figure: abs(found[figure] - expected[figure]) for figure in FIGURES}
        largest = {figure: max(largest[figure], (difference[figure], name)) if difference[figure] > 0 else largest[figure] for figure in FIGURES}
        print(f"{name:40} {pairs:5} pairs  spearman {expected['spearman']:.6f} {found['spearman']:.6f} ({difference['spearman']:.1e})  "
              f"pearson {expected['pearson']:.6f} {found['pearson']:.6f} ({difference['pearson']:.1e})", flush=True)
        if arguments.write:  # after each file, so that a run that was cut off leaves what it found
            lines = ",\n".join(json.dumps(entry) for entry in kept)
            about = f"{arguments.name}: cosine, by sentence-transformers {sentence_transformers.__version__}; written by sts_compare.py"
            arguments.write.write_text(f'{{"about": {json.dumps(about)}, "files": [\n{lines}\n]}}\n')
    for figure in FIGURES:
        print(f"{len(files)} files: the largest difference in {figure} is {largest[figure][0]:.2e} ({largest[figure][1]})")
    sys.exit(0 if largest["spearman"][0] <= arguments.limit else 1)


if __name__ == "__main__":
    main()
