#!/usr/bin/env python3
"""Fine-tuning with a classification head in plain PyTorch: tests/fixtures/glue_golden.json, which
tests/core/eval/glue holds the library to. The heads are transformers' own
(BertForSequenceClassification, RobertaForSequenceClassification) with the library's fresh weights
put into them; one case is mean pooling with a linear layer. Everything in float64 with dropout off:
16 updates, then the logits of other texts. The file also holds what the tokenizers make of pairs,
cut longest first.

    python tests/golden/eval/glue.py
"""

import json
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
import transformers
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertForSequenceClassification,
    RobertaForSequenceClassification,
)

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/golden/methods"))
import plain  # noqa: E402
from counter_rng import normal_matrix  # noqa: E402

MODELS = ROOT / "tests/fixtures/models"
SEED, UPDATES, BATCH, WARMUP = 7, 16, 6, 3


def fresh(linear, number):
    """What SequenceClassifier draws for its layer `number`: N(0, initializer_range) by the
    counter-based generator, biases 0."""
    weight = torch.tensor(normal_matrix(*linear.weight.shape, 0.02, SEED, number)).float().double()
    linear.weight.data.copy_(weight)
    linear.bias.data.zero_()


class MeanLinear(torch.nn.Module):
    def __init__(self, model, outputs):
        super().__init__()
        self.bert = AutoModel.from_pretrained(MODELS / model, add_pooling_layer=False)
        self.classifier = torch.nn.Linear(self.bert.config.hidden_size, outputs)

    def forward(self, **inputs):
        mask = inputs["attention_mask"].unsqueeze(2)
        return self.classifier((self.bert(**inputs).last_hidden_state * mask).sum(1) / mask.sum(1))


def build(case):
    kind, outputs = case["head"], case["outputs"]
    if kind == "linear":
        model = MeanLinear(case["model"], outputs)
        fresh(model.classifier, 1)
    elif kind == "roberta":
        model = RobertaForSequenceClassification.from_pretrained(
            MODELS / case["model"], num_labels=outputs
        )
        fresh(model.classifier.dense, 0)
        fresh(model.classifier.out_proj, 1)
    else:
        model = BertForSequenceClassification.from_pretrained(
            MODELS / case["model"], num_labels=outputs
        )
        if case["fresh_pooler"]:
            fresh(model.bert.pooler.dense, 0)
        fresh(model.classifier, 1)
    model = model.double().eval()
    tokenizer = AutoTokenizer.from_pretrained(MODELS / case["model"])

    def outputs_of(batch):
        texts = [batch["a"], batch["b"]] if case["pairs"] else [batch["a"]]
        inputs = tokenizer(
            *texts,
            padding=True,
            truncation="longest_first",
            max_length=case["max_length"],
            return_tensors="pt",
        )
        out = model(**inputs)
        return out if torch.is_tensor(out) else out.logits

    return model, outputs_of


def fairseq_linear(step):
    return max(step, 1) / WARMUP if step <= WARMUP else 1 - (step - WARMUP) / (UPDATES - WARMUP)


def run(case, batches, test):
    model, outputs_of = build(case)
    parameters = {n: p for n, p in model.named_parameters() if p.requires_grad}
    plain.decays = (
        (lambda name: True)
        if case["decay_all"]
        else (lambda name: not ("bias" in name or "LayerNorm.weight" in name))
    )
    optimizer = plain.Adam(
        parameters, case["optimizer"], case["betas"], case["eps"], case["weight_decay"]
    )
    losses = []
    for step, batch in enumerate(batches):
        model.zero_grad()
        outputs = outputs_of(batch)
        if case["outputs"] == 1:
            loss = F.mse_loss(outputs.squeeze(1), torch.tensor(batch["scores"], dtype=torch.double))
        else:
            loss = F.cross_entropy(outputs, torch.tensor(batch["labels"]) % case["outputs"])
        loss.backward()
        for parameter in parameters.values():
            parameter.grad = (
                torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            )
        if case["clip_norm"]:
            plain.clip(parameters, case["clip_norm"])
        rate = (
            fairseq_linear(step)
            if case["schedule"] == "fairseq-linear"
            else plain.linear_schedule(step, WARMUP, UPDATES)
        )
        optimizer.step(case["lr"] * rate)
        losses.append(float(f"{loss.item():.10g}"))
    with torch.no_grad():
        logits = [[round(x, 9) for x in row] for row in outputs_of(test).tolist()]
    return {**case, "losses": losses, "logits": logits}


