"""Trains CLEAR as a plain PyTorch program, in float64, on weights and masked and augmented token
ids handed in by clear_dump.

    build/release/clear_dump | python tests/golden/methods/clear.py

writes clear.json and clear.golden.safetensors into this folder: for each run the losses of 20
updates and the weights after them. It follows the paper and the description in
core/torch/methods/clear/clear.h, not the C++ code: padded batches, a forward pass for each view,
logits at every position of which the chosen ones are kept. The files state the version of PyTorch
that wrote them.
"""

import json
import sys

import torch
import torch.nn.functional as F

from bert import Bert
from golden_file import golden_case, write


class Encoder(Bert):
    def states(self, texts):
        """A list of lists of ids -> last hidden states [texts, longest, hidden] and the mask
        [texts, longest]."""
        longest = max(map(len, texts))
        ids = torch.tensor([t + [0] * (longest - len(t)) for t in texts])
        mask = torch.tensor([[1.0] * len(t) + [0.0] * (longest - len(t)) for t in texts])
        places = torch.arange(longest) + self.run["first_position"]
        return self.last_states(self.embed(ids, places), mask), mask

    def predictions(self, states):
        """The tied head: [..., hidden] -> [..., vocabulary]."""
        x = self.norm(
            F.gelu(self.linear(states, "cls.predictions.transform.dense")),
            "cls.predictions.transform.LayerNorm",
        )
        return (
            x @ self.w["embeddings.word_embeddings.weight"][: self.run["vocabulary"]].t()
            + self.w["cls.predictions.bias"]
        )

    def head(self, h):
        kind = self.run["config"].get("clear.head", "code")
        if kind == "none":
            return h
        if kind == "simclr-mlp":
            return self.linear(F.relu(self.linear(h, "head.0")), "head.1")
        return F.relu(
            self.linear(
                self.norm(F.gelu(self.linear(h, "head.0")), "head.LayerNorm", 1e-5), "head.1"
            )
        )


def split(tokens):
    return [tokens["ids"][a:b] for a, b in zip(tokens["offsets"], tokens["offsets"][1:])]


def masked_language_modelling(encoder, update):
    """The mean over all chosen positions of all masks."""
    sums, first = [], 0
    labels = dict(zip(update["positions"], update["labels"]))
    for tokens in update["texts"][: update["masked"]]:
        texts = split(tokens)
        logits = encoder.predictions(encoder.states(texts)[0])
        for i, (text, offset) in enumerate(zip(texts, tokens["offsets"])):
            for t in range(len(text)):
                if first + offset + t in labels:
                    sums.append(
                        F.cross_entropy(logits[i, t], torch.tensor(labels[first + offset + t]))
                    )
        first += len(tokens["ids"])
    assert len(sums) == len(labels)
    return sum(sums) / len(sums)


def contrastive(encoder, update):
    config, z = encoder.run["config"], []
    for tokens in update["texts"][update["masked"] :]:
        states, mask = encoder.states(split(tokens))
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        z.append(encoder.head(mean if config.get("clear.pooling") == "mean" else states[:, 0]))
    n = len(z[0])
    z = F.normalize(torch.cat(z), dim=1)
    s = (z @ z.t() / config.get("clear.temperature", 0.1)).masked_fill(
        torch.eye(2 * n, dtype=torch.bool), float("-inf")
    )
    return F.cross_entropy(
        s, (torch.arange(2 * n) + n) % (2 * n), reduction=config.get("clear.reduction", "mean")
    )


def loss_of(encoder, update):
    loss = masked_language_modelling(encoder, update)
    if len(update["texts"]) == update["masked"]:
        return loss
    return loss + encoder.run["config"].get("clear.contrastive_weight", 1.0) * contrastive(
        encoder, update
    )


def train(run):
    """AdamW, its decay on every parameter or on matrices alone; fairseq's polynomial schedule; no
    clipping."""
    encoder, config = Encoder(run), run["config"]
    beta1, beta2 = map(float, config["betas"])
    warmup, total = config["warmup_steps"], config["max_steps"]
    matrices = [w for n, w in encoder.w.items() if "bias" not in n and "LayerNorm.weight" not in n]
    others = [w for n, w in encoder.w.items() if "bias" in n or "LayerNorm.weight" in n]
    decay = config["weight_decay"]
    groups = [
        {"params": matrices, "weight_decay": decay},
        {"params": others, "weight_decay": decay if config.get("clear.decay_all", True) else 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=config["lr"], betas=(beta1, beta2), eps=config["eps"])
    losses = []
    for u, update in enumerate(run["updates"]):
        factor = max(u, 1) / warmup if u <= warmup else 1 - (u - warmup) / (total - warmup)
        for group in optimizer.param_groups:
            group["lr"] = config["lr"] * factor
        optimizer.zero_grad()
        loss = loss_of(encoder, update)
        loss.backward()
        for w in encoder.w.values():  # what a batch does not touch decays all the same
            w.grad = torch.zeros_like(w) if w.grad is None else w.grad
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses, encoder.w


def main():
    cases = {}
    for run in json.load(sys.stdin):
        losses, weights = train(run)
        cases[run["name"]] = golden_case(run["config"], losses, weights)
    write("clear", cases)


if __name__ == "__main__":
    main()
