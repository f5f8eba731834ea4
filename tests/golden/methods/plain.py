"""What the plain PyTorch programs of this folder share: the tiny encoder of tests/fixtures, batches
of texts, and optimisers written out from their definition. Everything in float64, on transformers'
BertModel with dropout off; dropping.py has it on.

Needs torch and transformers (and for mnrl.py sentence-transformers); the golden files are written
into the folder of the programs."""

import math
import random
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer

MODEL = Path(__file__).resolve().parents[2] / "fixtures" / "models" / "bert_st"
WORDS = (
    "the a cat dog bird house mat sat two old new fly run closed open winter summer "
    "water tree green red blue small large man woman child"
).split()
STEPS, BATCH = 20, 6


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = AutoModel.from_pretrained(MODEL).double().eval()
        self.tokenizer = AutoTokenizer.from_pretrained(MODEL)

    def states(self, texts):
        """Hidden states X[0] ... X[L], each [texts, longest, hidden], and the mask [texts, longest,
        1]."""
        inputs = self.tokenizer(texts, padding=True, return_tensors="pt")
        out = self.bert(**inputs, output_hidden_states=True)
        return out.hidden_states, inputs["attention_mask"].unsqueeze(2).double()

    def mean(self, texts):
        states, mask = self.states(texts)
        return (states[-1] * mask).sum(1) / mask.sum(1)

    def cls(self, texts):
        return self.states(texts)[0][-1][:, 0]

    def trainable(self, frozen=()):
        return {
            n: p
            for n, p in self.bert.named_parameters()
            if not n.startswith(("pooler.",) + tuple(frozen))
        }


def sentences(seed, count):
    rng = random.Random(seed)
    return [" ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 9))) for _ in range(count)]


def cosines(a, b):
    return F.normalize(a, dim=1) @ F.normalize(b, dim=1).T


def nt_xent(a, b, tau):
    z, n = torch.cat([a, b]), len(a)
    s = (cosines(z, z) / tau).masked_fill(torch.eye(2 * n, dtype=torch.bool), -torch.inf)
    return F.cross_entropy(s, (torch.arange(2 * n) + n) % (2 * n))


def linear_schedule(step, warmup, total):
    return step / warmup if step < warmup else max(0.0, (total - step) / (total - warmup))


def cosine_schedule(step, warmup, total):
    return (
        step / warmup
        if step < warmup
        else 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))
    )


def decays(name):
    return not any(part in name for part in ("bias", "LayerNorm.bias", "LayerNorm.weight"))


class Adam:
    """kind 'adamw-hf': transformers' old AdamW (step, then decay; eps before the bias correction);
    'adamw': torch's."""

    def __init__(self, parameters, kind, betas, eps, decay):
        self.parameters, self.kind, self.betas, self.eps, self.decay, self.t = (
            parameters,
            kind,
            betas,
            eps,
            decay,
            0,
        )
        self.m = {n: torch.zeros_like(p) for n, p in parameters.items()}
        self.v = {n: torch.zeros_like(p) for n, p in parameters.items()}

    @torch.no_grad()
    def step(self, lr):
        self.t += 1
        b1, b2 = self.betas
        for name, p in self.parameters.items():
            decay = self.decay if decays(name) else 0.0
            g, m, v = p.grad, self.m[name], self.v[name]
            m.mul_(b1).add_(g, alpha=1 - b1)
            v.mul_(b2).addcmul_(g, g, value=1 - b2)
            if self.kind == "adamw-hf":
                p.sub_(
                    lr * math.sqrt(1 - b2**self.t) / (1 - b1**self.t) * m / (v.sqrt() + self.eps)
                )
                p.sub_(lr * decay * p)
            else:
                p.sub_(lr * decay * p)
                p.sub_(lr * (m / (1 - b1**self.t)) / ((v / (1 - b2**self.t)).sqrt() + self.eps))


def clip(parameters, largest):
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in parameters.values()))
    if norm > largest:
        for p in parameters.values():
            p.grad.mul_(largest / (norm + 1e-6))


def train(parameters, loss_of_step, config, optimizer=None, schedule=linear_schedule):
    """The run that `config`, a trainer's config, describes: its losses, one an update."""
    if optimizer is None:
        optimizer = Adam(
            parameters,
            config["optimizer"],
            [float(b) for b in config["betas"]],
            config["eps"],
            config["weight_decay"],
        )
    losses = []
    for step in range(STEPS):
        for p in parameters.values():
            p.grad = None
        loss = loss_of_step(step)
        loss.backward()
        for p in parameters.values():
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
        if config["clip_norm"] > 0:
            clip(parameters, config["clip_norm"])
        optimizer.step(config["lr"] * schedule(step, config["warmup_steps"], STEPS))
        losses.append(loss.item())
    return losses


TRAINER = {
    "max_steps": STEPS,
    "schedule": "warmup-linear",
    "warmup_steps": 4,
    "clip_norm": 1.0,
    "seed": 5,
    "lr": 5e-4,
    "weight_decay": 0.01,
}
