"""Vocabulary training against Hugging Face `tokenizers`: the same corpus, the same options, the
same result.

  train.py PROGRAM CORPUS...      PROGRAM is the `contrastive` program

Byte-level BPE must give the same vocabulary with the same ids and the same merges in the same
order. For WordPiece the library's own numbering of the alphabet differs from run to run (it walks
through a hash table), and with it the order of equally frequent pairs: sets of tokens are compared
with the nearest of its runs, thirty at most, and a difference of at most 1 % is accepted and
printed. Ends with "N passed, M failed".
"""

import json
import os
import subprocess
import sys
import tempfile

from tokenizers import ByteLevelBPETokenizer, BertWordPieceTokenizer

SIZE = 3000


def ours(program, corpus, kind, folder):
    command = [
        program,
        "vocabulary",
        "--input",
        corpus,
        "--kind",
        kind,
        "--size",
        str(SIZE),
        "--output",
        folder,
        "--quiet",
    ]
    subprocess.run(command, check=True)


def byte_bpe(program, corpus, work):
    mine, theirs = os.path.join(work, "mine"), os.path.join(work, "theirs")
    ours(program, corpus, "byte-bpe", mine)
    os.mkdir(theirs)
    trainer = ByteLevelBPETokenizer()
    with open(corpus, encoding="utf-8", errors="replace", newline="") as lines:
        # Lines without their ends, as ours reads them.
        trainer.train_from_iterator(
            (line.rstrip("\n").removesuffix("\r") for line in lines),
            vocab_size=SIZE,
            min_frequency=2,
            show_progress=False,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        )
    trainer.save_model(theirs)
    same = json.load(open(f"{mine}/vocab.json")) == json.load(open(f"{theirs}/vocab.json"))
    merges = [
        open(f"{side}/merges.txt", encoding="utf-8").read().split("\n", 1)[1]
        for side in (mine, theirs)
    ]
    print(
        f"byte-bpe: {os.path.basename(corpus)}: vocabularies {'equal' if same else 'DIFFER'}, "
        f"merges {'equal' if merges[0] == merges[1] else 'DIFFER'}"
    )
    return same and merges[0] == merges[1]


def print_their_wordpiece(corpus):
    trainer = BertWordPieceTokenizer()
    with open(corpus, encoding="utf-8", errors="replace", newline="") as lines:
        trainer.train_from_iterator(
            (line.rstrip("\n") for line in lines),
            vocab_size=SIZE,
            min_frequency=2,
            limit_alphabet=1000,
            show_progress=False,
        )
    print(json.dumps(list(trainer.get_vocab())))


def their_wordpiece(corpus):
    """The tokens of one run, in a process of its own: the hash table's seed is the process's."""
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--wordpiece", corpus],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(done.stdout))


def wordpiece(program, corpus, work):
    mine = os.path.join(work, "mine-wordpiece")
    ours(program, corpus, "wordpiece", mine)
    tokens = set(open(f"{mine}/vocab.txt", encoding="utf-8").read().split("\n")[:-1])
    runs = []
    for _ in range(30):
        theirs = their_wordpiece(corpus)
        runs.append((len(tokens ^ theirs), len(theirs)))
        if runs[-1][0] <= 0.01 * 2 * SIZE:
            break
    different, count = min(runs)
    print(
        f"wordpiece: {os.path.basename(corpus)}: {len(tokens)} and {count} tokens, {different} "
        f"stand on one side only ({len(runs)} of its runs)"
    )
    return different <= 0.01 * 2 * SIZE


def main():
    if sys.argv[1] == "--wordpiece":
        return print_their_wordpiece(sys.argv[2])
    program, corpora = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    for corpus in corpora:
        for check in (byte_bpe, wordpiece):
            with tempfile.TemporaryDirectory() as work:
                if check(program, corpus, work):
                    passed += 1
                else:
                    failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
