#!/usr/bin/env python3
"""Runs bench_train and plain PyTorch programs of the same training step in turn, round after round,
and prints ratios.

    bench_train.py --model DIR --texts FILE [--program build/release/bench_train]
        [--peers plain,fused,compile] [--shapes minilm,base]
        [--tasks consert:32,consert:96,mnrl:32,sgopt:16] [--threads 1,2] [--rounds 3] [--steps 4]
        [--device cpu] [--amp off] [--out results.jsonl]
    bench_train.py --model DIR --texts FILE --losses     the first losses of both, without dropout

The peer is what one writes with transformers: BertModel (scaled dot product attention), a batch
padded to its longest text, the loss in a few lines, and torch.optim.AdamW. plain: as it is. fused:
AdamW(fused=True). compile: the model under torch.compile as well. --amp bfloat16 is torch.autocast.
--peer P runs one of them in this process; with --each TASK:N:AMP,... and several names for P it
runs all of them, one after the other (a GPU's start takes longer than its steps). --shape minilm is
the folder's own model. One process a measurement; the time of a measurement is its fastest step,
and a ratio compares the fastest of all rounds: above 1, this library is faster, or smaller. Needs
torch, transformers and tokenizers for the peers.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

MAX_LENGTH = 64
PAIR_SHIFT = 1000  # a pair's second text: the batch so many steps later
OURS = "contrastive"


def peer(a):
    """One configuration of the PyTorch program in this process, or each of --each."""
    for name in a.peer.split(","):
        for entry in a.each.split(",") if a.each else [f"{a.task}:{a.n}:{a.amp}"]:
            task, n, amp = entry.split(":")
            peer_once(argparse.Namespace(**dict(vars(a), peer=name, task=task, n=int(n), amp=amp)))


def peer_once(a):
    import torch
    import torch.nn.functional as F
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel

    torch.set_num_threads(int(a.threads))
    torch.manual_seed(0)
    n, device = a.n, torch.device(a.device)
    on_gpu = device.type == "cuda"
    tokenizer = Tokenizer.from_file(os.path.join(a.model, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_LENGTH)
    texts = open(a.texts, encoding="utf-8").read().split("\n")[:-1]

    def make():
        rates = dict(hidden_dropout_prob=a.dropout, attention_probs_dropout_prob=a.dropout)
        if a.shape == "minilm":
            return BertModel.from_pretrained(a.model, add_pooling_layer=False, **rates).to(device)
        torch.manual_seed(0)
        return BertModel(BertConfig(**rates), add_pooling_layer=False).to(device)

    def batch(step):
        return [texts[(step * n + i) % len(texts)] for i in range(n)]

    def padded(batch):
        ids = [e.ids for e in tokenizer.encode_batch_fast(batch)]
        longest = max(map(len, ids))
        grid = torch.zeros(len(ids), longest, dtype=torch.long)
        mask = torch.zeros(len(ids), longest, dtype=torch.long)
        for row, one in enumerate(ids):
            grid[row, : len(one)] = torch.tensor(one)
            mask[row, : len(one)] = 1
        tokens[0] += int(mask.sum())
        return grid.to(device), mask.to(device)

    def mean(states, mask):
        weights = mask.unsqueeze(-1).float()
        return (states * weights).sum(1) / weights.sum(1)

    model = make()
    model.train()
    net = torch.compile(model, dynamic=True) if a.peer == "compile" else model
    parameters = list(model.parameters())
    if a.task == "sgopt":
        frozen = make()
        frozen.eval()
        for p in frozen.parameters():
            p.requires_grad_(False)
        width = model.config.hidden_size
        head = torch.nn.Sequential(
            torch.nn.Linear(width, 4096),
            torch.nn.GELU(),
            torch.nn.Linear(4096, 4096),
            torch.nn.GELU(),
        ).to(device)
        parameters += list(head.parameters())
    optimizer = torch.optim.AdamW(
        parameters, lr=5e-5, **({"fused": True} if a.peer in ("fused", "compile") else {})
    )
    tokens = [0]

    def consert(first, second):
        z = F.normalize(torch.cat([first, second]))
        scores = z @ z.T / 0.1
        scores.fill_diagonal_(float("-inf"))
        return F.cross_entropy(
            scores, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]).to(device)
        )

    def mnrl(first, second):
        return F.cross_entropy(
            F.normalize(first) @ F.normalize(second).T * 20, torch.arange(n, device=device)
        )

    def sgopt(ids, mask):
        with torch.no_grad():
            states = frozen(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            views = torch.stack([mean(s, mask) for s in states], 1)  # [n, layers, width]
        c = F.normalize(head(net(input_ids=ids, attention_mask=mask)[0][:, 0]))
        h = F.normalize(head(views), dim=-1)
        scores = torch.einsum("ih,mkh->imk", c, h) / 0.01
        positive = scores.diagonal().T  # [n, layers]
        others = (
            scores.masked_fill(
                torch.eye(n, dtype=torch.bool, device=device)[:, :, None], float("-inf")
            )
            .flatten(1)
            .logsumexp(1, keepdim=True)
        )
        loss = (torch.logaddexp(positive, others) - positive).mean()
        return loss + 0.1 * sum(
            ((p - q) ** 2).sum() for p, q in zip(model.parameters(), frozen.parameters())
        )

    def loss_of(number):
        if a.task == "sgopt":
            return sgopt(*padded(batch(number)))
        ids, mask = padded(
            batch(number) + batch(number + PAIR_SHIFT if a.task == "mnrl" else number)
        )
        vectors = mean(net(input_ids=ids, attention_mask=mask)[0].float(), mask)
        return (consert if a.task == "consert" else mnrl)(vectors[:n], vectors[n:])

    def step(number):
        with torch.autocast(device.type, torch.bfloat16, enabled=a.amp == "bfloat16"):
            loss = loss_of(number)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if on_gpu:
            torch.cuda.synchronize(device)
        return loss.item()

    if a.losses:
        for number in range(a.steps):
            print(step(number))
        return
    for number in range(a.warm):
        step(number)
    tokens[0] = 0
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(device)
    times, cpu = [], []
    for number in range(a.steps):
        begin, used = time.perf_counter(), time.process_time()
        step(a.warm + number)
        times.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - used)
    print(
        json.dumps(
            dict(
                bench="train",
                impl=a.peer,
                shape=a.shape,
                task=a.task,
                n=n,
                threads=int(a.threads),
                round=a.round,
                s_per_step_min=min(times),
                s_per_step_median=sorted(times)[len(times) // 2],
                all=times,
                cpu_s_per_step_min=min(cpu),
                tokens_per_step=tokens[0] // a.steps,
                peak_rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                device=a.device,
                amp=a.amp,
                device_peak_mb=torch.cuda.max_memory_allocated(device) / 2**20 if on_gpu else 0,
            )
        ),
        flush=True,
    )


def run(command, threads):
    """The JSON line that `command` prints; a peer that fails is left out of this round."""
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_VERBOSITY="error",
        TOKENIZERS_PARALLELISM="false" if threads == "1" else "true",
    )
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"left out: {' '.join(command)}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return done.stdout


def print_table(results, peers):
    print(
        "\nseconds a step (fastest of all rounds) and peak memory; ratios "
        "are peer / ours, above 1 is better\n"
    )
    names = "".join(f" {p} | ratio |" for p in peers)
    print(
        f"| shape, task, n, threads | ours, s | ours, MB |{names} least memory of a peer, MB | "
        f"ratio |"
    )
    print("| --- " * (5 + 2 * len(peers)) + "|")
    for key, by_impl in results.items():
        if OURS not in by_impl:
            continue
        ours = min(line["s_per_step_min"] for line in by_impl[OURS])
        ours_mb = max(line["peak_rss_mb"] for line in by_impl[OURS])
        row = f"| {', '.join(map(str, key))} | {ours:.3f} | {ours_mb:,.0f} |"
        least = []
        for name in peers:
            lines = by_impl.get(name)
            if not lines:
                row += " - | - |"
                continue
            best = min(line["s_per_step_min"] for line in lines)
            least.append(min(line["peak_rss_mb"] for line in lines))
            row += f" {best:.3f} | **{best / ours:.2f}** |"
        row += f" {min(least):,.0f} | **{min(least) / ours_mb:.2f}** |" if least else " - | - |"
        print(row)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", required=True)
    parser.add_argument("--program", default="build/release/bench_train")
    parser.add_argument("--peers", default="plain,fused")
    parser.add_argument("--shapes", default="minilm,base")
    parser.add_argument("--tasks", default="consert:32,consert:96,mnrl:32,sgopt:16")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--warm", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--amp", default="off", choices=["off", "bfloat16"])
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--out", default=os.devnull)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--shape", default="minilm", help=argparse.SUPPRESS)
    parser.add_argument("--task", default="consert", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, default=32, help=argparse.SUPPRESS)
    parser.add_argument("--each", help=argparse.SUPPRESS)
    parser.add_argument("--round", type=int, default=0, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.peer:
        return peer(a)
    peers = a.peers.split(",")
    script = [sys.executable, os.path.abspath(__file__), "--peer"]
    results = {}
    with open(a.out, "a") as sink:
        for number in range(1 if a.losses else a.rounds):
            for shape in a.shapes.split(","):
                for task, n in (entry.split(":") for entry in a.tasks.split(",")):
                    for threads in a.threads.split(","):
                        common = [
                            "--model",
                            a.model,
                            "--texts",
                            a.texts,
                            "--shape",
                            shape,
                            "--task",
                            task,
                            "--n",
                            n,
                            "--threads",
                            threads,
                            "--steps",
                            str(a.steps),
                            "--warm",
                            str(a.warm),
                            "--round",
                            str(number),
                            "--dropout",
                            "0" if a.losses else str(a.dropout),
                            "--device",
                            a.device,
                            "--amp",
                            a.amp,
                        ]
                        common += ["--losses"] if a.losses else []
                        for impl, command in [
                            (OURS, [a.program]),
                            *((p, [*script, p]) for p in peers),
                        ]:
                            output = run([*command, *common], threads)
                            if a.losses:
                                print(shape, task, n, impl, (output or "failed").split())
                            elif output:
                                line = json.loads(output.splitlines()[-1])
                                sink.write(json.dumps(line) + "\n")
                                sink.flush()
                                results.setdefault((shape, task, n, threads), {}).setdefault(
                                    impl, []
                                ).append(line)
            print(f"round {number + 1} of {a.rounds} done", file=sys.stderr)
    if not a.losses:
        print_table(results, peers)


if __name__ == "__main__":
    main()
