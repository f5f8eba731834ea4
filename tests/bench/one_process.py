"""What the comparisons that work on embeddings share: real texts, their embeddings, and a process a
measurement."""

import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def busy_seconds():
    fields = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def environment(threads):
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    return dict(
        os.environ,
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        **{name: str(threads) for name in names},
    )


def measure(command, threads):
    """The JSON line that a program prints, and `foreign`, the share of the machine that other
    processes used meanwhile. If it is large, the times mean little."""
    busy, own, begin = busy_seconds(), os.times(), time.time()
    done = subprocess.run(
        [str(part) for part in command],
        env=environment(threads),
        check=True,
        capture_output=True,
        text=True,
    )
    result, spent = json.loads(done.stdout.splitlines()[-1]), os.times()
    mine = sum(spent[:4]) - sum(own[:4])
    result["foreign"] = round(
        max(0.0, busy_seconds() - busy - mine) / ((time.time() - begin) * os.cpu_count()), 3
    )
    print(json.dumps(result), flush=True)
    return result


def distinct_lines(path, count):
    texts = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            texts[line.rstrip("\n")] = None
            if len(texts) == count:
                return list(texts)
    raise SystemExit(f"{path}: fewer than {count} different lines")


def encode(program, model, texts, folder, threads):
    """Writes folder/texts.txt and their embeddings, folder/rows.f32; the dimension, and the seconds
    of the whole process."""
    (folder / "texts.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    begin = time.perf_counter()
    subprocess.run(
        [
            program,
            "encode",
            "--model",
            model,
            "-i",
            folder / "texts.txt",
            "-o",
            folder / "rows.f32",
            "--force",
            "--quiet",
        ],
        env=environment(threads),
        check=True,
    )
    seconds = time.perf_counter() - begin
    return (folder / "rows.f32").stat().st_size // (4 * len(texts)), seconds
