#!/usr/bin/env python3
"""Writes tests/fixtures/rmsprop_golden.json: what torch.optim.RMSprop makes of given gradients, for
tests/core/torch/optim/optimizer_test.cpp. Run it once, manually, where PyTorch is installed:

    python3 tests/golden/optim/rmsprop.py
"""

import json
import pathlib

import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    generator = torch.Generator().manual_seed(20240603)
    start = torch.randn(7, generator=generator, dtype=torch.double)
    gradients = [
        torch.randn(7, generator=generator, dtype=torch.double) * scale
        for scale in (1, 0.01, 3, 0, 0.2)
    ]
    runs = []
    for weight_decay, lr, alpha, eps in (
        (0, 0.01, 0.99, 1e-8),
        (0.1, 0.01, 0.99, 1e-8),
        (0.01, 0.05, 0.9, 1e-3),
    ):
        p = torch.nn.Parameter(start.clone())
        optimizer = torch.optim.RMSprop([p], lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay)
        after = []
        for gradient in gradients:
            p.grad = gradient.clone()
            optimizer.step()
            after.append(p.detach().tolist())
        runs.append(
            {"weight_decay": weight_decay, "lr": lr, "alpha": alpha, "eps": eps, "after": after}
        )
    golden = {
        "made_with": {"torch": torch.__version__},
        "start": start.tolist(),
        "gradients": [g.tolist() for g in gradients],
        "runs": runs,
    }
    (ROOT / "tests/fixtures/rmsprop_golden.json").write_text(
        json.dumps(golden, separators=(",", ":")) + "\n"
    )


if __name__ == "__main__":
    main()