def batch_of(seed, count):
    a, b = plain.sentences(seed, count), plain.sentences(seed + 1, count)
    rng = plain.random.Random(seed + 2)
    return {
        "a": a,
        "b": b,
        "labels": [rng.randrange(6) for _ in a],
        "scores": [round(rng.uniform(0, 5), 2) for _ in a],
    }


def pairs():
    texts = [
        "the cat sat on the mat.",
        "A dog",
        "",
        "Two birds fly over the old house; the café is closed!",
        "a man plays guitar, a woman sings",
    ]
    cases = []
    for model in ("bert_st", "roberta_hf"):
        tokenizer = AutoTokenizer.from_pretrained(MODELS / model)
        for length in (9, 12, 17, 40):
            for a in texts:
                for b in texts:
                    # In lists: by itself an empty second text counts as none.
                    out = tokenizer(
                        [a],
                        [b],
                        truncation="longest_first",
                        max_length=length,
                        return_token_type_ids=True,
                    )
                    cases.append(
                        {
                            "model": model,
                            "max_length": length,
                            "a": a,
                            "b": b,
                            "ids": out["input_ids"][0],
                            "type_ids": out["token_type_ids"][0],
                        }
                    )
    return cases


def main():
    fairseq = {
        "optimizer": "adamw-hf",
        "betas": [0.9, 0.98],
        "eps": 1e-6,
        "weight_decay": 0.1,
        "decay_all": True,
        "clip_norm": 0.0,
        "schedule": "fairseq-linear",
        "lr": 2e-3,
    }
    bert = {
        "optimizer": "adamw",
        "betas": [0.9, 0.999],
        "eps": 1e-6,
        "weight_decay": 0.01,
        "decay_all": False,
        "clip_norm": 1.0,
        "schedule": "warmup-linear",
        "lr": 2e-3,
    }
    cases = [
        {
            "model": "bert_st",
            "head": "bert",
            "fresh_pooler": False,
            "outputs": 2,
            "pairs": True,
            "max_length": 20,
            **fairseq,
        },
        {
            "model": "bert_gamma",
            "head": "bert",
            "fresh_pooler": True,
            "outputs": 2,
            "pairs": False,
            "max_length": 40,
            **bert,
            "lr": 1e-2,
        },
        {
            "model": "roberta_hf",
            "head": "roberta",
            "outputs": 3,
            "pairs": True,
            "max_length": 24,
            **fairseq,
            "lr": 1e-2,
        },
        {
            "model": "bert_st",
            "head": "linear",
            "outputs": 1,
            "pairs": True,
            "max_length": 40,
            **bert,
        },
    ]
    batches = [
        batch_of(500 + 10 * (i % 4), BATCH) for i in range(UPDATES)
    ]  # four epochs of four, so that something is learned
    test = batch_of(900, 12)
    golden = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "seed": SEED,
        "warmup": WARMUP,
        "batches": batches,
        "test": test,
        "cases": [run(case, batches, test) for case in cases],
        "pairs": pairs(),
    }
    path = ROOT / "tests/fixtures/glue_golden.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    for case in golden["cases"]:
        print(
            f"{case['model']} {case['head']}: loss {case['losses'][0]:.6f} -> "
            f"{case['losses'][-1]:.6f}"
        )


if __name__ == "__main__":
    main()
