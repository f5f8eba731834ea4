"""A BERT or RoBERTa encoder written out in PyTorch, in float64, on weights handed in as numbers:
what clear.py and consert.py train."""

import math

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


class Bert:
    def __init__(self, run, drop=lambda x, site: x):
        """`run` has the weights {name: {"shape", "values"}}, "heads", "layers" and "eps"; drop(x,
        site) is dropout at a place of the network, which core/torch/nn/dropout.h numbers."""
        self.run, self.drop = run, drop
        self.w = {
            name: torch.tensor(t["values"]).reshape(t["shape"]).requires_grad_(True)
            for name, t in run["weights"].items()
        }

    def linear(self, x, name):
        return F.linear(x, self.w[name + ".weight"], self.w.get(name + ".bias"))

    def norm(self, x, name, eps=None):
        return F.layer_norm(
            x,
            x.shape[-1:],
            self.w[name + ".weight"],
            self.w[name + ".bias"],
            eps or self.run["eps"],
        )

    def embed(self, ids, positions):
        """[texts, longest] -> [texts, longest, hidden]"""
        x = (
            self.w["embeddings.word_embeddings.weight"][ids]
            + self.w["embeddings.position_embeddings.weight"][positions]
        )
        return self.drop(
            self.norm(
                x + self.w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm"
            ),
            0,
        )

    def last_states(self, x, mask):
        """[texts, longest, hidden] through all layers; mask [texts, longest] is 1 where a token
        is."""
        n, longest, hidden = x.shape
        heads = self.run["heads"]
        blocked = (1 - mask)[:, None, None, :] * -1e30
        for i in range(self.run["layers"]):
            layer = f"encoder.layer.{i}."
            q, k, v = (
                self.linear(x, layer + "attention.self." + part)
                .view(n, longest, heads, hidden // heads)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            weights = torch.softmax(
                q @ k.transpose(2, 3) / math.sqrt(hidden // heads) + blocked, dim=-1
            )
            attended = (
                (self.drop(weights, 3 * i + 1) @ v).transpose(1, 2).reshape(n, longest, hidden)
            )
            attended = self.drop(self.linear(attended, layer + "attention.output.dense"), 3 * i + 2)
            x = self.norm(attended + x, layer + "attention.output.LayerNorm")
            wide = F.gelu(self.linear(x, layer + "intermediate.dense"))
            x = self.norm(
                self.drop(self.linear(wide, layer + "output.dense"), 3 * i + 3) + x,
                layer + "output.LayerNorm",
            )
        return x
