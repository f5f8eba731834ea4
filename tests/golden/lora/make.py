#!/usr/bin/env python3
"""Low-rank adapters against peft: twenty updates of MultipleNegativesRanking on the tiny encoder of
tests/fixtures, whose adapters peft computes, in float64 and from the library's own first A:
lora.json and lora.golden.safetensors. And `adapter/`, as peft's save_pretrained writes it, with the
vectors that the encoder then gives. tests/core/torch/methods/lora_golden_test.cpp holds the library
to all of it.

    python tests/golden/lora/make.py        # peft 0.21.2
"""

import json
import math
import shutil
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "methods"))
import plain  # noqa: E402
from counter_rng import INITIALISE, MASK64, Rng, stream_of_view  # noqa: E402

ADAPTER_STREAM, ADAPTER_DROPOUT = 16, 9  # core/torch/methods/lora_adapters.cpp, core/base/rng.h
DEFAULTS = {
    **plain.TRAINER,
    "method": "mnrl",
    "optimizer": "adamw",
    "betas": ["0.9", "0.999"],
    "eps": 1e-6,
    "mnrl.dropout": False,
    "lr": 5e-3,
}
CASES = {
    "query-value": {"mnrl.lora_rank": 4},
    "all": {"mnrl.lora_rank": 3, "mnrl.lora_alpha": 12.0, "mnrl.lora_targets": ["all"]},
    "dropout": {
        "mnrl.lora_rank": 4,
        "mnrl.lora_alpha": 16.0,
        "mnrl.lora_dropout": 0.25,
        "mnrl.lora_targets": ["key", "output", "intermediate.dense"],
    },
    "plain-descent": {
        "mnrl.lora_rank": 2,
        "mnrl.lora_targets": ["ffn", "value"],
        "optimizer": "sgd",
        "momentum": 0.0,
        "lr": 0.5,
    },
}
TARGETS = {  # as peft is told
    "query-value": ["query", "value"],
    "all": r"encoder\..*\.(query|key|value|dense)",
    "dropout": ["key", "attention.output.dense", "intermediate.dense"],
    "plain-descent": r"encoder\..*\.(value|intermediate\.dense|\d\.output\.dense)",
}


class Masks(torch.nn.Module):
    """What an adapter sees is dropped by the library's own masks, drawn from (seed, update,
    example, text, layer, module, position)."""

    def __init__(self, state, layer, number, probability):
        super().__init__()
        self.state, self.site, self.p = state, 8 * layer + number, probability

    def forward(self, x):
        if not self.training:
            return x
        threshold, mask = int(self.p * 2**32), torch.zeros_like(x)
        for row, length in enumerate(self.state["lengths"]):
            for position in range(length):
                epoch = self.state["update"] << 32 | self.site << 20 | position
                rng = Rng(
                    plain.TRAINER["seed"],
                    ADAPTER_DROPOUT,
                    epoch & MASK64,
                    stream_of_view(row, self.state["view"]),
                )
                mask[row, position] = torch.tensor(
                    [float(rng.next32() >= threshold) for _ in range(x.shape[-1])]
                )
        return x * mask / (1 - self.p)


