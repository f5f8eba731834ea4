#!/usr/bin/env python3
"""The peers of bench_encode on a device, with its lines.

    encode_peer.py --peer plain|sentence-transformers --model DIR --inputs DIR --vectors DIR
        [--device cuda] [--precisions float32,bfloat16] [--sets short,mixed,long] [--batch 256]
        [--runs 1] [--latency 200] [--threads 1]

plain: BertModel of transformers (scaled dot product attention), texts sorted by length in batches
padded to their longest, the mean of the tokens, unit length. sentence-transformers:
SentenceTransformer.encode. First the vectors of check.txt are compared with --vectors'
ours.PRECISION.f32: where they differ nothing is timed, and the exit status is 1.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import time

import vectors


class Plain:
    def __init__(self, folder, device, precision):
        import numpy
        import torch
        from tokenizers import Tokenizer
        from transformers import BertModel

        self.torch, self.numpy, self.device = torch, numpy, device
        self.model = BertModel.from_pretrained(
            folder,
            add_pooling_layer=False,
            attn_implementation="sdpa",
            dtype=getattr(torch, precision),
        )
        self.model.to(device).eval()
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.model.config.max_position_embeddings)

    def encode(self, texts, batch):
        torch, numpy = self.torch, self.numpy
        with torch.inference_mode():
            ids = [one.ids for one in self.tokenizer.encode_batch_fast(texts)]
            order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
            done = []
            for begin in range(0, len(order), batch):
                rows = [ids[i] for i in order[begin : begin + batch]]
                grid = numpy.zeros((len(rows), len(rows[0])), dtype=numpy.int64)
                lengths = torch.tensor([len(row) for row in rows])
                for number, row in enumerate(rows):
                    grid[number, : len(row)] = row
                mask = (torch.arange(grid.shape[1])[None] < lengths[:, None]).to(self.device)
                states = self.model(
                    input_ids=torch.from_numpy(grid).to(self.device), attention_mask=mask
                )[0].float()
                weights = mask.unsqueeze(-1).float()
                done.append(
                    torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1))
                )
            out = torch.empty(len(texts), done[0].shape[1])
            out[torch.tensor(order)] = torch.cat(done).cpu()
        return out.numpy(), sum(map(len, ids))


class SentenceTransformers:
    def __init__(self, folder, device, precision):
        import torch
        from sentence_transformers import SentenceTransformer

        self.model = SentenceTransformer(
            folder, device=device, model_kwargs={"dtype": getattr(torch, precision)}
        )

    def encode(self, texts, batch):
        return self.model.encode(
            texts, batch_size=batch, normalize_embeddings=True, show_progress_bar=False
        ), None


def lines_of(folder, name):
    with open(os.path.join(folder, f"{name}.txt"), encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def measure(a, precision):
    import torch

    on_gpu = torch.device(a.device).type == "cuda"

    def emit(**values):
        print(
            json.dumps(
                dict(peer=a.peer, precision=precision, device=a.device, threads=a.threads, **values)
            ),
            flush=True,
        )

    peer = (Plain if a.peer == "plain" else SentenceTransformers)(a.model, a.device, precision)
    check = lines_of(a.inputs, "check")
    theirs = peer.encode(check, a.batch)[0].astype("float32").tolist()
    found = vectors.compare(
        vectors.read(os.path.join(a.vectors, f"ours.{precision}.f32"), len(check)),
        theirs,
        precision,
    )
    emit(bench="vectors", **found)
    if not found["same"]:
        return False
    peer.encode(lines_of(a.inputs, "mixed"), a.batch)  # to warm up
    for run in range(a.runs):
        for name in a.sets.split(","):
            texts = lines_of(a.inputs, name)
            if on_gpu:
                torch.cuda.synchronize()
                torch.cuda.reset_peak_memory_stats()
            begin = time.perf_counter()
            tokens = peer.encode(texts, a.batch)[1]
            seconds = time.perf_counter() - begin
            emit(
                bench="encode",
                run=run,
                set=name,
                batch=a.batch,
                seconds=seconds,
                texts_per_s=len(texts) / seconds,
                tokens_per_s=tokens / seconds if tokens else None,
                peak_rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                device_peak_mb=torch.cuda.max_memory_allocated() / 2**20 if on_gpu else 0,
            )
    texts = lines_of(a.inputs, "single20")[: a.latency]
    for text in texts[:20]:
        peer.encode([text], 1)
    times = []
    for text in texts:
        begin = time.perf_counter()
        peer.encode([text], 1)
        times.append(1e3 * (time.perf_counter() - begin))
    emit(
        bench="latency",
        run=0,
        set="single20",
        n=len(times),
        p50_ms=statistics.median(times),
        max_ms=max(times),
    )
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", required=True, choices=["plain", "sentence-transformers"])
    for needed in ("--model", "--inputs", "--vectors"):
        parser.add_argument(needed, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precisions", default="float32,bfloat16")
    parser.add_argument("--sets", default="short,mixed,long")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--latency", type=int, default=200)
    parser.add_argument("--threads", type=int, default=1)
    a = parser.parse_args()
    import torch

    torch.set_num_threads(a.threads)
    return 0 if all([measure(a, precision) for precision in a.precisions.split(",")]) else 1


if __name__ == "__main__":
    sys.exit(main())
