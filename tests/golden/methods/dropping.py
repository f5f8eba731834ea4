"""The tiny encoder of plain.py with its dropout on: written out (bert.py), because the masks are
the library's own (core/torch/nn/dropout.h), drawn again in counter_rng.py from (seed, update,
example, view, place in the network, position)."""

import torch

import plain
from bert import Bert
from counter_rng import kept, stream_of_view


class Encoder(Bert):
    def __init__(self, seed):
        source = plain.Encoder()
        config, self.tokenizer, self.seed, self.masks = (
            source.bert.config,
            source.tokenizer,
            seed,
            None,
        )
        self.hidden, self.attention = (
            config.hidden_dropout_prob,
            config.attention_probs_dropout_prob,
        )
        weights = {
            n: {"shape": list(p.shape), "values": p.flatten().tolist()}
            for n, p in source.trainable().items()
        }
        shape = {
            "heads": config.num_attention_heads,
            "layers": config.num_hidden_layers,
            "eps": config.layer_norm_eps,
        }
        super().__init__({"weights": weights, **shape}, self.dropped)

    def dropped(self, x, site):
        mask = torch.zeros_like(
            x
        )  # [texts, longest, hidden], or of attention [texts, heads, longest, longest]
        for row, length in enumerate(self.lengths):
            stream = stream_of_view(row, self.view)
            for position in range(length):
                if x.dim() == 3:
                    mask[row, position] = torch.tensor(
                        kept(
                            self.hidden, self.seed, self.update, stream, site, position, x.shape[2]
                        )
                    )
                else:
                    drawn = kept(
                        self.attention,
                        self.seed,
                        self.update,
                        stream,
                        site,
                        position,
                        x.shape[1] * length,
                    )
                    mask[row, :, position, :length] = torch.tensor(drawn).view(x.shape[1], length)
        return x * mask / (1 - (self.hidden if x.dim() == 3 else self.attention))

    def cls(self, texts, update, view):
        """[texts, hidden] of the view numbered `view` in an update."""
        inputs = self.tokenizer(texts, padding=True, return_tensors="pt")
        mask = inputs["attention_mask"]
        self.lengths, self.update, self.view = mask.sum(1).tolist(), update, view
        x = self.embed(inputs["input_ids"], torch.arange(mask.shape[1]).expand_as(mask))
        return self.last_states(x, mask.double())[:, 0]