class Encoder(plain.Encoder):
    def __init__(self, config, targets):
        super().__init__()
        dropout = config.get("mnrl.lora_dropout", 0.0)
        lora = LoraConfig(
            r=config["mnrl.lora_rank"],
            lora_alpha=config.get("mnrl.lora_alpha", 8),
            lora_dropout=dropout,
            target_modules=targets,
        )
        self.peft, self.state = get_peft_model(self.bert, lora).double().train(), {}
        self.adapters, number, in_layer = {}, 0, {}
        for (
            module,
            adapter,
        ) in (
            self.bert.named_modules()
        ):  # as the library orders them: layer by layer, as the family lists them
            if not hasattr(adapter, "lora_A"):
                continue
            a, b = adapter.lora_A["default"].weight, adapter.lora_B["default"].weight
            rng, bound = (
                Rng(plain.TRAINER["seed"], INITIALISE, ADAPTER_STREAM, number),
                1 / math.sqrt(a.shape[1]),
            )
            values = [
                [(2 * rng.uniform() - 1) * bound for _ in range(a.shape[1])]
                for _ in range(a.shape[0])
            ]
            a.data = torch.tensor(values).float().double()
            layer = int(module.split(".")[2])
            if dropout:
                adapter.lora_dropout["default"] = Masks(
                    self.state, layer, in_layer.setdefault(layer, 0), dropout
                )
            in_layer[layer] = in_layer.get(layer, 0) + 1
            self.adapters[module + ".lora_A.weight"], self.adapters[module + ".lora_B.weight"] = (
                a,
                b,
            )
            number += 1
        for layer in self.bert.modules():  # the model's own dropout is off
            if type(layer) is torch.nn.Dropout:
                layer.p = 0.0

    def vectors(self, texts, update=0, view=0):
        lengths = (
            self.tokenizer(texts, padding=True, return_tensors="pt")["attention_mask"]
            .sum(1)
            .tolist()
        )
        self.state.update(lengths=lengths, update=update, view=view)
        return F.normalize(self.mean(texts), dim=1)  # the model ends in a Normalize module


class Descent:
    def __init__(self, parameters):
        self.parameters = parameters

    @torch.no_grad()
    def step(self, lr):
        for p in self.parameters.values():
            p.sub_(lr * p.grad)


def run(name, changes, batches):
    config = {**DEFAULTS, **changes}
    if config["optimizer"] == "sgd":
        config = {key: value for key, value in config.items() if key not in ("betas", "eps")}
        config["weight_decay"] = 0.0
    encoder = Encoder(config, TARGETS[name])

    def loss(step):
        a, b = (
            encoder.vectors(batches[step]["a"], step, 0),
            encoder.vectors(batches[step]["b"], step, 1),
        )
        return F.cross_entropy(20 * a @ b.T, torch.arange(len(a)))

    frozen = {n: p.clone() for n, p in encoder.bert.named_parameters() if "lora_" not in n}
    losses = plain.train(
        encoder.adapters,
        loss,
        config,
        Descent(encoder.adapters) if config["optimizer"] == "sgd" else None,
    )
    assert all(p.equal(frozen[n]) for n, p in encoder.bert.named_parameters() if n in frozen)
    print(
        f"lora {name}: {len(encoder.adapters) // 2} adapters, loss {losses[0]:.6f} -> "
        f"{losses[-1]:.6f}"
    )
    encoder.peft.eval()
    vectors = encoder.vectors(batches[0]["a"]).tolist()
    return encoder, {
        "config": config,
        "losses": [float(f"{x:.10g}") for x in losses],
        "vectors": vectors,
    }


def main():
    batches = [
        {k: plain.sentences(7000 + 10 * j + 100 * i, plain.BATCH) for j, k in enumerate("ab")}
        for i in range(plain.STEPS)
    ]
    cases, weights = {}, {}
    for name, changes in CASES.items():
        encoder, cases[name] = run(name, changes, batches)
        weights.update(
            {
                f"{name}/{parameter}": p.detach().float().contiguous()
                for parameter, p in encoder.adapters.items()
            }
        )
        if name == "query-value":
            folder = HERE / "adapter"
            shutil.rmtree(folder, ignore_errors=True)
            encoder.peft.peft_config[
                "default"
            ].base_model_name_or_path = "bert_st"  # and not where it lies here
            encoder.peft.float().save_pretrained(folder)
            (folder / "README.md").unlink()
    save_file(weights, HERE / "lora.golden.safetensors", metadata={"torch": torch.__version__})
    (HERE / "lora.json").write_text(
        json.dumps(
            {"torch": torch.__version__, "batches": batches, "cases": cases}, separators=(",", ":")
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
