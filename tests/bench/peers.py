#!/usr/bin/env python3
"""One peer's figures on one sentence encoder, as the JSON lines that bench_encode prints: load,
texts in batches, one text at a time.

    peers.py --peer PEER [--model DIR] [--inputs DIR] [--threads 1] [--sets short,mixed,long]
        [--batches 32] [--latency 200] [--round 0]

PEER: torch (transformers on plain PyTorch), ort (ONNX Runtime), ort-opt (on the graph that its own
optimiser for transformers has fused), ort-int8 (that, quantised), ct2-fp32, ct2-int8 (CTranslate2),
openvino. Each gets what it is fastest with: texts sorted by length, batches padded to their
longest. --model: a sentence-transformers folder with mean pooling; without it BENCH_MODEL.
--inputs: a folder of short.txt, mixed.txt, long.txt, single20.txt, one text a line; without it
BENCH_INPUTS. What a peer reads is converted once, into BENCH_ROOT (here: a temporary folder that
stays). Wants torch, transformers, tokenizers, onnx, onnxruntime, ctranslate2, openvino from PyPI. A
peer that cannot read the model says so and ends with 1.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FIRST = "A quick first sentence, to see the library awake."


def process_age():
    started = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]) / os.sysconf(
        "SC_CLK_TCK"
    )
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


def resident_mb():
    return next(
        int(line.split()[1]) / 1024
        for line in open("/proc/self/status")
        if line.startswith("VmRSS")
    )


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", required=True)
    parser.add_argument("--model", default=os.environ.get("BENCH_MODEL"))
    parser.add_argument("--inputs", default=os.environ.get("BENCH_INPUTS"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sets", default="short,mixed,long")
    parser.add_argument("--batches", default="32")
    parser.add_argument("--latency", type=int, default=200)
    parser.add_argument("--round", type=int, default=0)
    parser.add_argument(
        "--convert", action="store_true", help="make what the peer reads, and no more"
    )
    a = parser.parse_args()
    if not a.model or not a.inputs:
        parser.error("--model and --inputs are needed")
    return a


A = arguments()
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = str(A.threads)
os.environ.update(
    HF_HUB_OFFLINE="1",
    TOKENIZERS_PARALLELISM=str(A.threads > 1).lower(),
    TRANSFORMERS_VERBOSITY="error",
)
MODEL = os.path.realpath(A.model)
CONFIG = json.load(open(f"{MODEL}/config.json"))
ROOT = (
    pathlib.Path(os.environ.get("BENCH_ROOT", tempfile.gettempdir()))
    / "converted"
    / f"{CONFIG['model_type']}-{CONFIG['hidden_size']}-{CONFIG['num_hidden_layers']}"
)

import numpy as np  # noqa: E402  (the threads are set by now)


def converted(name, convert):
    """The path of what `convert` writes to a path, made once."""
    path = ROOT / name
    if not path.exists():
        ROOT.mkdir(parents=True, exist_ok=True)
        part = ROOT / f"part-{os.getpid()}-{name}"
        convert(str(part))
        part.rename(path)
    return str(path)


def export_onnx(path):
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(MODEL, attn_implementation="eager").eval()
    names = ["input_ids", "attention_mask"] + (
        ["token_type_ids"] if CONFIG.get("type_vocab_size", 0) > 1 else []
    )

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, *values):
            return self.model(**dict(zip(names, values)))[0]

    example = tuple(torch.full((2, 9), 0 if name == "token_type_ids" else 1) for name in names)
    torch.onnx.export(
        States(),
        example,
        path,
        input_names=names,
        output_names=["states"],
        opset_version=17,
        dynamo=False,
        dynamic_axes={
            **{name: {0: "batch", 1: "tokens"} for name in names},
            "states": {0: "batch", 1: "tokens"},
        },
    )


def fuse_onnx(path):
    from onnxruntime.transformers import optimizer

    optimizer.optimize_model(
        plain_onnx(),
        model_type="bert",
        num_heads=CONFIG["num_attention_heads"],
        hidden_size=CONFIG["hidden_size"],
        opt_level=1,
    ).save_model_to_file(path)


def quantize_onnx(path):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        fused_onnx(),
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"DefaultTensorType": 1},
    )


def plain_onnx():
    return converted("model.onnx", export_onnx)


def fused_onnx():
    return converted("fused.onnx", fuse_onnx)


def tokenizer():
    import tokenizers

    own = tokenizers.Tokenizer.from_file(f"{MODEL}/tokenizer.json")
    own.no_padding()
    own.enable_truncation(256)
    return own


def padded(texts):
    ids = np.full((len(texts), max(map(len, texts))), CONFIG.get("pad_token_id") or 0, np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return ids, mask


def pooled(states, mask):
    weights = mask[..., None].astype(np.float32)
    sums = (states * weights).sum(1) / weights.sum(1)
    return sums / np.linalg.norm(sums, axis=1, keepdims=True)


class Torch:
    def __init__(self):
        import torch
        from transformers import AutoModel

        torch.set_num_threads(A.threads)
        self.torch, self.model = torch, AutoModel.from_pretrained(MODEL).eval()

    def embed(self, texts):
        ids, mask = padded(texts)
        with self.torch.inference_mode():
            states = self.model(
                input_ids=self.torch.from_numpy(ids), attention_mask=self.torch.from_numpy(mask)
            )[0]
        return pooled(states.numpy(), mask)


class OnnxRuntime:
    def __init__(self, path):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = (
            A.threads,
            1,
            4,
        )
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self.names = [put.name for put in self.session.get_inputs()]

    def embed(self, texts):
        ids, mask = padded(texts)
        values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return pooled(self.session.run(None, {name: values[name] for name in self.names})[0], mask)


class OpenVino:
    def __init__(self, path):
        import openvino

        core = openvino.Core()
        model = core.compile_model(
            core.read_model(path),
            "CPU",
            {
                "INFERENCE_NUM_THREADS": str(A.threads),
                "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_PRECISION_HINT": "f32",
            },
        )
        self.names, self.request = (
            [put.any_name for put in model.inputs],
            model.create_infer_request(),
        )

    def embed(self, texts):
        ids, mask = padded(texts)
        values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return pooled(self.request.infer({name: values[name] for name in self.names})[0], mask)


class CTranslate2:
    def __init__(self, kind):
        def convert(path):
            program = os.path.join(os.path.dirname(sys.executable), "ct2-transformers-converter")
            done = subprocess.run(
                [
                    program,
                    "--model",
                    MODEL,
                    "--output_dir",
                    path,
                    *(["--quantization", "int8"] if kind == "int8" else []),
                ],
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                sys.exit(
                    f"CTranslate2 does not read this model: {done.stderr.strip().splitlines()[-1]}"
                )

        path = converted(f"ct2-{kind}", convert)
        import ctranslate2

        self.encoder = ctranslate2.Encoder(
            path, device="cpu", compute_type=kind, inter_threads=1, intra_threads=A.threads
        )

    def embed(self, texts):
        states = np.array(self.encoder.forward_batch(texts).last_hidden_state)
        return pooled(
            states,
            np.arange(states.shape[1])[None] < np.array([len(text) for text in texts])[:, None],
        )


PEERS = {  # how to begin with each
    "torch": Torch,
    "ort": lambda: OnnxRuntime(plain_onnx()),
    "ort-opt": lambda: OnnxRuntime(fused_onnx()),
    "ort-int8": lambda: OnnxRuntime(converted("int8.onnx", quantize_onnx)),
    "openvino": lambda: OpenVino(plain_onnx()),
    "ct2-fp32": lambda: CTranslate2("float32"),
    "ct2-int8": lambda: CTranslate2("int8"),
}
READS = {
    "ort": "model.onnx",
    "ort-opt": "fused.onnx",
    "ort-int8": "int8.onnx",
    "openvino": "model.onnx",
    "ct2-fp32": "ct2-float32",
    "ct2-int8": "ct2-int8",
}


def main():
    if A.peer not in PEERS:
        sys.exit(f"unknown peer '{A.peer}': known are {', '.join(PEERS)}")
    if A.convert:
        return PEERS[A.peer]()
    if (
        A.peer in READS and not (ROOT / READS[A.peer]).exists()
    ):  # in other processes: what converts drags in libraries that a peer is measured without
        done = subprocess.run(
            [sys.executable, *sys.argv, "--convert"], capture_output=True, text=True
        )
        sys.exit(
            done.stderr[-500:]
            if done.returncode != 0
            else subprocess.run([sys.executable, *sys.argv]).returncode
        )
    words = tokenizer()
    peer = PEERS[A.peer]()

    def encode(texts, batch):
        ids = [text.ids for text in words.encode_batch_fast(texts)]
        order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
        vectors = np.empty((len(ids), CONFIG["hidden_size"]), np.float32)
        for first in range(0, len(order), batch):
            some = order[first : first + batch]
            vectors[some] = peer.embed([ids[i] for i in some])
        return vectors, sum(map(len, ids))

    encode([FIRST], 1)
    base = {"peer": A.peer, "threads": A.threads, "round": A.round}
    print(
        json.dumps(
            {
                "bench": "load",
                **base,
                "seconds": round(process_age(), 3),
                "rss_mb": round(resident_mb(), 1),
            }
        ),
        flush=True,
    )
    encode(open(f"{A.inputs}/mixed.txt", encoding="utf-8").read().split("\n")[:64], 32)
    for name in filter(None, A.sets.split(",")):
        texts = open(f"{A.inputs}/{name}.txt", encoding="utf-8").read().strip("\n").split("\n")
        for batch in map(int, A.batches.split(",")):
            start = time.perf_counter()
            tokens = encode(texts, batch)[1]
            seconds = time.perf_counter() - start
            print(
                json.dumps(
                    {
                        "bench": "encode",
                        **base,
                        "run": 0,
                        "set": name,
                        "batch": batch,
                        "seconds": round(seconds, 4),
                        "tokens_per_s": round(tokens / seconds, 1),
                    }
                ),
                flush=True,
            )
    if A.latency:
        texts = (
            open(f"{A.inputs}/single20.txt", encoding="utf-8")
            .read()
            .strip("\n")
            .split("\n")[: A.latency]
        )
        for text in texts[:20]:
            encode([text], 1)
        times = []
        for text in texts:
            start = time.perf_counter()
            encode([text], 1)
            times.append(1e3 * (time.perf_counter() - start))
        times.sort()
        print(
            json.dumps(
                {
                    "bench": "latency",
                    **base,
                    "run": 0,
                    "p50_ms": round(times[len(times) // 2], 3),
                    "p99_ms": round(times[len(times) * 99 // 100], 3),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
